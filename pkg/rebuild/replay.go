package rebuild

import (
	"cmp"
	"fmt"
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

// readReplay reads what a provider left in an answer.
func (s *sketcher) readReplay(m jsonl.Message) {
	r := m.Replay()
	s.sketch.replay = replay{r.State, r.Family, r.FromAnswerer, int32(r.Skipped)}
	switch r.State {
	case jsonl.OddReplay:
		s.sketch.fault(OddReplay)
	case jsonl.ReplayCheckpoint:
		s.sketch.fault(Checkpointed)
	}
}

// replayOf returns the replay of an entry. Without one, its state is NoReplay.
func (ix *Index) replayOf(entry int32) replay {
	if ix.at(entry).role != roleAssistant {
		return replay{}
	}
	return ofEntry(ix.replays, entry)
}

// replayFamilies are the families of replays that belong to a form of messages. OpenClaw sends those of OpenAI as items
// of the Responses API, whose messages, calls and results have another form than those of Chat Completions.
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
	return fmt.Sprintf("%s %s replaces %s", Checkpointed, r.name(), ui.Count(r.Replaced, "message"))
}

// UnsentWords say that the checkpoint is not sent, although it exists.
func (r Resumption) UnsentWords() string {
	return fmt.Sprintf("%s %s is for the Responses API, which has other messages; wrote all of the history instead",
		Checkpointed, r.name())
}

// name says whose checkpoint it is, and where.
func (r Resumption) name() string {
	return fmt.Sprintf("the checkpoint of %s on line %s", strings.Trim(r.Model.Provider+"/"+r.Model.ID, "/"),
		ui.Thousands(r.Line))
}

// Resume lets the context begin with the last checkpoint of a provider, as OpenClaw does, if that can be sent in a form
// to a model. The model "" is the one that answered last. ok reports whether it does. A checkpoint that exists but has
// no place in the form is returned as well, and then the context stays as it is.
func (c *Context) Resume(form, model string) (r Resumption, ok bool) {
	model = cmp.Or(model, c.Answering.ID)
	if form != FormAnthropic {
		return c.resumption(c.findCheckpoint(replayFamilies[form], model)), false
	}
	return c.resume(replayFamilies[form], model)
}

// resumption describes the checkpoint of an item, -1 for none.
func (c *Context) resumption(at int) (r Resumption) {
	if at < 0 {
		return r
	}
	entry := c.items[at].entry
	return Resumption{c.ix.placeOf(entry), 0, c.ix.modelOf(c.ix.at(entry))}
}

// ResumeOwn is Resume for the provider that the session uses, whatever the form of its messages is.
func (c *Context) ResumeOwn() (r Resumption, ok bool) { return c.resume(c.ownFamily(), c.Answering.ID) }

// ownFamily returns the family of checkpoints of the provider that answered last.
func (c *Context) ownFamily() jsonl.ReplayFamily {
	if last := c.lastAnswer(); last != nil && last.api == OpenAIResponses {
		return jsonl.ResponsesReplay
	}
	return jsonl.AnthropicReplay
}

func (c *Context) resume(family jsonl.ReplayFamily, model string) (r Resumption, ok bool) {
	at := c.findCheckpoint(family, model)
	if at < 0 {
		return r, false
	}
	r = c.resumption(at)
	kept := []item{}
	for i, it := range c.items {
		switch {
		case c.isPrompt(it): // a request has another place for it
			kept = append(kept, it)
		case i < at:
			r.Replaced++
		case i == at:
			it = it.asResumed()
			fallthrough
		default:
			kept = append(kept, it)
		}
	}
	c.items, c.weighed = kept, nil
	return r, true
}

// asResumed returns an item as the beginning of a context. What was recorded with its answer is the size of the context
// that the checkpoint replaces.
func (it item) asResumed() item {
	it.resumed, it.stale = true, true
	return it
}

// findCheckpoint returns the item of the checkpoint that is sent, or -1. Only the last one of a family counts. One that
// is malformed, that another model made, or that the provider rejected later, stands for nothing, and neither do those
// before it.
func (c *Context) findCheckpoint(family jsonl.ReplayFamily, model string) int {
	if len(c.ix.replays) == 0 || !c.ix.rules.recordsSent {
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
		isAnswer := e.is(roleAssistant) && !e.isMirror()
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
