package doctor

import (
	"fmt"
	"slices"
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/source"
)

// A ReportObject is the JSON form of a report.
type ReportObject struct {
	SchemaVersion int      `json:"schema_version"`
	OK            bool     `json:"ok"`
	State         string   `json:"state"`
	Deep          bool     `json:"deep"`
	Checks        []Result `json:"checks"`
	OnlyInFiles   *int     `json:"only_in_files"` // null: not known without --deep
}

// Object returns the JSON form of a report about a state folder.
func (r *Report) Object(state string, deep bool) ReportObject {
	return ReportObject{1, r.OK(), state, deep, r.Checks, r.OnlyInFiles}
}

// OK reports whether nothing needs a look.
func (r *Report) OK() bool { return r.needingLook() == 0 }

func (r *Report) needingLook() (n int) {
	for _, c := range r.Checks {
		if c.Status.needsLook() {
			n++
		}
	}
	return n
}

// Notable returns the results without those that are good.
func (r *Report) Notable() []Result {
	return slices.DeleteFunc(slices.Clone(r.Checks), func(r Result) bool { return r.Status == OK })
}

// Words sum up a report of which some results are shown.
func (r *Report) Words(shown int) string {
	text := fmt.Sprintf("%d checks, and nothing needs a look.", len(r.Checks))
	switch n := r.needingLook(); {
	case n == 1:
		text = fmt.Sprintf("1 of %d checks needs a look.", len(r.Checks))
	case n > 1:
		text = fmt.Sprintf("%d of %d checks need a look.", n, len(r.Checks))
	}
	if shown < len(r.Checks) {
		text += " --all shows the others."
	}
	return text
}

// Text is a line about a place, and one for every result.
func Text(term ui.Terminal, place *source.Listing, results []Result) string {
	line := ui.EscapeLine(describePlace(place))
	if term.Is {
		line = ui.Wrap(line, term.Columns, "")
	}
	var b strings.Builder
	b.WriteString(line + "\n")
	for _, r := range results {
		b.WriteString(r.line(term))
	}
	return b.String()
}

// marks say how a check went, each in its style.
var marks = map[Status]struct {
	mark  string
	style ui.Style
}{
	OK: {"✓", ui.Good}, Info: {"·", ui.Dim}, Warn: {"!", ui.Warning}, Error: {"✗", ui.Error},
}

// line is a mark, a sentence, and a command, which has a line of its own if it does not fit.
func (r *Result) line(term ui.Terminal) string {
	const indent, arrow = "  ", "→ "
	message, command := ui.EscapeLine(r.Message), ui.EscapeLine(r.Command)
	mark := marks[r.Status]
	line := term.Paint(mark.style, mark.mark) + " "
	help := term.Paint(ui.Dim, arrow) + term.Paint(ui.Hint, command)
	if !term.Is || ui.Width(indent+message+"  "+arrow+command) <= term.Columns {
		return line + message + "  " + help + "\n"
	}
	wrapped := strings.TrimPrefix(ui.Wrap(message, term.Columns, indent), indent)
	return line + wrapped + "\n" + indent + help + "\n"
}

// describePlace sums up in a line what a place has.
func describePlace(place *source.Listing) string {
	agents, kinds := map[string]bool{}, map[source.Kind]int{}
	for _, s := range place.Sessions {
		agents[s.Agent] = true
		kinds[s.Kind]++
	}
	if len(place.Sessions) == 0 {
		return place.Path + ": no transcripts"
	}
	return fmt.Sprintf("%s: %s of %s (%s)", place.Path, ui.Count(len(place.Sessions), "transcript"),
		ui.Count(len(agents), "agent"), source.KindCounts(kinds))
}
