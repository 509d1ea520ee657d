package follow

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// Records that are appended to a session of clawctl's store appear.
func TestFollowStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sessions.db")
	s, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	add := func(id string) {
		t.Helper()
		rec := (&jsonl.Parser{}).Parse(bytes.TrimSpace([]byte(line(id))), 1, 0)
		if err := s.Append(t.Context(), "agent:main:main", rec); err != nil {
			t.Fatal(err)
		}
	}
	add("a")
	add("b")
	var g Group
	defer g.Close()
	m := g.Add(live(t, path)[0])
	e := &Ending{Want: 1, Count: countParts, Growing: true}
	if err := m.Source.Last(t.Context(), e); err != nil || names(e) != "b" {
		t.Fatal(names(e), err)
	}
	for _, id := range []string{"c", "d"} {
		add(id)
		if got := poll(t, &g); got != id {
			t.Errorf("got %q, want %s", got, id)
		}
		if got := poll(t, &g); got != "" {
			t.Errorf("again: %q", got)
		}
	}
}

// A home is a state folder that a test writes.
type home struct {
	t    *testing.T
	path string
}

func newHome(t *testing.T) home {
	t.Helper()
	h := home{t, filepath.Join(t.TempDir(), "home")}
	if err := os.MkdirAll(h.sessions("main"), 0o700); err != nil {
		t.Fatal(err)
	}
	return h
}

func (h home) sessions(agent string) string {
	return filepath.Join(h.path, "agents", agent, "sessions")
}

func (h home) file(id string) string { return filepath.Join(h.sessions("main"), id+".jsonl") }

// register makes an id the session of a key.
func (h home) register(key, id string) {
	h.t.Helper()
	write(h.t, filepath.Join(h.sessions("main"), "sessions.json"), `{"`+key+`":{"sessionId":"`+id+`","updatedAt":1}}`)
}

// pollNames polls twice, so that scopes are searched, and describes what was reported with the keys.
func pollNames(t *testing.T, g *Group) string {
	t.Helper()
	var got []string
	for range scopeEvery {
		err := g.Poll(t.Context(), func(m *Member, e Event) error {
			if e.Record != nil {
				text := m.Session.Key + "=" + name(e.Record)
				if m.Instead != nil {
					text += "(after " + m.Instead.ID + ")"
				}
				got = append(got, text)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return strings.Join(got, " ")
}

const (
	firstID  = "0a1b2c3d-0000-4000-8000-000000000001"
	secondID = "0a1b2c3d-0000-4000-8000-000000000002"
)

// A key is followed through a reset: its file is renamed, and another id is registered.
func TestFollowKeyThroughReset(t *testing.T) {
	if !holdsFiles {
		t.Skip("what arrives just before a file is renamed is not seen here")
	}
	h := newHome(t)
	write(t, h.file(firstID), line("a"))
	h.register("agent:main:main", firstID)
	g, scope := &Group{}, &Scope{Path: h.path, Filter: source.Filter{Session: "agent:main:main", Exact: true},
		Kinds: []source.Kind{source.Live}}
	defer g.Close()
	g.Watch(scope, nil)
	if got := pollNames(t, g); got != "agent:main:main=a" {
		t.Fatal(got)
	}
	appendTo(t, h.file(firstID), line("b"))
	rename(t, h.file(firstID), h.file(firstID)+".reset.2026-05-01T10-00-00.000Z")
	if got := pollNames(t, g) + pollNames(t, g); got != "agent:main:main=b" {
		t.Fatal(got)
	}
	write(t, h.file(secondID), line("c"))
	h.register("agent:main:main", secondID)
	write(t, filepath.Join(h.sessions("main"), "0a1b2c3d-0000-4000-8000-000000000003.jsonl"), line("other"))
	if got := pollNames(t, g); got != "agent:main:main=c(after "+firstID+")" {
		t.Fatal(got)
	}
	appendTo(t, h.file(secondID), line("d"))
	if got := pollNames(t, g); !strings.HasPrefix(got, "agent:main:main=d") {
		t.Fatal(got)
	}
	if len(g.members) != 1 {
		t.Errorf("%d sessions are followed", len(g.members))
	}
}

// Sessions of a folder that appear later are followed from their start: files, agents and databases.
func TestFollowFolder(t *testing.T) {
	h := newHome(t)
	g := &Group{}
	defer g.Close()
	g.Watch(&Scope{Path: h.path, Kinds: []source.Kind{source.Live}}, nil)
	if got := pollNames(t, g); got != "" {
		t.Fatal(got)
	}
	write(t, h.file(firstID), line("a"))
	if got := pollNames(t, g); !strings.HasSuffix(got, "=a") {
		t.Fatalf("a file: %q", got)
	}
	if err := os.MkdirAll(h.sessions("new"), 0o700); err != nil {
		t.Fatal(err)
	}
	pollNames(t, g)
	write(t, filepath.Join(h.sessions("new"), secondID+".jsonl"), line("b"))
	if got := pollNames(t, g); !strings.HasSuffix(got, "=b") || !strings.HasPrefix(got, "agent:new:") {
		t.Fatalf("an agent: %q", got)
	}
	folder := filepath.Join(h.path, "agents", "main", "agent")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	w := startGateway(t, filepath.Join(folder, "openclaw-agent.sqlite"))
	w.do(schema + `INSERT INTO session_nodes VALUES('agent:main:x', 'x', '{"sessionId":"x"}'); ` + insert("x", 0, "c"))
	if got := pollNames(t, g); got != "agent:main:x=c" {
		t.Fatalf("a database: %q", got)
	}
	w.do(`INSERT INTO session_nodes VALUES('agent:main:y', 'y', '{"sessionId":"y"}'); ` + insert("y", 0, "d"))
	if got := pollNames(t, g); got != "agent:main:y=d" {
		t.Fatalf("a session in a database: %q", got)
	}
	if got := pollNames(t, g) + pollNames(t, g); got != "" {
		t.Fatalf("nothing happened: %q", got)
	}
}

// An error of the caller ends a poll and comes back as it is. An interruption does too.
func TestPollEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "s.jsonl")
	write(t, path, line("a"))
	var g Group
	defer g.Close()
	g.Add(source.File(path))
	mine := errors.New("enough")
	if err := g.Poll(t.Context(), func(*Member, Event) error { return mine }); err != mine {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := g.Poll(ctx, func(*Member, Event) error { return nil }); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
