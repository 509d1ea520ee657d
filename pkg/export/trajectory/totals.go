package trajectory

import (
	"io"
	"maps"
	"slices"
	"strings"

	"clawctl/internal/ui"
	"clawctl/pkg/rebuild"
)

// Totals add up what an export has written.
type Totals struct {
	Sessions   int
	Parts      int // steps, or messages
	Masked     int
	NamedTools int // tools that are declared by name alone
	leftOut    map[string]int
}

// WriteTrajectory writes the trajectory of a transcript, without a line end.
func (t *Totals) WriteTrajectory(w io.Writer, from *Transcript, f *Family, o Options) error {
	session, err := from.describe(f)
	if err != nil {
		return err
	}
	result, err := Write(w, session, o)
	if err != nil {
		return err
	}
	t.Parts += result.Final.Steps
	t.Masked += result.Masked
	for name, n := range result.LeftOut {
		t.leaveOut(name, n)
	}
	return nil
}

// WriteExample writes the example of a transcript, without a line end.
func (t *Totals) WriteExample(w io.Writer, from *Transcript, o Options) error {
	prompt, err := from.Context.Prompt(from.Reached())
	if err != nil {
		return err
	}
	conversation := from.Context.Conversation(rebuild.LimitsOf(ExampleForm))
	result, err := writeExample(w, &Example{prompt, conversation, from.Reached}, o)
	if err != nil {
		return err
	}
	t.Parts += result.Messages
	t.Masked += result.Masked
	t.NamedTools += result.NamedTools
	if result.Dropped > 0 {
		t.leaveOut("message_after_the_last_answer", result.Dropped)
	}
	return nil
}

func (t *Totals) leaveOut(name string, n int) {
	if t.leftOut == nil {
		t.leftOut = map[string]int{}
	}
	t.leftOut[name] += n
}

// LeftOut says what is not in the output, or "".
func (t *Totals) LeftOut() string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(t.leftOut)) {
		list = append(list, leftOutWords(name, t.leftOut[name]))
	}
	return strings.Join(list, ", ")
}

// leftOutWords says how many of something were left out. Only the first word of a name has a plural.
func leftOutWords(name string, n int) string {
	noun, rest, _ := strings.Cut(strings.ReplaceAll(name, "_", " "), " after ")
	words := ui.Count(n, noun)
	if rest != "" {
		words += " after " + rest
	}
	return words
}
