package migrate

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

func TestHome(t *testing.T) {
	home := "../../testdata/home"
	if h := os.Getenv("IMPORT_HOME"); h != "" {
		home = h
	}
	ctx := context.Background()
	db := filepath.Join(t.TempDir(), "x.db")
	if h := os.Getenv("IMPORT_DB"); h != "" {
		db = h
	}
	for range 3 {
		start := time.Now()
		st, err := store.Open(ctx, db, store.Options{})
		if err != nil {
			t.Fatal(err)
		}
		place, err := source.Find(ctx, home, source.Options{Fast: true})
		if err != nil {
			t.Fatal(err)
		}
		counts := map[Verdict]int{}
		err = Import(ctx, st, place.Sessions, Options{Clock: time.Now, Done: func(o Outcome) {
			counts[o.Verdict]++
			if o.Err != nil {
				t.Error(o.Session.Place(), o.Err)
			}
			if len(place.Sessions) < 40 {
				t.Log(o.Verdict, o.Key, o.Session.Name(), o.Lines, o.Records, o.Damaged, o.Err)
			}
		}})
		t.Log(counts, err, time.Since(start))
		list, err := st.Transcripts(ctx)
		if err != nil {
			t.Fatal(err)
		}
		_ = list
		_ = io.EOF
		st.Close()
		t.Log("closed", time.Since(start))
		place.Close()
	}
}
