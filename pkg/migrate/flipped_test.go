package migrate

import (
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// A store with flipped bits is read, written or refused, as a source and as a target, without a panic or a hang. The
// error says that the store is corrupt or not a store. CLAWCTL_FLIPS sets how many stores are tried.
func TestFlippedStores(t *testing.T) {
	rounds := longtest.Rounds(t, "CLAWCTL_FLIPS", 10, 1000)
	folder := t.TempDir()
	original := filepath.Join(folder, "original.db")
	st := openStore(t, original)
	importAll(t, st, "../../testdata/home", Options{})
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	data := testkit.Read(t, original)
	flipped, fresh := filepath.Join(folder, "flipped.db"), filepath.Join(folder, "fresh.db")
	r := rand.New(rand.NewPCG(5, 6))
	refused := 0
	for i := range rounds {
		for name, use := range map[string]func() error{
			"source": func() error { return importDatabase(flipped, fresh) },
			"target": func() error { return importHome(flipped) },
		} {
			removeStore(fresh)
			removeStore(flipped)
			testkit.Write(t, flipped, flip(r, data))
			begun := time.Now()
			err := use()
			if took := time.Since(begun); took > 2*time.Minute {
				t.Fatalf("round %d: %s took %v", i, name, took)
			}
			if err != nil {
				refused++
			}
			if err != nil && !isClassified(err) {
				t.Errorf("round %d, %s: %v is not classified", i, name, err)
			}
		}
	}
	t.Logf("%d of %d were refused", refused, 2*rounds)
}

// flip inverts some bits, every other time in the first page, which has the schema.
func flip(r *rand.Rand, data []byte) []byte {
	data = append([]byte(nil), data...)
	within := len(data)
	if r.IntN(2) == 0 {
		within = 4096
	}
	for range 1 + r.IntN(20) {
		data[r.IntN(within)] ^= 1 << r.IntN(8)
	}
	return data
}

func removeStore(path string) {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		os.Remove(path + suffix)
	}
}

func isClassified(err error) bool {
	for _, reason := range []error{dbfile.ErrCorrupt, dbfile.ErrForeign, dbfile.ErrNewer, ErrDiffers} {
		if errors.Is(err, reason) {
			return true
		}
	}
	return false
}

// importDatabase imports the sessions of one store into another.
func importDatabase(from, to string) error {
	place, err := source.FindDatabase(context.Background(), from, source.Options{Fast: true})
	if err != nil {
		return err
	}
	defer place.Close()
	return importPlace(place, to)
}

// importHome imports sessions that a store already has, and a new one.
func importHome(to string) error {
	place, err := source.Find(context.Background(), "../../testdata", source.Options{Fast: true})
	if err != nil {
		return err
	}
	defer place.Close()
	return importPlace(place, to)
}

func importPlace(place *source.Listing, to string) error {
	st, err := store.Open(context.Background(), to, store.Options{LockTimeout: time.Second})
	if err != nil {
		return err
	}
	var refused error
	err = Import(context.Background(), st, place.Sessions, Options{Done: func(o Outcome) {
		if o.Session.InDatabase || o.Verdict != Refused {
			refused = errors.Join(refused, o.Err)
		}
	}})
	if err = errors.Join(err, refused); err != nil {
		st.Close()
		return err
	}
	return st.Close()
}
