package rebuild

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

// A replay is what the index knows about the state of a provider that an answer has.
type replay struct {
	state        jsonl.ReplayState
	family       jsonl.ReplayFamily
	fromAnswerer bool
	skipped      int32 // the first blocks of the answer that it stands for too
}

// An entryReplay is the replay of one entry.
type entryReplay struct {
	entry int32
	replay
}

// readReplay reads what a provider left in an answer.
func (s *sketcher) readReplay(m jsonl.Message) {
	r := m.Replay()
	s.replay = replay{r.State, r.Family, r.FromAnswerer, int32(r.Skipped)}
	switch r.State {
	case jsonl.OddReplay:
		s.faults |= oddReplay
	case jsonl.ReplayCheckpoint:
		s.faults |= checkpointed
	}
}

// replayOf returns the replay of an entry. Without one, its state is NoReplay.
func (ix *Index) replayOf(entry int32) replay {
	at, found := slices.BinarySearchFunc(ix.replays, entry, func(r entryReplay, entry int32) int {
		return cmp.Compare(r.entry, entry)
	})
	if !found || ix.at(entry).role != roleAssistant {
		return replay{}
	}
	return ix.replays[at].replay
}

// replayFamilies are the families of replays that can be sent in a form of messages.
var replayFamilies = map[string]jsonl.ReplayFamily{
	FormAnthropic: jsonl.AnthropicReplay, FormOpenAI: jsonl.ResponsesReplay,
}

// A Resumption is a checkpoint of a provider that stands for the beginning of a conversation.
type Resumption struct {
	Place
	Replaced int   // the messages before it, which are not sent
	Model    Model // which alone can read it
}

// Words say what the checkpoint replaces. They are "" if there is none.
func (r Resumption) Words() string {
	if r.Line == 0 {
		return ""
	}
	return fmt.Sprintf("%s the checkpoint of %s on line %s replaces %s", Checkpointed,
		strings.Trim(r.Model.Provider+"/"+r.Model.ID, "/"), ui.Thousands(r.Line), ui.Count(r.Replaced, "message"))
}

// Resume lets the context begin with the last checkpoint of a provider, as OpenClaw does, if that can be sent in a form
// to a model. The model "" is the one that answered last. It reports whether there is such a checkpoint.
func (c *Context) Resume(form, model string) (r Resumption, ok bool) {
	return c.resume(replayFamilies[form], cmp.Or(model, c.Answering.ID))
}

// ResumeOwn is Resume for the provider that the session uses, whatever the form of its messages is.
func (c *Context) ResumeOwn() (r Resumption, ok bool) {
	family := jsonl.AnthropicReplay
	if last := c.lastAnswer(); last != nil && last.api == OpenAIResponses {
		family = jsonl.ResponsesReplay
	}
	return c.resume(family, c.Answering.ID)
}

func (c *Context) resume(family jsonl.ReplayFamily, model string) (r Resumption, ok bool) {
	at := c.findCheckpoint(family, model)
	if at < 0 {
		return r, false
	}
	entry := c.items[at].entry
	e := c.ix.at(entry)
	r = Resumption{c.ix.placeOf(entry), 0, Model{c.ix.names.text(e.ref), c.ix.names.text(e.ref2)}}
	kept := []item{}
	for i, it := range c.items {
		switch {
		case c.isPrompt(it): // a request has another place for it
			kept = append(kept, it)
		case i < at:
			r.Replaced++
		case i == at:
			// What was recorded with the answer is the size of the context that the checkpoint replaces.
			it.resumed, it.stale = true, true
			fallthrough
		default:
			kept = append(kept, it)
		}
	}
	c.items, c.weighed = kept, nil
	return r, true
}

// findCheckpoint returns the item of the checkpoint that is sent, or -1. Only the last one of a family counts. One that
// is malformed, that another model made, or that the provider rejected later, stands for nothing, and neither do those
// before it.
func (c *Context) findCheckpoint(family jsonl.ReplayFamily, model string) int {
	if len(c.ix.replays) == 0 || !c.ix.rules().recordsSent() {
		return -1
	}
	target := c.lastAnswerOf(model)
	for i := len(c.items) - 1; i >= 0 && target != nil; i-- {
		it := c.items[i]
		r := c.ix.replayOf(it.entry)
		if r.family != family || it.retained {
			continue
		}
		isOurs := r.fromAnswerer && c.ix.at(it.entry).isOfSameModel(target)
		switch {
		case r.state == jsonl.ReplayRejected && !isOurs:
		case r.state == jsonl.ReplayCheckpoint && isOurs:
			return i
		default:
			return -1
		}
	}
	return -1
}

// lastAnswerOf returns the last answer of the model that the next request goes to, or nil. It tells the provider and
// the API.
func (c *Context) lastAnswerOf(model string) *entry {
	for i := len(c.items) - 1; i >= 0; i-- {
		e := c.ix.at(c.items[i].entry)
		isAnswer := e.kind == kindMessage && e.role == roleAssistant && !e.isMirror()
		if !isAnswer || c.ix.names.text(e.ref2) != model {
			continue
		}
		if model != c.Answering.ID || c.ix.names.text(e.ref) == c.Answering.Provider {
			return e
		}
	}
	return nil
}

// resumedCost counts the tokens of a checkpoint and of what is left of the answer that has it. OpenClaw, too, takes
// four characters of a sealed text for a token.
func resumedCost(m jsonl.Message, counter tokens.Counter) int {
	r := m.Replay()
	sum := tokens.MessageOverhead + counter.Count(r.Summary().String()) + (len(r.Sealed())+1)/4
	for _, kept := range r.Kept() {
		for b := range kept.Get("content").Elements() {
			sum += counter.Count(b.Get("text").String())
		}
	}
	at := 0
	for b := range m.Blocks() {
		if at >= r.Skipped {
			sum += tokens.CostOf(b, counter).Tokens
		}
		at++
	}
	return sum
}
