package openclaw

import (
	"io"
	"slices"

	"clawctl/pkg/jsonl"
)

// NewColdReader returns a reader of the transcript in a cold archive. Each line of the archive is a row, and the rows
// of kind event hold a line of the transcript as a string. A line that is no known row is passed on as it is.
func NewColdReader(archive io.Reader) io.Reader {
	return &coldReader{lines: jsonl.NewReader(archive, jsonl.Options{})}
}

type coldReader struct {
	lines *jsonl.Reader
	rest  []byte
}

func (c *coldReader) Read(p []byte) (int, error) {
	for len(c.rest) == 0 {
		rec, err := c.lines.Next()
		if err != nil {
			return 0, err
		}
		switch kindOfRow(rec) {
		case eventRow:
			c.rest = append(append(c.rest[:0], rec.Get("row").Get("event_json").String()...), '\n')
		case unknownRow:
			c.rest = append(c.rest[:0], rec.Raw...)
		}
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// A rowKind is what a line of a cold archive is.
type rowKind int

const (
	unknownRow rowKind = iota
	headerRow
	eventRow
	derivedRow // made from the events: OpenClaw's indexes and its full-text search
)

var derivedRows = []string{"identity", "active", "index", "fts"}

func kindOfRow(rec *jsonl.Record) rowKind {
	kind, row := rec.Get("kind").String(), rec.Get("row")
	switch {
	case kind == "header" && string(rec.Get("version")) == "1":
		return headerRow
	case row.Get("event_json").IsString():
		return eventRow
	case slices.Contains(derivedRows, kind) && row.IsObject():
		return derivedRow
	}
	return unknownRow
}

// IsColdRow reports whether a line is a row of a cold archive, even of a version that is not known yet.
func IsColdRow(rec *jsonl.Record) bool {
	return rec.Get("kind").IsString() && (rec.Get("row").IsObject() || rec.Get("sessionId").IsString())
}

// HasOther reports whether a line of a cold archive has more than a transcript has: members that are not known, or a
// row that is made from the events. An unknown line is part of the transcript.
func HasOther(rec *jsonl.Record) bool {
	switch kindOfRow(rec) {
	case headerRow:
		return hasOtherMembers(rec.Stated(), "kind", "version", "sessionId", "generation")
	case eventRow:
		return hasOtherMembers(rec.Stated(), "kind", "row") ||
			hasOtherMembers(rec.Get("row"), "seq", "event_json", "created_at")
	case derivedRow:
		return true
	}
	return false
}

// hasOtherMembers reports whether an object has other members than the given ones, or one of them twice.
func hasOtherMembers(v jsonl.Value, members ...string) bool {
	for key := range v.Members() {
		at := slices.Index(members, key)
		if at < 0 {
			return true
		}
		members = slices.Delete(slices.Clone(members), at, at+1)
	}
	return false
}
