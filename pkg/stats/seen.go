package stats

// seenRecords knows the records of a family by their keys: all of them where there are several sessions, those of late
// where there is one.
type seenRecords struct {
	all    map[uint64]bool
	recent []uint64 // by a piece of the key
}

// recentKeys is how many keys of a session without family are remembered.
const recentKeys = 1 << 16

// begin forgets everything.
func (s *seenRecords) begin(family bool) {
	s.all = nil
	if family {
		s.all = map[uint64]bool{}
		return
	}
	if s.recent == nil {
		s.recent = make([]uint64, recentKeys)
	}
	clear(s.recent)
}

// before reports whether a record came up before, and remembers it.
func (s *seenRecords) before(key uint64) bool {
	if s.all != nil {
		known := s.all[key]
		s.all[key] = true
		return known
	}
	slot := &s.recent[key%recentKeys]
	known := *slot == key
	*slot = key
	return known
}
