package render

import (
	"io"

	"clawctl/pkg/parts"
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

// markRunning makes calls whose results have not come look like that.
func (l *callLog) markRunning() {
	for i := range l.queue {
		if q := &l.queue[i]; q.text == "" && q.call.result == nil {
			q.call.result = &resultLine{isRunning: true}
		}
	}
}
