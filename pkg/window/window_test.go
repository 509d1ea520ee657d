package window

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"clawctl/pkg/config"
	"clawctl/pkg/models"
	"clawctl/pkg/rebuild"
)

func TestChoose(t *testing.T) {
	find := func(provider, model string) (*models.Match, error) {
		return models.BuiltIn().Find(provider, model), nil
	}
	for _, test := range []struct {
		candidates Candidates
		want       Window
	}{
		{Candidates{100, 200, "openai", "gpt-5"}, Window{100, CommandLine, "gpt-5", "", false}},
		{Candidates{0, 200, "openai", "gpt-5"}, Window{200, Registration, "gpt-5", "", false}},
		{Candidates{0, 0, "openai", "gpt-5"}, Window{400_000, ModelTable, "gpt-5", "openai/gpt-5", false}},
		{Candidates{100, 0, "", ""}, Window{100, CommandLine, "", "", false}},
	} {
		if got, err := test.candidates.Choose(find); err != nil || got != test.want {
			t.Errorf("%+v: %+v, %v", test.candidates, got, err)
		}
	}
	var unknown *unknownModelError
	if _, err := (Candidates{Model: "nobody"}).Choose(find); !errors.As(err, &unknown) || unknown.Model != "nobody" {
		t.Errorf("got %v", err)
	}
	if !(Candidates{}).AreEmpty() || (Candidates{Model: "nobody"}).AreEmpty() {
		t.Error("a model with an answer must be a candidate, and an empty one must not")
	}
}

// A catalogue that cannot be read is an error only if its answer is needed.
func TestChooseWithoutCatalogue(t *testing.T) {
	broken := errors.New("broken")
	find := func(string, string) (*models.Match, error) { return nil, broken }
	if w, err := (Candidates{CommandLine: 5, Model: "gpt-5"}).Choose(find); err != nil || w.Tokens != 5 {
		t.Errorf("%+v, %v", w, err)
	}
	if _, err := (Candidates{Model: "gpt-5"}).Choose(find); !errors.Is(err, broken) {
		t.Errorf("got %v", err)
	}
}

// Recorded usage replaces the estimate of everything before it, unless the program does not trust it.
func TestFillAdd(t *testing.T) {
	f := Fill{Window: 1000, Next: 5}
	for _, m := range []rebuild.Measurement{
		{Size: 10, Recorded: 900, Retained: true}, {Size: 20}, {Size: 30, Recorded: 400, Trusted: true}, {Size: 40},
	} {
		f.Add(m)
	}
	if f.Recorded != 400 || f.Counted != 40 || f.Tokens() != 445 || f.Percent() != 44.5 {
		t.Errorf("%+v, %d tokens, %g %%", f, f.Tokens(), f.Percent())
	}
	if !f.Reaches(44.5) || f.Reaches(44.6) || f.NeedsCompaction(554) || !f.NeedsCompaction(555) {
		t.Errorf("%+v", f)
	}
}

// Patches of the prompt count as the prompt that they add up to, until an answer has recorded the size.
func TestFillAddPatches(t *testing.T) {
	prompt := []rebuild.Measurement{{Size: 100}, {Size: 20}, {Size: 30, Correction: -40}}
	answer := rebuild.Measurement{Size: 5, Recorded: 400, Trusted: true}
	for _, test := range []struct {
		measurements []rebuild.Measurement
		want         int64
	}{
		{prompt, 110},
		{append(slices.Clone(prompt), answer), 400},
		{slices.Insert(slices.Clone(prompt), 2, answer), 430},
	} {
		f := Fill{}
		for _, m := range test.measurements {
			f.Add(m)
		}
		if f.Tokens() != test.want {
			t.Errorf("%+v: %d tokens, want %d", test.measurements, f.Tokens(), test.want)
		}
	}
}

// A barrier voids what was recorded, the summary of a compaction counts as its beginning, and a size from before it is
// stated, but not acted on.
func TestFillOfOpenClaw(t *testing.T) {
	summary := rebuild.Measurement{Size: 7, Leads: true}
	kept := rebuild.Measurement{Size: 10, Recorded: 900, Trusted: true, Retained: true}
	barrier := rebuild.Measurement{Size: 5, Barrier: true}
	answer := rebuild.Measurement{Size: 3, Recorded: 50, Trusted: true}
	for _, test := range []struct {
		measurements                       []rebuild.Measurement
		recorded, counted, tokens, current int64
	}{
		{[]rebuild.Measurement{kept, summary, {Size: 20}}, 900, 20, 920, 37},
		{[]rebuild.Measurement{summary, kept, {Size: 20}}, 900, 20, 920, 37},
		{[]rebuild.Measurement{kept, summary, barrier, {Size: 20}}, 0, 42, 42, 42},
		{[]rebuild.Measurement{kept, barrier, answer, {Size: 20}}, 50, 20, 70, 70},
	} {
		f := Fill{}
		for _, m := range test.measurements {
			f.Add(m)
		}
		if f.Recorded != test.recorded || f.Counted != test.counted || f.Tokens() != test.tokens ||
			f.Current() != test.current {
			t.Errorf("%+v: %d recorded, %d counted, %d tokens, %d current", test.measurements, f.Recorded, f.Counted,
				f.Tokens(), f.Current())
		}
	}
}

func TestThresholds(t *testing.T) {
	c := config.Default()
	reserve := Reserve(c, 1000)
	if reserve != 250 {
		t.Errorf("%d tokens of a small window are reserved", reserve)
	}
	var passed []string
	for _, threshold := range (Fill{Window: 1000, Counted: 500}).Thresholds(&c.Session, reserve) {
		if threshold.Passed {
			passed = append(passed, fmt.Sprint(threshold.Kind, " ", threshold.Percent))
		}
	}
	if want := []string{"checkpoint 25", "checkpoint 50", "flush 50"}; !slices.Equal(passed, want) {
		t.Errorf("passed %q, want %q", passed, want)
	}
}

func TestFillString(t *testing.T) {
	for _, test := range []struct {
		tokens, window int64
		want           string
	}{
		{156_000, 200_000, "[Context: 156k/200k tokens (78%)]"},
		{0, 200_000, "[Context: 0/200k tokens (0%)]"},
		{999, 1000, "[Context: 999/1k tokens (100%)]"},
		{5, 0, "[Context: 5/0 tokens (500%)]"},
	} {
		if got := (Fill{Window: test.window, Counted: test.tokens}).String(); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}
