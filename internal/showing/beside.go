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
	keepers, subagents := s.keepers()
	if len(keepers) == 0 && len(subagents) == 0 {
		return nil
	}
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
		for _, keeper := range keepers {
			if text, ok := keeper.StoredResult(beginningOf(p, isFull)); ok {
				p.SetText(s.masked(text))
			}
		}
	}
}

// keepers returns the sessions whose programs keep more beside them, and the subagents that are in files of their own:
// of the session that is shown, and of those that did its work.
func (s *View) keepers() (keepers, subagents []*source.Session) {
	for _, session := range append([]*source.Session{s.Session}, s.Session.Workers()...) {
		if owner := session.FolderOwner(); owner != nil && owner.Beside != nil {
			keepers = append(keepers, session)
		}
	}
	if len(keepers) > 0 && keepers[0] == s.Session {
		subagents = s.Session.Subagents()
	}
	if s.Session.JoinedLines() > 0 {
		for i := range s.Session.Bindings {
			subagents = append(subagents, s.Session.Bindings[i].Subagents...)
		}
	}
	return keepers, subagents
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
