package main

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"clawctl/internal/atomicfile"
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/spool"
	"clawctl/internal/ui"
	"clawctl/internal/writing"
	"clawctl/pkg/change"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A plainText is the text of a session that can be read at any place.
type plainText struct {
	io.ReaderAt
	size   int64
	sha256 string // of the file, if the text is all of it
	close  func()
}

func (t *plainText) Close() { t.close() }

// openText opens the text of a session: its file, or a private copy of what is in a database or compressed.
func openText(ctx context.Context, s *source.Session) (*plainText, error) {
	in, err := s.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	if s.IsFile() && in.IsPlain() {
		snapshot, err := change.Open(s.Path)
		if err != nil {
			return nil, err
		}
		return &plainText{snapshot, snapshot.Size, snapshot.SHA256, func() { snapshot.Close() }}, nil
	}
	if text, ok := s.Spooled(); ok && in.IsPlain() {
		return &plainText{text, text.Size(), "", func() {}}, nil
	}
	file, err := spool.Create(os.TempDir())
	if err != nil {
		return nil, err
	}
	if err := file.Copy(ctx, in); err != nil {
		file.Close()
		return nil, err
	}
	return &plainText{file.All(), file.Size(), "", func() { file.Close() }}, nil
}

// writeAll carries out the plans. One that fails does not stop the others.
func (r *repairing) writeAll() error {
	journal, err := writing.Journal(r.app)
	if err != nil {
		return err
	}
	left := 0
	for _, p := range r.plans {
		if r.app.Ctx.Err() != nil {
			return cli.Interrupted(r.app)
		}
		left += len(p.Left)
		if len(p.Mends) == 0 {
			continue
		}
		if err := r.write(journal, p); err != nil {
			r.app.Blame(r.outcome, err)
			continue
		}
		r.made += len(p.Mends)
	}
	changes, files, _ := r.counts()
	if r.app.WantsJSON() {
		r.changes.AddObject(repairSummary{
			1, "summary", r.sessions, changes, files, left, r.made, r.receipt, r.apis,
		})
		if err := writing.PrintChanges(r.app, r.changes); err != nil {
			return err
		}
	}
	r.noteWritten(left)
	return r.status(left)
}

// noteWritten says what was done.
func (r *repairing) noteWritten(left int) {
	if r.made == 0 {
		return // the errors say why
	}
	text := "made " + ui.Count(r.made, "change") + r.apis.Remark()
	if left > 0 {
		text += ", " + ui.Count(left, "problem") + " left alone"
	}
	if r.receipt != "" {
		text += "; receipt " + r.receipt
	}
	r.app.Note("%s", text)
	if r.receipt != "" {
		r.app.Hint(failure.Command("clawctl", "undo", r.receipt))
	}
}

// write repairs one session.
func (r *repairing) write(journal *change.Journal, p *repairPlan) error {
	switch {
	case p.session.InDatabase && !p.session.InStore():
		return r.writeBeside(p)
	case p.sha256 == "":
		hint := failure.Command("clawctl", "repair", p.session.Place(), "-o", p.session.ID+".jsonl")
		return failure.New(failure.NotWritable, "").At(p.session.Place()).WithHint(hint)
	}
	snapshot, err := change.Open(p.session.Path)
	if err != nil {
		return cli.InputError(p.session.Path, err)
	}
	defer snapshot.Close()
	if snapshot.SHA256 != p.sha256 {
		return writing.ChangeError(r.app, p.session.Path, change.ErrChanged)
	}
	c := change.Change{
		Snapshot: snapshot, Edits: p.Edits, Command: "repair", Beside: p.beside(snapshot.Path),
		Verify: func(text io.ReaderAt, size int64) error { return r.verify(p, snapshot, text, size) },
	}
	receipt, err := journal.Write(c)
	if receipt != nil {
		r.receipt = receipt.Run
	}
	if err != nil {
		return writing.ChangeError(r.app, p.session.Path, err)
	}
	return nil
}

// beside returns the quarantine file of a plan for the transcript at a path.
func (p *repairPlan) beside(path string) []change.NewFile {
	if len(p.Quarantine) == 0 {
		return nil
	}
	return []change.NewFile{{Path: source.QuarantinePath(path, p.Quarantine), Data: p.Quarantine}}
}

// verify checks a repaired text.
func (r *repairing) verify(p *repairPlan, original *change.Snapshot, text io.ReaderAt, size int64) error {
	before, after := io.NewSectionReader(original, 0, original.Size), io.NewSectionReader(text, 0, size)
	return p.Verify(r.app.Ctx, before, after, r.options.repairing(r.app, p.session))
}

// writeCopies writes a repaired copy of every session to the file or folder of -o.
func (r *repairing) writeCopies() error {
	target := r.app.Output.Options.Path
	isFolder := len(r.plans) > 1 || strings.HasSuffix(target, "/") || isFolderPath(target)
	left := 0
	for _, p := range r.plans {
		path := target
		if isFolder {
			path = filepath.Join(target, copyName(p.session))
		}
		left += len(p.Left)
		if err := r.writeCopy(p, path); err != nil {
			r.app.Blame(r.outcome, err)
			continue
		}
		r.made += len(p.Mends)
		r.app.Note("wrote %s: %s", path, ui.Count(len(p.Mends), "change"))
	}
	if err := r.app.Output.PrintToStdout(r.copyReport()); err != nil {
		return cli.WriteError(r.app, err)
	}
	return r.status(left)
}

// copyReport is the plan as JSON, for programs. People read the notes.
func (r *repairing) copyReport() string {
	if !r.app.WantsJSON() {
		return ""
	}
	var b strings.Builder
	for _, object := range r.changes.Objects {
		b.WriteString(cli.JSONLine(object))
	}
	return b.String()
}

func isFolderPath(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// copyName is the name of a session's copy in a folder.
func copyName(s *source.Session) string {
	if s.InDatabase || s.ID == "" {
		return s.ID + ".jsonl"
	}
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(s.Path), ".zst"), ".gz")
}

// writeCopy writes a repaired copy of a session and its quarantine.
func (r *repairing) writeCopy(p *repairPlan, path string) error {
	text, err := openText(r.app.Ctx, p.session)
	if err != nil {
		return cli.InputError(p.session.Place(), err)
	}
	defer text.Close()
	if text.sha256 != p.sha256 {
		return writing.ChangeError(r.app, p.session.Path, change.ErrChanged)
	}
	if err := atomicfile.MkdirAll(filepath.Dir(path)); err != nil {
		return cli.OutputError(path, err)
	}
	policy := atomicfile.ReplaceNothing
	if r.app.Output.Options.Force {
		policy = atomicfile.ReplaceRegular
	}
	return r.writeNew(path, policy, p.Edits.Reader(text, text.size), p.beside(path))
}

// writeNew writes a file, and then what belongs beside it.
func (r *repairing) writeNew(path string, policy atomicfile.Policy, text io.Reader, beside []change.NewFile) error {
	file, err := atomicfile.Create(path, atomicfile.Options{Policy: policy})
	if err != nil {
		return cli.CreateError(path, err, r.app.Output.Options.ForceHint)
	}
	defer file.Abandon()
	if _, err := io.Copy(file, text); err != nil {
		return cli.OutputError(path, err)
	}
	for _, f := range beside {
		if err := atomicfile.WriteFile(f.Path, f.Data, atomicfile.Options{Policy: atomicfile.ReplaceRegular}); err != nil {
			return cli.OutputError(f.Path, err)
		}
	}
	if err := file.Commit(); err != nil {
		return cli.CreateError(path, err, r.app.Output.Options.ForceHint)
	}
	return nil
}

// writeBeside writes the repaired text of a session in OpenClaw's database as a new session of the same agent, which
// OpenClaw imports. OpenClaw would add the records of a session that it knows to the old ones.
func (r *repairing) writeBeside(p *repairPlan) error {
	text, err := openText(r.app.Ctx, p.session)
	if err != nil {
		return cli.InputError(p.session.Place(), err)
	}
	defer text.Close()
	id := newSessionID(p.session.ID, p.Edits.Reader(text, text.size))
	edits, err := withSessionID(r.app.Ctx, p.Edits, text, id)
	if err != nil {
		return cli.InputError(p.session.Place(), err)
	}
	path := filepath.Join(importFolder(p.session.Path), id+".jsonl")
	if err := r.writeNew(path, atomicfile.ReplaceRegular, edits.Reader(text, text.size), nil); err != nil {
		return err
	}
	r.app.Note("OpenClaw's database was not changed. The repaired session is in %s", path)
	r.app.Hint(failure.Command("openclaw", "doctor", "--session-sqlite", "import", "--session-sqlite-agent",
		p.session.Agent))
	return nil
}

// importFolder is where OpenClaw looks for transcripts to import into a database.
func importFolder(database string) string {
	sessions := filepath.Join(filepath.Dir(filepath.Dir(database)), "sessions")
	if isFolderPath(sessions) {
		return sessions
	}
	return filepath.Dir(database)
}

// newSessionID is the id of a repaired copy. The same text gets the same id.
func newSessionID(id string, text io.Reader) string {
	h := sha256.New()
	_, _ = io.WriteString(h, id)
	_, _ = io.Copy(h, text) // an error comes up again when the text is written
	hex := fmt.Sprintf("%x", h.Sum(nil))
	return hex[:8] + "-" + hex[8:12] + "-4" + hex[13:16] + "-8" + hex[17:20] + "-" + hex[20:32]
}

// withSessionID returns edits that also change the id in the header.
func withSessionID(ctx context.Context, edits change.Edits, text *plainText, id string) (change.Edits, error) {
	for rec, err := range jsonl.Records(edits.Reader(text, text.size), jsonl.Options{BeforeRead: ctx.Err}) {
		if err != nil {
			return nil, err
		}
		if rec.Type() != jsonl.TypeSession {
			continue
		}
		old := rec.Text()
		new := strings.Replace(string(old), jsonl.Quote(rec.ID()), jsonl.Quote(id), 1)
		at := rec.Offset + int64(len(rec.Raw)-len(old)-len(rec.LineEnd()))
		return edits.Then(change.Edits{change.Replace(at, old, []byte(new))}, text.size), nil
	}
	return edits, nil
}
