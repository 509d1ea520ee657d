package stats

import (
	"clawctl/internal/textid"
	"clawctl/pkg/jsonl"
)

// A RecordID identifies a record by what it says and when, and by its id. It is zero for a line that cannot be read,
// which is never a copy.
type RecordID struct {
	content, name textid.ID
	said          saying
}

// An Identifier makes the ids of records, one after another. Its zero value is ready to use.
type Identifier struct{ keys recordKeys }

// ID returns the id of a record.
func (i *Identifier) ID(rec *jsonl.Record) RecordID {
	if !counts(rec) {
		return RecordID{}
	}
	return RecordID{i.keys.content(rec).sum, i.keys.id(rec), i.keys.saying(rec)}
}

// Originals tells records from their copies in several sessions, with the rules of Collect.
type Originals struct{ seen seenRecords }

// NewOriginals returns the Originals of a family, which have met no record.
func NewOriginals(f *Family) *Originals {
	o := &Originals{}
	o.seen.beginFamily(f)
	return o
}

// Begin says which session of the family the following records are from, by its number there.
func (o *Originals) Begin(session int32) { o.seen.beginSession(session) }

// IsCopy reports whether a record of the session is a copy of one before it.
func (o *Originals) IsCopy(id RecordID) bool {
	if id == (RecordID{}) {
		return false
	}
	isKnown, _ := o.seen.before(&contentKey{sum: id.content}, id.name)
	return o.seen.repeats(id.said) || isKnown
}
