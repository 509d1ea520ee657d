package follow

import (
	"context"
	"io"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// A Change is something that happened to a session other than that records were appended.
type Change int

// The changes.
const (
	Appended  Change = iota // the usual one
	Truncated               // the text was cut or changed: it begins again
	Replaced                // another file has the name now: its text begins
	Removed                 // there is no such file or session any more
	Continued               // the key goes on with a new session: its text begins
)

// String returns the name of a change, which programs match on.
func (c Change) String() string {
	return [...]string{"appended", "truncated", "replaced", "removed", "continued"}[c]
}

// An Event is a record, a change, or an error that does not end the following.
type Event struct {
	Record *jsonl.Record // valid until the next event; its line is 0 if it is not known
	Change Change
	Err    error
}

// A Source is one session that grows.
type Source interface {
	// Last gives the last records to an ending. What Poll returns begins after them.
	Last(ctx context.Context, e *Ending) error
	// Poll calls yield for everything that has happened since the last call. A last line without a line end is held back
	// until it has one. An error of yield ends the poll and is returned.
	Poll(ctx context.Context, yield func(Event) error) error
	// Close releases the session.
	Close() error
}

// newSource returns the source of a session. Sessions of one database or store share its views.
func (g *Group) newSource(s *source.Session) Source {
	switch {
	case s.InStore():
		return newStored(g.store(s.Path), store.Name(s.Key, s.Generation))
	case s.HasRows():
		return &rows{database: g.database(s.Path), id: s.ID}
	case s.InDatabase, isCompressed(s):
		return newText(s.Path, func(context.Context) (io.ReadCloser, error) { return s.Open() })
	}
	return &file{path: s.Path, openRaw: s.OpenRaw}
}

// isCompressed reports whether the text of a session is not the bytes of its file. A file that does not exist yet will
// be what its name says.
func isCompressed(s *source.Session) bool {
	in, err := s.Open()
	if err != nil {
		return strings.HasSuffix(s.Path, ".zst") || strings.HasSuffix(s.Path, ".gz")
	}
	defer in.Close()
	return !in.IsPlain() || !s.IsFile()
}

// fingerprint changes when a file, or the log of a database, is written.
func fingerprint(path string) string { return dbfile.WriteStamp(path) }

// withoutLine hides the number of a record's line, which is not known if the text before it was not read.
func withoutLine(rec *jsonl.Record) { setLine(rec, 0) }

// setLine changes the number of a record's line.
func setLine(rec *jsonl.Record, line int64) {
	rec.Line = line
	if rec.Damage != nil {
		damage := *rec.Damage
		damage.Line = line
		rec.Damage = &damage
	}
}
