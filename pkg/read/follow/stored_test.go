package follow

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"clawctl/pkg/store/session"
)

// A key of the store is followed through its generations. Each of them is read to its end before the next one begins.
func TestFollowGenerations(t *testing.T) {
	const key = "me"
	path := filepath.Join(t.TempDir(), "sessions.db")
	st, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	k := &session.Keeper{Store: st, Now: time.Now, Random: rand.Reader}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	add := func(id string) {
		_, err := k.Append(t.Context(), key, session.Options{}, []session.Draft{func(*jsonl.Composer) ([]string, error) {
			return []string{`{"type":"custom","customType":"x","id":"` + id + `"}`}, nil
		}})
		must(err)
	}
	begin := func() {
		_, err := k.Begin(t.Context(), key, session.Options{})
		must(err)
	}
	remove := func() {
		_, err := k.Delete(t.Context(), session.Removal{Keys: []string{key}})
		must(err)
	}
	add("start")
	g := &Group{}
	defer g.Close()
	m := g.Add(live(t, path)[0])
	must(m.Source.Last(t.Context(), &Ending{Want: 1, Count: countParts, Growing: true}))
	for _, step := range []struct {
		what string
		do   func()
		want string
	}{
		{"nothing", func() {}, ""},
		{"an append", func() { add("a") }, "a"},
		{"an append just before a new generation", func() { add("b"); begin() }, "b (continued) H"},
		{"an append to the new one", func() { add("c") }, "c"},
		{"two new generations", func() { add("d"); begin(); add("e"); begin(); add("f") },
			"d (continued) H e (continued) H f"},
		{"deleted", func() { add("g"); remove() }, "(removed)"},
		{"still deleted", func() { _, err := k.Begin(t.Context(), "other", session.Options{}); must(err) }, ""},
		{"begun again", func() { begin(); add("h") }, "(continued) H h"},
		{"deleted and restored", func() {
			remove()
			o, err := session.Find(t.Context(), &st.View, key)
			must(err)
			_, err = k.Restore(t.Context(), o, "")
			must(err)
			add("i")
		}, "i"},
	} {
		step.do()
		if got := pollStored(t, g); got != step.want {
			t.Errorf("%s: got %q, want %q", step.what, got, step.want)
		}
	}
}

// pollStored is poll with H for the header of a session, which has a random id.
func pollStored(t *testing.T, g *Group) (got string) {
	t.Helper()
	err := g.Poll(t.Context(), func(_ *Member, e Event) error {
		switch {
		case e.Err != nil:
			t.Error(e.Err)
		case e.Record == nil:
			got += " (" + e.Change.String() + ")"
		case e.Record.Type() == jsonl.TypeSession:
			got += " H"
		default:
			got += " " + e.Record.ID()
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return got[min(len(got), 1):]
}

// A key whose session was rewritten under the same id begins again.
func TestFollowRewrittenSession(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions.db")
	st, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	write := func(text string) {
		t.Helper()
		b, err := st.Begin(t.Context())
		if err == nil {
			err = b.Drop("k")
		}
		if err == nil {
			tr := &store.Transcript{Key: "k", BaseKey: "k", SessionID: "s", Agent: "main", Kind: string(source.Live)}
			err = b.CreateFrom(tr, store.Metadata{}, strings.NewReader(text), time.Now())
		}
		if err == nil {
			err = b.Commit()
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	write(line("a") + line("b"))
	g := &Group{}
	defer g.Close()
	m := g.Add(live(t, path)[0])
	if err := m.Source.Last(t.Context(), &Ending{Want: 1, Count: countParts, Growing: true}); err != nil {
		t.Fatal(err)
	}
	write(line("a") + line("c"))
	if got := poll(t, g); got != "(truncated) a c" {
		t.Error(got)
	}
}

// A store with a log is at rest when nothing is appended: it is opened once for all sessions when it has changed, and
// then not any more.
func TestFollowStoreAtRest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions.db")
	st, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	add := func(key, id string) {
		t.Helper()
		if err := st.Append(t.Context(), key, (&jsonl.Parser{}).Parse(bytes.TrimSpace([]byte(line(id))), 1, 0)); err != nil {
			t.Fatal(err)
		}
	}
	const sessions = 20
	for i := range sessions {
		add(fmt.Sprintf("agent:main:k%d", i), "a")
	}
	opened := 0
	defer func(open func(context.Context, string) (*store.Reader, error)) { openStore = open }(openStore)
	openStore = func(ctx context.Context, path string) (*store.Reader, error) {
		opened++
		return store.OpenReader(ctx, path)
	}
	g := &Group{}
	defer g.Close()
	for _, s := range live(t, path) {
		if err := g.Add(s).Source.Last(t.Context(), &Ending{Want: 1, Count: countParts, Growing: true}); err != nil {
			t.Fatal(err)
		}
	}
	for round, want := range []string{"", "b", "c"} {
		if want != "" {
			add("agent:main:k7", want)
		}
		opened = 0
		if got := poll(t, g); got != want || opened > 1 {
			t.Errorf("round %d: got %q, and the store was opened %d times", round, got, opened)
		}
		opened = 0
		for range 5 {
			if got := poll(t, g); got != "" {
				t.Errorf("round %d: got %q again", round, got)
			}
		}
		if info, err := os.Stat(path + "-wal"); err != nil || info.Size() == 0 {
			t.Fatalf("the store has no log: %v", err)
		}
		if opened > 0 && runtime.GOOS != "windows" {
			t.Errorf("round %d: the store was opened %d times at rest", round, opened)
		}
	}
}
