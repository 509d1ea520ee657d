package tokens

import (
	"slices"
	"testing"

	"clawctl/pkg/jsonl"
)

func TestTally(t *testing.T) {
	line := `{"type":"message","id":"a1","message":{"role":"assistant","content":[` +
		`{"type":"text","text":"abcdefgh"},{"type":"toolCall","id":"t","name":"read","arguments":{}}]}}`
	rec := (&jsonl.Parser{}).Parse([]byte(line), 3, 0)
	m, ok := rec.Message()
	if !ok {
		t.Fatal("no message")
	}
	for by, want := range map[Dimension][]string{
		"":        nil,
		BySession: {"key"},
		ByMessage: {"file.jsonl:3 assistant a1"},
		ByRole:    {"assistant"},
		ByTool:    {"message overhead", "no tool", "read"},
		ByBlock:   {"message overhead", "text", "toolCall"},
	} {
		tally := Tally{Counter: Heuristic{}, By: by}
		tally.AddMessage(m, rec, tally.CostsOf(rec), "key", "file.jsonl")
		var names []string
		sum := int64(0)
		for _, s := range tally.Largest(0) {
			names = append(names, s.Name)
			sum += s.Tokens
		}
		if slices.Sort(names); !slices.Equal(names, want) {
			t.Errorf("by %q: parts %q, want %q", by, names, want)
		}
		want := int64(MessageTokens(m, Heuristic{}))
		if tally.Total != want || by != "" && sum != want || tally.Messages != 1 {
			t.Errorf("by %q: total %d, parts %d, messages %d; want %d tokens", by, tally.Total, sum, tally.Messages, want)
		}
	}
}

func TestTallyLargest(t *testing.T) {
	tally := Tally{By: ByRole}
	tally.Add(2, "b")
	tally.Add(2, "a")
	tally.Add(4, "")
	want := []Share{{"unknown", 4, 0.5}, {"a", 2, 0.25}}
	if got := tally.Largest(2); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// A tally of two others has what one tally of everything has, and leaves them alone.
func TestTallyJoin(t *testing.T) {
	for _, by := range []Dimension{"", ByRole} {
		whole, first, second := Tally{By: by}, Tally{By: by, Messages: 2, Mirrors: 1}, Tally{By: by, Messages: 3, Copies: 1}
		first.Add(5, "a")
		second.Add(7, "a")
		second.Add(1, "b")
		whole.Join(&first)
		whole.Join(&second)
		if whole.Total != 13 || whole.Messages != 5 || whole.Mirrors != 1 || whole.Copies != 1 {
			t.Errorf("by %q: %+v", by, whole)
		}
		if by == "" {
			continue
		}
		if got := whole.Largest(0); len(got) != 2 || got[0].Tokens != 12 || got[1].Tokens != 1 {
			t.Errorf("parts %v", got)
		}
		if got := first.Largest(0); got[0].Tokens != 5 {
			t.Errorf("the first tally has %v now", got)
		}
	}
}
