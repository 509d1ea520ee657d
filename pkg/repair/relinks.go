package repair

import "clawctl/pkg/jsonl"

// references are the keys of records that hold the id of another one.
var references = []string{"parentId", "targetId", "firstKeptEntryId", "fromId", "appendParentId"}

// relinks are the new values of links, by the ids that they have now.
type relinks map[string]relink

// A relink is the new value of a link, "" for null, and the offset of the record because of which it changes.
type relink struct {
	id    string
	cause int64
}

// apply returns a record with the new values of some links, and the offsets of the records because of which they
// change.
func (r relinks) apply(record jsonl.Value, keys ...string) (_ jsonl.Value, causes []int64) {
	if len(r) == 0 {
		return record, nil
	}
	for _, key := range keys {
		if to, ok := r[record.Get(key).String()]; ok {
			record, causes = with(record, key, linkOf(r.last(to).id)), append(causes, to.cause)
		}
	}
	return record, causes
}

// last returns what a link leads to if what it leads to is gone too.
func (r relinks) last(to relink) relink {
	for range len(r) {
		next, ok := r[to.id]
		if !ok {
			break
		}
		to = next
	}
	return to
}
