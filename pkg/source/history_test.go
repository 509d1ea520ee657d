package source

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
)

// The text of a context begins with those of the sessions that headers refer to, each as far as the header says.
func TestOpenContext(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		testkit.Write(t, path, text)
		return path
	}
	header := func(id, history string, size int) string {
		return `{"type":"session","version":3,"id":"` + id + `","cwd":"/","history":{"session":"` + history +
			`","bytes":` + strconv.Itoa(size) + "}}\n"
	}
	first := `{"type":"session","version":3,"id":"a","cwd":"/"}` + "\n"
	write("sessions/2026/01/30/a.jsonl", first+"more\n")
	second := header("b", "a", len(first))
	write("sessions/2026/02/01/b.jsonl", second)
	third := header("c", "b", len(second))
	for path, want := range map[string]string{
		write("sessions/2026/02/01/c.jsonl", third): first + second + third,
		write("sessions/2026/02/01/d.jsonl", first): first,
	} {
		if got := contextText(t, path); got != want {
			t.Errorf("%s: got %s, want %s", path, got, want)
		}
	}
	missing := File(write("sessions/2026/02/01/e.jsonl", header("e", "gone", 1)))
	if _, err := missing.OpenContext(); !errors.As(err, new(*HistoryError)) {
		t.Errorf("a history that is gone: %v", err)
	}
	loop := File(write("sessions/2026/02/01/f.jsonl", header("f", "f", 1)))
	in, err := loop.OpenContext()
	if err != nil {
		t.Fatal(err)
	}
	in.Close()
}

// Each header of a chain is read once, and each folder listed once, however many sessions begin in others of them.
func TestCheckHistoryIsLinear(t *testing.T) {
	longtest.WithoutRaceDetector(t)
	check := func(forks int) float64 {
		dir := filepath.Join(t.TempDir(), "sessions", "2026", "01", "30")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		before := "gone"
		for i := range forks {
			id := fmt.Sprintf("%08d", forks-i)
			text := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"history":{"session":%q,"bytes":10}}`, id, before)
			testkit.Write(t, filepath.Join(dir, id+".jsonl"), text+"\n")
			before = id
		}
		found, err := Find(t.Context(), dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer found.Close()
		named := &Lookup{}
		return allocated(func() {
			for _, s := range found.Sessions {
				match, err := named.Argument(t.Context(), s.AbsolutePath(), Query{AnyText: true})
				if err != nil {
					t.Fatal(err)
				}
				for _, s := range []*Session{s, match.Sessions[0]} {
					if missing := s.CheckHistory(); missing == nil || missing.Session != "gone" {
						t.Fatalf("%s of %d: got %v", s.ID, forks, missing)
					}
				}
			}
		})
	}
	if few, many := check(40), check(320); many > 20*few {
		t.Errorf("320 forks take %.1f times as much as 40", many/few)
	}
}

// The text of a context has the beginnings of all sessions of a chain, of which few files are open at a time, and ends
// where the chain is a circle.
func TestOpenContextOfLongChain(t *testing.T) {
	const forks = 300
	dir, path, want := t.TempDir(), "", ""
	for i := range forks {
		line := fmt.Sprintf(`{"type":"session","version":3,"id":"s%d","history":{"session":"s%d","bytes":85}}`,
			1000+i, 1000+(i+forks-1)%forks) + "\n"
		path = filepath.Join(dir, fmt.Sprintf("s%d.jsonl", 1000+i))
		testkit.Write(t, path, line+"more\n")
		want += line
	}
	if got := contextText(t, path); got != want+"more\n" {
		t.Errorf("got %d bytes, want %d", len(got), len(want)+5)
	}
}

func contextText(t *testing.T, path string) string {
	t.Helper()
	in, err := File(path).OpenContext()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	text, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The headers of subagents are read once, however many sessions ask for theirs.
func TestSubagentsAreLinear(t *testing.T) {
	longtest.WithoutRaceDetector(t)
	find := func(count int) float64 {
		home := filepath.Join(t.TempDir(), ".codex")
		dir := filepath.Join(home, "sessions", "2026", "01", "30")
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		id := func(i int) string { return fmt.Sprintf("01a1e6b8-3464-7e50-9397-%012d", i) }
		for i := range count {
			text := fmt.Sprintf(`{"timestamp":"2026-01-30T10:00:00.000Z","type":"session_meta","payload":{"id":%q,`+
				`"cwd":"/work","cli_version":"0.166.0","parent_thread_id":%q}}`,
				id(i), id(i-1))
			path := filepath.Join(dir, "rollout-2026-01-30T10-00-00-"+id(i)+".jsonl")
			testkit.Write(t, path, text+"\n")
		}
		place, err := Find(t.Context(), home, Options{})
		if err != nil {
			t.Fatal(err)
		}
		defer place.Close()
		return allocated(func() {
			for i, s := range place.Sessions {
				want := min(1, count-1-i)
				if list := s.Subagents(); len(list) != want || want > 0 && list[0].ID != id(i+1) {
					t.Fatalf("%s has %d subagents", s.ID, len(list))
				}
			}
		})
	}
	if few, many := find(40), find(160); many > 5*few {
		t.Errorf("160 sessions take %.1f times as much as 40", many/few)
	}
}
