package compact

import (
	"fmt"
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/read/fileuse"
	"clawctl/pkg/window"
)

// A PlanReport is the JSON form of a plan. Fields are added, never renamed.
type PlanReport struct {
	SchemaVersion    int              `json:"schema_version"`
	Session          string           `json:"session"`
	Leaf             string           `json:"leaf"`
	Keep             string           `json:"keep"`
	SummaryFrom      string           `json:"summary_from"` // given, summarizer, checkpoint, extract, or none
	Compacts         bool             `json:"compacts"`     // false: everything is kept
	FirstKeptEntryID string           `json:"first_kept_entry_id"`
	FirstKeptLine    int64            `json:"first_kept_line"`
	SplitTurn        bool             `json:"split_turn"`
	TurnStartEntryID string           `json:"turn_start_entry_id"`
	Moved            bool             `json:"moved"` // the rule alone would have separated a call from its result
	MovedFrom        *cutReport       `json:"moved_from"`
	Like             string           `json:"like"` // the program whose rule it is
	TokensBefore     int64            `json:"tokens_before"`
	ContextTokens    int64            `json:"context_tokens"` // what is sent now, by which --if-needed decides
	TokensKept       int64            `json:"tokens_kept"`
	TokensSummarized int64            `json:"tokens_summarised"`
	Kept             int              `json:"messages_kept"`
	Summarized       int              `json:"messages_summarised"`
	Details          fileuse.Details  `json:"details"`
	PreviousSummary  bool             `json:"previous_summary"`
	Checkpoint       *checkpointPlace `json:"checkpoint"`
}

// A cutReport is where a rule alone would have cut.
type cutReport struct {
	FirstKeptEntryID string `json:"first_kept_entry_id"`
	FirstKeptLine    int64  `json:"first_kept_line"`
	SplitTurn        bool   `json:"split_turn"`
	Summarized       int    `json:"messages_summarised"`
}

type checkpointPlace struct {
	EntryID string `json:"entry_id"`
	Line    int64  `json:"line"`
	Tokens  int64  `json:"tokens"`
}

// Report describes the plan of a session that ends at a leaf, with the source of its summary.
func (s *Survey) Report(session, leaf string, from From, p *Plan) *PlanReport {
	report := &PlanReport{
		SchemaVersion: 1, Session: session, Leaf: leaf, Keep: p.Keep.String(), SummaryFrom: string(from),
		Compacts: !p.keepsEverything(), FirstKeptEntryID: p.FirstKept.Entry, FirstKeptLine: p.FirstKept.Line,
		SplitTurn: p.SplitTurn, TurnStartEntryID: p.TurnStart.Entry, Moved: p.Moved != nil,
		TokensBefore: p.TokensBefore, ContextTokens: s.Fill.Current(), TokensKept: p.KeptTokens,
		TokensSummarized: p.SummarizedTokens,
		Kept:             p.Kept, Summarized: p.Summarized, Details: p.Details, PreviousSummary: s.Previous != nil,
	}
	if report.Like = s.stretch.Rule().Program.Name; p.Keep.Unit == Claw0 {
		report.Like = string(Claw0)
	}
	if m := p.Moved; m != nil {
		report.MovedFrom = &cutReport{m.FirstKept.Entry, m.FirstKept.Line, m.SplitTurn, m.Summarized}
	}
	if from == "" {
		report.SummaryFrom = "none"
	}
	if p.FromCheckpoint {
		report.Keep = "checkpoint"
	}
	if c := s.Checkpoint; c != nil {
		report.Checkpoint = &checkpointPlace{c.Entry, c.Line, c.TokensAtCheckpoint}
	}
	return report
}

// words name a source of summaries that is not a checkpoint. They are "" for the others.
func (f From) words() string {
	switch f {
	case FromGiven:
		return "the given summary"
	case FromSummarizer:
		return "the summarizer's summary"
	case FromExtract:
		return "an offline extract"
	}
	return ""
}

// SourceWords say where the summary of a compaction comes from.
func (s *Survey) SourceWords(c *Compaction) string {
	if c.Plan.FromCheckpoint {
		return fmt.Sprintf("the checkpoint on line %d", s.Checkpoint.Line)
	}
	return c.From.words()
}

// pictureWidth is how wide a session is drawn.
const pictureWidth = 60

// Picture draws the session by tokens, with the cut.
func (p *Plan) Picture() string {
	total := max(1, p.SummarizedTokens+p.KeptTokens)
	cut := int(float64(p.SummarizedTokens)/float64(total)*pictureWidth + 0.5)
	cut = max(1, min(pictureWidth-1, cut))
	side := func(messages int, tokens int64) string {
		return fmt.Sprintf("%s, %s tokens", ui.Count(messages, "message"), window.Thousands(tokens))
	}
	return fmt.Sprintf("▕%s✂%s▏\n %s summarized ✂ %s kept\n\n",
		strings.Repeat("░", cut), strings.Repeat("█", pictureWidth-cut),
		side(p.Summarized, p.SummarizedTokens), side(p.Kept, p.KeptTokens))
}

// A Row is one line about a plan.
type Row struct{ Name, Words string }

// Rows say what a plan does and why.
func (r *PlanReport) Rows(p *Plan) []Row {
	rows := []Row{
		{"keep", p.keepWords()},
		{"cut", p.cutWords()},
		{"tokens", fmt.Sprintf("%s before, %s and the summary after",
			ui.Thousands(p.TokensBefore), ui.Thousands(p.KeptTokens))},
		{"summary", r.summaryWords()},
	}
	if files := p.Details; len(files.ReadFiles)+len(files.ModifiedFiles) > 0 {
		rows = append(rows, Row{"files",
			fmt.Sprintf("%d modified, %d read", len(files.ModifiedFiles), len(files.ReadFiles))})
	}
	return rows
}

func (p *Plan) keepWords() string {
	switch {
	case p.FromCheckpoint:
		return "what the last checkpoint does not cover"
	case p.Keep.Unit == Claw0:
		return "as claw0: half of the messages are summarized, at least a fifth and at least four are kept"
	case p.Keep.Unit == Tokens:
		words := fmt.Sprintf("the last %s, by %s's estimate", ui.Count(p.Keep.N, "token"), p.Program.Title)
		if p.IsScaled {
			words += ", scaled to the size that the model reported"
		}
		return words
	case p.Keep.Unit == Percent:
		return fmt.Sprintf("the last %d%%, by %s's estimate", p.Keep.N, p.Program.Title)
	}
	return "the last " + ui.Count(p.Keep.N, "message")
}

func (p *Plan) cutWords() string {
	words := fmt.Sprintf("before line %d", p.FirstKept.Line)
	if p.FirstKept.Entry != "" {
		words = fmt.Sprintf("before entry %s on line %d", p.FirstKept.Entry, p.FirstKept.Line)
	}
	if p.SplitTurn {
		words += fmt.Sprintf(", inside the turn of line %d", p.TurnStart.Line)
	} else {
		words += ", at the beginning of a turn"
	}
	if p.Moved != nil {
		words += "; moved to keep a tool call with its result"
	}
	return words
}

// summaryWords say where the summary would come from.
func (r *PlanReport) summaryWords() string {
	from := From(r.SummaryFrom)
	if from == FromCheckpoint {
		return fmt.Sprintf("the checkpoint on line %d, at %s tokens", r.Checkpoint.Line, ui.Thousands(r.Checkpoint.Tokens))
	}
	if words := from.words(); words != "" {
		return words
	}
	return "none yet; use --summary, --summarizer or --offline"
}
