package render

import (
	"io"

	"clawctl/pkg/read/parts"
)

// Shows reports whether a part is shown in this style.
func (s Style) Shows(p *parts.Part) bool { return (&Text{style: s.withDefaults()}).shows(p) }

// NewEnding returns a Text for the end of a conversation. It does not say what the first turn has cost, because the
// turn may have begun before.
func NewEnding(w io.Writer, style Style) *Text {
	text := NewText(w, style)
	text.turn.isPartial = true
	return text
}

// Skip prints a line across the screen where something is left out. The turns before and after it are not complete, so
// that nothing is said about their cost, and the results of calls may follow.
func (t *Text) Skip(text string) error {
	if err := t.Flush(); err != nil {
		return err
	}
	t.turn.isPartial = true
	err := t.Rule(text)
	t.turn.isPartial = true
	return err
}

// markRunning makes calls whose results have not come look like that.
func (l *callLog) markRunning() {
	for i := range l.queue {
		if q := &l.queue[i]; q.text == "" && q.call.result == nil {
			q.call.result = &resultLine{isRunning: true}
		}
	}
}
