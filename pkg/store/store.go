package store

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"time"

	"clawctl/pkg/jsonl"
)

// ErrConflict is the error for records that do not continue those of the store.
var ErrConflict = errors.New("the store has different records for this session")

// ErrNotRecord is the error for an Append of anything but one complete record.
var ErrNotRecord = errors.New("not a complete record")

// A SessionStore keeps sessions by their keys. It is safe for concurrent use.
//
// Order: records are returned in the order in which they were saved and appended, regardless of their timestamps.
//
// Atomicity: Save and Append take effect completely or not at all, and are durable when they return. Load returns the
// state of the session at the moment its iterator starts.
//
// Conflicts: a store never overwrites a record. Append adds after the last record, whoever wrote it. Save adds the
// rest if the records begin with everything that is stored, and changes nothing if they are the beginning of it.
// Otherwise it returns ErrConflict. Records with the same id are all kept.
type SessionStore interface {
	// Load returns the session of a key. An unknown key gives a new session without records and no error. Nothing is
	// written until its first Save or Append.
	Load(ctx context.Context, key string) (*Conversation, error)
	// Save stores a session: its metadata, and its records.
	Save(ctx context.Context, session *Conversation) error
	// Append adds one record at the end of the session of a key. It creates the session if there is none.
	Append(ctx context.Context, key string, record *jsonl.Record) error
	// List returns every session, in the order of their keys.
	List(ctx context.Context) ([]Info, error)
	// Close releases the store. Sessions that were loaded from it can no longer be read.
	Close() error
}

// An Info is what is known about a session without reading its records.
type Info struct {
	Key      string
	Created  time.Time
	Updated  time.Time
	Metadata Metadata
	Records  int64
}

// A Conversation is a session of a store: its metadata and its records.
type Conversation struct {
	Info
	// Records yields every readable record, in order. A yielded error is final. A record is valid until the next one is
	// requested. For a new session Records is empty, not nil.
	Records iter.Seq2[*jsonl.Record, error]
}

// Metadata is the JSON object that a store keeps with a session. Fields that clawctl does not know are kept.
type Metadata struct {
	Agent         string `json:"agent,omitempty"`
	SessionID     string `json:"sessionId,omitempty"`
	Kind          string `json:"kind,omitempty"`
	Generation    string `json:"generation,omitempty"`
	Title         string `json:"title,omitempty"`
	Source        string `json:"source,omitempty"`        // where its records first came from
	InheritedFrom string `json:"inheritedFrom,omitempty"` // the session whose path it began with
	// Entry is the session's registration, such as its entry in sessions.json, as it was written.
	Entry json.RawMessage `json:"entry,omitempty"`
}
