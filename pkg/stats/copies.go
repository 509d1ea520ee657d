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
	recent   []uint64 // content keys, by their low bits
}

// recentKeys is the number of records that are remembered for a session without a family.
const recentKeys = 1 << 16

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
	clear(s.recent)
}

// nextSession starts another session of the family.
func (s *seenRecords) nextSession() { s.session++ }

// before reports whether a record occurred before, and remembers it. A record is a copy if another has the same
// content, or if one in another session has the same id and time, even if its content has changed since. id is 0 if the
// record has no id or no time.
func (s *seenRecords) before(content, id uint64) bool {
	if s.contents == nil {
		slot := &s.recent[content%recentKeys]
		known := *slot == content
		*slot = content
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
	var h maphash.Hash
	h.SetSeed(k.seed)
	h.Write(id)
	h.Write(stamp)
	h.WriteString(rec.Type())
	return h.Sum64()
}

// content identifies a record by its content: a message by its time, role and text, which survive every copy,
// migration and change of version, another record by its id and time. A record without a time is identified by its
// bytes and its line number, as a copy starts with the same lines.
func (k recordKeys) content(rec *jsonl.Record) uint64 {
	var h maphash.Hash
	h.SetSeed(k.seed)
	m, isMessage := rec.Message()
	stamp := rec.Get("timestamp")
	switch id := rec.Get("id"); {
	case isMessage && (stamp.Exists() || m.Get("timestamp").Exists() || m.Get("ts").Exists()):
		h.Write(stamp)
		h.Write(m.Get("timestamp"))
		h.Write(m.Get("ts"))
		h.WriteString(m.Role())
		h.WriteString(m.Model())
		h.Write(m.Content())
		h.WriteString(m.ToolCallID())
	case !isMessage && id.IsString() && stamp.Exists():
		h.Write(id)
		h.Write(stamp)
		h.WriteString(rec.Type())
	default:
		h.Write(rec.Text())
		maphash.WriteComparable(&h, rec.Line)
	}
	return h.Sum64()
}
