package stats

import (
	"slices"

	"clawctl/internal/textid"
	"clawctl/pkg/jsonl"
)

// A saying is what a record says, whatever its time, if its program repeats records under new times.
type saying struct {
	id textid.ID // zero for a record of another program
	at int64     // in nanoseconds, 0 if it has no time
	// begins is set for what a fork does not have from the session that it was made from, once it goes on by itself: a
	// turn, a prompt, or usage.
	begins bool
}

// saying returns what a record says.
func (k *recordKeys) saying(rec *jsonl.Record) (s saying) {
	said, isTurn := rec.Restated()
	if !said.Exists() {
		return s
	}
	if at, ok := rec.Time(); ok {
		s.at = at.UnixNano()
	}
	k.buf = textid.AppendPart(append(k.buf[:0], ofSaying), kindOf(rec))
	if m, ok := rec.Message(); ok {
		k.appendText(m.Content())
		k.buf = textid.AppendPart(k.buf, m.Role())
		k.buf = textid.AppendPart(k.buf, m.ToolCallID())
		s.begins = m.Role() == jsonl.RoleUser
	} else if _, ok := rec.Usage(); ok {
		k.buf = textid.AppendPart(k.buf, rec.Get("usage"))
		s.begins = true
	} else {
		k.buf = textid.AppendPart(k.buf, said)
		s.begins = isTurn
	}
	s.id = textid.Of(k.buf)
	return s
}

// A thread has the sayings of a session that others repeat.
type thread struct {
	times  []int64
	places map[textid.ID][]int32 // of each saying
}

func (t *thread) add(s saying) {
	if t.places == nil {
		t.places = map[textid.ID][]int32{}
	}
	t.places[s.id] = append(t.places[s.id], int32(len(t.times)))
	t.times = append(t.times, s.at)
}

// find returns the first place of a saying from another place on. What was said after a fork began is not in it.
func (t *thread) find(s saying, from int32, forked int64) (place int32, ok bool) {
	places := t.places[s.id]
	i, _ := slices.BinarySearch(places, from)
	if i == len(places) || t.times[places[i]] > forked {
		return 0, false
	}
	return places[i], true
}

// A replay follows how a session repeats the records of another one: in their order, but not always all of them.
type replay struct {
	of     *thread // nil if it repeats nothing, or no more
	next   int32   // the place in it after the last record that was repeated
	forked int64   // the time of the first record
}

// repeats reports whether a record is one of the other session.
func (r *replay) repeats(s saying) bool {
	if r.of == nil || s.id == (textid.ID{}) {
		return false
	}
	if r.forked == 0 {
		r.forked = s.at
	}
	place, ok := r.of.find(s, r.next, r.forked)
	switch {
	case ok:
		r.next = place + 1
	case s.begins:
		r.of = nil
	}
	return ok
}
