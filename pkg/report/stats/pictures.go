package stats

import "clawctl/internal/ui"

// Pictures repeat the numbers beside them on a terminal, for people who would rather look than read. A pipe gets none.

const (
	barWidth  = 12 // of the largest group
	lineWidth = 40 // of the days
)

// weightOf is what a bar shows of a group: its tokens, or its calls and messages if nothing has tokens.
func weightOf(g *GroupReport, byTokens bool) int64 {
	if byTokens {
		return g.Recorded.Total
	}
	return max(g.ToolCalls, g.Messages)
}

// addBars adds a column without a name that draws how large each group is.
func addBars(table *ui.Table, list []GroupReport, term ui.Terminal) {
	byTokens, most := false, int64(0)
	for i := range list {
		byTokens = byTokens || list[i].Recorded.Total > 0
	}
	for i := range list {
		most = max(most, weightOf(&list[i], byTokens))
	}
	if len(list) < 2 || most == 0 {
		return
	}
	table.Columns = append(table.Columns, ui.Column{Rank: 2})
	for i := range list {
		share := float64(weightOf(&list[i], byTokens)) / float64(most)
		table.Rows[i] = append(table.Rows[i], ui.Cell{Text: term.Bar(share, barWidth), Style: ui.Hint})
	}
}

// dayLine draws the tokens of the days, or "" if there is no list of days.
func (r *Report) dayLine(term ui.Terminal) string {
	days := r.By["day"]
	if !term.Is || len(days) < 3 || !r.UsageKnown {
		return ""
	}
	values, most := make([]int64, len(days)), int64(0)
	for i := range days {
		values[i] = days[i].Recorded.Total
		most = max(most, values[i])
	}
	return term.Sparkline(values, lineWidth, most)
}
