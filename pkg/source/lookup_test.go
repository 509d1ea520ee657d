package source

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
)

const lookupTranscript = `{"type":"session","version":3,"id":"%ID%","timestamp":"2026-05-04T14:00:00.000Z","cwd":"/"}` +
	"\n" + `{"type":"message","id":"a1","parentId":null,"timestamp":"2026-05-04T14:00:01.000Z",` +
	`"message":{"role":"user","content":"hi"}}` + "\n"

// lookupPlaces makes a state folder and a store with these sessions, each under the key agent:main:ID.
func lookupPlaces(t *testing.T, inState, inStore []string) *Lookup {
	t.Helper()
	root := t.TempDir()
	l := &Lookup{
		State: filepath.Join(root, "state"), Store: filepath.Join(root, "sessions.db"),
		Stdin: strings.NewReader(""), StdinName: "<stdin>",
	}
	l.Keep = func(p *Listing) { t.Cleanup(func() { p.Close() }) }
	sessions := filepath.Join(l.State, "agents", "main", "sessions")
	if err := os.MkdirAll(sessions, 0o700); err != nil {
		t.Fatal(err)
	}
	entries := []string{}
	for _, id := range inState {
		text := strings.ReplaceAll(lookupTranscript, "%ID%", id)
		testkit.Write(t, filepath.Join(sessions, id+".jsonl"), text)
		entries = append(entries, `"agent:main:`+id+`":{"sessionId":"`+id+`"}`)
	}
	index := "{" + strings.Join(entries, ",") + "}"
	testkit.Write(t, filepath.Join(sessions, "sessions.json"), index)
	if len(inStore) > 0 {
		fillStore(t, l.Store, inStore)
	}
	return l
}

func fillStore(t *testing.T, path string, ids []string) {
	t.Helper()
	st, err := store.Open(t.Context(), path, store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for _, id := range ids {
		text := strings.ReplaceAll(lookupTranscript, "%ID%", id)
		for rec, err := range jsonl.Records(strings.NewReader(text), jsonl.Options{}) {
			if err == nil {
				err = st.Append(t.Context(), "agent:main:"+id, rec)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}

func TestLookupNames(t *testing.T) {
	l := lookupPlaces(t, []string{"both", "exact-state", "begin-state-1"}, []string{"both", "begin-store-1", "exact"})
	for name, want := range map[string]struct {
		place, session string
		also           bool
	}{
		"agent:main:both":        {l.State, "agent:main:both", true},
		"agent:main:exact-state": {l.State, "agent:main:exact-state", false},
		"agent:main:exact":       {l.Store, "agent:main:exact", false}, // the exact name wins over a prefix of exact-state
		"agent:main:begin-st":    {l.State, "agent:main:begin-state-1", true},
		"agent:main:begin-store": {l.Store, "agent:main:begin-store-1", false},
		"begin-state":            {l.State, "agent:main:begin-state-1", false},
	} {
		m, err := l.Argument(t.Context(), name, Query{Kinds: []Kind{Live}})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if len(m.Sessions) != 1 || m.Sessions[0].Name() != want.session || m.Places[0].Path != want.place ||
			(m.AlsoIn != "") != want.also || !m.ByName {
			t.Errorf("%s: %d sessions, the first %s in %s, also in %q", name, len(m.Sessions), m.Sessions[0].Name(),
				m.Places[0].Path, m.AlsoIn)
		}
	}
	for _, name := range []string{"nobody", "./nobody.jsonl", "agent:main:nobody"} {
		if _, err := l.Argument(t.Context(), name, Query{Kinds: []Kind{Live}}); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := l.Argument(t.Context(), "agent:main:e", Query{Kinds: []Kind{Live}}); err != nil {
		t.Errorf("a prefix of one session in each place: %v", err)
	}
}

// An existing path wins over a session of the same name.
func TestLookupPathWins(t *testing.T) {
	l := lookupPlaces(t, []string{"here"}, nil)
	t.Chdir(t.TempDir())
	testkit.Write(t, "here", strings.ReplaceAll(lookupTranscript, "%ID%", "file"))
	m, err := l.Argument(t.Context(), "here", Query{Kinds: []Kind{Live}})
	if err != nil || len(m.Sessions) != 1 || m.Sessions[0].Path != "here" || !m.IsDirect(m.Sessions[0]) {
		t.Errorf("%+v %v", m, err)
	}
}

func TestLookupHome(t *testing.T) {
	l := lookupPlaces(t, []string{"one", "two"}, []string{"three"})
	if m, err := l.Home(t.Context(), Query{Kinds: Kinds}); err != nil || len(m.Sessions) != 2 {
		t.Errorf("without a filter, want the state folder: %v %v", m, err)
	}
	filter := Query{Filter: Filter{Session: "agent:main:three"}, Kinds: Kinds}
	if m, err := l.Home(t.Context(), filter); err != nil || m.Places[0].Path != l.Store {
		t.Errorf("--session must search the store too: %v %v", m, err)
	}
	if m, err := l.Home(t.Context(), Query{Kinds: Kinds, StoreOnly: true}); err != nil || len(m.Sessions) != 1 {
		t.Errorf("with the store alone: %v %v", m, err)
	}
	filter.Session = "agent:main:one"
	filter.StoreOnly = true
	if _, err := l.Home(t.Context(), filter); !errors.As(err, new(*NoSessionError)) {
		t.Errorf("a session of the state folder is found in the store: %v", err)
	}
}

func TestLookupWithoutPlaces(t *testing.T) {
	root := t.TempDir()
	l := &Lookup{State: filepath.Join(root, "none"), Store: filepath.Join(root, "none.db")}
	if _, err := l.Home(t.Context(), Query{Kinds: Kinds}); !errors.Is(err, ErrNoHome) {
		t.Error(err)
	}
	if _, err := l.Home(t.Context(), Query{Kinds: Kinds, StoreOnly: true}); !errors.Is(err, ErrNoStore) {
		t.Error(err)
	}
	if _, err := l.Argument(t.Context(), "agent:main:main", Query{Kinds: Kinds}); !errors.Is(err, fs.ErrNotExist) {
		t.Error(err)
	}
}
