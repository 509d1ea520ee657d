package harness

import (
	"context"
	"slices"
	"strings"
	"time"

	"clawctl/internal/regex"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A turn is a prompt and what followed, as far as it is needed to find the same turn in another transcript. What comes
// before the first prompt of a transcript is part of its first turn, or a turn without a prompt.
type turn struct {
	line    int64 // of the first record
	prompt  int64 // the line of the prompt, 0 if there is none
	texts   []string
	at      time.Time // of the prompt, or of the first record
	end     time.Time // of the last answer
	answers []answer  // of OpenClaw: what another program said
	said    string    // of another program: everything that it said
}

// An answer is what another program said.
type answer struct {
	text string
	at   time.Time
}

// maxText is how much of a text is compared: its end, because OpenClaw adds to the beginning of a prompt.
const maxText = 64 << 10

// A transcript is what pairing needs to know of a session.
type transcript struct {
	turns   []turn
	hasTree bool      // records have ids and parents
	began   time.Time // the time of the first record that has one
}

func readTurns(ctx context.Context, s *source.Session) (t transcript, err error) {
	for rec, err := range s.Records(ctx) {
		if err != nil {
			return t, err
		}
		if rec.Legible() && !rec.Continued && rec.Harness() == "" {
			t.take(rec)
		}
	}
	return t, nil
}

func (t *transcript) take(rec *jsonl.Record) {
	at, isDated := rec.Time()
	if t.began.IsZero() && isDated {
		t.began = at
	}
	if _, ok := rec.ParentID(); ok && rec.ID() != "" {
		t.hasTree = true
	}
	if len(t.turns) == 0 {
		t.turns = append(t.turns, turn{line: 1, at: at})
	}
	message, isMessage := rec.Message()
	switch {
	case !isMessage || isSide(rec):
	case isPrompt(message):
		t.begin(rec.Line, at, message)
	case message.Role() == jsonl.RoleAssistant:
		t.turns[len(t.turns)-1].answer(message, at)
	}
}

// begin begins a turn.
func (t *transcript) begin(line int64, at time.Time, m jsonl.Message) {
	if last := &t.turns[len(t.turns)-1]; last.prompt > 0 || last.said != "" || last.answers != nil {
		t.turns = append(t.turns, turn{line: line})
	}
	last := &t.turns[len(t.turns)-1]
	last.prompt, last.at = line, at
	last.texts = []string{normal(jsonl.PlainText(m.Content()))}
	if m.Projection().State == jsonl.Projected {
		last.texts = append(last.texts, normal(jsonl.PlainText(m.SentContent())))
	}
}

// answer adds what was said.
func (t *turn) answer(m jsonl.Message, at time.Time) {
	text := normal(jsonl.PlainText(m.Content()))
	if text == "" {
		return
	}
	t.end = at
	if m.IsHarnessCopy() {
		t.answers = append(t.answers, answer{text, at})
	}
	t.said = ending(strings.TrimSpace(t.said + " " + text))
}

// endsElsewhere reports whether another program gave the last answer. It may also give the first one.
func (t *transcript) endsElsewhere() bool {
	for i := len(t.turns) - 1; i >= 0; i-- {
		if last := &t.turns[i]; last.said != "" {
			return len(last.answers) > 0
		}
	}
	return true
}

// lastTime returns the time of the last turn.
func (t *transcript) lastTime() time.Time {
	if len(t.turns) == 0 {
		return time.Time{}
	}
	last := &t.turns[len(t.turns)-1]
	if last.end.After(last.at) {
		return last.end
	}
	return last.at
}

// IsEcho reports whether a record repeats one of the session at the other end of a binding. In OpenClaw's session that
// is a copy of what another program said. In that of a program that did the work, isWorker, it is a prompt.
func IsEcho(s *source.Session, rec *jsonl.Record, isWorker bool) bool {
	m, ok := rec.Message()
	switch {
	case !ok || isSide(rec):
		return false
	case isWorker:
		return isPrompt(m)
	}
	isFound := func(b source.Binding) bool { return b.State == source.BindingFound }
	return m.IsHarnessCopy() && m.Role() != jsonl.RoleUser && slices.ContainsFunc(s.Bindings, isFound)
}

// isSide reports whether a record is beside the conversation, such as those of a subagent.
func isSide(rec *jsonl.Record) bool { return rec.Get("appendMode").Is("side") }

// isPrompt reports whether the user says something in a message.
func isPrompt(m jsonl.Message) bool {
	if m.Role() != jsonl.RoleUser {
		return false
	}
	for b := range m.Blocks() {
		if b.Kind != jsonl.BlockToolResult {
			return true
		}
	}
	return false
}

// directive is an instruction to OpenClaw inside an answer, such as [[reply_to_current]]. It takes them out.
var directive = regex.Lazy(`\[\[[^\[\]]*\]\]`)

// received is what OpenClaw writes before a prompt: when it came.
var received = regex.Lazy(`^\[[A-Za-z]{3} \d{4}-\d{2}-\d{2} \d{2}:\d{2}[^\]]*\] *`)

// normal returns a text as it is compared: without directives, and with single blanks.
func normal(text string) string {
	if strings.Contains(text, "[[") {
		text = directive().ReplaceAllString(text, " ")
	}
	if strings.HasPrefix(text, "[") {
		text = received().ReplaceAllString(text, "")
	}
	return ending(strings.Join(strings.Fields(text), " "))
}

func ending(text string) string {
	if len(text) > maxText {
		return text[len(text)-maxText:]
	}
	return text
}
