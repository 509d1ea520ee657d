package stats

import (
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"time"

	"clawctl/internal/textid"
	"clawctl/pkg/jsonl"
)

// seenRecords remembers the records of a family, to recognize copies.
type seenRecords struct {
	contents map[textid.ID]struct{} // of all records; nil if recent does
	ids      map[textid.ID]int32    // with the first session that had them; nil for a session without a family
	session  int32
	recent   recentRecords

	family  *Family           // nil for a session without one
	threads map[int32]*thread // of the sessions that others repeat
	replay  replay            // of the session at hand
}

// beginFamily forgets everything and starts a family.
func (s *seenRecords) beginFamily(f *Family) {
	*s = seenRecords{family: f, ids: map[textid.ID]int32{}, threads: map[int32]*thread{}}
	for _, number := range f.repeated {
		if number >= 0 {
			s.threads[number] = &thread{}
		}
	}
	s.rememberAll()
}

// beginAlone forgets everything and starts a session without a family. One that can be read only once must be
// remembered as a whole.
func (s *seenRecords) beginAlone(isStream bool) {
	*s = seenRecords{}
	if isStream {
		s.rememberAll()
	}
}

// rememberAll starts to remember every record.
func (s *seenRecords) rememberAll() { s.contents = map[textid.ID]struct{}{} }

// isFamily reports whether there are other sessions to compare with.
func (s *seenRecords) isFamily() bool { return s.ids != nil }

// hasReplays reports whether sessions of the family may repeat records of others under new times.
func (s *seenRecords) hasReplays() bool { return len(s.threads) > 0 }

// beginSession starts a session of the family by its number there.
func (s *seenRecords) beginSession(number int32) {
	s.session, s.replay = number, replay{}
	if s.family != nil && int(number) < len(s.family.repeated) {
		s.replay.of = s.threads[s.family.repeated[number]]
	}
}

// repeats reports whether a record is one that the session repeats from the one that it was made from, and remembers
// what it says.
func (s *seenRecords) repeats(said saying) bool {
	if said.id == (textid.ID{}) {
		return false
	}
	isReplay := s.replay.repeats(said)
	if t := s.threads[s.session]; t != nil {
		t.add(said)
	}
	return isReplay
}

// before reports whether a record occurred before, and remembers it. A record is a copy if another has the same
// content, or if one in another session has the same id, even if its content has changed since. isSure is false if only
// somebody who remembers all records can tell.
func (s *seenRecords) before(content *contentKey, id textid.ID) (isKnown, isSure bool) {
	if content.hasLine && !s.isFamily() {
		return false, true // no other line of the session has its number
	}
	if s.contents == nil {
		return s.recent.before(content)
	}
	isKnown = addTo(s.contents, content.sum)
	if id == (textid.ID{}) || s.ids == nil {
		return isKnown, true
	}
	first, isNamed := s.ids[id]
	if !isNamed {
		s.ids[id] = s.session
	}
	return isKnown || isNamed && first != s.session, true
}

func addTo(set map[textid.ID]struct{}, sum textid.ID) bool {
	size := len(set)
	set[sum] = struct{}{}
	return len(set) == size
}

// recentRecords remembers the last records of a session. That is enough for nearly all sessions: a copy has the time of
// its original, so a record that is younger than all that were forgotten is a copy of none of them. Nor is one that is
// younger than all records, which nearly every one is. Most sums are therefore never looked for.
type recentRecords struct {
	young, old   recentSums
	latest       time.Time // of all records
	oldLatest    time.Time // of those that are not in young
	forgotten    time.Time // the latest of those in neither
	hasForgotten bool
}

// recentCount is how many records are young, at most. It is a variable for tests.
var recentCount = 1 << 11

// before reports whether a record occurred before, and remembers it if it is sure.
func (r *recentRecords) before(content *contentKey) (isKnown, isSure bool) {
	if len(r.young.list) >= recentCount {
		r.age()
	}
	if r.hasForgotten && !(content.isDated && content.at.After(r.forgotten)) {
		return false, false
	}
	if content.isDated && content.at.After(r.latest) {
		r.latest = content.at
	} else {
		isKnown = r.old.has(content.sum) || r.young.has(content.sum)
	}
	if !isKnown {
		r.young.list = append(r.young.list, content.sum)
	}
	return isKnown, !isKnown || !content.isBrief
}

// age forgets the old records. The young ones become old.
func (r *recentRecords) age() {
	r.forgotten, r.hasForgotten = r.oldLatest, len(r.old.list) > 0
	r.old, r.young = r.young, r.old
	r.oldLatest = r.latest
	r.young.list = r.young.list[:0] // not its memory
	clear(r.young.set)
}

// recentSums are the sums of some records, each of them once.
type recentSums struct {
	list []textid.ID
	set  map[textid.ID]struct{} // of the first ones; the others are added when one is looked for
}

// has reports whether a sum is among them.
func (r *recentSums) has(sum textid.ID) bool {
	if r.set == nil {
		r.set = map[textid.ID]struct{}{}
	}
	for _, other := range r.list[len(r.set):] {
		r.set[other] = struct{}{}
	}
	_, ok := r.set[sum]
	return ok
}

// A contentKey identifies a record by its content.
type contentKey struct {
	sum textid.ID
	// at is a time that all records with this sum have. isDated is false if there is none.
	at      time.Time
	isDated bool
	hasLine bool // the sum is that of a line and its number, or none
	isBrief bool // the sum covers a part of the text: only different sums mean something
}

// recordKeys make the keys by which records are recognized, one after another.
type recordKeys struct {
	// isBrief is set for a session without a family, whose lines need no key and whose dated messages get a briefKey.
	isBrief bool
	buf     []byte
}

// What a key is made from comes first in it, so that keys of different kinds are different.
const (
	ofMessage byte = iota
	ofName
	ofLine
	ofCopy
	ofSaying
)

// id identifies a record by its id and time, or by its id alone if copies of it have other times. It is zero if the
// record lacks one of them.
func (k *recordKeys) id(rec *jsonl.Record) (none textid.ID) {
	if id := rec.CopyID(); id.Exists() {
		k.buf = textid.AppendPart(append(k.buf[:0], ofCopy), kindOf(rec))
		k.buf = textid.AppendPart(k.buf, id)
		return textid.Of(k.buf)
	}
	id, stamp := rec.Get("id"), rec.Get("timestamp")
	if _, line, _ := rec.JoinedRow(); line > 0 || !id.IsString() || !stamp.Exists() {
		return none
	}
	return k.name(rec, id, stamp)
}

// content identifies a record by its content: a message by its time, role and text, which survive every copy,
// migration and change of version, another record by its id and time. A record without a time is identified by its
// bytes and its line number, as a copy starts with the same lines.
func (k *recordKeys) content(rec *jsonl.Record) contentKey {
	var key contentKey
	m, isMessage := rec.Message()
	stamp := rec.Get("timestamp")
	row, line, isJoined := rec.JoinedRow()
	switch id := rec.Get("id"); {
	case isMessage && (stamp.Exists() || m.Get("timestamp").Exists() || m.Get("ts").Exists()):
		return k.message(m, stamp)
	case !isMessage && id.IsString() && stamp.Exists() && line == 0:
		key.sum = k.name(rec, id, stamp)
		key.at, key.isDated = jsonl.ParseTime(stamp)
		return key
	}
	if k.isBrief {
		return contentKey{hasLine: true}
	}
	text := textid.Of(rec.Text())
	if isJoined {
		text = textid.Of(row)
	}
	k.buf = binary.AppendVarint(append(append(k.buf[:0], ofLine), text[:]...), cmp.Or(line, rec.Line))
	return contentKey{sum: textid.Of(k.buf), hasLine: true}
}

// message identifies a message that has a time.
func (k *recordKeys) message(m jsonl.Message, stamp jsonl.Value) contentKey {
	var key contentKey
	k.buf = append(k.buf[:0], ofMessage)
	k.appendText(m.Content())
	for _, v := range [...]jsonl.Value{stamp, m.Get("timestamp"), m.Get("ts")} {
		k.buf = textid.AppendPart(k.buf, v)
		if !key.isDated {
			key.at, key.isDated = jsonl.ParseTime(v)
		}
	}
	k.buf = textid.AppendPart(k.buf, m.Role())
	k.buf = textid.AppendPart(k.buf, m.ToolCallID())
	k.buf = textid.AppendPart(k.buf, m.Get("model").Bytes())
	key.sum = textid.Of(k.buf)
	return key
}

// briefKey identifies a message of one session by its time and the ends of its text. That nearly always tells the
// records of one session apart, and hashing takes a tenth of the time. Records with the same key may still differ.
func briefKey(m jsonl.Message, at time.Time) contentKey {
	text := m.Content()
	sum := uint64(at.UnixNano()) + uint64(len(text))
	if len(text) > 2*textEnd {
		sum ^= maphash.Bytes(briefSeed, text[:textEnd])
		text = text[len(text)-textEnd:]
	} else {
		sum ^= maphash.String(briefSeed, m.ToolCallID()) // several calls may have the same short result
	}
	key := contentKey{at: at, isDated: true, isBrief: true}
	binary.NativeEndian.PutUint64(key.sum[:], sum*briefFactor^maphash.Bytes(briefSeed, text))
	return key
}

// briefFactor spreads what differs in a few bits.
const briefFactor = 0x9e3779b97f4a7c15

// briefSeed is for the sums of brief keys. A sum that two records have by chance costs time, and changes no answer.
var briefSeed = maphash.MakeSeed()

const (
	shortText = 256 // the length of texts that a key covers as they are
	textEnd   = 32  // how much of each end of a text a brief key covers
)

func (k *recordKeys) appendText(text []byte) {
	k.buf = binary.AppendUvarint(k.buf, uint64(len(text)))
	if len(text) > shortText {
		sum := textid.Of(text)
		text = sum[:]
	}
	k.buf = append(k.buf, text...)
}

// name identifies a record by its id, its time and its type.
func (k *recordKeys) name(rec *jsonl.Record, id, stamp jsonl.Value) textid.ID {
	k.buf = textid.AppendPart(append(k.buf[:0], ofName), id)
	k.buf = textid.AppendPart(k.buf, stamp)
	k.buf = textid.AppendPart(k.buf, kindOf(rec))
	return textid.Of(k.buf)
}

// kindOf returns the type of a record's line, which is that in its own file if the record is from another program.
func kindOf(rec *jsonl.Record) string {
	if row, _, ok := rec.JoinedRow(); ok {
		return row.Get("type").String()
	}
	return rec.StatedType()
}
