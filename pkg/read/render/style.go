package render

import (
	"time"

	"clawctl/internal/ui"
)

// Tools says how much of tool calls is shown.
type Tools string

// The values of Tools.
const (
	ToolsNone Tools = "none"
	ToolsLine Tools = "line" // a line for each call, with the first line of its result
	ToolsFull Tools = "full" // arguments, results and system prompts as a whole, and edits as diffs
)

// A Style says how a conversation looks. The zero Style suits a pipe: no color, no wrapping, Markdown as it was
// written.
type Style struct {
	Width    int // of the terminal; 0 means that lines are not wrapped and Markdown is not rendered
	Prose    int // the width that prose is wrapped to; 0 means Width
	Color    bool
	Tools    Tools // "" means ToolsLine
	Thinking bool
	Sent     bool           // show what the model was sent instead of what the user said
	Location *time.Location // of the times that are shown; nil means UTC
}

func (s Style) withDefaults() Style {
	if s.Prose == 0 || s.Prose > s.Width {
		s.Prose = s.Width
	}
	if s.Tools == "" {
		s.Tools = ToolsLine
	}
	if s.Location == nil {
		s.Location = time.UTC
	}
	return s
}

// paint colors text that is already escaped.
func (s Style) paint(style ui.Style, text string) string {
	return ui.Terminal{Color: s.Color}.Paint(style, text)
}

// pipeWidth is the width of lines that are cut even if nothing is wrapped, such as those of tool calls.
const pipeWidth = 160

// lineWidth is the width that one-line summaries are cut to.
func (s Style) lineWidth() int {
	if s.Width == 0 {
		return pipeWidth
	}
	return s.Width
}
