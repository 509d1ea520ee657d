package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding"
	"encoding/hex"
	"hash"
	"strings"

	"clawctl/internal/failure"
)

// A Transcript describes the text of a session in the store: its owner, its length and its digest.
type Transcript struct {
	Key        string // the session's key; an earlier generation has @ and its name appended
	BaseKey    string
	Generation string
	SessionID  string
	Agent      string
	Kind       string
	Lines      int64
	Records    int64 // lines that are rows of messages
	Bytes      int64
	Tail       int64  // bytes of a last line without a line end
	LineEnd    string // of most lines
	Sum        string // the SHA-256 of the text, in hexadecimal
	LastTime   int64
	Own        int64 // bytes that were appended in the store and came from no source
	Incomplete bool  // an interrupted import has stored only the beginning

	state []byte // of the digest
}

// Name returns the key under which a generation of a session is stored.
func Name(key, generation string) string {
	if generation == "" {
		return key
	}
	return key + "@" + generation
}

// UnknownTranscript returns the transcript of a session that another program wrote. Only its key is known.
func UnknownTranscript(key string) *Transcript {
	return &Transcript{Key: key, BaseKey: key, SessionID: key, Kind: "live", LineEnd: "\n"}
}

// forgetText makes the transcript that of an empty text.
func (t *Transcript) forgetText() {
	t.Lines, t.Records, t.Bytes, t.Tail, t.LineEnd, t.LastTime = 0, 0, 0, 0, "", 0
}

// CompleteBytes returns the length of the text up to the last line end. The rest may still grow.
func (t *Transcript) CompleteBytes() int64 { return t.Bytes - t.Tail }

// CompleteLines returns the number of lines in CompleteBytes.
func (t *Transcript) CompleteLines() int64 {
	if t.Tail > 0 {
		return t.Lines - 1
	}
	return t.Lines
}

// A Digest is the SHA-256 of a text, with the state needed to continue it.
type Digest struct {
	Sum   string
	State []byte
}

// DigestOf returns the digest of what was written to a hash, which must be a SHA-256.
func DigestOf(h hash.Hash) Digest {
	state, err := h.(encoding.BinaryMarshaler).MarshalBinary()
	if err != nil {
		panic(err) // the implementation of the standard library cannot fail
	}
	return Digest{hex.EncodeToString(h.Sum(nil)), state}
}

// DigestAfter returns the SHA-256 of what was written to a hash and what follows, in hexadecimal.
func DigestAfter(before hash.Hash, more []byte) string {
	h, err := before.(hash.Cloner).Clone()
	if err != nil {
		panic(err) // the implementation of the standard library cannot fail
	}
	h.Write(more)
	return hex.EncodeToString(h.Sum(nil))
}

// hash returns a hash that continues after the text.
func (t *Transcript) hash() (hash.Hash, error) {
	h := sha256.New()
	if len(t.state) == 0 {
		return h, nil
	}
	return h, h.(encoding.BinaryUnmarshaler).UnmarshalBinary(t.state)
}

const transcriptColumns = "session_key, base_key, generation, session_id, agent, kind, lines, records, bytes, tail, " +
	"line_end, sha256, state, last_time, own"

// values returns the values of transcriptColumns.
func (t *Transcript) values() []any {
	return []any{t.Key, t.BaseKey, t.Generation, t.SessionID, t.Agent, t.Kind, t.Lines, t.Records, t.Bytes, t.Tail,
		t.LineEnd, t.Sum, t.state, t.LastTime, t.Own}
}

func scanTranscript(scan scanFunc) (*Transcript, error) {
	t := &Transcript{}
	return t, scan(&t.Key, &t.BaseKey, &t.Generation, &t.SessionID, &t.Agent, &t.Kind, &t.Lines, &t.Records, &t.Bytes,
		&t.Tail, &t.LineEnd, &t.Sum, &t.state, &t.LastTime, &t.Own, &t.Incomplete)
}

// incompleteColumn is true for a session that ends where the reading of one of its sources was interrupted.
const incompleteColumn = ", EXISTS (SELECT 1 FROM receipts r WHERE r.session_key = transcripts.session_key AND " +
	"r.size = -1 AND r.bytes >= transcripts.bytes - transcripts.own)"

// ErrIncomplete is the error at the end of the text of an incomplete session.
var ErrIncomplete error = incompleteError{}

type incompleteError struct{}

func (incompleteError) Error() string {
	return "only the beginning of the session is stored, because its import was interrupted"
}

// FailureAt says how to import the rest.
func (e incompleteError) FailureAt(place string) *failure.Error {
	store, _, _ := strings.Cut(place, "#")
	return failure.New(failure.Incomplete, "%v", e).At(place).AfterWork().
		WithHint(failure.Command("clawctl", "import", "--to", store))
}

// transcripts returns the transcripts of a store that match a condition.
func transcripts(ctx context.Context, db querier, where string, args ...any) ([]*Transcript, error) {
	return collect(ctx, db, "SELECT "+transcriptColumns+incompleteColumn+" FROM transcripts "+where, args, scanTranscript)
}

// A head is the state in which a session ends, in the words of whoever appends to it. It saves reading the session
// before every record. It counts only for the text that it was made for, so whatever else adds to a session, such as an
// import, makes it void.

// Head returns the state that was stored with the current text of a session, or "".
func (b *Batch) Head(t *Transcript) (state string, err error) {
	const query = "SELECT state, seal FROM heads WHERE session_key = ? AND bytes = ?"
	err = each(b.ctx, b.db, query, []any{t.Key, t.Bytes}, func(scan scanFunc) error {
		var seal sql.NullInt64
		err := scan(&state, &seal)
		if seal.Int64 != sealOf(t.Bytes, state) {
			state = ""
		}
		return err
	})
	return state, err
}

// PutHead stores the state in which the current text of a session ends.
func (b *Batch) PutHead(t *Transcript, state string) error {
	return b.exec("INSERT OR REPLACE INTO heads(session_key, bytes, state, seal) VALUES (?, ?, ?, ?)", t.Key, t.Bytes,
		state, sealOf(t.Bytes, state))
}
