package boundary

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"clawctl/internal/ui"
)

// A Row is a boundary of a session, in JSON. Fields are added, never renamed.
type Row struct {
	SchemaVersion int    `json:"schema_version"`
	Session       string `json:"session"`
	Path          string `json:"path"`
	*Boundary
}

// A Report lists boundaries, in JSON.
type Report struct {
	SchemaVersion int    `json:"schema_version"`
	Totals        Totals `json:"totals"`
	Rows          []Row  `json:"compactions"` // resets too
}

// Totals count boundaries. The states are those of compactions.
type Totals struct {
	Sessions    int   `json:"sessions"` // that have boundaries
	Compactions int   `json:"compactions"`
	Resets      int   `json:"resets"`
	Empty       int   `json:"empty"`
	Skeleton    int   `json:"skeleton"`
	CutOff      int   `json:"cut_off"`
	Late        int   `json:"late"` // whatever else is wrong with them
	Sealed      int   `json:"sealed"`
	Messages    int   `json:"dropped_messages"`
	Turns       int   `json:"dropped_turns"`
	ToolResults int   `json:"dropped_tool_results"`
	Summaries   int64 `json:"summary_tokens"`
	Copies      int   `json:"copies"` // boundaries that other sessions have too, which count once
}

// NewReport returns a report without boundaries.
func NewReport() *Report { return &Report{SchemaVersion: 1, Rows: []Row{}} }

// Add adds the boundaries of a session.
func (r *Report) Add(session, path string, list []Boundary) {
	for i := range list {
		r.Rows = append(r.Rows, Row{1, session, path, &list[i]})
		r.Totals.add(&list[i])
	}
	if len(list) > 0 {
		r.Totals.Sessions++
	}
}

// add counts a boundary.
func (t *Totals) add(b *Boundary) {
	t.Messages += b.Dropped.Messages
	t.Turns += b.Dropped.Turns
	t.ToolResults += b.Dropped.ToolResults
	if b.Kind == Reset {
		t.Resets++
		return
	}
	t.Compactions++
	t.Summaries += int64(b.Summary.Tokens)
	if b.Late {
		t.Late++
	}
	switch b.State {
	case Empty:
		t.Empty++
	case Skeleton:
		t.Skeleton++
	case CutOff:
		t.CutOff++
	case Sealed:
		t.Sealed++
	}
}

// Words sum a report up: "164 compactions and 2 resets in 12 sessions: 77 skeletons (47.0%), 1 cut off (0.6%)".
func (t *Totals) Words() string {
	words := ui.Count(t.Compactions, "compaction")
	if t.Resets > 0 {
		words += " and " + ui.Count(t.Resets, "reset")
	}
	if t.Sessions != 1 {
		words += " in " + ui.Count(t.Sessions, "session")
	}
	var wrong []string
	for _, state := range []struct {
		count int
		words string
	}{{t.Empty, "empty"}, {t.Skeleton, "skeleton"}, {t.CutOff, "cut off"}, {t.Late, "late"}} {
		if state.count > 0 {
			wrong = append(wrong, fmt.Sprintf("%s %s (%s)", ui.Thousands(int64(state.count)), state.words,
				ui.Percent(float64(state.count)/float64(t.Compactions))))
		}
	}
	if len(wrong) > 0 {
		words += ": " + strings.Join(wrong, ", ")
	}
	return words
}

// Columns are the columns of a table of boundaries.
func Columns() []ui.Column {
	return []ui.Column{
		{Name: "#", Right: true}, {Name: "when"}, {Name: "why", Rank: 2, Cut: ui.AtEnd, Min: 6},
		{Name: "before", Right: true}, {Name: "after", Right: true}, {Name: "turns", Right: true},
		{Name: "results", Right: true, Rank: 1}, {Name: "files", Right: true, Rank: 1},
		{Name: "summary", Right: true}, {Name: "named", Right: true, Rank: 3}, {Name: "state"},
	}
}

// Cells are the cells of a boundary, with times in a zone.
func (b *Boundary) Cells(zone *time.Location) []ui.Cell {
	when, length := "", ""
	if b.Time != nil {
		when = ui.Minute(b.Time.In(zone))
	}
	if b.Summary != nil {
		length = ui.Thousands(int64(b.Summary.Tokens))
	}
	cells := ui.Text(ui.Thousands(int64(b.Number)), when, b.whyWords(), tokenWords(b.TokensBefore),
		tokenWords(b.TokensAfter), ui.Thousands(int64(b.Dropped.Turns)), ui.Thousands(int64(b.Dropped.ToolResults)),
		ui.Thousands(int64(b.Dropped.Files.Count)), length, b.mentionWords(), b.stateWords())
	if slices.Contains(states, b.State) {
		cells[len(cells)-1].Style = ui.Warning
	}
	return cells
}

// stateWords say what the boundary is, or what is wrong with it.
func (b *Boundary) stateWords() string {
	words := string(cmp.Or(b.State, State(map[Kind]string{Reset: "reset", Compaction: "ok"}[b.Kind])))
	if b.Late && b.State != Late {
		words += ", late"
	}
	return words
}

// tokenWords are a number of tokens, or nothing if it is not known.
func tokenWords(n *int64) string {
	if n == nil {
		return ""
	}
	return ui.Thousands(*n)
}

// SessionColumns are the columns of a table of sessions with their boundaries.
func SessionColumns() []ui.Column {
	return []ui.Column{
		{Name: "session", Cut: ui.InMiddle, Min: 20}, {Name: "compactions", Right: true},
		{Name: "empty", Right: true}, {Name: "skeleton", Right: true}, {Name: "cut off", Right: true},
		{Name: "late", Right: true}, {Name: "resets", Right: true, Rank: 1},
		{Name: "turns", Right: true, Rank: 1}, {Name: "summaries", Right: true, Rank: 2},
	}
}

// BySession returns the totals of each session, those with the most weak summaries first.
func (r *Report) BySession() (names []string, totals map[string]*Totals) {
	totals = map[string]*Totals{}
	for _, row := range r.Rows {
		t := totals[row.Session]
		if t == nil {
			t = &Totals{Sessions: 1}
			totals[row.Session] = t
			names = append(names, row.Session)
		}
		t.add(row.Boundary)
	}
	slices.SortStableFunc(names, func(a, b string) int {
		return cmp.Or(cmp.Compare(totals[b].weak(), totals[a].weak()),
			cmp.Compare(totals[b].Compactions, totals[a].Compactions))
	})
	return names, totals
}

// Worst returns the boundary that is most worth a look: the last one of the worst state, or the last one.
func (r *Report) Worst() *Boundary {
	last := r.Rows[len(r.Rows)-1].Boundary
	for _, state := range states {
		for _, row := range slices.Backward(r.Rows) {
			if row.State == state {
				return row.Boundary
			}
		}
	}
	return last
}

// NumberWords is the number, for a command line.
func (b *Boundary) NumberWords() string { return strconv.Itoa(b.Number) }

// PathOf returns the place of a session.
func (r *Report) PathOf(session string) string {
	for _, row := range r.Rows {
		if row.Session == session {
			return row.Path
		}
	}
	return ""
}

// Sentence says what happened at a boundary: "Compaction 2 on 2026-05-04 14:53 (auto): 96,410 tokens before, 2,595
// after. 12 messages left the context."
func (b *Boundary) Sentence(zone *time.Location) string {
	text := strings.ToUpper(string(b.Kind[:1])) + string(b.Kind[1:]) + " " + b.NumberWords()
	if b.Time != nil {
		text += " on " + ui.Minute(b.Time.In(zone))
	}
	if why := b.whyWords(); why != "" {
		text += " (" + ui.EscapeLine(why) + ")"
	}
	var sizes []string
	if b.TokensBefore != nil {
		sizes = append(sizes, ui.Count(*b.TokensBefore, "token")+" before")
	}
	if b.TokensAfter != nil {
		sizes = append(sizes, ui.Thousands(*b.TokensAfter)+" after")
	}
	if len(sizes) > 0 {
		text += ": " + strings.Join(sizes, ", ")
	}
	d := &b.Dropped
	text += ". " + ui.Count(d.Messages, "message") + " left the context"
	if d.Messages > 0 {
		text += ": " + ui.Count(d.Turns, "turn") + ", " + ui.Count(d.ToolResults, "tool result") + ", " +
			ui.Count(d.Files.Count, "file")
	}
	return text + ". " + b.summaryWords()
}

// summaryWords say what replaced it.
func (b *Boundary) summaryWords() string {
	switch {
	case b.Summary == nil:
		return "Nothing replaced them."
	case b.State == Empty:
		return "The summary is empty."
	}
	text := "The summary has " + ui.Count(b.Summary.Tokens, "token")
	if words := b.mentionWords(); words != "" {
		text += ", names " + words + " files and open calls"
	}
	if b.State != Fine {
		text += ", and is " + map[bool]string{true: "a "}[b.State == Skeleton] + string(b.State)
	}
	return text + "."
}

// weak is the number of compactions with a weak summary.
func (t *Totals) weak() int { return t.Empty + t.Skeleton + t.CutOff }

// Cells are the cells of the totals of a session.
func (t *Totals) Cells(session string) []ui.Cell {
	cells := []string{session}
	for _, n := range []int{t.Compactions, t.Empty, t.Skeleton, t.CutOff, t.Late, t.Resets, t.Turns} {
		cells = append(cells, ui.Thousands(int64(n)))
	}
	return ui.Text(append(cells, ui.Thousands(t.Summaries))...)
}
