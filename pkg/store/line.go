package store

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"clawctl/pkg/jsonl"
)

// A Line is one line of a transcript on its way into the store. A record becomes a row of messages, any other line a
// row of quarantine.
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
	line := Line{IsRecord: true, Type: rec.Type(), ID: rec.ID(), Before: string(before), Text: text, After: after}
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
