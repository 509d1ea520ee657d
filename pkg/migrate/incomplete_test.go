package migrate

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/pkg/source"
	"clawctl/pkg/source/packed"
	"clawctl/pkg/store"
)

// interrupt imports a folder in small portions and cancels the import when it has committed some of them.
func (b *bench) interrupt(opts Options) {
	b.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	place, err := source.Find(ctx, b.home, source.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer place.Close()
	st := openStore(b.T, b.store)
	calls := 0
	opts.CommitBytes, opts.Clock = 64<<10, func() time.Time {
		if calls++; calls > 8 {
			cancel()
		}
		return time.Time{}
	}
	err = Import(ctx, st, place.Sessions, opts)
	if !errors.Is(err, context.Canceled) {
		b.Fatalf("the import was not interrupted: %v", err)
	}
	if err := st.Close(); err != nil {
		b.Fatal(err)
	}
}

// longTranscript is larger than several portions.
func longTranscript() string {
	numbers := make([]int, 6000)
	for i := range numbers {
		numbers[i] = i
	}
	return transcript(idA, numbers...)
}

// packGzip compresses a text.
func packGzip(text string) string {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return packed.String()
}

// A session of which only a part is committed is incomplete for everybody, until an import completes it.
func TestIncompleteSession(t *testing.T) {
	const archive = ".deleted.2026-01-01T00-00-00.000Z"
	for name, text := range map[string]string{
		idA + ".jsonl": longTranscript(), idA + ".jsonl" + archive + ".gz": packGzip(longTranscript()),
	} {
		b := newBench(t)
		b.write(name, text)
		b.interrupt(Options{})
		b.isIncomplete(name)
		b.run(Options{})
		b.exact()
		if faults := auditStore(t, b.store); len(faults) > 0 {
			t.Errorf("%s: %+v", name, faults)
		}
	}
}

// A large import that is interrupted leaves a store without the index of parents, which the next import builds.
func TestIndexAfterInterruption(t *testing.T) {
	b := newBench(t)
	b.write(idA+".jsonl", longTranscript())
	b.interrupt(Options{LargeBytes: 1})
	var incomplete []string
	for _, f := range auditStore(t, b.store) {
		if f.Kind == store.Incomplete {
			incomplete = append(incomplete, f.Table)
		}
	}
	if want := []string{"idx_messages_parent", "transcripts"}; !slices.Equal(incomplete, want) {
		t.Errorf("incomplete: %q, want %q", incomplete, want)
	}
	if !b.buildsIndex(Options{}) || b.buildsIndex(Options{}) {
		t.Error("the index is not built exactly once")
	}
	b.exact()
	if faults := auditStore(t, b.store); len(faults) > 0 {
		t.Errorf("%+v", faults)
	}
}

// The index of parents is built last only if a large source is stored that at least doubles the store.
func TestIndexOfLargeSources(t *testing.T) {
	b := newBench(t)
	b.write(idA+".jsonl", transcript(idA, 1, 2, 3, 4)+"damaged\n")
	if b.buildsIndex(Options{LargeBytes: 1, Strict: true}) || b.buildsIndex(Options{LargeBytes: 1, Since: time.Now()}) {
		t.Error("built for a source that is skipped")
	}
	b.write(idA+".jsonl", transcript(idA, 1, 2, 3, 4))
	if b.buildsIndex(Options{}) || b.buildsIndex(Options{LargeBytes: 1}) {
		t.Error("built for a small source, or for one that the store has")
	}
	b.write(idB+".jsonl", transcript(idB, 1, 2))
	if b.buildsIndex(Options{LargeBytes: 1}) {
		t.Error("built although the store has more than is added")
	}
	b.write(idA+".jsonl", transcript(idA, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14))
	if !b.buildsIndex(Options{LargeBytes: 1}) {
		t.Error("not built for a large source")
	}
	b.exact()
	if faults := auditStore(t, b.store); len(faults) > 0 {
		t.Errorf("%+v", faults)
	}
}

// buildsIndex imports and reports whether the index of parents is built at the end.
func (b *bench) buildsIndex(opts Options) (builds bool) {
	b.Helper()
	opts.Indexing = func() { builds = true }
	b.run(opts)
	return builds
}

// isIncomplete checks that sessions, cat, export and verify see that only a part of a file is stored.
func (b *bench) isIncomplete(name string) {
	b.Helper()
	ctx := context.Background()
	place, err := source.FindDatabase(ctx, b.store, source.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer place.Close()
	s := place.Sessions[0]
	if len(s.Problems) != 1 || s.Problems[0].Code != source.Incomplete {
		b.Errorf("%s: %+v", name, s.Problems)
	}
	in, err := s.Open()
	if err != nil {
		b.Fatal(err)
	}
	defer in.Close()
	if n, err := io.Copy(io.Discard, in); n == 0 || !errors.Is(err, store.ErrIncomplete) {
		b.Errorf("%s: reading gives %d bytes and %v", name, n, err)
	}
	items, err := storeItems(ctx, &place.Store().View, func(string) bool { return true })
	if err != nil || len(items) != 1 || !items[0].Incomplete ||
		items[0].Path != inExport+strings.TrimSuffix(name, ".gz")+".incomplete" {
		b.Errorf("%s: %+v %v", name, items, err)
	}
	isIncomplete := func(f store.Problem) bool { return f.Kind == store.Incomplete }
	if faults := auditStore(b.T, b.store); len(faults) != 1 || !isIncomplete(faults[0]) {
		b.Errorf("%s: %+v", name, faults)
	}
	for _, p := range b.verify() {
		if p.Safe() {
			b.Errorf("%s is safe to delete", name)
		}
	}
}

// Nothing is stored of a compressed file that is cut off, also if the store has committed parts of it before.
func TestCutOffFile(t *testing.T) {
	text := packGzip(longTranscript())
	name := idA + ".jsonl.deleted.2026-01-01T00-00-00.000Z.gz"
	for _, interrupted := range []bool{false, true} {
		b := newBench(t)
		if interrupted {
			b.write(name, text)
			b.interrupt(Options{})
		}
		b.write(name, text[:len(text)*9/10])
		o := b.run(Options{CommitBytes: 64 << 10})[name]
		if o.Verdict != Refused || o.Bytes != 0 || !errors.As(o.Err, new(*packed.Error)) {
			t.Errorf("%+v", o)
		}
		if keys := b.keys(); len(keys) > 0 {
			t.Errorf("interrupted %v: the store has %q", interrupted, keys)
		}
		b.related()
		b.write(name, text)
		b.run(Options{CommitBytes: 64 << 10})
		b.exact()
	}
}

// A session without a digest is named by import, and its rows are checked by export.
func TestUndigestedSession(t *testing.T) {
	for _, damage := range []string{"", "UPDATE messages SET id = 'other' WHERE rowid = 2",
		"DELETE FROM messages WHERE rowid = 2"} {
		b := newBench(t)
		b.write(idA+".jsonl", transcript(idA, 1, 2))
		b.run(Options{})
		st := openStore(t, b.store)
		batch, err := st.Begin(context.Background())
		if err == nil {
			err = errors.Join(batch.Distrust(b.keys()[0]), batch.Commit(), st.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
		b.change("SELECT 1; " + damage)
		faults := auditStore(t, b.store)
		if !slices.ContainsFunc(faults, func(f store.Problem) bool { return f.Kind == store.Undigested }) {
			t.Errorf("%s: %+v", damage, faults)
		}
		err = exportOnce(b.store)
		if damage == "" && err != nil || damage != "" && !errors.Is(err, ErrColumns) {
			t.Errorf("%s: export: %v", damage, err)
		}
		os.Remove(filepath.Join(b.sessions(), idA+".jsonl"))
		var named []string
		b.write(idB+".jsonl", transcript(idB, 1))
		b.run(Options{Undigested: func(key string) { named = append(named, key) }})
		if len(named) != 1 {
			t.Errorf("%s: import names %q", damage, named)
		}
	}
}
