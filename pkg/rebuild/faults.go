package rebuild

import (
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
)

// faults are problems that a record shows by itself and that only Index.Check tells of. Few records have any, so the
// index keeps them beside the entries.
type faults uint32

const (
	repeatedKey   faults = 1 << iota // a key occurs twice in the record, its message or a block
	halfPair                         // its text has half of a character
	noUsage                          // an answer without the provider's token counts
	oldUsage                         // token counts in the shape of OpenClaw 2026.5 and 2026.6
	wrongTotal                       // a total that is not the sum of its parts
	mirrorUsage                      // a message that no model sent, with usage
	masked                           // something was blanked out in a field that must be sent back unchanged
	harness                          // driven through a command line; its tool calls are stored elsewhere
	newProjection                    // what was sent is recorded in a version that is not known
	oddProjection                    // what was sent is recorded in a wrong shape
	oddReplay                        // a provider's checkpoint of an unknown type or shape
	checkpointed                     // a provider's checkpoint
	noSummary                        // a compaction without a summary
	maskedText                       // a text in which OpenClaw masked something when it wrote it
	skeleton                         // a summary of headings and placeholders
	cutOff                           // a summary that ends in the middle
	malformed                        // its program cannot read it
	lateRun                          // a compaction of a run that a message of another one follows
	backward                         // it was written before the record before it
)

// faultRules say which code a fault has.
var faultRules = []struct {
	fault  faults
	code   failure.Code
	unless flags // entries that it does not matter for
	once   bool  // only the first one is reported
	inTree bool  // only where entries have ids: programs without them record no usage
	ofSent bool  // only for programs that record what they have sent
}{
	{fault: repeatedKey, code: RepeatedKey},
	{fault: halfPair, code: HalfPair},
	{fault: noUsage, code: NoUsage, unless: failed | deferred, inTree: true},
	{fault: oldUsage, code: OldUsage},
	{fault: wrongTotal, code: WrongTotal},
	{fault: mirrorUsage, code: MirrorUsage},
	{fault: masked, code: Masked},
	{fault: harness, code: Elsewhere, once: true},
	{fault: newProjection, code: NewProjection, ofSent: true},
	{fault: oddProjection, code: OddProjection, ofSent: true},
	{fault: oddReplay, code: OddReplay, ofSent: true},
	{fault: checkpointed, code: Checkpointed, ofSent: true},
	{fault: noSummary, code: NoSummary, ofSent: true},
	{fault: maskedText, code: MaskedText, ofSent: true},
	{fault: skeleton, code: SkeletonSummary},
	{fault: cutOff, code: CutSummary},
	{fault: lateRun, code: LateSummary},
	{fault: malformed, code: OddShape},
	{fault: backward, code: TimeBackward},
}

// A moment is when a record was written. A fork says so in its header, and what follows is older.
type moment struct {
	time          time.Time
	timed, isFork bool
}

// takeFaults adds the faults of the last entry, and compares its time with that of the one before.
func (s *scanner) takeFaults(sk *sketch) {
	entry := int32(s.ix.count - 1)
	if now, before := sk.written, s.before; now.timed || now.isFork {
		if before.timed && !before.isFork && now.timed && now.time.Before(before.time) {
			sk.faults |= backward
		}
		s.before = now
	}
	if sk.faults != 0 {
		s.ix.faults = append(s.ix.faults, noted[faults]{entry, sk.faults})
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
	reported := faults(0)
	for _, f := range c.ix.faults {
		for _, rule := range faultRules {
			isLeftOut := rule.once && reported&rule.fault != 0 || rule.inTree && !c.ix.HasTree() ||
				rule.ofSent && !c.rules.recordsSent
			if f.value&rule.fault != 0 && !isLeftOut && !c.ix.at(f.entry).has(rule.unless) {
				detail := ""
				if rule.fault == malformed {
					detail = c.ix.misfitOf(f.entry).String()
				}
				c.add(rule.code, f.entry, detail)
			}
		}
		reported |= f.value
	}
}
