package rebuild

import (
	"bytes"
	"encoding/json"
	"errors"
	"iter"
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

// gather joins messages to an array.
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

// checkAll proves that what is made of a transcript is accepted, whatever the transcript holds.
func checkAll(t testing.TB, text []byte) {
	t.Helper()
	_, c := read(t, text, "")
	if plan := c.Plan(Limits{}); plan.Len() > 0 {
		if out := gather(t, text, func(r *jsonl.Reader, emit func([]byte) error) error { return plan.Anthropic(r.All(), emit) }); apicheck.Anthropic(out) != nil {
			t.Errorf("anthropic: %v\n%s", apicheck.Anthropic(out), out)
		}
		plan.EndWithUser("")
		if out := gather(t, text, func(r *jsonl.Reader, emit func([]byte) error) error { return plan.Anthropic(r.All(), emit) }); apicheck.Anthropic(out) != nil {
			t.Errorf("anthropic request: %v\n%s", apicheck.Anthropic(out), out)
		}
	}
	if plan := c.Plan(LimitsOf("openai")); plan.Len() > 0 {
		if out := gather(t, text, func(r *jsonl.Reader, emit func([]byte) error) error { return plan.OpenAI(r.All(), emit) }); apicheck.OpenAI(out) != nil {
			t.Errorf("openai: %v\n%s", apicheck.OpenAI(out), out)
		}
	}
	err := c.Native(jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}).All(), func(m []byte) error {
		if !json.Valid(m) {
			t.Errorf("native: no JSON: %s", m)
		}
		return nil
	})
	if err != nil && !errors.As(err, new(*RefusedError)) {
		t.Error(err)
	}
	checkFit(t, text, c)
}

// checkFit proves what Fit promises: the rest fits, the summary stays, and no call is parted from its result.
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
	summarised := len(c.items) > 0 && c.isSummary(0)
	limit, before := sum()/2, unpaired()
	fitting, fits, err := c.Fit(records(), characters{}, limit)
	switch {
	case err != nil:
		t.Error(err)
	case !fits:
		return
	case sum() > limit || sum() != fitting.Tokens-fitting.DroppedTokens:
		t.Errorf("%d tokens are left of %d, for a limit of %d: %+v", sum(), fitting.Tokens, limit, fitting)
	case summarised && !c.isSummary(0):
		t.Error("the summary is gone")
	case unpaired() > before:
		t.Errorf("%d calls and results without each other, %d before", unpaired(), before)
	}
}

// characters counts characters, for tests.
type characters struct{}

func (characters) Count(text string) int { return len(text) }
