package compact

import (
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/fileuse"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/window/summary"
)

// A Plan says where a compaction cuts, and describes the result.
type Plan struct {
	Keep           Keep
	Program        rebuild.Program // whose estimate decides
	IsScaled       bool            // to the size that the model reported
	FromCheckpoint bool
	First          int // the first step that is kept
	FirstKeptID    string
	FirstKept      rebuild.Place

	Summarized, Kept             int // messages
	SummarizedTokens, KeptTokens int64
	TokensBefore                 int64
	// SplitTurn is set if the kept part begins in the middle of a turn, which began at TurnStart.
	SplitTurn bool
	TurnStart rebuild.Place
	// Moved is the plan of the rule alone, if that would have separated a call from its result.
	Moved   *Plan
	Details fileuse.Details
}

// Plan returns the plan for a rule.
func (s *Survey) Plan(keep Keep) *Plan {
	at := s.cut(keep)
	whole, isMoved := s.mend(at)
	p := s.planAt(whole)
	if isMoved {
		p.Moved = s.planAt(at)
	}
	p.Keep, p.Program = keep, s.stretch.Rule().Program
	p.IsScaled = keep.Unit == Tokens && s.scale(float64(keep.N)) > 1
	return p
}

// UsualKeep returns how much the program keeps if nobody says how much.
func (s *Survey) UsualKeep() Keep {
	if s.stretch.Rule().ByMessages {
		return Keep{Unit: Claw0}
	}
	return DefaultKeep
}

// planFromCheckpoint returns a plan that cuts after the last checkpoint, so everything is either covered by it or kept.
// It returns nil if there is no checkpoint.
func (s *Survey) planFromCheckpoint() *Plan {
	if s.Checkpoint == nil {
		return nil
	}
	p := s.planAt(s.checkpointCut(s.Checkpoint.Covers))
	p.FromCheckpoint = true
	return p
}

// planAt returns the plan for a cut.
func (s *Survey) planAt(at int) *Plan {
	p := &Plan{First: at, TokensBefore: s.whole.Tokens(), Details: s.details(at)}
	if at < s.stretch.Len() {
		p.FirstKeptID, p.FirstKept = s.stretch.ID(at), s.stretch.Place(at)
	}
	for i := range s.steps {
		messages, tokens := &p.Kept, &p.KeptTokens
		if i < at {
			messages, tokens = &p.Summarized, &p.SummarizedTokens
		}
		*messages += s.countOf(i)
		if s.isMessage(i) {
			*tokens += int64(s.costs[i])
		}
	}
	if start := s.turnOf(at); start >= 0 {
		p.SplitTurn, p.TurnStart = true, s.stretch.Place(start)
	}
	return p
}

// turnOf returns the beginning of the turn that a cut splits, or -1 if it splits none.
func (s *Survey) turnOf(at int) int {
	if s.stretch.Rule().ByEntry {
		return s.turnOfEntry(at)
	}
	first := at
	for first < s.stretch.Len() && !s.isMessage(first) {
		first++
	}
	if first == s.stretch.Len() || s.steps[first].Turn {
		return -1
	}
	for i := at - 1; i >= 0; i-- {
		if s.isMessage(i) && s.steps[i].Turn {
			return i
		}
	}
	return -1
}

// turnOfEntry is turnOf for a program that looks at the entry of the cut alone, which need not be a message.
func (s *Survey) turnOfEntry(at int) int {
	if at == s.stretch.Len() || s.steps[at].Turn {
		return -1
	}
	for i := at - 1; i >= s.stretch.Start(); i-- {
		if s.steps[i].Turn {
			return i
		}
	}
	return -1
}

// keepsEverything reports whether there is nothing to summarize.
func (p *Plan) keepsEverything() bool { return p.Summarized == 0 || p.FirstKept.Line == 0 }

// A Glance is a message as a plan shows it.
type Glance struct {
	rebuild.Place
	Kept   bool
	Tokens int64
	Who    string // user, assistant, assistant called TOOL, tool_result
	Text   string // its beginning, on one line
}

// Neighbors returns the messages on both sides of the cut, at most n on each. records must read the same transcript
// again.
func (s *Survey) Neighbors(p *Plan, n int, records Records) (glances []Glance, err error) {
	from, to := p.First, p.First
	for left := n; left > 0 && from > 0; {
		if from--; s.isMessage(from) {
			left--
		}
	}
	for left := n; left > 0 && to < s.stretch.Len(); to++ {
		if s.isMessage(to) {
			left--
		}
	}
	err = s.stretch.Walk(records(), func(i int, rec *jsonl.Record) error {
		if i >= from && i < to && s.isMessage(i) {
			g := Glance{Place: s.stretch.Place(i), Kept: i >= p.First, Tokens: int64(s.costs[i])}
			if passages := passagesOf(rec); len(passages) > 0 {
				g.Who, g.Text = passages[0].speaker, summary.Excerpt(passages[0].text, summary.LineLength)
			}
			glances = append(glances, g)
		}
		return nil
	})
	return glances, err
}
