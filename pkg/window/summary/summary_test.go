package summary

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"clawctl/pkg/read/fileuse"
)

func TestClaw0Count(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 0, 4: 0, 5: 1, 6: 2, 7: 3, 8: 4, 9: 4, 10: 5, 20: 10, 21: 10, 100: 50} {
		if got := Claw0Count(n); got != want {
			t.Errorf("%d messages: got %d, want %d", n, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		text string
		ok   bool
	}{
		{"", false}, {" \n\t ", false},
		{strings.Repeat("x", MinLength-1), false}, {strings.Repeat("x", MinLength), true},
		{strings.Repeat("ä", MinLength), true}, {strings.Repeat(" ", MinLength) + "x", false},
		{strings.Repeat("x", MaxLength), true}, {strings.Repeat("x", MaxLength+1), false},
	} {
		if err := Check(test.text); (err == nil) != test.ok {
			t.Errorf("%d bytes, %.30q: %v", len(test.text), test.text, err)
		}
	}
}

// A summarizer is asked twice at most, and not again after the run was cancelled.
func TestAsk(t *testing.T) {
	broken, refused := errors.New("broken"), errors.New("refused")
	for _, test := range []struct {
		name            string
		fails, refuses  int // how many times
		cancels         bool
		calls, accepted int
		want            error
	}{
		{"good", 0, 0, false, 1, 1, nil},
		{"fails once", 1, 0, false, 2, 1, nil},
		{"fails", 2, 0, false, 2, 0, broken},
		{"refused once", 0, 1, false, 2, 1, nil},
		{"refused", 0, 2, false, 2, 0, refused},
		{"cancelled", 2, 0, true, 1, 0, broken},
	} {
		ctx, cancel := context.WithCancel(context.Background())
		calls, taken, accepted := 0, 0, 0
		err := Ask(ctx, func(_ context.Context, prompt func(io.Writer) error) (string, error) {
			if calls++; test.cancels {
				cancel()
			}
			var b strings.Builder
			if err := prompt(&b); err != nil || b.String() != "question" {
				t.Errorf("%s: call %d reads %q, %v", test.name, calls, b.String(), err)
			}
			if calls <= test.fails {
				return "", broken
			}
			return "answer", nil
		}, func(w io.Writer) error {
			_, err := io.WriteString(w, "question")
			return err
		}, func(answer string) error {
			if taken++; taken <= test.refuses {
				return refused
			}
			accepted++
			return nil
		})
		cancel()
		if err != test.want || calls != test.calls || accepted != test.accepted {
			t.Errorf("%s: %v after %d calls, %d accepted", test.name, err, calls, accepted)
		}
	}
}

// An excerpt is one line of at most its length, and says if something is missing.
func TestExcerpt(t *testing.T) {
	for _, text := range []string{
		"", " ", "one", "one\n two\t\tthree", strings.Repeat("ä", 50), "a" + strings.Repeat("\n", 60) + "b", "\xffbad\xfe",
		"👩‍👩‍👧 family",
	} {
		line := strings.Join(strings.Fields(text), " ")
		for _, length := range []int{0, 1, 5, 49, 50, 51, 100} {
			got := Excerpt(text, length)
			short, wasCut := strings.CutSuffix(got, "…")
			if strings.Contains(got, "\n") || !strings.HasPrefix(line, short) || wasCut != (short != line) ||
				utf8.RuneCountInString(short) > length {
				t.Errorf("%q, %d: %q", text, length, got)
			}
		}
	}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string][]string{
		"":                          nil,
		"One. Two! Three?":          {"One.", "Two!", "Three?"},
		"a line\nanother\n\n\nlast": {"a line", "another", "last"},
		"Version 1.2 is out... ok":  {"Version 1.2 is out...", "ok"},
	} {
		if got := slices.Collect(sentences(text)); !slices.Equal(got, want) {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// An extract keeps the goal, the last state and the questions that nobody answered.
func TestExtract(t *testing.T) {
	x := &Extract{Messages: 4, Details: fileuse.Details{ReadFiles: []string{"r.go"}, ModifiedFiles: []string{"m.go"}}}
	x.AddUser("Build a shed. Which wood?")
	x.AddAssistant("We will use oak. Is that fine? How large?")
	x.AddUser("Build a shed. Which wood?")
	x.AddCall("read", `{"path":"r.go"}`)
	x.AddAssistant("Done.")
	want := []string{
		"[Offline extract of 4 messages by clawctl.", "## Goal\nBuild a shed. Which wood?",
		"## Asked for\n- Build a shed. Which wood?\n\n", "## Decisions\n- assistant: We will use oak.",
		"- modified m.go\n- read r.go", "The assistant said: Done.\nThe last calls: read {",
	}
	for _, text := range want {
		if !strings.Contains(x.String(), text) {
			t.Errorf("%q is missing in\n%s", text, x)
		}
	}
	if strings.Contains(x.String(), "Open questions") {
		t.Errorf("an answered question is open:\n%s", x)
	}
}

// However long a conversation is, its extract is a summary that can be summarized again.
func TestExtractIsBounded(t *testing.T) {
	x := &Extract{Previous: strings.Repeat("earlier ", 100_000)}
	for n := range 80 {
		text := fmt.Sprintf("We decided on number %d %s. Why?", n, strings.Repeat("x", n*10))
		x.AddUser(text)
		x.AddAssistant(text)
		x.AddCall("write", text)
		x.Messages++
	}
	text := x.String()
	if err := Check(text); err != nil {
		t.Error(err)
	}
	if !strings.Contains(text, "the earlier summary was cut here") || text != x.String() {
		t.Errorf("%.300s", text)
	}
	if len(x.Topics) > listLength || len(x.Decisions) > listLength || len(x.Tools) > lastTools ||
		!strings.Contains(x.Decisions[len(x.Decisions)-1], "number 79") || !strings.Contains(x.Goal, "number 0 ") {
		t.Errorf("%d topics, %d decisions, %d tools, goal %q", len(x.Topics), len(x.Decisions), len(x.Tools), x.Goal)
	}
}
