package stats

import (
	"clawctl/internal/textid"
	"clawctl/pkg/jsonl"
)

// A RecordID identifies a record by what it says and when, and by its id and time. It is zero for a line that cannot be
// read, which is never a copy.
type RecordID struct{ content, name textid.ID }

// An Identifier makes the ids of records, one after another. Its zero value is ready to use.
type Identifier struct{ keys recordKeys }

// ID returns the id of a record.
func (i *Identifier) ID(rec *jsonl.Record) RecordID {
	if !counts(rec) {
		return RecordID{}
	}
	return RecordID{i.keys.content(rec).sum, i.keys.id(rec)}
}

// Originals tells records from their copies in several sessions, with the rules of Collect.
type Originals struct{ seen seenRecords }

// NewOriginals returns Originals that have met no record.
func NewOriginals() *Originals {
	o := &Originals{}
	o.seen.begin(true, false)
	return o
}

// IsCopy reports whether a record of a session is a copy of one before it. Sessions are known by their numbers.
func (o *Originals) IsCopy(id RecordID, session int32) bool {
	if id == (RecordID{}) {
		return false
	}
	o.seen.session = session
	isKnown, _ := o.seen.before(&contentKey{sum: id.content}, id.name)
	return isKnown
}
