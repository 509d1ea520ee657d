package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"clawctl/pkg/jsonl"
)

// A Line is one line of a transcript on its way into the store, or several in a row that are not records. A record
// becomes a row of messages, anything else a row of quarantine.
type Line struct {
	IsRecord bool
	ID       string
	Parent   string // valid if HasParent
	Type     string
	Time     int64
	Text     []byte // the text of a record, or all bytes of any other line
	Code     string // of a damaged line

	HasParent     bool
	Before, After string // around the text of a record

	joined int64 // lines in Text besides the first
}

// Count returns the number of lines.
func (l *Line) Count() int64 { return 1 + l.joined }

// maxJoined is the maximum size of lines in a row that become one row of quarantine.
const maxJoined = 64 << 10

// Join appends a line if both are no records and have the same code. A file of blank lines would otherwise take a row
// for every byte. The last line of a text stays by itself if it has no line end, because it may grow. Join may write
// behind the text that it appends to.
func (l *Line) Join(next *Line) bool {
	if l.IsRecord || next.IsRecord || l.Code != next.Code || len(l.Text)+len(next.Text) > maxJoined ||
		!bytes.HasSuffix(l.Text, []byte("\n")) || !bytes.HasSuffix(next.Text, []byte("\n")) {
		return false
	}
	l.Text = append(l.Text, next.Text...)
	l.joined += next.Count()
	return true
}

// countLines returns how many lines the text of a row of quarantine has.
func countLines(text []byte) int64 {
	n := int64(bytes.Count(text, []byte("\n")))
	if !bytes.HasSuffix(text, []byte("\n")) {
		n++
	}
	return n
}

// A Liner turns the records of one session into lines. It fills in what a record lacks: an id, made from the session id
// and the number of the record, and a time, taken from the previous record.
type Liner struct {
	idPrefix string
	records  int64
	lastTime int64
}

// NewLiner returns a liner for the lines after a transcript, which may be empty.
func NewLiner(t *Transcript) *Liner {
	sum := sha256.Sum256([]byte(t.SessionID))
	return &Liner{idPrefix: hex.EncodeToString(sum[:8]) + "-", records: t.Records, lastTime: t.LastTime}
}

// Line returns the line of a record. Its text shares the memory of the record. Its strings are copies.
func (l *Liner) Line(rec *jsonl.Record) Line {
	if rec.Blank || rec.Damage != nil {
		line := Line{Text: rec.Raw}
		if rec.Damage != nil {
			line.Code = string(rec.Damage.Code)
		}
		return line
	}
	text, after := rec.Text(), rec.LineEnd()
	before := rec.Raw[:len(rec.Raw)-len(text)-len(after)]
	line := Line{IsRecord: true, Type: rec.StatedType(), ID: rec.ID(), Before: string(before), Text: text, After: after}
	line.Parent, line.HasParent = rec.ParentID()
	line.HasParent = line.HasParent && line.Parent != ""
	if line.ID == "" {
		line.ID = l.idPrefix + strconv.FormatInt(l.records, 36)
	}
	if at, ok := rec.Time(); ok {
		l.lastTime = at.UnixMilli()
	}
	line.Time = l.lastTime
	l.records++
	return line
}
