package source

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"time"

	"clawctl/internal/spool"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source/openclaw"
)

// CanReopen reports whether the session gives the same text each time it is opened. A stream and a pipe do not.
func (s *Session) CanReopen() bool {
	if s.InDatabase || s.inBundle || s.spooled != nil {
		return true
	}
	if s.raw == nil {
		return false
	}
	info, err := os.Stat(s.Path)
	return err != nil || info.Mode().IsRegular()
}

// Spool copies a session that cannot be reopened into a private file in a folder, and makes the session read that file
// until it is closed. A session from a stream takes its id from its header.
func (s *Session) Spool(ctx context.Context, folder string) (io.Closer, error) {
	file, err := spool.Create(folder)
	if err != nil {
		return nil, err
	}
	if err := s.copyTo(ctx, file); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	if err := s.readFrom(file.All()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// Spooled returns the private file that the session is read from, if it is one.
func (s *Session) Spooled() (*spool.Section, bool) { return s.spooled, s.spooled != nil }

// copyTo copies the text of a session to a private file.
func (s *Session) copyTo(ctx context.Context, file *spool.File) error {
	in, err := s.Open()
	if err != nil {
		return err
	}
	return errors.Join(file.Copy(ctx, in), in.Close())
}

// Restored returns a session that was kept elsewhere, with its text in a private file. s has its identity, and entry is
// its registration, or empty. When it was last modified is not known.
func Restored(s Session, entry []byte, text *spool.Section) (*Session, error) {
	if v := jsonl.Value(entry); v.IsObject() {
		s.Listed, s.Entry = true, openclaw.ParseEntry(s.Key, v)
		s.Entry.Key, s.Entry.SessionID = s.Key, s.ID
	}
	err := s.readText(text)
	s.Modified = time.Time{}
	return &s, err
}

// readFrom makes a session read a private file instead of its original input, and takes its identity from there.
func (s *Session) readFrom(text *spool.Section) error {
	if err := s.readText(text); err != nil {
		return err
	}
	s.ID = cmp.Or(s.headerID(), s.ID)
	s.Key, s.Root, s.Below = RecoveredKey(s.Agent, s.ID), "", "stdin/"+s.ID+suffix
	return nil
}

// readText makes a session read a private file.
func (s *Session) readText(text *spool.Section) error {
	s.spooled = text
	s.readFile(func() (fs.File, error) { return text.Open(), nil }, text.Stat, false)
	info, err := text.Stat()
	if err != nil {
		return err
	}
	s.Bytes, s.Modified = info.Size(), info.ModTime()
	return nil
}

// headerID returns the id in the header of the session, "" if there is no usable one.
func (s *Session) headerID() string {
	for rec, err := range s.Records(context.Background()) {
		if err != nil || rec.Line > 100 {
			break
		}
		if h, ok := rec.Header(); ok && h.ID != "" {
			return h.ID
		}
	}
	return ""
}
