package migrate

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

const (
	piFolder = "../../../.pi/agent/sessions/--w--/"
	piFile   = "2026-11-01T10-00-00-000Z_"
)

// piText returns a transcript of pi.
func piText(id, said string) string {
	return `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/w"}` + "\n" +
		`{"type":"message","id":"m1","parentId":null,"timestamp":"2026-11-01T10:00:01.000Z",` +
		`"message":{"role":"user","content":"` + said + `"}}` + "\n"
}

// runAsMain imports the way older versions did, which gave all files to the agent main.
func (b *bench) runAsMain() {
	b.Helper()
	st, err := store.Open(context.Background(), b.store, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	b.outcomes(Options{}, nil, func(sessions []*source.Session, opts Options) error {
		for _, s := range sessions {
			s.Agent, s.Key = "main", source.RecoveredKey("main", s.ID)
		}
		return Import(context.Background(), st, sessions, opts)
	})
}

// wantKeys compares the keys of the store.
func (b *bench) wantKeys(want ...string) {
	b.Helper()
	got := b.keys()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		b.Errorf("keys %q, want %q", got, want)
	}
}

// generations returns the names of the older generations in the store.
func (b *bench) generations() (names []string) {
	b.Helper()
	for _, key := range b.keys() {
		if _, generation, ok := strings.Cut(key, "@"); ok {
			names = append(names, generation)
		}
	}
	return append(names, "none")
}

// A session takes the key of the agent that its file belongs to, and stays one session.
func TestMovedToAnotherAgent(t *testing.T) {
	b := newBench(t)
	for _, id := range []string{"same", "grown", "changed"} {
		b.write(piFolder+piFile+id+".jsonl", piText(id, "Hi"))
	}
	b.runAsMain()
	b.wantKeys("agent:main:recovered:changed", "agent:main:recovered:grown", "agent:main:recovered:same")
	b.write(piFolder+piFile+"grown.jsonl", piText("grown", "Hi")+`{"type":"label","id":"l1","parentId":"m1"}`+"\n")
	b.write(piFolder+piFile+"changed.jsonl", piText("changed", "Ho"))
	for _, want := range []map[string]Verdict{
		{"same": Unchanged, "grown": Grown, "changed": Generation},
		{"same": Unchanged, "grown": Unchanged, "changed": Unchanged},
	} {
		for name, o := range b.run(Options{}) {
			id := strings.TrimSuffix(strings.TrimPrefix(name, piFile), ".jsonl")
			if o.Err != nil || o.Verdict != want[id] || o.Key != "agent:pi:recovered:"+id {
				t.Errorf("%s: %s %s %v, want %s", id, o.Verdict, o.Key, o.Err, want[id])
			}
		}
	}
	for _, p := range b.verify() {
		if !p.Complete() {
			t.Errorf("verify: %s %s %v", p.Session.Place(), p.Relation, p.Err)
		}
	}
	b.related()
	b.wantKeys("agent:main:recovered:changed@"+b.generations()[0], "agent:pi:recovered:changed",
		"agent:pi:recovered:grown", "agent:pi:recovered:same")
}

// A copy of the file belongs to another agent. The name does not alternate between the two.
func TestCopyOfAnotherAgent(t *testing.T) {
	b := newBench(t)
	b.write(piFolder+piFile+"s1.jsonl", piText("s1", "Hi"))
	b.write("s1.jsonl", piText("s1", "Hi"))
	places := []string{filepath.Join(b.home, ".pi"), b.sessions()}
	for range 3 {
		b.run(Options{}, places...)
		b.wantKeys("agent:pi:recovered:s1")
		slices.Reverse(places)
	}
}
