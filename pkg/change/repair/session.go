package repair

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"

	"clawctl/pkg/change"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
)

// A SessionPlan is what a repair would change in a session, wherever that is.
type SessionPlan struct {
	Plan    *Plan
	Session *source.Session
	options Options
	sha256  string // of the file that was read; "" if it is not one that can be changed
}

// NewSession reads the session of the options and plans its repair.
func NewSession(ctx context.Context, o Options) (*SessionPlan, error) {
	text, err := openText(ctx, o.Session)
	if err != nil {
		return nil, err
	}
	defer text.Close()
	p, err := New(ctx, text, text.size, o)
	if err != nil {
		return nil, err
	}
	return &SessionPlan{p, o.Session, o, text.sha256}, nil
}

// IsWritable reports whether the file of the session can be changed.
func (p *SessionPlan) IsWritable() bool { return p.sha256 != "" }

// Write repairs the file of the session, unless it has changed since it was read.
func (p *SessionPlan) Write(
	ctx context.Context, journal *change.Journal, file *change.Snapshot,
) (*change.Receipt, error) {
	if file.SHA256 != p.sha256 {
		return nil, change.ErrChanged
	}
	return journal.Write(change.Change{
		Snapshot: file, Edits: p.Plan.Edits, Command: "repair", Beside: p.Beside(file.Path),
		Verify: func(text io.ReaderAt, size int64) error {
			before, after := io.NewSectionReader(file, 0, file.Size), io.NewSectionReader(text, 0, size)
			return p.Plan.verify(ctx, before, after, p.options)
		},
	})
}

// Beside returns the quarantine file that belongs beside the repaired transcript at a path.
func (p *SessionPlan) Beside(path string) []change.NewFile {
	if len(p.Plan.Quarantine) == 0 {
		return nil
	}
	return []change.NewFile{{Path: source.QuarantinePath(path, p.Plan.Quarantine), Data: p.Plan.Quarantine}}
}

// A repairedText is a text with edits.
type repairedText struct {
	io.Reader
	io.Closer
}

// OpenCopy opens the repaired text of the session, unless it has changed since it was read.
func (p *SessionPlan) OpenCopy(ctx context.Context) (io.ReadCloser, error) {
	text, err := openText(ctx, p.Session)
	if err != nil {
		return nil, err
	}
	if text.sha256 != p.sha256 {
		text.Close()
		return nil, change.ErrChanged
	}
	return repairedText{p.Plan.Edits.Reader(text, text.size), text}, nil
}

// WriteBeside writes the repaired text of a session in OpenClaw's database as a new session of the same agent, which
// OpenClaw imports, and returns the path of its file. OpenClaw would add the records of a session that it knows to the
// old ones. There is no receipt if an earlier run wrote the same file.
func (p *SessionPlan) WriteBeside(ctx context.Context, journal *change.Journal) (*change.Receipt, string, error) {
	text, err := openText(ctx, p.Session)
	if err != nil {
		return nil, "", err
	}
	defer text.Close()
	repaired := p.Plan.Edits.Reader(text, text.size)
	id := NewSessionID(p.Session.ID, repaired)
	return WriteSession(ctx, journal, "repair", ImportFolder(p.Session.Path), id, repaired)
}

// WriteSession writes a text as that of a new session to a folder. There is no receipt if it is there already.
func WriteSession(
	ctx context.Context, journal *change.Journal, command, folder, id string, text *io.SectionReader,
) (*change.Receipt, string, error) {
	path := filepath.Join(folder, id+".jsonl")
	rename, err := renaming(ctx, io.NewSectionReader(text, 0, text.Size()), id)
	if err != nil {
		return nil, "", err
	}
	receipt, err := journal.Create(change.Creation{Path: path, Command: command, Text: rename.Reader(text, text.Size())})
	if errors.Is(err, change.ErrPresent) {
		err = nil
	}
	return receipt, path, err
}

// NewSessionID is the id of a repaired copy. The same text gets the same id.
func NewSessionID(id string, text io.Reader) string {
	h := sha256.New()
	_, _ = io.WriteString(h, id)
	_, _ = io.Copy(h, text) // an error comes up again when the text is written
	return uuidFrom(h.Sum(nil))
}

// renaming returns the edit that changes the id in the header of a transcript.
func renaming(ctx context.Context, text io.Reader, id string) (change.Edits, error) {
	for rec, err := range jsonl.Records(text, jsonl.Options{BeforeRead: ctx.Err}) {
		if err != nil {
			return nil, err
		}
		if rec.Type() == jsonl.TypeSession {
			old := rec.Text()
			new := bytes.Replace(old, []byte(jsonl.Quote(rec.ID())), []byte(jsonl.Quote(id)), 1)
			return change.Edits{cloned(change.Replace(textOffset(rec), old, new))}, nil
		}
	}
	return nil, nil
}

// CopyName is the name of the session's copy in a folder.
func (p *SessionPlan) CopyName() string {
	s := p.Session
	if s.InDatabase || s.ID == "" {
		return s.ID + ".jsonl"
	}
	return strings.TrimSuffix(strings.TrimSuffix(filepath.Base(s.Path), ".zst"), ".gz")
}

// ImportFolder is where OpenClaw looks for transcripts to import into a database: the folder of the agent's sessions,
// or that of a configured store.
func ImportFolder(database string) string {
	sessions := filepath.Join(filepath.Dir(filepath.Dir(database)), "sessions")
	if info, err := os.Stat(sessions); err == nil && info.IsDir() && openclaw.IsAgentDatabase(database) {
		return sessions
	}
	return filepath.Dir(database)
}
