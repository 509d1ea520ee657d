package showing

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"
	"sync"

	"clawctl/internal/failure"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/read/render"
	"clawctl/pkg/report/catalog"
	"clawctl/pkg/source"
)

// completer returns what adds to the results of tools what is not in the transcript: the rest of a long one, if all of
// it is shown, and the subagent that it is from. It returns nil if the session keeps nothing elsewhere.
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
			if other.isStartedIn(p) {
				other.addTo(p)
				break
			}
		}
		for _, keeper := range keepers {
			if text, ok := keeper.StoredResult(beginningOf(p, isFull)); ok {
				p.SetText(s.masked(text))
			}
		}
	}
}

// A subagent is a session that the shown one has started.
type subagent struct {
	session *source.Session
	calls   string          // what the shown session calls it, or ""
	brief   func() briefing // reads it once
}

// A briefing is what is shown of a subagent.
type briefing struct {
	name     string
	messages int64
	text     string // "" unless its conversation is shown
}

// newSubagent returns a subagent that is read when it is asked about.
func (s *View) newSubagent(other *source.Session) *subagent {
	brief := sync.OnceValue(func() briefing { return s.briefOf(other) })
	return &subagent{other, other.SpawnedAs(), brief}
}

// briefOf reads a subagent.
func (s *View) briefOf(other *source.Session) briefing {
	facts := catalog.Read(s.App.Ctx, []*source.Session{other}, 1)[0]
	b := briefing{s.masked(cmp.Or(facts.Title(other), other.SpawnedAs(), other.ID)), facts.Tally.Messages, ""}
	if s.Options.Subagents && !slices.Contains(s.within, other.Path) {
		b.text = s.subagentText(other)
	}
	return b
}

// isStartedIn reports whether a result is from the call that started the subagent.
func (a *subagent) isStartedIn(p *parts.Part) bool {
	owner := a.session.FolderOwner()
	if owner == nil || owner.Started == nil {
		return bytes.Contains(p.Body, []byte(a.session.ID))
	}
	return owner.Started(p.Text(), a.session.ID, a.calls)
}

// addTo adds to a result what is known of the subagent.
func (a *subagent) addTo(p *parts.Part) {
	b := a.brief()
	p.SetField(render.SubagentField, a.session.Path)
	p.SetField(render.SubagentNameField, b.name)
	p.SetNumber(render.SubagentMessagesField, b.messages)
	if b.text != "" {
		p.SetField(render.SubagentTextField, b.text)
	}
}

// subagentText returns the conversation of a subagent as text.
func (s *View) subagentText(other *source.Session) string {
	options := Options{ProgramOption: s.Options.ProgramOption, Tools: s.Options.Tools, Thinking: s.Options.Thinking,
		Sent: s.Options.Sent, Subagents: true}
	if style := s.style(); style.Width > 0 {
		options.Width = max(20, min(style.Width, maxProse)-render.SubagentIndent)
	}
	inside := &View{App: s.App, Options: &options, Session: other, masker: s.masker,
		within: append(slices.Clone(s.within), s.Session.Path, other.Path)}
	out := &shortText{}
	text := &textOutput{view: inside, text: render.NewText(out, inside.style())}
	err := inside.open(inside.visitFacts())
	if err == nil {
		err = inside.each(text.entry)
	}
	if closing := text.text.Close(); err == nil {
		err = closing
	}
	if err != nil && !out.isCut {
		s.App.Note("%s: %v", other.Path, err)
	}
	return out.text(failure.Command("clawctl", "show", other.Path))
}

// maxSubagentText is how much of the conversation of a subagent is shown inside another one. It is held in memory.
const maxSubagentText = 1 << 20

// errLong means that a shortText has all that it takes.
var errLong = errors.New("the text is too long")

// A shortText takes the beginning of a text.
type shortText struct {
	taken strings.Builder
	isCut bool
}

func (t *shortText) Write(text []byte) (int, error) {
	if t.isCut = t.isCut || t.taken.Len()+len(text) > maxSubagentText; t.isCut {
		return 0, errLong
	}
	return t.taken.Write(text)
}

// text returns the text, with the command that shows the rest if there is more.
func (t *shortText) text(command string) string {
	text := strings.Trim(t.taken.String(), "\n")
	if t.isCut {
		text += "\n… " + command
	}
	return text
}

// keepers returns the sessions whose programs keep more beside them, and the subagents that are in files of their own:
// of the session that is shown, and of those that did its work.
func (s *View) keepers() (keepers []*source.Session, subagents []*subagent) {
	for _, session := range append([]*source.Session{s.Session}, s.Session.Workers()...) {
		if owner := session.FolderOwner(); owner != nil && owner.Beside != nil {
			keepers = append(keepers, session)
		}
	}
	started := s.Session.Subagents()
	if s.Session.JoinedLines() > 0 {
		for i := range s.Session.Bindings {
			started = append(started, s.Session.Bindings[i].Subagents...)
		}
	}
	for _, other := range started {
		if other.Path != s.Session.Path { // subagents of Claude Code share a folder
			subagents = append(subagents, s.newSubagent(other))
		}
	}
	return keepers, subagents
}

// beginningOf returns the text of a result if the rest of it is wanted.
func beginningOf(p *parts.Part, isFull bool) string {
	if !isFull {
		return ""
	}
	return p.Text()
}
