package migrate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

const testID = "281e0d50-5814-57fb-bfe5-64bbfaf7107a"

// wordTranscript returns a transcript of n records, whose messages consist of word.
func wordTranscript(word string, n int) string {
	var b strings.Builder
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":"%s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}`+"\n",
		testID)
	for i := 1; i < n; i++ {
		fmt.Fprintf(&b, `{"type":"message","id":"%s%d","parentId":null,"timestamp":"2026-05-01T10:00:%02d.000Z",`+
			`"message":{"role":"user","content":"%s"}}`+"\n", word, i, i%60, word)
	}
	return b.String()
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
		t.Fatal(err)
	}
}

func openStore(t *testing.T, path string) *store.SQLite {
	t.Helper()
	st, err := store.Open(context.Background(), path, store.Options{LockTimeout: 5 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { st.Close() })
	return st
}

// importAll imports a folder and returns the outcome of each source, by its path below the folder.
func importAll(t *testing.T, st *store.SQLite, folder string, opts Options) map[string]Outcome {
	t.Helper()
	place, err := source.Find(context.Background(), folder, source.Options{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	outcomes := map[string]Outcome{}
	opts.Done = func(o Outcome) { outcomes[o.Session.Below] = o }
	if err := Import(context.Background(), st, place.Sessions, opts); err != nil {
		t.Fatal(err)
	}
	return outcomes
}

// textOf returns the text of a session in a store.
func textOf(t *testing.T, st *store.SQLite, key string) string {
	t.Helper()
	list, err := st.Transcripts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, tr := range list {
		if tr.Key != key {
			continue
		}
		text, err := st.Text(context.Background(), tr, store.Whole)
		if err != nil {
			t.Fatal(err)
		}
		defer text.Close()
		var b strings.Builder
		if _, err := copyN(context.Background(), &b, text, -1); err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	t.Fatalf("%s is not in the store", key)
	return ""
}

// A session that is renamed or grows before its commit is compared under its new name, up to its stored length.
func TestChangesWithinOneBatch(t *testing.T) {
	const index, place = `{"agent:main:main":{"sessionId":"` + testID + `","displayName":"%s"}}`,
		"agents/main/sessions/"
	for name, second := range map[string]string{
		"displaced": wordTranscript("other", 9), "grown": wordTranscript("tea", 20), "copied": wordTranscript("tea", 10),
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			for root, text := range map[string]string{"a/": wordTranscript("tea", 10), "b/": second} {
				writeFile(t, filepath.Join(folder, root, place, "sessions.json"), fmt.Sprintf(index, root))
				writeFile(t, filepath.Join(folder, root, place, testID+".jsonl"), text)
			}
			st := openStore(t, filepath.Join(t.TempDir(), "s.db"))
			for path, o := range importAll(t, st, folder, Options{}) {
				if o.Err != nil {
					t.Errorf("%s: %s %v", path, o.Verdict, o.Err)
				}
			}
			for range 2 { // a second import must not swap them
				if textOf(t, st, "agent:main:main") != second {
					t.Error("the newer session is not the current one")
				}
				before, _ := st.TotalChanges(context.Background())
				importAll(t, st, folder, Options{})
				if after, err := st.TotalChanges(context.Background()); err != nil || after != before {
					t.Errorf("%d changes, %v", after-before, err)
				}
			}
		})
	}
}

// If only a backup of a session can be read at first, a later import of the file itself gives the session its own name.
// Its key is made from its id.
func TestBackupBeforeLive(t *testing.T) {
	folder, text := t.TempDir(), wordTranscript("tea", 10)
	live := filepath.Join(folder, testID+".jsonl")
	writeFile(t, live+".bak-1234-1777899690089", text)
	st := openStore(t, filepath.Join(t.TempDir(), "s.db"))
	importAll(t, st, folder, Options{})
	writeFile(t, live, text)
	o := importAll(t, st, folder, Options{})[testID+".jsonl"]
	if o.Verdict != Copy || strings.Contains(o.Key, "@") || textOf(t, st, o.Key) != text {
		t.Errorf("%+v", o)
	}
	list, err := st.List(context.Background())
	if err != nil || len(list) != 1 || list[0].Metadata.Generation != "" || list[0].Metadata.Kind != "live" {
		t.Errorf("%+v, %v", list, err)
	}
}
