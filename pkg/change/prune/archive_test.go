package prune

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/migrate"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"clawctl/pkg/store/session"
)

// oddTexts are transcripts whose bytes are more than their records.
func oddTexts() []string {
	whole := transcript(1, "a", "b", "c")
	return []string{
		whole,
		strings.ReplaceAll(transcript(2, "a", "b"), "\n", "\r\n"),
		transcript(3, "a") + "\n\n  \n{\"no\": end\n[1]\n" + transcript(3, "d"),
		strings.TrimSuffix(transcript(4, "a", "b"), "\n"),
		transcript(5, "a") + `{"type":"message","id":"x`,
		"\ufeff" + transcript(6, "a"),
		transcript(7, slices.Repeat([]string{strings.Repeat("long ", 5000)}, 40)...),
	}
}

// texts returns the text of every session of the store, and everything that it says about them besides their rows.
func (s *stage) texts() map[string]string {
	s.Helper()
	place, err := source.FindDatabase(ctx, s.store, source.Options{})
	if err != nil {
		s.Fatal(err)
	}
	defer place.Close()
	texts := map[string]string{}
	for _, one := range place.Sessions {
		in, err := one.Open()
		if err != nil {
			s.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err != nil {
			s.Fatal(err)
		}
		in.Close()
		texts[one.Name()] = string(text)
	}
	return texts
}

func (s *stage) faults() []store.Problem {
	s.Helper()
	r, err := store.OpenReader(ctx, s.store)
	if err != nil {
		s.Fatal(err)
	}
	defer r.Close()
	faults, err := store.NewAuditor(ctx, r).Audit()
	if err != nil {
		s.Fatal(err)
	}
	return faults
}

// archive moves all sessions of the store to an archive.
func (s *stage) archive(path string) *ArchiveResult {
	s.Helper()
	var done *ArchiveResult
	err := s.keep(func(k *session.Keeper) (err error) {
		infos, err := k.Store.List(ctx)
		if err != nil {
			return err
		}
		var keys []string
		for _, info := range infos {
			keys = append(keys, info.Key)
		}
		done, err = (&Archiver{Store: k.Store, Path: s.store, Journal: s.journal, Now: now}).Archive(ctx, path, keys)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return done
}

func (s *stage) unarchive() []string {
	s.Helper()
	var keys []string
	err := s.keep(func(k *session.Keeper) error {
		archives, err := k.Store.View.Archives(ctx)
		for _, archive := range archives {
			more, failed := (&Archiver{Store: k.Store, Path: s.store}).Unarchive(ctx, []*store.Archive{archive})
			keys, err = append(keys, more...), errors.Join(err, failed)
		}
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return keys
}

// A session has the same text, receipts and proofs wherever it lies, and all of it comes back.
func TestArchive(t *testing.T) {
	s := newStage(t)
	for i, text := range oddTexts() {
		s.write(id(i+1)+".jsonl.reset.2026-01-01T00-00-00.000Z", text)
	}
	s.importAll()
	want := s.texts()
	path := filepath.Join(t.TempDir(), "cold.tar.zst")
	done := s.archive(path)
	if len(done.Left) != 0 {
		t.Fatalf("left: %v", done.Left)
	}
	checkSame := func(when string) {
		t.Helper()
		have := s.texts()
		for key, text := range want {
			if have[key] != text {
				t.Errorf("%s: %s has %d bytes, want %d", when, key, len(have[key]), len(text))
			}
		}
		if faults := s.faults(); len(faults) > 0 {
			t.Errorf("%s: %+v", when, faults)
		}
	}
	checkSame("archived")
	if receipts, errs := s.prune(nil); len(receipts) != len(want) {
		t.Errorf("%d of %d files are safe to delete: %v", len(receipts), len(want), errs)
	}
	if keys := s.unarchive(); len(keys) != len(want) {
		t.Errorf("%d of %d sessions came back", len(keys), len(want))
	}
	checkSame("back")
}

// An import leaves an archived session where it is, and brings one back that has grown.
func TestImportOfArchived(t *testing.T) {
	s := newStage(t)
	for i := range 3 {
		s.write(id(i)+".jsonl", transcript(i, "a", "b"))
	}
	s.importAll()
	s.archive(filepath.Join(t.TempDir(), "cold.tar.zst"))
	s.write(id(1)+".jsonl", transcript(1, "a", "b", "c"))
	s.importAll()
	archived := s.archived()
	if len(archived) != 2 || slices.ContainsFunc(archived, func(key string) bool { return strings.Contains(key, id(1)) }) {
		t.Errorf("archived: %v", archived)
	}
	for key, text := range s.texts() {
		if strings.Contains(key, id(1)) && text != transcript(1, "a", "b", "c") {
			t.Errorf("%s has %q", key, text)
		}
	}
	if faults := s.faults(); len(faults) > 0 {
		t.Error(faults)
	}
}

// Whatever happens to an archive, the next import brings its sessions back from their sources, also those that have
// grown or got another name meanwhile.
func TestImportHeals(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"gone":     os.Remove,
		"cut off":  func(path string) error { return os.Truncate(path, 100) },
		"replaced": func(path string) error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
	} {
		s := newStage(t)
		for i, text := range oddTexts() {
			s.write(id(i+1)+".jsonl.reset.2026-01-01T00-00-00.000Z", text)
		}
		s.write(id(98)+".jsonl", transcript(98, "a", "b"))
		old := s.write(id(99)+".jsonl", transcript(99, "a", "b"))
		s.importAll()
		want := s.texts()
		path := filepath.Join(t.TempDir(), "cold.tar.zst")
		s.archive(path)
		if err := lose(path); err != nil {
			t.Fatal(err)
		}
		s.write(id(98)+".jsonl", transcript(98, "a", "b", "c"))
		if err := os.Rename(old, old+".reset.2026-01-02T00-00-00.000Z"); err != nil {
			t.Fatal(err)
		}
		s.importAll()
		have := s.texts()
		for key, text := range want {
			switch got, isThere := have[key]; {
			case strings.Contains(key, id(98)) && got != transcript(98, "a", "b", "c"):
				t.Errorf("%s: %s has not grown", name, key)
			case !strings.Contains(key, id(98)) && isThere && got != text:
				t.Errorf("%s: %s has %d bytes, want %d", name, key, len(got), len(text))
			case !isThere && !strings.Contains(key, id(99)):
				t.Errorf("%s: %s is gone", name, key)
			}
		}
		if faults, archived := s.faults(), s.archived(); len(faults) > 0 || len(archived) > 0 || len(have) != len(want) {
			t.Errorf("%s: %+v, archived: %v, and %d of %d sessions", name, faults, archived, len(have), len(want))
		}
	}
}

// A file that the store still needs is not taken for that of an earlier archive with the same path: what lies in it is
// not in the store itself.
func TestLacks(t *testing.T) {
	s := newStage(t)
	s.write(id(1)+".jsonl", transcript(1, "a", "b"))
	s.importAll()
	path := filepath.Join(t.TempDir(), "cold.tar.zst")
	s.archive(path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.importAll()
	receipt := s.archive(path).Receipt
	err := s.keep(func(k *session.Keeper) error {
		a := &Archiver{Store: k.Store, Path: s.store}
		if lacks, err := a.Lacks(ctx, path); err != nil || len(lacks) != 1 {
			t.Errorf("lacks %v, %v", lacks, err)
		}
		archives, err := a.Find(ctx, receipt)
		if err != nil || len(archives) != 1 || archives[0].Sessions != 1 {
			t.Errorf("found %v, %v", archives, err)
		}
		_, err = a.Unarchive(ctx, archives)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for key, text := range s.texts() {
		if text != transcript(1, "a", "b") {
			t.Errorf("%s has %q", key, text)
		}
	}
}

func (s *stage) archived() (keys []string) {
	s.Helper()
	r, err := store.OpenReader(ctx, s.store)
	if err != nil {
		s.Fatal(err)
	}
	defer r.Close()
	all, err := r.ArchivedKeys(ctx)
	if err != nil {
		s.Fatal(err)
	}
	for key := range all {
		keys = append(keys, key)
	}
	return keys
}

// Without its archive, or with a damaged one, nothing in it counts as proof, and the store says so.
func TestLostArchive(t *testing.T) {
	s := newStage(t)
	s.write(id(1)+".jsonl.reset.2026-01-01T00-00-00.000Z", transcript(1, "a"))
	s.importAll()
	path := filepath.Join(t.TempDir(), "cold.tar.zst")
	s.archive(path)
	text := testkit.Read(t, path)
	for name, spoil := range map[string]func() error{
		"gone":    func() error { return os.Remove(path) },
		"flipped": func() error { return os.WriteFile(path, flipped(text), 0o600) },
		"cut off": func() error { return os.WriteFile(path, text[:len(text)*2/3], 0o600) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(err)
		}
		if receipts, _ := s.prune(nil); len(receipts) != 0 {
			t.Errorf("%s: %d files count as safe", name, len(receipts))
		}
		faults := s.faults()
		want := store.Damaged
		if name == "gone" {
			want = store.Unreachable
		}
		if len(faults) != 1 || faults[0].Kind != want {
			t.Errorf("%s: %+v", name, faults)
		}
		err := s.keep(func(k *session.Keeper) error {
			archives, err := k.Store.View.Archives(ctx)
			if err == nil {
				_, err = (&Archiver{Store: k.Store}).Unarchive(ctx, archives)
			}
			return err
		})
		if !errors.As(err, new(*store.ArchiveError)) {
			t.Errorf("%s: %v", name, err)
		}
		testkit.Write(t, path, text)
	}
	if len(s.unarchive()) != 1 {
		t.Error("the session did not come back")
	}
}

// flipped returns an archive with other bytes after its manifest, where the sessions are.
func flipped(text []byte) []byte {
	text = bytes.Clone(text)
	for i := len(text) * 2 / 3; i < len(text); i++ {
		text[i] ^= 0x55
	}
	return text
}

// A new store takes over the sessions of an archive with their receipts.
func TestAdoptArchive(t *testing.T) {
	s := newStage(t)
	for i, text := range oddTexts() {
		s.write(id(i+1)+".jsonl.reset.2026-01-01T00-00-00.000Z", text)
	}
	s.importAll()
	want := s.texts()
	path := filepath.Join(t.TempDir(), "cold.tar.zst")
	s.archive(path)
	s.store = filepath.Join(t.TempDir(), "new.db")
	for range 2 { // the second time there is nothing to do
		err := s.keep(func(k *session.Keeper) error {
			_, err := migrate.AdoptArchive(ctx, k.Store, path)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	have := s.texts()
	for key, text := range want {
		if have[key] != text {
			t.Errorf("%s has %d bytes, want %d", key, len(have[key]), len(text))
		}
	}
	if faults := s.faults(); len(faults) > 0 {
		t.Error(faults)
	}
	var outcomes []migrate.Verdict
	err := s.keep(func(k *session.Keeper) error {
		return migrate.Import(ctx, k.Store, s.find(), migrate.Options{Done: func(o migrate.Outcome) {
			outcomes = append(outcomes, o.Verdict)
		}})
	})
	if err != nil || slices.ContainsFunc(outcomes, func(v migrate.Verdict) bool { return v != migrate.Unchanged }) {
		t.Error(outcomes, err)
	}
	if len(s.archived()) != len(want) {
		t.Errorf("%d of %d sessions are still in the archive", len(s.archived()), len(want))
	}
}

// An archive that was moved together with its store is found beside it.
func TestMovedArchive(t *testing.T) {
	s := newStage(t)
	s.write(id(1)+".jsonl", transcript(1, "a"))
	s.importAll()
	want := s.texts()
	s.archive(filepath.Join(filepath.Dir(s.store), "cold.tar.zst"))
	moved := t.TempDir()
	for _, name := range []string{"s.db", "cold.tar.zst"} {
		if err := os.Rename(filepath.Join(filepath.Dir(s.store), name), filepath.Join(moved, name)); err != nil {
			t.Fatal(err)
		}
	}
	s.store = filepath.Join(moved, "s.db")
	for key, text := range s.texts() {
		if want[key] != text {
			t.Errorf("%s has %q", key, text)
		}
	}
	if len(s.unarchive()) != 1 {
		t.Error("the session did not come back")
	}
}
