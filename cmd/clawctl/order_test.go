package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
)

// orderHomes returns homes whose sessions are listed: the example, one in which indexes and files disagree with the
// records, and real ones if they are at hand.
func orderHomes(t *testing.T) []string {
	homes := []string{"../../testdata/home", contradictingHome(t)}
	names := []string{"openclaw-jsonl", "openclaw-sqlite", "openclaw-sqlite-24"}
	if !longtest.IsLong() {
		names = names[:1]
	}
	for _, name := range names {
		folder := filepath.Join("../../../shared/transcripts", name)
		if _, err := os.Stat(folder); err == nil {
			homes = append(homes, folder)
		}
	}
	return homes
}

// contradictingHome writes a home in which neither the index nor the times of files say which session was used last.
func contradictingHome(t *testing.T) string {
	folder := filepath.Join(t.TempDir(), "agents", "main", "sessions")
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	day := func(n int) string { return time.Date(2026, 5, n, 12, 0, 0, 0, time.UTC).Format(time.RFC3339) }
	record := func(id, text, at string) string {
		return fmt.Sprintf(`{"type":"message","id":%q,"parentId":null,"timestamp":%q,"message":{"role":"user","content":%q}}`+
			"\n", id, at, text)
	}
	texts := map[string]string{
		"newest":  record("a", "newest", day(20)),
		"second":  record("a", "second", day(19)) + `{"type":"custom","customType":"x","id":"b","parentId":"a"}` + "\n",
		"long":    record("a", "long", day(2)) + record("b", strings.Repeat("long ", 20_000), day(18)),
		"back":    record("a", "the clock was set back", day(25)) + record("b", strings.Repeat("x", 70_000), day(17)),
		"torn":    record("a", "torn", day(16)) + `{"type":"message","id":"b","timestamp":"` + day(28),
		"utf16":   "\xff\xfe" + wide(record("a", "two bytes", day(15))),
		"oldest":  record("a", "oldest", day(1)),
		"untimed": `{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"no time"}}` + "\n",
	}
	var entries []string
	for id, text := range texts {
		path := filepath.Join(folder, id+".jsonl")
		header := fmt.Sprintf(`{"type":"session","version":3,"id":%q,"cwd":"/"}`+"\n", id)
		if id == "utf16" {
			text, header = text[2:], "\xff\xfe"+wide(header)
		}
		testkit.Write(t, path, header+text)
		at := time.Date(2026, 6, 1, len(id), 0, 0, 0, time.UTC)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		if id != "newest" {
			entries = append(entries, fmt.Sprintf(`"agent:main:%s":{"sessionId":%q,"updatedAt":%d}`, id, id,
				time.Date(2026, 1, len(text)%28+1, 0, 0, 0, 0, time.UTC).UnixMilli()))
		}
	}
	index := "{" + strings.Join(entries, ",") + "}"
	testkit.Write(t, filepath.Join(folder, "sessions.json"), index)
	return filepath.Dir(filepath.Dir(filepath.Dir(folder)))
}

// wide returns a text of ASCII characters as UTF-16.
func wide(text string) string {
	var b strings.Builder
	for i := range len(text) {
		b.WriteByte(text[i])
		b.WriteByte(0)
	}
	return b.String()
}

// namesIn returns the members of JSON lines with a name, each once, in order.
func namesIn(t *testing.T, lines, member string) (names []string) {
	t.Helper()
	for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
		var object map[string]any
		if err := json.Unmarshal([]byte(line), &object); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		if name, ok := object[member].(string); ok && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

func timeOf(t *testing.T, text string) time.Time {
	t.Helper()
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Every command puts the same session first, and all others in the same order.
func TestOneOrderOfSessions(t *testing.T) {
	t.Setenv("CLAWCTL_DB", filepath.Join(t.TempDir(), "none.db"))
	for _, home := range orderHomes(t) {
		t.Run(filepath.Base(home), func(t *testing.T) {
			t.Setenv("OPENCLAW_STATE_DIR", home)
			ask := func(args ...string) string {
				status, printed, stderr := inProcess("", args...)
				if status != 0 && status != 3 {
					t.Fatalf("%q: exit %d, %s", args, status, stderr)
				}
				return printed
			}
			listed := namesIn(t, ask("sessions", "--kind", "live", "--json"), "key")
			if len(listed) < 2 {
				t.Fatal("too few sessions", listed)
			}
			times := namesIn(t, ask("sessions", "--kind", "live", "--json"), "last")
			if !slices.IsSortedFunc(times, func(a, b string) int { return timeOf(t, b).Compare(timeOf(t, a)) }) {
				t.Errorf("the sessions are not in the order of their times: %q", times)
			}
			if fast := namesIn(t, ask("sessions", "--kind", "live", "--fast", "--json"), "key"); !slices.Equal(fast, listed) {
				t.Errorf("sessions --fast: %q, want %q", fast, listed)
			}
			for i, want := range listed[:min(9, len(listed))] {
				got := namesIn(t, ask("sessions", "--json", fmt.Sprintf("@%d", i+1)), "key")
				if !slices.Equal(got, []string{want}) {
					t.Errorf("@%d: %q, want %q", i+1, got, want)
				}
			}
			if got := namesIn(t, ask("tail", "--format", "ndjson"), "session"); !slices.Equal(got, listed[:1]) {
				t.Errorf("tail: %q, want %q", got, listed[0])
			}
			inOrder := func(what string, got []string) {
				want := slices.DeleteFunc(slices.Clone(listed), func(name string) bool { return !slices.Contains(got, name) })
				if !slices.Equal(got, want) || len(got) < 2 {
					t.Errorf("%s: %q, want %q", what, got, want)
				}
			}
			inOrder("tail HOME", namesIn(t, ask("tail", home, "--format", "ndjson"), "session"))
			inOrder("search -l", namesIn(t, ask("search", "-l", "--json", "-e", ".", "--kind", "live"), "session"))
			offered := strings.Split(strings.TrimSpace(ask("__complete", "--", "cat", "")), "\n")[1:]
			offered = slices.DeleteFunc(offered, func(name string) bool { return !slices.Contains(listed, name) })
			inOrder("completion", offered)
		})
	}
}
