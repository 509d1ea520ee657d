package scrub

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/process"
	"clawctl/pkg/change"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/change/repair"
	"clawctl/pkg/source"
	"clawctl/pkg/source/packed"
)

// command is the name that receipts have for this.
const command = "redact --in-place"

// A Run carries out a plan.
type Run struct {
	Plan *Plan
	Keep string // the folder for the originals, or ""
	// KeepCheckpoints leaves the checkpoints of providers, which may hold the values.
	KeepCheckpoints bool
	Counts          *redact.Counts  // what was replaced
	Copies          []CopiedSession // for OpenClaw's import
	Receipt         string          // the name of the run, for undo
	Written         int             // places

	ctx     context.Context
	journal *change.Journal
	all     []*change.Receipt // of the journal
	open    *process.Open     // what others have open
	stays   map[string]bool   // paths of what has values in names and numbers that never change
}

// A CopiedSession is a session of OpenClaw's database without the values.
type CopiedSession struct {
	Path  string // of the file to import
	Agent string
	Key   string // of the session in the database, which OpenClaw has to delete after the import
	// IsImported says that OpenClaw has imported it already, and that no file was written.
	IsImported bool
}

// errUnchanged means that the only values of a file are in names and numbers that never change.
var errUnchanged = errors.New("ids, keys and numbers of the format never change")

// Explain says of what is left why it is, if the run knows.
func (r *Run) Explain(left *Plan) {
	for _, it := range left.Items {
		if it.Why == "" && r.stays[it.Path] {
			it.Why = errUnchanged.Error()
		}
	}
}

// CarryOut does what the plan says. A place that fails does not stop the others, and failed is told about it.
//
// Places that the rules find a value in come last. So if a run is interrupted, the next one still finds the value by
// its fingerprint.
func (r *Run) CarryOut(ctx context.Context, failed func(*Item, error)) error {
	r.ctx, r.journal, r.open, r.Counts = ctx, r.Plan.options.Journal, process.OpenFiles(), redact.NewEraser().Counts()
	r.stays = map[string]bool{}
	if err := r.prepare(); err != nil {
		return err
	}
	items := slices.Clone(r.Plan.Items)
	slices.SortStableFunc(items, func(a, b *Item) int { return r.rank(a) - r.rank(b) })
	isStoreDone := false
	for _, it := range items {
		if err := ctx.Err(); err != nil {
			return err
		}
		if it.isOfStore() && isStoreDone {
			r.Written++
			continue
		}
		if it.Action == Leave {
			continue
		}
		if err := r.change(it); err != nil {
			failed(it, err)
			continue
		}
		isStoreDone = isStoreDone || it.isOfStore()
		if it.Action != Copy && it.Action != Leave { // a file with nothing but names that stay was left after all
			r.Written++
		}
	}
	return nil
}

func (it *Item) isOfStore() bool { return it.Kind == Stored || it.Kind == StoreRest }

// rank orders places: what belongs to clawctl first, then what the rules do not recognize. The store is one place.
func (r *Run) rank(it *Item) int {
	isKnown := it.isKnown
	if it.isOfStore() {
		isKnown = slices.ContainsFunc(r.Plan.Items, func(o *Item) bool { return o.isOfStore() && o.isKnown })
	}
	switch {
	case it.Kind == StoreBackup:
		return 4 // the store may have made another one
	case isKnown:
		return 3
	case it.Action == Copy:
		return 2
	case it.Action == Forget, it.Action == Delete:
		return 0
	}
	return 1
}

// prepare reads the receipts, and lets them know about erasures of runs that were interrupted.
func (r *Run) prepare() error {
	var err error
	if r.all, err = r.journal.Receipts(); err != nil {
		return err
	}
	for _, by := range r.all {
		if by.Erased == nil || by.Erased.Run != by.Run || by.UndoneAt != nil {
			continue
		}
		atomicfile.RemoveStale(filepath.Dir(by.Path))
		if err := r.journal.Adopt(r.all, by); err != nil {
			return err
		}
	}
	for _, folder := range r.Plan.options.ownFolders() {
		atomicfile.RemoveStale(folder)
	}
	return r.shredPending()
}

// change does what the plan says about a place.
func (r *Run) change(it *Item) error {
	switch {
	case it.Action == Forget:
		return r.forget(it.receiptIn(r.all))
	case it.Kind == Original:
		return r.dropOriginals(it.receiptIn(r.all))
	case it.Action == Delete:
		return r.remove(it)
	case it.Action == Copy:
		return r.copy(it)
	case it.isOfStore():
		return r.eraseStore()
	}
	return r.rewrite(it)
}

// receiptIn returns the receipt of a place as this run knows it.
func (it *Item) receiptIn(all []*change.Receipt) *change.Receipt {
	if at := slices.IndexFunc(all, func(r *change.Receipt) bool { return r.ID == it.receipt.ID }); at >= 0 {
		return all[at]
	}
	return it.receipt
}

// forget removes the text of a receipt.
func (r *Run) forget(receipt *change.Receipt) error {
	if err := r.keepFile(receipt.File()); err != nil {
		return err
	}
	return r.journal.Forget(receipt, r.Plan.fingerprints())
}

func (r *Run) dropOriginals(receipt *change.Receipt) error {
	for _, o := range receipt.Originals {
		if err := r.keepFile(o.Path); err != nil {
			return err
		}
	}
	return r.journal.DropOriginals(receipt, r.open)
}

// remove deletes a file of clawctl that nobody needs: one that a killed process left, or a backup of the store.
func (r *Run) remove(it *Item) error {
	if it.Kind == Temporary && !process.IsStale(filepath.Base(it.Path), ".clawctl-", ".tmp") {
		return &runningError{it.Path}
	}
	if err := r.keepFile(it.Path); err != nil {
		return err
	}
	if err := os.Remove(it.Path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return atomicfile.SyncFolder(filepath.Dir(it.Path))
}

// keptPath is where the original of a file goes, or "". The whole path is kept, so that files of several homes cannot
// meet.
func (r *Run) keptPath(path string) string {
	if r.Keep == "" {
		return ""
	}
	path = strings.TrimPrefix(path, filepath.VolumeName(path))
	return filepath.Join(r.Keep, strings.TrimLeft(path, `/\`))
}

// keepFile copies a file to the folder for originals, if there is one.
func (r *Run) keepFile(path string) error {
	if r.Keep == "" {
		return nil
	}
	s, err := change.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer s.Close()
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return change.KeepCopy(r.keptPath(path), io.NewSectionReader(s, 0, s.Size), s.SHA256, info.ModTime())
}

// rewrite writes a file without the values, verifies it, and puts it in place of the old one.
func (r *Run) rewrite(it *Item) error {
	s, err := change.Open(it.Path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // it was a part of what an earlier place removed
	}
	if err != nil {
		return err
	}
	defer s.Close()
	e := r.editor()
	receipt, err := r.journal.Erase(change.Erasure{
		Snapshot: s, Command: command, Values: r.Plan.fingerprints(), Open: r.open, Keep: r.keptPath(s.Path),
		Text: func(w io.Writer) error { return e.file(w, io.NewSectionReader(s, 0, s.Size), it.Kind) },
		Verify: func(text io.ReaderAt, size int64) error {
			before, after := io.NewSectionReader(s, 0, s.Size), io.NewSectionReader(text, 0, size)
			return e.verifyFile(before, after, it.Kind)
		},
	})
	r.stays[it.Path] = r.stays[it.Path] || e.counts().TotalKept() > 0
	if errors.Is(err, errUnchanged) {
		it.Action, it.Why = Leave, err.Error()
		return nil
	}
	if receipt != nil {
		r.note(receipt, e.counts())
		err = errors.Join(err, r.journal.Adopt(r.all, receipt))
	}
	return err
}

// note remembers what was done.
func (r *Run) note(receipt *change.Receipt, counts *redact.Counts) {
	r.Receipt = receipt.Run
	r.all = append(r.all, receipt)
	r.Counts.Add(counts)
}

// editor returns an editor for the values of the plan.
func (r *Run) editor() *editor {
	e := newEditor(r.Plan.Values)
	if r.KeepCheckpoints {
		e.eraser.KeepCheckpoints()
	}
	return e
}

// file writes a file without the values.
func (e *editor) file(w io.Writer, in *io.SectionReader, kind Kind) error {
	err := e.fileOf(w, in, kind)
	if c := e.counts(); err == nil && c.Total()+c.Thinking+c.Signatures+c.Checkpoints == 0 {
		return errUnchanged
	}
	return err
}

func (e *editor) fileOf(w io.Writer, in *io.SectionReader, kind Kind) error {
	magic := make([]byte, 4)
	n, err := in.ReadAt(magic, 0)
	if err != nil && err != io.EOF {
		return err
	}
	isPacked := packed.IsPacked(magic[:n])
	if kind != Index && !isPacked {
		return e.Text(w, in)
	}
	data, err := io.ReadAll(in)
	switch {
	case err != nil:
		return err
	case isPacked:
		return e.pack(w, data)
	case !json.Valid(data):
		return &change.VerifyError{Err: errors.New("the index is not JSON")}
	}
	_, err = w.Write(e.index(data))
	return err
}

// verifyFile compares a new file with the old one.
func (e *editor) verifyFile(before, after io.Reader, kind Kind) error {
	if kind == Index {
		return e.verifyIndex(before, after)
	}
	old, err := source.Wrap(before, "")
	if err != nil {
		return err
	}
	defer old.Close()
	new, err := source.Wrap(after, "")
	if err != nil {
		return err
	}
	defer new.Close()
	return verify(old, new, e.tracer.values, e.counts().TotalKept())
}

func (e *editor) verifyIndex(before, after io.Reader) error {
	old, err := io.ReadAll(before)
	if err != nil {
		return err
	}
	new, err := io.ReadAll(after)
	if err != nil {
		return err
	}
	if left := len(e.tracer.find(new)); left > e.counts().TotalKept() {
		return fmt.Errorf("%d traces of the values are left", left)
	}
	return sameJSON(old, new, e.tracer)
}

// copy writes a session of OpenClaw's database, without the values, as a new session that OpenClaw can import.
func (r *Run) copy(it *Item) error {
	place, err := source.FindDatabase(r.ctx, it.Path, source.Options{Fast: true})
	if err != nil {
		return err
	}
	defer place.Close()
	for _, s := range place.Sessions {
		if s.ID == it.Session {
			return r.copySession(s, it, place)
		}
	}
	return fs.ErrNotExist
}

// copySession copies a session, unless an earlier copy of it was imported.
func (r *Run) copySession(s *source.Session, it *Item, place *source.Listing) error {
	in, err := s.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	e, text := r.editor(), &bytes.Buffer{}
	if err := e.Text(text, in); err != nil {
		return err
	}
	id, folder := repair.NewSessionID(s.ID, bytes.NewReader(text.Bytes())), repair.ImportFolder(it.Path)
	copied := CopiedSession{filepath.Join(folder, id+".jsonl"), it.Agent, s.Key, false}
	copied.IsImported = slices.ContainsFunc(place.Sessions, func(o *source.Session) bool {
		return o.InDatabase && o.ID == id && o.Kind == source.Live
	})
	if copied.IsImported {
		r.Copies = append(r.Copies, copied)
		return nil
	}
	whole := io.NewSectionReader(bytes.NewReader(text.Bytes()), 0, int64(text.Len()))
	receipt, _, err := repair.WriteSession(r.ctx, r.journal, command, folder, id, whole)
	if receipt != nil {
		r.note(receipt, e.counts())
	}
	if receipt != nil || err == nil {
		r.Copies = append(r.Copies, copied)
	}
	return err
}
