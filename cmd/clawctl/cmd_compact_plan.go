package main

import (
	"fmt"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/ui"
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
	Moved            bool             `json:"moved"` // the rule alone would have separated a call from its result
	TokensBefore     int64            `json:"tokens_before"`
	TokensKept       int64            `json:"tokens_kept"`
	TokensSummarized int64            `json:"tokens_summarised"`
	Kept             int              `json:"messages_kept"`
	Summarized       int              `json:"messages_summarised"`
	Details          fileuse.Details  `json:"details"`
	PreviousSummary  bool             `json:"previous_summary"`
	Checkpoint       *checkpointPlace `json:"checkpoint"`
}

type checkpointPlace struct {
	EntryID string `json:"entry_id"`
	Line    int64  `json:"line"`
	Tokens  int64  `json:"tokens"`
}

// neighborsShown is how many messages a plan shows on either side of its cut.
const neighborsShown = 3

// printPlan prints where a compaction would cut.
func (c *compaction) printPlan() error {
	from, plan := c.run.Survey.Source(c.run.Summary)
	report := c.planReport(from, plan)
	var err error
	switch {
	case c.run.App.WantsJSON():
		err = c.run.App.Print(cli.JSONLine(report))
	case !report.Compacts:
		err = c.run.App.Print(fmt.Sprintf("nothing to summarize: %s, %s tokens, and all are kept\n",
			ui.Count(plan.Kept+plan.Summarized, "message"), ui.Thousands(plan.TokensBefore)))
	default:
		err = c.printPlanText(report, plan)
	}
	if err != nil {
		return err
	}
	return c.run.Transcript.Damage
}

func (c *compaction) planReport(from compact.From, p *compact.Plan) *planReport {
	report := &planReport{
		SchemaVersion: 1, Session: c.run.Transcript.Session.Name(),
		Leaf: c.run.Context.Context.Leaf, Keep: p.Keep.String(), SummaryFrom: string(from),
		Compacts: !p.KeepsEverything(), FirstKeptEntryID: p.FirstKept.Entry, FirstKeptLine: p.FirstKept.Line,
		SplitTurn: p.SplitTurn, TurnStartEntryID: p.TurnStart.Entry, Moved: p.Moved,
		TokensBefore: p.TokensBefore, TokensKept: p.KeptTokens, TokensSummarized: p.SummarizedTokens,
		Kept: p.Kept, Summarized: p.Summarized, Details: p.Details, PreviousSummary: c.run.Survey.Previous != nil,
	}
	if from == "" {
		report.SummaryFrom = "none"
	}
	if p.FromCheckpoint {
		report.Keep = "checkpoint"
	}
	if k := c.run.Survey.Checkpoint; k != nil {
		report.Checkpoint = &checkpointPlace{k.Entry, k.Line, k.TokensAtCheckpoint}
	}
	return report
}

// printPlanText prints a plan for people.
func (c *compaction) printPlanText(report *planReport, p *compact.Plan) error {
	neighbors, err := c.run.Survey.Neighbors(p, neighborsShown, c.run.Transcript.Again)
	if err != nil {
		return c.run.ReadFailed(err)
	}
	table, hidden, err := c.run.App.LayOut(neighborsTable(neighbors))
	if err != nil {
		return err
	}
	if err := c.run.App.PrintStyled(picture(p) + planRows(c.run.App.Output.Term, report, p) + "\n" + table); err != nil {
		return err
	}
	c.run.App.NoteHidden(hidden)
	return nil
}

// pictureWidth is how wide the session is drawn.
const pictureWidth = 60

// picture draws the session by tokens, with the cut.
func picture(p *compact.Plan) string {
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

// planRows say what the plan does and why.
func planRows(term ui.Terminal, report *planReport, p *compact.Plan) (text string) {
	row := func(name, words string) {
		text += cli.Labelled(term, fmt.Sprintf("%-9s ", name), ui.EscapeLine(words)) + "\n"
	}
	row("keep", keepWords(p))
	row("cut", cutWords(p))
	row("tokens", fmt.Sprintf("%s before, %s and the summary after",
		ui.Thousands(p.TokensBefore), ui.Thousands(p.KeptTokens)))
	row("summary", sourceWords(report))
	if files := p.Details; len(files.ReadFiles)+len(files.ModifiedFiles) > 0 {
		row("files", fmt.Sprintf("%d modified, %d read", len(files.ModifiedFiles), len(files.ReadFiles)))
	}
	return text
}

func keepWords(p *compact.Plan) string {
	switch {
	case p.FromCheckpoint:
		return "what the last checkpoint does not cover"
	case p.Keep.Unit == compact.Claw0:
		return "as claw0: half of the messages are summarized, at least a fifth and at least four are kept"
	case p.Keep.Unit == compact.Tokens:
		return fmt.Sprintf("the last %s, by pi's estimate", ui.Count(p.Keep.N, "token"))
	case p.Keep.Unit == compact.Percent:
		return fmt.Sprintf("the last %d%%, by pi's estimate", p.Keep.N)
	}
	return "the last " + ui.Count(p.Keep.N, "message")
}

func cutWords(p *compact.Plan) string {
	words := fmt.Sprintf("before line %d", p.FirstKept.Line)
	if p.FirstKept.Entry != "" {
		words = fmt.Sprintf("before entry %s on line %d", p.FirstKept.Entry, p.FirstKept.Line)
	}
	if p.SplitTurn {
		words += fmt.Sprintf(", inside the turn of line %d", p.TurnStart.Line)
	} else {
		words += ", at the beginning of a turn"
	}
	if p.Moved {
		words += "; moved to keep a tool call with its result"
	}
	return words
}

// sourceWords say where the summary would come from.
func sourceWords(report *planReport) string {
	switch from := compact.From(report.SummaryFrom); from {
	case compact.FromGiven, compact.FromSummarizer, compact.FromExtract:
		return summaryWords[from]
	case compact.FromCheckpoint:
		return fmt.Sprintf("the checkpoint on line %d, at %s tokens", report.Checkpoint.Line,
			ui.Thousands(report.Checkpoint.Tokens))
	}
	return "none yet; use --summary, --summarizer or --offline"
}

// neighborsTable lists the messages around the cut.
func neighborsTable(neighbors []compact.Glance) *cli.Report {
	table := cli.NewReport(
		ui.Column{Name: "line", Right: true},
		ui.Column{Name: "entry", Cut: ui.InMiddle, Min: 8, Rank: 2},
		ui.Column{Name: "tokens", Right: true, Rank: 1},
		ui.Column{},
		ui.Column{Name: "who", Cut: ui.AtEnd, Min: 11},
		ui.Column{Name: "says", Cut: ui.AtEnd, Min: 20},
	)
	for _, n := range neighbors {
		fate := map[bool]string{false: "░ summarized", true: "█ kept"}[n.Kept]
		table.Add(nil, fmt.Sprint(n.Line), n.Entry, ui.Thousands(n.Tokens), fate, n.Who, n.Text)
	}
	return table
}
