package repair

import (
	"bytes"
	"cmp"
	"slices"

	"clawctl/pkg/change"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
)

// An order is the path of a context in which records are added, moved and removed. Every record of the path gets the
// parent that it then follows.
type order struct {
	path      []rebuild.Place
	isLinked  bool                  // records have parents
	at        map[int64]int         // positions in path, by line
	followers map[int64][]*follower // what comes directly after the record of a line
	moved     map[int64]*follower   // records that move, by line
	answers   map[answer]bool       // calls whose results move to them
	lastStay  int                   // the last position in path of a record that does not move
	removed   map[int64]bool
	ends      map[int64]int64 // where the lines of records with followers end
}

// A follower is a record that is written after another one.
type follower struct {
	id    string
	line  int64       // where it was, or 0 if it is new
	cause int64       // the offset of the record whose change it is
	value jsonl.Value // once it is known
}

// An answer is a call, and the line that it is in.
type answer struct {
	line int64
	call string
}

func newOrder(path []rebuild.Place, isLinked bool) *order {
	o := &order{
		path: path, isLinked: isLinked, at: make(map[int64]int, len(path)), lastStay: len(path) - 1,
		followers: map[int64][]*follower{}, moved: map[int64]*follower{}, removed: map[int64]bool{}, ends: map[int64]int64{},
		answers: map[answer]bool{},
	}
	for i, p := range path {
		o.at[p.Line] = i
	}
	return o
}

func (o *order) has(line int64) bool { _, ok := o.at[line]; return ok }

// move moves a record after another one, which comes before or after it.
func (o *order) move(line, after int64, call string) {
	if !o.has(line) || !o.has(after) || o.moves(line) {
		return
	}
	p := o.path[o.at[line]]
	f := &follower{id: p.Entry, line: line, cause: p.Offset}
	o.moved[line] = f
	o.followers[after] = append(o.followers[after], f)
	o.answers[answer{after, call}] = true
}

// settle must be called after the last move.
func (o *order) settle() {
	for _, list := range o.followers {
		slices.SortFunc(list, func(a, b *follower) int { return cmp.Compare(a.line, b.line) })
	}
	for o.lastStay >= 0 && o.moves(o.path[o.lastStay].Line) {
		o.lastStay--
	}
}

// next returns the id of what comes after the record of a line.
func (o *order) next(line int64) (id string, ok bool) {
	at, ok := o.at[line]
	if !ok || !o.isLinked || at+1 == len(o.path) {
		return "", false
	}
	return o.path[at+1].Entry, true
}

func (o *order) moves(line int64) bool { return o.moved[line] != nil }

// isLast reports whether nothing comes after the record of a line and what follows it.
func (o *order) isLast(line int64) bool {
	at, ok := o.at[line]
	return ok && at >= o.lastStay
}

// add adds a new record after another one.
func (o *order) add(rec *jsonl.Record, id string, record jsonl.Value) {
	o.followers[rec.Line] = append(o.followers[rec.Line], &follower{id: id, cause: rec.Offset, value: record})
}

// take takes a record after its fixes were made.
func (o *order) take(rec *jsonl.Record, value jsonl.Value, isKept, isChanged bool, sh *sheet) {
	if !isKept {
		sh.quarantine(rec)
		o.removed[rec.Line] = true
		return
	}
	if parent, cause, ok := o.newParent(rec.Line); ok {
		value, isChanged = value.With("parentId", linkOf(parent)), true
		sh.follow(cause, rec.Offset)
	}
	if len(o.followers[rec.Line]) > 0 {
		o.ends[rec.Line] = rec.Offset + int64(len(rec.Raw))
	}
	switch f := o.moved[rec.Line]; {
	case f != nil:
		sh.remove(rec)
		f.value = bytes.Clone(value)
	case isChanged:
		sh.replace(rec, value)
	}
}

// newParent returns the parent of a record of the path, if it is another one than before, and the offset of the record
// because of which it changes. The records before it have been taken.
func (o *order) newParent(line int64) (parent string, cause int64, ok bool) {
	at, ok := o.at[line]
	if !ok || !o.isLinked || o.moves(line) {
		return "", 0, false // write links what moves
	}
	before := at - 1
	for before >= 0 && (o.moves(o.path[before].Line) || o.removed[o.path[before].Line]) {
		cause = o.path[before].Offset
		before--
	}
	if before < 0 {
		return "", cause, before != at-1
	}
	if list := o.followers[o.path[before].Line]; len(list) > 0 {
		last := list[len(list)-1]
		return last.id, last.cause, true
	}
	return o.path[before].Entry, cause, before != at-1
}

// write writes the followers after the records that they follow, or at the end if nothing comes after them.
func (o *order) write(sh *sheet, s *survey) {
	for line, list := range o.followers {
		end, ok := o.ends[line]
		if !ok {
			continue
		}
		if o.isLast(line) {
			end = s.size
		}
		parent := o.path[o.at[line]].Entry
		var text []byte
		if end == s.size && s.dangling {
			text = append(text, '\n')
		}
		for _, f := range list {
			if f.value.Get("parentId").Exists() {
				f.value = f.value.With("parentId", linkOf(parent))
			}
			text = append(append(text, f.value...), '\n')
			parent = f.id
		}
		sh.edits = append(sh.edits, change.Edit{From: end, To: end, New: text})
	}
}
