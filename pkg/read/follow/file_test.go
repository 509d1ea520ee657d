package follow

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// line is a record with a text.
func line(id string) string {
	return `{"type":"message","id":"` + id + `","message":{"role":"user","content":"` + strings.Repeat("tea ", 20) +
		`"}}` + "\n"
}

func write(t *testing.T, path, text string) {
	t.Helper()
	testkit.Write(t, path, text)
}

func appendTo(t *testing.T, path, text string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func rename(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// name is what tests call a record: its id.
func name(rec *jsonl.Record) string {
	switch {
	case rec.Blank:
		return "blank"
	case !rec.Legible():
		return "damage"
	}
	return rec.ID()
}

var changeNames = map[Change]string{
	Truncated: "truncated", Replaced: "replaced", Removed: "removed", Continued: "continued",
}

// poll describes what a group reports.
func poll(t *testing.T, g *Group) string {
	t.Helper()
	var got []string
	err := g.Poll(t.Context(), func(m *Member, e Event) error {
		switch {
		case e.Err != nil:
			got = append(got, "error: "+e.Err.Error())
		case e.Record != nil:
			got = append(got, name(e.Record))
		default:
			got = append(got, "("+changeNames[e.Change]+")")
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(got, " ")
}

// Everything that may happen to a file that is followed, and what is reported of it.
func TestFollowFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	old := path + ".reset.2026-05-01T10-00-00.000Z"
	steps := []struct {
		what string
		do   func()
		want string
	}{
		{"it does not exist", func() {}, ""},
		{"it appears", func() { write(t, path, line("a")) }, "a"},
		{"nothing happens", func() {}, ""},
		{"lines are appended", func() { appendTo(t, path, line("b")+line("c")) }, "b c"},
		{"half a line", func() { appendTo(t, path, line("d")[:30]) }, ""},
		{"the other half", func() { appendTo(t, path, line("d")[30:]) }, "d"},
		{"a damaged line", func() { appendTo(t, path, "{\n\n") }, "damage blank"},
		{"it is cut and grows", func() { write(t, path, line("e")) }, "(truncated) e"},
		{"it is emptied", func() { write(t, path, "") }, "(truncated)"},
		{"it grows", func() { appendTo(t, path, line("f")) }, "f"},
		{"it is rewritten with more", func() { write(t, path, line("g")+line("h")+line("i")) }, "(truncated) g h i"},
		{"it is renamed after a line", func() { appendTo(t, path, line("j")); rename(t, path, old) }, "j (removed)"},
		{"nothing happens", func() {}, ""},
		{"the old one grows", func() { appendTo(t, old, line("k")) }, ""},
		{"a new one appears", func() { write(t, path, line("l")) }, "(replaced) l"},
		{"it is replaced after a line", func() {
			appendTo(t, path, line("m"))
			write(t, path+".new", line("n"))
			rename(t, path+".new", path)
		}, "m (replaced) n"},
		{"it is replaced by a copy with more", func() {
			write(t, path+".new", line("n")+line("o"))
			rename(t, path+".new", path)
		}, "o"},
		{"it is removed", func() { os.Remove(path) }, "(removed)"},
		{"it is back as it was, with more", func() { write(t, path, line("n")+line("o")+line("p")) }, "p"},
		{"it is renamed in half a line", func() { appendTo(t, path, "{"); rename(t, path, old) }, "damage (removed)"},
	}
	var g Group
	defer g.Close()
	g.Add(source.File(path))
	// What arrives just before a file is renamed is seen only if the file stays open.
	unseen := map[string]string{
		"it is renamed after a line": "j ", "it is replaced after a line": "m ", "it is renamed in half a line": "damage ",
	}
	for _, step := range steps {
		step.do()
		if !holdsFiles {
			step.want = strings.TrimPrefix(step.want, unseen[step.what])
		}
		if got := poll(t, &g); got != step.want {
			t.Errorf("%s: got %q, want %q", step.what, got, step.want)
		}
	}
}

// Line numbers are known if everything was read, and hidden otherwise.
func TestLineNumbers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, line("a")+line("b"))
	var whole, end Group
	defer whole.Close()
	defer end.Close()
	whole.Add(source.File(path))
	e := &Ending{Want: 1, Count: countParts, Growing: true}
	if err := end.Add(source.File(path)).Source.Last(t.Context(), e); err != nil {
		t.Fatal(err)
	}
	poll(t, &whole)
	appendTo(t, path, "{\n")
	for _, test := range []struct {
		group *Group
		line  int64
	}{{&whole, 3}, {&end, 0}} {
		seen := 0
		err := test.group.Poll(t.Context(), func(_ *Member, e Event) error {
			seen++
			if e.Record.Line != test.line || e.Record.Damage.Line != test.line ||
				e.Record.Offset != int64(len(line("a")+line("b"))) {
				t.Errorf("line %d, damage in line %d at %d", e.Record.Line, e.Record.Damage.Line, e.Record.Offset)
			}
			return nil
		})
		if err != nil || seen != 1 {
			t.Error(seen, err)
		}
	}
}

// An error is reported once, and following goes on when it is gone.
func TestErrorsAreReportedOnce(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "s.jsonl")
	var g Group
	defer g.Close()
	g.Add(source.File(path))
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := poll(t, &g); !strings.HasPrefix(got, "error: ") {
		t.Errorf("a folder: %q", got)
	}
	if got := poll(t, &g); got != "" {
		t.Errorf("again: %q", got)
	}
	os.Remove(path)
	poll(t, &g)
	write(t, path, line("a"))
	if got := poll(t, &g); !strings.Contains(got, "a") || strings.Contains(got, "error") {
		t.Errorf("a file: %q", got)
	}
}

// A compressed file that is replaced is read again.
func TestFollowOtherText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, line("a"))
	src := newText(path, func(context.Context) (io.ReadCloser, error) { return os.Open(path) })
	m := &Member{Source: src}
	g := Group{members: []*Member{m}}
	for _, step := range []struct{ add, want string }{
		{"", "a"}, {"", ""}, {line("b") + line("c")[:20], "b"}, {line("c")[20:], "c"},
	} {
		appendTo(t, path, step.add)
		if got := poll(t, &g); got != step.want {
			t.Errorf("%q: %q", step.add, got)
		}
	}
	write(t, path, line("x"))
	if got := poll(t, &g); got != "(truncated) x" {
		t.Errorf("rewritten: %q", got)
	}
}
