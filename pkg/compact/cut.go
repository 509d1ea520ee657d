package compact

import "clawctl/pkg/summary"

// Where a compaction cuts. A cut is a step: it and everything behind it is kept.
//
//   - [Tokens] follows pi step by step, so that both keep the same: back from the leaf until at least so many tokens
//     are kept, by pi's estimate of message records; forward to the first step that may be cut at; back over rows that
//     are no messages. Turns may be split. Where pi would then keep everything, because nothing but results follows,
//     the last step that may be cut at is taken, as OpenClaw does.
//   - [Percent] and [Messages] keep at least what is asked for, and begin with a turn unless that would keep more than
//     twice as much or summarize less than half as much.
//   - [Claw0] summarizes half of the messages and keeps a fifth at least, four at least.
//
// Whatever the rule, a cut that would part a call from its result moves back to where it does not, or forward if there
// is nothing before that.

// cut finds the step for a rule; moved tells that a pair would have been parted.
func (s *Survey) cut(keep Keep) (at int, moved bool) {
	switch keep.Unit {
	case Percent:
		estimate := func(i int) int { return int(s.estimates[i]) }
		total := s.sum(estimate)
		at = s.roomyCut((total*keep.N+99)/100, total, estimate)
	case Messages:
		at = s.roomyCut(keep.N, s.sum(s.countOf), s.countOf)
	case Claw0:
		at = s.claw0Cut()
	default:
		at = s.piCut(keep.N)
	}
	return s.mend(at)
}

// sum adds up what may be kept.
func (s *Survey) sum(size func(i int) int) (total int) {
	for i := s.Start(); i < s.Len(); i++ {
		total += size(i)
	}
	return total
}

// countOf is 1 for a message, and 0 for the further lines of one of claw0's.
func (s *Survey) countOf(i int) int {
	if s.isMessage(i) && !s.steps[i].Continues {
		return 1
	}
	return 0
}

// piCut is pi's findCutPoint.
func (s *Survey) piCut(keep int) int {
	at := s.firstCut(s.Start())
	if at < 0 {
		return s.Start()
	}
	for i, kept := s.Len()-1, 0; i >= s.Start(); i-- {
		if !s.steps[i].Message {
			continue
		}
		if kept += int(s.estimates[i]); kept >= keep {
			if at = s.firstCut(i); at < 0 {
				at = max(s.Start(), s.lastCut(s.Len()-1))
			}
			break
		}
	}
	return s.pullIn(at)
}

// pullIn moves a cut back over rows that are no messages.
func (s *Survey) pullIn(at int) int {
	for at > s.Start() && !s.steps[at-1].Message && !s.steps[at-1].Boundary {
		at--
	}
	return at
}

// firstCut is the first step from one on that may be cut at, -1 where there is none.
func (s *Survey) firstCut(from int) int {
	for i := from; i < s.Len(); i++ {
		if s.steps[i].Cut {
			return i
		}
	}
	return -1
}

// lastCut is the last step up to one that may be cut at without parting a pair, -1 where there is none.
func (s *Survey) lastCut(upTo int) int {
	for i := upTo; i >= s.Start(); i-- {
		if s.steps[i].Cut && s.KeepsPairs(i) {
			return i
		}
	}
	return -1
}

// roomyCut keeps at least what is asked for.
func (s *Survey) roomyCut(asked, total int, size func(i int) int) int {
	kept, split, keptBySplit := 0, -1, 0
	for i := s.Len() - 1; i >= s.Start() && (split < 0 || kept <= 2*asked); i-- {
		kept += size(i)
		step := s.steps[i]
		if kept < asked || !step.Cut || !s.KeepsPairs(i) {
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
		return s.lowestCut()
	}
	return s.pullIn(split)
}

// lowestCut is the first step that may be cut at without parting a pair.
func (s *Survey) lowestCut() int {
	for i := s.Start(); i < s.Len(); i++ {
		if s.steps[i].Cut && s.KeepsPairs(i) {
			return s.pullIn(i)
		}
	}
	return s.Start()
}

// claw0Cut summarizes as many messages as claw0 does.
func (s *Survey) claw0Cut() int {
	var messages []int // the first line of each
	for i := range s.steps {
		if s.countOf(i) > 0 {
			messages = append(messages, i)
		}
	}
	cut := summary.Claw0Count(len(messages))
	if cut == 0 {
		return s.Start()
	}
	return max(s.Start(), messages[cut])
}

// checkpointCut keeps everything that a checkpoint does not cover. If a result follows it, the call is kept too.
func (s *Survey) checkpointCut(covers int) int {
	next := covers + 1
	for next < s.Len() && !s.isMessage(next) {
		next++
	}
	return s.pullIn(max(0, s.lastCut(min(next, s.Len()-1))))
}

// mend moves a cut that would part a pair.
func (s *Survey) mend(at int) (whole int, moved bool) {
	if at <= s.firstMessage() || s.isClean(at) {
		return at, false
	}
	if back := s.lastCut(at); back > s.firstMessage() {
		return s.pullIn(back), true
	}
	for i := at; i < s.Len(); i++ {
		if s.steps[i].Cut && s.KeepsPairs(i) {
			return i, true
		}
	}
	return 0, true
}

// isClean reports whether a cut parts nothing: what is said first behind it may be cut at.
func (s *Survey) isClean(at int) bool {
	for i := at; i < s.Len(); i++ {
		if s.steps[i].Message || s.steps[i].Cut {
			return s.steps[i].Cut && s.KeepsPairs(i)
		}
	}
	return true
}

// firstMessage is the first message that could be summarized.
func (s *Survey) firstMessage() int {
	for i := range s.steps {
		if s.isMessage(i) {
			return i
		}
	}
	return s.Len()
}
