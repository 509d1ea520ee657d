package stats

// seenRecords knows the records of a family: all of them where there are several sessions, those of late where there is
// one.
type seenRecords struct {
	said    map[uint64]bool  // by what they say
	named   map[uint64]int32 // by id and time, with the session that had them first
	session int32
	recent  []uint64 // by a piece of what they say
}

// recentKeys is how many records of a session without family are remembered.
const recentKeys = 1 << 16

// begin forgets everything.
func (s *seenRecords) begin(family bool) {
	s.said, s.named, s.session = nil, nil, 0
	if family {
		s.said, s.named = map[uint64]bool{}, map[uint64]int32{}
		return
	}
	if s.recent == nil {
		s.recent = make([]uint64, recentKeys)
	}
	clear(s.recent)
}

// next begins another session of the family.
func (s *seenRecords) next() { s.session++ }

// before reports whether a record came up before, and remembers it: one that says the same, or one of the same id and
// time in another session, where it may have been changed since. name is 0 where it has no id.
func (s *seenRecords) before(said, name uint64) bool {
	if s.said == nil {
		slot := &s.recent[said%recentKeys]
		known := *slot == said
		*slot = said
		return known
	}
	known := s.said[said]
	s.said[said] = true
	if name != 0 {
		first, named := s.named[name]
		if !named {
			s.named[name] = s.session
		}
		known = known || named && first != s.session
	}
	return known
}
