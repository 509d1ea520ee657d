package migrate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// setDigestsEarly digests sources early during a test, or not, on any processor.
func setDigestsEarly(t *testing.T, early bool) {
	before := digestsEarly
	digestsEarly = func() bool { return early }
	t.Cleanup(func() { digestsEarly = before })
}

// digestsOf returns the digests of all sessions of a store.
func digestsOf(t *testing.T, st *store.SQLite) map[string]string {
	t.Helper()
	list, err := st.Transcripts(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]string{}
	for _, tr := range list {
		all[tr.SessionID] = tr.Sum
	}
	return all
}

func TestEarlyDigests(t *testing.T) {
	home, want := t.TempDir(), map[string]string{}
	for i := range 3 * aheadCount / 2 {
		id := fmt.Sprintf("%08d-5814-57fb-bfe5-64bbfaf7107a", i)
		text := strings.ReplaceAll(wordTranscript(strings.Repeat("word", i), 1+i*i%97), testID, id)
		if i%7 == 0 {
			text = strings.TrimSuffix(text, "\n") // it ends without a line end
		}
		writeFile(t, filepath.Join(home, id+".jsonl"), text)
		sum := sha256.Sum256([]byte(text))
		want[id] = hex.EncodeToString(sum[:])
	}
	for _, early := range []bool{true, false} {
		for _, batch := range []int64{0, 20_000} { // with the second, some sessions take more than one batch
			setDigestsEarly(t, early)
			st := openStore(t, filepath.Join(t.TempDir(), "store.db"))
			importAll(t, st, home, Options{CommitBytes: batch})
			got := digestsOf(t, st)
			for id, sum := range want {
				if got[id] != sum {
					t.Errorf("early %v, batches of %d: %s has the digest %s, want %s", early, batch, id, got[id], sum)
				}
			}
		}
	}
}

// TestDigestOfAnotherText imports a source that was another text when it was digested.
func TestDigestOfAnotherText(t *testing.T) {
	ctx, home := context.Background(), t.TempDir()
	text := wordTranscript("word", 100)
	writeFile(t, filepath.Join(home, testID+".jsonl"), text)
	place, err := source.Find(ctx, home, source.Options{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	s := place.Sessions[0]
	other := &earlyDigest{sum: 1, done: make(chan struct{})}
	if other.stamp, err = s.Stamp(); err != nil {
		t.Fatal(err)
	}
	close(other.done)

	setDigestsEarly(t, false)
	st := openStore(t, filepath.Join(t.TempDir(), "store.db"))
	var outcomes []Outcome
	run := newImportRun(ctx, &st.View, Options{Done: func(o Outcome) { outcomes = append(outcomes, o) }})
	run.commits.store, run.commits.compare = st, newComparer(ctx, st)
	defer run.abandon()
	run.feeds.digests.known[s] = other
	if err := errors.Join(run.commits.load(), run.importAll(place.Sessions), run.commits.finish()); err != nil {
		t.Fatal(err)
	}
	if len(outcomes) != 1 || outcomes[0].Err != nil || outcomes[0].Lines != 100 {
		t.Fatalf("%+v", outcomes)
	}
	sum := sha256.Sum256([]byte(text))
	if got := digestsOf(t, st)[testID]; got != hex.EncodeToString(sum[:]) {
		t.Errorf("the digest is %s", got)
	}
	if len(run.feeds.digests.known) > 0 {
		t.Error("the digest was not taken")
	}
}
