package stats

import (
	"hash/maphash"

	"clawctl/pkg/jsonl"
)

// seenRecords remembers the records of a family, to recognize copies. In a family of one session it remembers only the
// most recent records, and memory does not grow with the session.
type seenRecords struct {
	contents map[uint64]bool  // content keys
	ids      map[uint64]int32 // id keys, with the first session that had them
	session  int32
	recent   []uint64 // content keys, by their low bits, each mixed with the number of its family
	family   uint64   // its number
}

// recentKeys is the number of records that are remembered for a session without a family.
const recentKeys = 1 << 16

// spreading is an odd number with which consecutive numbers become ones that differ in many bits.
const spreading = 0x9e3779b97f4a7c15

// begin forgets everything and starts a family, or a session without one.
func (s *seenRecords) begin(family bool) {
	s.contents, s.ids, s.session = nil, nil, 0
	if family {
		s.contents, s.ids = map[uint64]bool{}, map[uint64]int32{}
		return
	}
	if s.recent == nil {
		s.recent = make([]uint64, recentKeys)
	}
	s.family++
}

// isFamily reports whether there are other sessions to compare with.
func (s *seenRecords) isFamily() bool { return s.contents != nil }

// nextSession starts another session of the family.
func (s *seenRecords) nextSession() { s.session++ }

// before reports whether a record occurred before, and remembers it. A record is a copy if another has the same
// content, or if one in another session has the same id and time, even if its content has changed since. id is 0 if the
// record has no id or no time.
func (s *seenRecords) before(content, id uint64) bool {
	if s.contents == nil {
		slot := &s.recent[content%recentKeys]
		key := content ^ s.family*spreading // so that the keys of other families need not be cleared
		known := *slot == key
		*slot = key
		return known
	}
	known := s.contents[content]
	s.contents[content] = true
	if id == 0 {
		return known
	}
	first, named := s.ids[id]
	if !named {
		s.ids[id] = s.session
	}
	return known || named && first != s.session
}

// recordKeys make the keys by which records are recognized.
type recordKeys struct{ seed maphash.Seed }

func newRecordKeys() recordKeys { return recordKeys{maphash.MakeSeed()} }

// id identifies a record by its id and time. It is 0 if the record lacks one of them.
func (k recordKeys) id(rec *jsonl.Record) uint64 {
	id, stamp := rec.Get("id"), rec.Get("timestamp")
	if !id.IsString() || !stamp.Exists() {
		return 0
	}
	return k.join(id, stamp, rec.Type())
}

// content identifies a record by its content: a message by its time, role and text, which survive every copy,
// migration and change of version, another record by its id and time. A record without a time is identified by its
// bytes and its line number, as a copy starts with the same lines.
func (k recordKeys) content(rec *jsonl.Record) uint64 {
	m, isMessage := rec.Message()
	stamp := rec.Get("timestamp")
	switch id := rec.Get("id"); {
	case isMessage && (stamp.Exists() || m.Get("timestamp").Exists() || m.Get("ts").Exists()):
		return k.message(m, stamp)
	case !isMessage && id.IsString() && stamp.Exists():
		return k.join(id, stamp, rec.Type())
	}
	return maphash.Comparable(k.seed, [2]uint64{maphash.Bytes(k.seed, rec.Text()), uint64(rec.Line)})
}

// message identifies a message that has a time. The text is hashed in one piece, because that is several times as fast
// as adding it to a hash.
func (k recordKeys) message(m jsonl.Message, stamp jsonl.Value) uint64 {
	var space [256]byte
	parts := append(space[:0], stamp...)
	parts = append(parts, m.Get("timestamp")...)
	parts = append(parts, m.Get("ts")...)
	parts = append(parts, m.Role()...)
	parts = append(parts, m.Get("model").Bytes()...)
	parts = append(parts, 0)
	parts = append(parts, m.ToolCallID()...)
	return maphash.Comparable(k.seed, [2]uint64{maphash.Bytes(k.seed, parts), maphash.Bytes(k.seed, m.Content())})
}

// join returns the key of an id, a time and a type.
func (k recordKeys) join(id, stamp jsonl.Value, typ string) uint64 {
	var space [128]byte
	return maphash.Bytes(k.seed, append(append(append(space[:0], id...), stamp...), typ...))
}
