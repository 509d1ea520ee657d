package source

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/pkg/jsonl"
)

// maxHistories is how many sessions may come before each other.
const maxHistories = 100

// A HistoryError means that the text of a session begins in another session, whose file was not found.
type HistoryError struct{ Session string }

func (e *HistoryError) Error() string {
	return fmt.Sprintf("the conversation begins in session %s, whose file was not found", e.Session)
}

// OpenContext opens the text that a context is built from. The text of a session may begin with that of another one, to
// which its header refers. Lines and offsets are those of the whole text.
func (s *Session) OpenContext() (*Input, error) {
	in, err := s.Open()
	if err != nil || !in.isRegular || s.InDatabase || s.InBundle() {
		return in, err
	}
	readers := []io.Reader{in.Reader}
	path := s.Path
	for range maxHistories {
		history, err := historyOf(path)
		if err == nil && history.Session == "" {
			break
		}
		if err == nil {
			path, err = findHistory(path, history.Session)
		}
		var before *Input
		if err == nil {
			before, err = Open(path)
		}
		if err != nil {
			in.Close()
			return nil, err
		}
		in.histories = append(in.histories, before)
		readers = append(readers, before.First(history.Bytes))
	}
	if len(readers) > 1 {
		slices.Reverse(readers)
		in.Reader = io.MultiReader(readers...)
	}
	return in, nil
}

// historyOf returns the history that the header of a file refers to.
func historyOf(path string) (history jsonl.History, err error) {
	in, err := Open(path)
	if err != nil {
		return history, err
	}
	defer in.Close()
	return firstHeader(in).History, nil
}

// CheckHistory returns an error if the text of the session begins in another one that is missing.
func (s *Session) CheckHistory() *HistoryError {
	if !s.IsFile() {
		return nil
	}
	in, err := s.OpenContext()
	if err == nil {
		in.Close()
	}
	var missing *HistoryError
	errors.As(err, &missing) // what cannot be read is reported by whoever reads it
	return missing
}

// findHistory returns the file of a session near the file of another: in its folder, or in folders with the parts of
// other dates.
func findHistory(path, id string) (found string, err error) {
	err = filepath.WalkDir(aboveDates(filepath.Dir(path)), func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if entry.Type().IsRegular() {
			if n, ok := ParseName(entry.Name()); ok && n.part() == id && n.Kind == Live {
				found = name
			}
		}
		return nil // what cannot be read is not the session
	})
	if found == "" {
		return "", &HistoryError{id}
	}
	return found, err
}

// aboveDates returns the folder that has the folders of years, if a folder is one for a date, and otherwise the folder.
func aboveDates(folder string) string {
	for strings.Trim(filepath.Base(folder), "0123456789") == "" {
		folder = filepath.Dir(folder)
	}
	return folder
}
