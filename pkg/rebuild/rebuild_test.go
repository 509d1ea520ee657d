package rebuild

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild/apicheck"
)

// read returns the index and the context of a transcript.
func read(t testing.TB, text []byte, leaf string) (*Index, *Context) {
	t.Helper()
	ix, err := Scan(jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ix.Context(leaf)
	if err != nil {
		t.Fatal(err)
	}
	return ix, c
}

// gather joins messages into a JSON array.
func gather(t testing.TB, text []byte, write func(r *jsonl.Reader, emit func([]byte) error) error) []byte {
	t.Helper()
	messages := []json.RawMessage{}
	err := write(jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}), func(m []byte) error {
		messages = append(messages, bytes.Clone(m))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	array, err := json.Marshal(messages)
	if err != nil {
		t.Fatalf("%v in %s", err, bytes.Join(rawOf(messages), []byte("\n")))
	}
	return array
}

func rawOf(messages []json.RawMessage) (raw [][]byte) {
	for _, m := range messages {
		raw = append(raw, m)
	}
	return raw
}

// checkAll checks that everything rebuilt from a transcript is accepted.
func checkAll(t testing.TB, text []byte) {
	t.Helper()
	_, c := read(t, text, "")
	if conversation := c.Conversation(Limits{}); conversation.Len() > 0 {
		if out := gather(t, text, func(r *jsonl.Reader,
			emit func([]byte) error) error {
			return conversation.Anthropic(r.All(), emit)
		}); apicheck.Anthropic(out) != nil {
			t.Errorf("anthropic: %v\n%s", apicheck.Anthropic(out), out)
		}
		conversation.EndWithUser("")
		if out := gather(t, text, func(r *jsonl.Reader,
			emit func([]byte) error) error {
			return conversation.Anthropic(r.All(), emit)
		}); apicheck.Anthropic(out) != nil {
			t.Errorf("anthropic request: %v\n%s", apicheck.Anthropic(out), out)
		}
	}
	if conversation := c.Conversation(LimitsOf("openai")); conversation.Len() > 0 {
		if out := gather(t, text, func(r *jsonl.Reader, emit func([]byte) error) error {
			return conversation.OpenAI(r.All(),
				emit)
		}); apicheck.OpenAI(out) != nil {
			t.Errorf("openai: %v\n%s", apicheck.OpenAI(out), out)
		}
	}
	err := c.Native(jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}).All(), func(m []byte) error {
		if !json.Valid(m) {
			t.Errorf("native: not JSON: %s", m)
		}
		return nil
	})
	if err != nil && !errors.As(err, new(*RefusalError)) {
		t.Error(err)
	}
	checkTrim(t, text, c)
	checkFit(t, text, c)
}

// checkTrim checks that trimmed results are accepted, that each has a fix, and that none of their texts is longer than
// the limit.
func checkTrim(t testing.TB, text []byte, c *Context) {
	t.Helper()
	const limit = 80
	for form, check := range map[string]func([]byte) error{"anthropic": apicheck.Anthropic, "openai": apicheck.OpenAI} {
		conversation := c.Conversation(LimitsOf(form))
		before := len(conversation.Fixes)
		if err := conversation.Trim(jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}).All(), characters{},
			limit); err != nil {
			t.Fatal(err)
		}
		write := conversation.Anthropic
		if form == "openai" {
			write = conversation.OpenAI
		}
		out := gather(t, text, func(r *jsonl.Reader, emit func([]byte) error) error { return write(r.All(), emit) })
		if err := check(out); conversation.Len() > 0 && err != nil {
			t.Errorf("%s, trimmed: %v\n%s", form, err, out)
		}
		marks := bytes.Count(out, []byte("[... truncated (")) - bytes.Count(text, []byte("[... truncated ("))
		if cut := len(conversation.Fixes) - before; marks > cut || cut > 0 && marks < 1 {
			t.Errorf("%s: %d results were cut, %d are marked", form, cut, marks)
		}
	}
}

// A long result is cut to the limit, and Fit takes that into account.
func TestTrim(t *testing.T) {
	result := strings.Repeat("a line of the result\n", 20)
	text := []byte(`{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"u1","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z","message":{"role":"user",` +
		`"content":"Read"}}
{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-05-01T10:00:02.000Z","message":{"role":"assistant",` +
		`"content":[{"type":"toolCall","id":"c 1","name":"read","arguments":{}}]}}
{"type":"message","id":"r1","parentId":"a1","timestamp":"2026-05-01T10:00:03.000Z","message":{"role":"toolResult",` +
		`"toolCallId":"c 1","toolName":"read","isError":false,"content":[{"type":"text","text":` + jsonl.Quote(result) + `}]}}
{"type":"message","id":"u2","parentId":"r1","timestamp":"2026-05-01T10:00:04.000Z","message":{"role":"user",` +
		`"content":"Well?"}}
`)
	records := func() iter.Seq2[*jsonl.Record, error] {
		return jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}).All()
	}
	_, c := read(t, text, "")
	c.LimitResults(100)
	if fitting, fits, err := c.Fit(records(), characters{}, 200); err != nil || !fits || fitting.DroppedTurns > 0 {
		t.Errorf("%+v %v %v", fitting, fits, err)
	}
	conversation := c.Conversation(Limits{})
	if err := conversation.Trim(records(), characters{}, 100); err != nil {
		t.Fatal(err)
	}
	last := conversation.Fixes[len(conversation.Fixes)-1]
	if last.Code != TooLong || last.Line != 4 || last.Entry != "r1" {
		t.Errorf("%+v", conversation.Fixes)
	}
	out := gather(t, text, func(r *jsonl.Reader, emit func([]byte) error) error {
		return conversation.Anthropic(r.All(),
			emit)
	})
	if want := `{"type":"tool_result","tool_use_id":"c_1","content":[{"type":"text","text":"a line of the result\na ` +
		`line of the result\n\n[... truncated (420 chars total, showing first 41) ...]"}]}`; !strings.Contains(string(out),
		want) {
		t.Errorf("%s", out)
	}
}

// checkFit checks the guarantees of Fit: the rest fits, the summary stays, and calls stay with their results.
func checkFit(t testing.TB, text []byte, c *Context) {
	t.Helper()
	records := func() iter.Seq2[*jsonl.Record, error] {
		return jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}).All()
	}
	sum := func() (total int) {
		costs, err := c.costs(records(), characters{})
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range costs {
			total += n
		}
		return total
	}
	unpaired := func() (n int) {
		c.EachFix(func(f Fix) {
			if f.Code == NoCall || f.Code == NoResult || f.Code == ResultFirst {
				n++
			}
		})
		return n
	}
	summarized := len(c.items) > 0 && c.isSummary(0)
	limit, before := sum()/2, unpaired()
	fitting, fits, err := c.Fit(records(), characters{}, limit)
	switch {
	case err != nil:
		t.Error(err)
	case !fits:
		return
	case sum() > limit || sum() != fitting.Tokens-fitting.DroppedTokens:
		t.Errorf("%d tokens are left of %d, for a limit of %d: %+v", sum(), fitting.Tokens, limit, fitting)
	case summarized && !c.isSummary(0):
		t.Error("the summary is gone")
	case unpaired() > before:
		t.Errorf("%d calls and results without each other, %d before", unpaired(), before)
	}
}

// characters is a token counter that counts characters.
type characters struct{}

func (characters) Count(text string) int { return len(text) }
