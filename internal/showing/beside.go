package showing

import (
	"bytes"

	"clawctl/pkg/parts"
	"clawctl/pkg/render"
	"clawctl/pkg/source"
)

// SubagentField is the field of a result that names the file of a subagent.
const SubagentField = render.SubagentField

// completer returns what adds to the results of tools what is not in the transcript: the rest of a long one, if all of
// it is shown, and the file of the subagent that it is from. It returns nil if the session keeps nothing elsewhere.
func (s *View) completer() func(*parts.Part) {
	if owner := s.Session.FolderOwner(); owner == nil || owner.Beside == nil {
		return nil
	}
	subagents := s.Session.Subagents()
	isFull := s.Options.Tools == render.ToolsFull
	return func(p *parts.Part) {
		if p.Kind != parts.Result {
			return
		}
		for _, other := range subagents {
			if mentions(p, other) {
				p.SetField(SubagentField, other.Path)
			}
		}
		if text, ok := s.Session.StoredResult(beginningOf(p, isFull)); ok {
			p.SetText(s.masked(text))
		}
	}
}

// mentions reports whether a result has the id of a session.
func mentions(p *parts.Part, other *source.Session) bool {
	return bytes.Contains(p.Body, []byte(other.ID))
}

// beginningOf returns the text of a result if the rest of it is wanted.
func beginningOf(p *parts.Part, isFull bool) string {
	if !isFull {
		return ""
	}
	return p.Text()
}
