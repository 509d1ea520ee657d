package jsonl

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// claw0Lines returns a transcript that needs several batches.
func claw0Lines(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `{"type":"user","content":"question %d","ts":%d.5}`+"\n", i, 1777629601+i)
		fmt.Fprintf(&b, `{"type":"tool_use","tool_use_id":"c%d","name":"n","input":{"a":"%s"},"ts":1777629601.5}`+"\n", i,
			strings.Repeat("x", i%700))
	}
	return b.String()
}

// sayOf returns what a record says as a line, and what it says as a conversation.
func sayOf(rec *Record) string {
	m, _ := rec.Message()
	at, _ := rec.Time()
	return fmt.Sprintln(rec.Line, rec.Offset, string(rec.Raw), rec.StatedType(), string(rec.Stated()), rec.Type(),
		m.Role(), string(m.Content()), at, rec.Continues())
}

// However a transcript is read, its records are the same lines with the same forms.
func TestTranslationsAreTheSame(t *testing.T) {
	text := claw0Lines(3000)
	var want []string
	for rec, err := range NewReader(strings.NewReader(text), Options{}).All() {
		if err != nil {
			t.Fatal(err)
		}
		want = append(want, sayOf(rec))
	}
	if len(want) != 6000 || !strings.Contains(want[1], "assistant [{") {
		t.Fatalf("%d records, the second is %s", len(want), want[1])
	}
	prepare := func() func(*Record) any { return func(rec *Record) any { return sayOf(rec) } }
	for name, opts := range map[string]Options{
		"parallel": {Jobs: 4, Prepare: prepare}, "with small batches": {Prepare: prepare},
	} {
		checkForms(t, name, text, opts, want)
	}
}

func checkForms(t *testing.T, name, text string, opts Options, want []string) {
	t.Helper()
	i := 0
	var clones []*Record
	for rec, err := range NewReader(bytes.NewReader([]byte(text)), opts).All() {
		if err != nil {
			t.Fatal(name, err)
		}
		if got := sayOf(rec); got != want[i] || rec.Prepared != nil && moved(rec.Prepared.(string)) != moved(got) {
			t.Fatalf("%s: got %s\nwant %s", name, got, want[i])
		}
		if i%100 == 0 {
			clones = append(clones, rec.Clone())
		}
		i++
	}
	for at, rec := range clones {
		if got := sayOf(rec); got != want[100*at] {
			t.Fatalf("%s: clone %d became %s", name, at, got)
		}
	}
	if i != len(want) {
		t.Errorf("%s: %d records, want %d", name, i, len(want))
	}
}

// moved returns a description without its line, which workers do not know.
func moved(description string) string {
	_, rest, _ := strings.Cut(description, " ")
	return rest
}

// A line keeps its form in a parser, and a line that is nested too deeply for its form is read as it is.
func TestTranslationOfOneLine(t *testing.T) {
	var p Parser
	if rec := p.Parse([]byte(`{"type":"user","content":"x"}`), 7, 9); rec.Type() != TypeMessage || rec.Line != 7 ||
		string(rec.Raw) != `{"type":"user","content":"x"}` || rec.Translator() == nil {
		t.Errorf("got %s", sayOf(rec))
	}
	deep := `{"type":"tool_use","input":` + strings.Repeat("[", maxDepth-1) + strings.Repeat("]", maxDepth-1) + `}`
	if rec := p.Parse([]byte(deep), 1, 0); rec.Damage != nil || rec.Translator() != nil || rec.Type() != "tool_use" {
		t.Errorf("got %v, %s", rec.Damage, rec.Type())
	}
}
