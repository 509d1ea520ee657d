package main

import (
	"fmt"
	"strings"

	"clawctl/pkg/compact"
	"clawctl/pkg/fileuse"
	"clawctl/pkg/window"
)

// A planReport is the JSON form of a plan. Fields are added, never renamed.
type planReport struct {
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
	Moved            bool             `json:"moved"` // the rule alone would have parted a call from its result
	TokensBefore     int64            `json:"tokens_before"`
	TokensKept       int64            `json:"tokens_kept"`
	TokensSummarised int64            `json:"tokens_summarised"`
	Kept             int              `json:"messages_kept"`
	Summarised       int              `json:"messages_summarised"`
	Details          fileuse.Details  `json:"details"`
	PreviousSummary  bool             `json:"previous_summary"`
	Checkpoint       *checkpointPlace `json:"checkpoint"`
}

type checkpointPlace struct {
	EntryID string `json:"entry_id"`
	Line    int64  `json:"line"`
	Tokens  int64  `json:"tokens"`
}

// aroundCut is how many messages a plan shows on either side of its cut.
const aroundCut = 3

// printPlan prints where a compaction would cut.
func (r *shrinkRun) printPlan() error {
	from, plan := r.survey.Source(r.options)
	report := r.planReport(from, plan)
	if r.wantsJSON() {
		if err := r.print(jsonLine(report)); err != nil {
			return err
		}
		return r.damage
	}
	around, err := r.survey.Neighbors(plan, aroundCut, r.again)
	if err != nil {
		return r.readFailed(err)
	}
	text, err := r.planText(report, plan, around)
	if err != nil {
		return err
	}
	if err := r.print(text); err != nil {
		return err
	}
	return r.damage
}

func (r *shrinkRun) planReport(from compact.From, p *compact.Plan) *planReport {
	report := &planReport{
		SchemaVersion: 1, Session: r.session.Name(), Leaf: r.context.Leaf, Keep: p.Keep.String(), SummaryFrom: string(from), Compacts: !p.KeepsEverything(),
		FirstKeptEntryID: p.FirstKept.Entry, FirstKeptLine: p.FirstKept.Line,
		SplitTurn: p.SplitTurn, TurnStartEntryID: p.TurnStart.Entry, Moved: p.Moved,
		TokensBefore: p.TokensBefore, TokensKept: p.KeptTokens, TokensSummarised: p.SummarizedTokens,
		Kept: p.Kept, Summarised: p.Summarized, Details: p.Details, PreviousSummary: r.survey.Previous != nil,
	}
	if from == "" {
		report.SummaryFrom = "none"
	}
	if p.FromCheckpoint {
		report.Keep = "checkpoint"
	}
	if c := r.survey.Checkpoint; c != nil {
		report.Checkpoint = &checkpointPlace{c.Entry, c.Line, c.TokensAtCheckpoint}
	}
	return report
}

// planText is a plan for people.
func (r *shrinkRun) planText(report *planReport, p *compact.Plan, around []compact.Glance) (string, error) {
	if !report.Compacts {
		return fmt.Sprintf("nothing to summarise: %s, %s tokens, and all are kept\n", counted(p.Kept+p.Summarized, "message"), group(p.TokensBefore)), nil
	}
	var b strings.Builder
	b.WriteString(picture(p))
	row := func(name, format string, args ...any) {
		fmt.Fprintf(&b, "%-9s %s\n", name, fmt.Sprintf(format, args...))
	}
	row("keep", "%s", keepWords(p))
	row("cut", "%s", cutWords(p))
	row("tokens", "%s before; after it %s and the summary", group(p.TokensBefore), group(p.KeptTokens))
	row("summary", "%s", r.sourceWords(report))
	if files := p.Details; len(files.ReadFiles)+len(files.ModifiedFiles) > 0 {
		row("files", "%d modified, %d read", len(files.ModifiedFiles), len(files.ReadFiles))
	}
	table, err := r.layOut(aroundReport(around))
	return b.String() + "\n" + table, err
}

// pictureWidth is how wide the session is drawn.
const pictureWidth = 60

// picture draws the session by tokens, with the cut where it falls.
func picture(p *compact.Plan) string {
	total := max(1, p.SummarizedTokens+p.KeptTokens)
	cut := max(1, min(pictureWidth-1, int(float64(p.SummarizedTokens)/float64(total)*pictureWidth+0.5)))
	left := fmt.Sprintf("%s, %s", counted(p.Summarized, "message"), window.Thousands(p.SummarizedTokens))
	right := fmt.Sprintf("%s, %s", counted(p.Kept, "message"), window.Thousands(p.KeptTokens))
	return fmt.Sprintf("▕%s✂%s▏\n %s summarised ✂ %s kept\n\n", strings.Repeat("░", cut), strings.Repeat("█", pictureWidth-cut), left, right)
}

func keepWords(p *compact.Plan) string {
	switch {
	case p.FromCheckpoint:
		return "what the last checkpoint does not tell of"
	case p.Keep.Unit == compact.Claw0:
		return "as claw0: half of the messages are summarised, a fifth and at least four are kept"
	case p.Keep.Unit == compact.Tokens:
		return fmt.Sprintf("the last %s tokens, by pi's estimate", group(int64(p.Keep.N)))
	case p.Keep.Unit == compact.Percent:
		return fmt.Sprintf("the last %d %%, by pi's estimate", p.Keep.N)
	}
	return "the last " + counted(p.Keep.N, "message")
}

func cutWords(p *compact.Plan) string {
	words := fmt.Sprintf("before line %d", p.FirstKept.Line)
	if p.FirstKept.Entry != "" {
		words = fmt.Sprintf("before entry %s on line %d", p.FirstKept.Entry, p.FirstKept.Line)
	}
	if p.SplitTurn {
		words += fmt.Sprintf(", within the turn of line %d", p.TurnStart.Line)
	} else {
		words += ", where a turn begins"
	}
	if p.Moved {
		words += "; moved, so that no call is parted from its result"
	}
	return escapeControls(words)
}

// sourceWords say where the summary would come from.
func (r *shrinkRun) sourceWords(report *planReport) string {
	switch compact.From(report.SummaryFrom) {
	case compact.FromGiven:
		return "the one that is given"
	case compact.FromSummarizer:
		return "the summarizer's"
	case compact.FromCheckpoint:
		return fmt.Sprintf("the checkpoint on line %d, of %s tokens", report.Checkpoint.Line, group(report.Checkpoint.Tokens))
	case compact.FromExtract:
		return "an offline extract"
	}
	return "none yet: --summary, --summarizer or --offline gives one"
}

// aroundReport lists the messages around the cut.
func aroundReport(around []compact.Glance) *report {
	table := &report{columns: []column{{"line", true}, {name: "entry"}, {"tokens", true}, {name: ""}, {name: "who"}, {name: "says"}}}
	for _, g := range around {
		fate := map[bool]string{false: "░ summarised", true: "█ kept"}[g.Kept]
		table.add(nil, fmt.Sprint(g.Line), g.Entry, group(g.Tokens), fate, g.Who, g.Text)
	}
	return table
}
