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
		id := record.Get(key).String()
		if to, ok := r[id]; ok {
			record, causes = record.With(key, linkOf(r.last(id))), append(causes, to.cause)
		}
	}
	return record, causes
}

// last returns the id that a link leads to if what it leads to is gone too. All links on the way lead there from then
// on, so that no way is gone twice. A circle ends somewhere.
func (r relinks) last(from string) string {
	id := from
	for range len(r) {
		next, ok := r[id]
		if !ok || next.id == id {
			break
		}
		id = next.id
	}
	if end, ok := r[id]; ok {
		r[id] = relink{id, end.cause}
	}
	for at := from; at != id; {
		next := r[at]
		r[at] = relink{id, next.cause}
		at = next.id
	}
	return id
}
