package source

import (
	"cmp"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"clawctl/internal/process"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
)

// CanReopen reports whether the session gives the same text each time it is opened. A stream and a pipe do not.
func (s *Session) CanReopen() bool {
	if s.InDatabase || s.inBundle {
		return true
	}
	if s.raw == nil {
		return false
	}
	info, err := os.Stat(s.Path)
	return err != nil || info.Mode().IsRegular()
}

// The names of the private files of Spool.
const spoolPrefix, spoolSuffix = "clawctl-in-", ".jsonl"

// Spool copies a session that cannot be reopened into a private file, and makes the session read that file. A session
// from a stream takes its id from its header. remove removes the file.
func (s *Session) Spool() (remove func(), err error) {
	process.RemoveStale(os.TempDir(), spoolPrefix, spoolSuffix)
	file, err := CreateSpool()
	if err != nil {
		return nil, err
	}
	remove = func() { os.Remove(file.Name()) }
	in, err := s.Open()
	if err == nil {
		_, err = io.Copy(file, in)
		err = errors.Join(err, in.Close())
	}
	if err = errors.Join(err, file.Close()); err != nil {
		remove()
		return nil, err
	}
	return remove, s.readFrom(file.Name())
}

// CreateSpool creates a private file for the text of a session. A later Spool removes it if this process dies.
func CreateSpool() (*os.File, error) {
	path := filepath.Join(os.TempDir(), process.TempName(spoolPrefix, spoolSuffix))
	return os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
}

// Restored returns a session that was kept elsewhere, with its text in a private file. s has its identity, and entry is
// its registration, or empty. When it was last modified is not known.
func Restored(s Session, entry []byte, path string) (*Session, error) {
	if v := jsonl.Value(entry); v.IsObject() {
		s.Listed, s.Entry = true, parseEntry(s.Key, v)
		s.Entry.Key, s.Entry.SessionID = s.Key, s.ID
	}
	err := s.readText(path)
	s.Modified = time.Time{}
	return &s, err
}

// readFrom makes a session read a file instead of its original input, and takes its identity from there.
func (s *Session) readFrom(path string) error {
	if err := s.readText(path); err != nil {
		return err
	}
	id, err := headerID(path)
	s.ID = cmp.Or(id, s.ID)
	s.Key, s.Root, s.Below = RecoveredKey(s.Agent, s.ID), "", "stdin/"+s.ID+suffix
	return err
}

// readText makes a session read a file.
func (s *Session) readText(path string) error {
	name := s.Path
	s.raw = func() (io.ReadCloser, error) { return os.Open(path) }
	s.open = func() (*Input, error) {
		in, err := Open(path)
		if err == nil {
			in.Name = name
		}
		return in, err
	}
	s.stamp = func() (store.Stamp, error) {
		info, err := os.Stat(path)
		if err != nil {
			return store.Stamp{}, err
		}
		return stampOf(info), nil
	}
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	s.Bytes, s.Modified = info.Size(), info.ModTime()
	return nil
}

// headerID returns the id in the first header of a transcript.
func headerID(path string) (string, error) {
	in, err := Open(path)
	if err != nil {
		return "", err
	}
	defer in.Close()
	for rec, err := range jsonl.Records(in, jsonl.Options{}) {
		if err != nil || rec.Line > 100 {
			return "", nil // no usable header
		}
		if h, ok := rec.Header(); ok && h.ID != "" {
			return h.ID, nil
		}
	}
	return "", nil
}
