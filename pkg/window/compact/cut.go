package compact

import "clawctl/pkg/window/summary"

// How a compaction chooses its cut. A cut is a step: that step and everything after it is kept.
//
//   - [Tokens] follows pi or OpenClaw exactly, and keeps the same entries. It goes back from the leaf until at least so
//     many tokens are kept, by the estimate of the program. Then it goes forward to the first step where a cut is
//     allowed, and back over rows that are not messages. Turns may be split. If pi would then keep everything, because
//     only results follow, the last allowed step is used, as in OpenClaw. OpenClaw means tokens as the model counts
//     them, and adds what a reset keeps.
//   - [Percent] and [Messages] keep at least the requested amount. They begin with a turn unless that would keep more
//     than twice as much or summarize less than half as much.
//   - [Claw0] summarizes half of the messages and keeps at least a fifth, and at least four.
//
// With every rule, a cut that would separate a call from its result moves back until it does not, or forward if there
// is nothing before it.

// cut returns the step for a rule, which may separate a call from its result.
func (s *Survey) cut(keep Keep) int {
	if s.stretch.IsHeld() {
		return 0
	}
	switch keep.Unit {
	case Percent:
		estimate := func(i int) int { return int(s.estimates[i]) }
		total := s.sum(estimate)
		return s.roomyCut((total*keep.N+99)/100, total, estimate)
	case Messages:
		return s.roomyCut(keep.N, s.sum(s.countOf), s.countOf)
	case Claw0:
		return s.claw0Cut()
	}
	return s.tokenCut(s.budget(float64(keep.N)))
}

// budget returns how many tokens the latest messages must have by the estimate of the program.
func (s *Survey) budget(keep float64) float64 {
	if !s.stretch.Rule().Scaled {
		return keep
	}
	prelude := 0 // what a reset keeps
	for i := range s.stretch.Start() {
		if s.steps[i].Counted {
			prelude += int(s.estimates[i])
		}
	}
	return keep/s.scale(keep) + float64(prelude)
}

// scale returns how much larger the context is by the size that the model reported than by the estimates.
func (s *Survey) scale(keep float64) float64 {
	if !s.stretch.Rule().Scaled || s.whole.Whole == 0 {
		return 1
	}
	return min(max(1, keep), max(1, float64(s.whole.Recorded)/float64(s.whole.Whole)))
}

// sum returns the total size of the steps that may be kept.
func (s *Survey) sum(size func(i int) int) (total int) {
	for i := s.stretch.Start(); i < s.stretch.Len(); i++ {
		total += size(i)
	}
	return total
}

// countOf returns 1 for a message, and 0 for further lines of the same claw0 message.
func (s *Survey) countOf(i int) int {
	if s.steps[i].Counted && !s.steps[i].Continues {
		return 1
	}
	return 0
}

// tokenCut is findCutPoint of pi and OpenClaw.
func (s *Survey) tokenCut(keep float64) int {
	at := s.firstCut(s.stretch.Start())
	if at < 0 {
		return s.stretch.Start()
	}
	for i, kept := s.stretch.Len()-1, 0.0; i >= s.stretch.Start(); i-- {
		if !s.steps[i].Message {
			continue
		}
		if kept += float64(s.estimates[i]); kept >= keep {
			if at = s.firstCut(i); at < 0 {
				at = s.lastAllowed()
			}
			if s.stretch.IsRetried(at) {
				at++
			}
			break
		}
	}
	return s.pullIn(at)
}

// pullIn moves a cut back over rows that are not messages.
func (s *Survey) pullIn(at int) int {
	for at > s.stretch.Start() && !s.steps[at-1].Fixed && !s.steps[at-1].Boundary {
		at--
	}
	return at
}

// firstCut returns the first allowed cut at or after a step, or -1 if there is none.
func (s *Survey) firstCut(from int) int {
	for i := from; i < s.stretch.Len(); i++ {
		if s.steps[i].Cut {
			return i
		}
	}
	return -1
}

// lastAllowed returns the last allowed cut. There must be one.
func (s *Survey) lastAllowed() int {
	at := s.stretch.Len() - 1
	for !s.steps[at].Cut {
		at--
	}
	return at
}

// lastCut returns the last allowed cut up to a step that separates no call from its result, or -1 if there is none.
func (s *Survey) lastCut(upTo int) int {
	for i := upTo; i >= s.stretch.Start(); i-- {
		if s.isClean(i) {
			return i
		}
	}
	return -1
}

// roomyCut returns a cut that keeps at least the requested amount.
func (s *Survey) roomyCut(asked, total int, size func(i int) int) int {
	kept, split, keptBySplit := 0, -1, 0
	for i := s.stretch.Len() - 1; i >= s.stretch.Start() && (split < 0 || kept <= 2*asked); i-- {
		kept += size(i)
		step := s.steps[i]
		if kept < asked || !s.isClean(i) {
			continue
		}
		if split < 0 {
			split, keptBySplit = i, kept
		}
		if step.Turn && step.Message && kept <= 2*asked && 2*(total-kept) >= total-keptBySplit {
			return s.pullIn(i)
		}
	}
	if split < 0 {
		split = s.firstClean(s.stretch.Start())
	}
	if split < 0 {
		return s.stretch.Start()
	}
	return s.pullIn(split)
}

// isClean reports whether a cut at a step is allowed and separates no call from its result.
func (s *Survey) isClean(at int) bool { return s.steps[at].Cut && s.stretch.KeepsPairs(at) }

// firstClean returns the first clean cut at or after a step, or -1 if there is none.
func (s *Survey) firstClean(from int) int {
	for i := from; i < s.stretch.Len(); i++ {
		if s.isClean(i) {
			return i
		}
	}
	return -1
}

// claw0Cut returns the cut that summarizes as many messages as claw0 does.
func (s *Survey) claw0Cut() int {
	var messages []int // the first line of each
	for i := range s.steps {
		if s.countOf(i) > 0 {
			messages = append(messages, i)
		}
	}
	cut := summary.Claw0Count(len(messages))
	if cut == 0 {
		return s.stretch.Start()
	}
	return max(s.stretch.Start(), messages[cut])
}

// checkpointCut returns the cut that keeps everything a checkpoint does not cover. If a result follows the checkpoint,
// its call is kept too.
func (s *Survey) checkpointCut(covers int) int {
	next := covers + 1
	for next < s.stretch.Len() && !s.isMessage(next) {
		next++
	}
	return s.pullIn(max(0, s.lastCut(min(next, s.stretch.Len()-1))))
}

// mend moves a cut that would separate a call from its result.
func (s *Survey) mend(at int) (whole int, moved bool) {
	if at <= s.firstMessage() || s.separatesNothing(at) {
		return at, false
	}
	if back := s.lastCut(at); back > s.firstMessage() {
		return s.pullIn(back), true
	}
	return max(0, s.firstClean(at)), true
}

// separatesNothing reports whether the first message after a cut is a clean cut.
func (s *Survey) separatesNothing(at int) bool {
	for i := at; i < s.stretch.Len(); i++ {
		if s.steps[i].Message || s.steps[i].Cut {
			return s.isClean(i)
		}
	}
	return true
}

// firstMessage returns the first message that could be summarized.
func (s *Survey) firstMessage() int {
	for i := range s.steps {
		if s.isMessage(i) {
			return i
		}
	}
	return s.stretch.Len()
}
