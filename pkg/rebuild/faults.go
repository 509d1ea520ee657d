package rebuild

import (
	"maps"
	"slices"
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
)

// A faultLimit says which of the problems that a record shows by itself are reported. Only Index.Check tells of them.
// Few records have any, so the index keeps them beside the entries.
type faultLimit struct {
	unless flags // entries that it does not matter for
	once   bool  // only the first one is reported
	inTree bool  // only where entries have ids: programs without them record no usage
	ofSent bool  // only for programs that record what they have sent
}

// faultLimits are those of the codes that have any.
var faultLimits = map[failure.Code]faultLimit{
	NoUsage: {unless: failed | deferred, inTree: true}, Elsewhere: {once: true},
	NewProjection: {ofSent: true}, OddProjection: {ofSent: true}, OddReplay: {ofSent: true},
	Checkpointed: {ofSent: true}, NoSummary: {ofSent: true}, MaskedText: {ofSent: true},
}

// fault notes a problem of the record, unless the code is "".
func (sk *sketch) fault(code failure.Code) {
	if code != "" && !slices.Contains(sk.faults, code) {
		sk.faults = append(sk.faults, code)
	}
}

// A moment is when a record was written. A fork says so in its header, and what follows is older.
type moment struct {
	time          time.Time
	timed, isFork bool
}

// takeFaults adds the faults of the last entry, and compares its time with that of the one before.
func (s *Inspector) takeFaults(sk *sketch) {
	entry := int32(s.ix.count - 1)
	if now, before := sk.written, s.before; now.timed || now.isFork {
		if before.timed && !before.isFork && now.timed && now.time.Before(before.time) {
			sk.fault(TimeBackward)
		}
		s.before = now
	}
	for _, code := range sk.faults {
		s.ix.faults[code] = append(s.ix.faults[code], entry)
	}
	if sk.misfit.field != "" {
		s.ix.misfits = append(s.ix.misfits, noted[misfit]{entry, sk.misfit})
	}
	if sk.replay.state != jsonl.NoReplay {
		s.ix.replays = append(s.ix.replays, noted[replay]{entry, sk.replay})
	}
}

// faults reports what records show by themselves and beside their neighbours.
func (c *checker) faults() {
	for _, code := range slices.Sorted(maps.Keys(c.ix.faults)) {
		entries, limit := c.ix.faults[code], faultLimits[code]
		switch {
		case limit.inTree && !c.ix.HasTree() || limit.ofSent && !c.rules.recordsSent:
			continue
		case limit.once:
			entries = entries[:1]
		}
		for _, entry := range entries {
			detail := ""
			if code == OddShape { // its program cannot read it
				detail = c.ix.misfitOf(entry).String()
			}
			if !c.ix.at(entry).has(limit.unless) {
				c.add(code, entry, detail)
			}
		}
	}
}
