package session

import (
	"time"

	"clawctl/pkg/store"
)

// rowVersion is the version of the rows, which programs read as JSON.
const rowVersion = 1

// A BegunRow is the JSON form of a new session.
type BegunRow struct {
	SchemaVersion int    `json:"schema_version"`
	Key           string `json:"key"`
	SessionID     string `json:"session_id"`
	Previous      string `json:"previous,omitempty"`
	Store         string `json:"store"`
	DryRun        bool   `json:"dry_run,omitempty"`
}

// Row returns the JSON form of a new session in the store at a path.
func (b *Begun) Row(storePath string, dryRun bool) BegunRow {
	return BegunRow{rowVersion, b.Key, b.ID, b.Previous, storePath, dryRun}
}

// A RenamedRow is the JSON form of a session with another key.
type RenamedRow struct {
	SchemaVersion int    `json:"schema_version"`
	Key           string `json:"key"`
	RenamedFrom   string `json:"renamed_from"`
	Generations   int    `json:"generations"`
	DryRun        bool   `json:"dry_run,omitempty"`
}

// NewRenamedRow returns the JSON form of a session that had another key.
func NewRenamedRow(old, key string, generations int, dryRun bool) RenamedRow {
	return RenamedRow{rowVersion, key, old, generations, dryRun}
}

// An AppendedRow is the JSON form of what was appended.
type AppendedRow struct {
	SchemaVersion int        `json:"schema_version"`
	Key           string     `json:"key"`
	SessionID     string     `json:"session_id"`
	Created       bool       `json:"created"`
	Records       []Entry    `json:"records"`
	OpenCalls     []OpenCall `json:"open_calls"`
	Store         string     `json:"store"`
	DryRun        bool       `json:"dry_run,omitempty"`
	Replaced      int        `json:"replaced,omitempty"` // invalid sequences of UTF-8
}

// An OpenCall is a tool call that waits for its result.
type OpenCall struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Row returns the JSON form of what was appended in the store at a path.
func (a *Addition) Row(storePath string, dryRun bool, replaced int) AppendedRow {
	r := AppendedRow{rowVersion, a.Key, a.ID, a.Created, append([]Entry{}, a.Entries...), []OpenCall{}, storePath, dryRun,
		replaced}
	for _, call := range a.Open {
		r.OpenCalls = append(r.OpenCalls, OpenCall{call.ID, call.Name})
	}
	return r
}

// A RemovedRow is the JSON form of a deleted session.
type RemovedRow struct {
	SchemaVersion int    `json:"schema_version"`
	Key           string `json:"key"`
	Trash         int64  `json:"trash,omitempty"`
	Purged        bool   `json:"purged"`
	Records       int64  `json:"records"`
	Bytes         int64  `json:"bytes"`
	DryRun        bool   `json:"dry_run,omitempty"`
}

// Row returns the JSON form of a deleted session.
func (r *RemovedSession) Row(purged, dryRun bool) RemovedRow {
	return RemovedRow{rowVersion, r.Key, r.TrashID, purged, r.Records, r.Bytes, dryRun}
}

// A RestoredRow is the JSON form of a restored session.
type RestoredRow struct {
	SchemaVersion int    `json:"schema_version"`
	Key           string `json:"key"`
	SessionID     string `json:"session_id"`
	Records       int64  `json:"records"`
	Bytes         int64  `json:"bytes"`
	LeftOut       int64  `json:"left_out"`
	Folder        string `json:"folder,omitempty"`
	Store         string `json:"store,omitempty"` // which alone has the session; "" if it is in the folder
	DryRun        bool   `json:"dry_run,omitempty"`
}

// Row returns the JSON form of a restored session. folder is where it was written to, "" for the store at a path.
func (r *Restoration) Row(folder, storePath string, dryRun bool) RestoredRow {
	if folder != "" {
		storePath = ""
	}
	return RestoredRow{rowVersion, r.Key, r.ID, r.Records, r.Bytes, r.Left, folder, storePath, dryRun}
}

// A TrashedRow is the JSON form of an item of the trash.
type TrashedRow struct {
	SchemaVersion int    `json:"schema_version"`
	Name          string `json:"name"`
	Key           string `json:"key"`
	SessionID     string `json:"session_id"`
	Deleted       string `json:"deleted"`
	Reason        string `json:"reason"`
	Records       int64  `json:"records"`
	Bytes         int64  `json:"bytes"`
}

// NewTrashedRow returns the JSON form of an item of the trash.
func NewTrashedRow(item *store.TrashedSession) TrashedRow {
	t := item.Transcript
	return TrashedRow{rowVersion, item.Name(), item.Key, t.SessionID, item.Deleted.Format(time.RFC3339), item.Reason,
		t.Records, t.Bytes}
}
