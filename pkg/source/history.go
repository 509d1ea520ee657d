package source

import (
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"clawctl/pkg/jsonl"
)

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
	before, missing := s.sharedHistories().before(s.AbsolutePath())
	if missing != nil {
		in.Close()
		return nil, missing
	}
	if len(before) > 0 {
		in.histories = before
		readers := make([]io.Reader, 0, len(before)+1)
		for _, part := range slices.Backward(before) {
			readers = append(readers, part)
		}
		in.Reader = io.MultiReader(append(readers, in.Reader)...)
	}
	return in, nil
}

// CheckHistory returns an error if the text of the session begins in another one that is missing. What cannot be read
// is reported by whoever reads it.
func (s *Session) CheckHistory() *HistoryError {
	if !s.IsFile() {
		return nil
	}
	return s.sharedHistories().check(s.AbsolutePath())
}

// sharedHistories returns what is known of the files around the session.
func (s *Session) sharedHistories() *histories {
	if s.histories == nil {
		s.histories = &histories{}
	}
	return s.histories
}

// histories finds the files that texts begin in. Sessions that are found together share one, so each header is read
// once and each folder listed once, however long their chains are.
type histories struct {
	mutex   sync.Mutex
	folders map[string]map[string]string // the files of a folder by the ids that others refer to
	steps   map[string]historyStep       // by the path of a file
	ends    map[string]*HistoryError     // by the path of a file: what its chain lacks, nil if nothing
}

// A historyStep leads from a file to the one that its text begins in.
type historyStep struct {
	path    string // "" if its text begins in no other
	bytes   int64  // how much of the other file comes before
	missing *HistoryError
}

// check returns what the chain of a file lacks.
func (h *histories) check(path string) *HistoryError {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	if h.ends == nil {
		h.ends = map[string]*HistoryError{}
	}
	var chain []string
	var end *HistoryError
	for path != "" {
		known, isKnown := h.ends[path]
		if isKnown { // also in a circle, which lacks nothing
			end = known
			break
		}
		h.ends[path] = nil
		chain = append(chain, path)
		step := h.step(path)
		path, end = step.path, step.missing
	}
	for _, path := range chain {
		h.ends[path] = end
	}
	return end
}

// before returns what comes before the text of a file, the nearest first. A circle ends before it repeats a file.
func (h *histories) before(path string) (parts []*historyReader, missing *HistoryError) {
	h.mutex.Lock()
	defer h.mutex.Unlock()
	seen := map[string]bool{}
	for !seen[path] {
		seen[path] = true
		step := h.step(path)
		if step.path == "" || seen[step.path] {
			return parts, step.missing
		}
		path = step.path
		parts = append(parts, &historyReader{path: path, bytes: step.bytes})
	}
	return parts, nil
}

// step reads the header of a file, once.
func (h *histories) step(path string) historyStep {
	step, isKnown := h.steps[path]
	if isKnown {
		return step
	}
	if history := historyOf(path); history.Session != "" {
		step.path, step.bytes = h.find(path, history.Session), history.Bytes
		if step.path == "" {
			step.missing = &HistoryError{history.Session}
		}
	}
	if h.steps == nil {
		h.steps = map[string]historyStep{}
	}
	h.steps[path] = step
	return step
}

// historyOf returns the history that the header of a file refers to. A file that cannot be read refers to none.
func historyOf(path string) jsonl.History {
	in, err := Open(path)
	if err != nil {
		return jsonl.History{}
	}
	defer in.Close()
	return firstHeader(in).History
}

// find returns the file of a session near the file of another, or "": in its folder, or in folders with the parts of
// other dates.
func (h *histories) find(path, id string) string {
	folder := aboveDates(filepath.Dir(path))
	files, isKnown := h.folders[folder]
	if !isKnown {
		files = partsBelow(folder)
		if h.folders == nil {
			h.folders = map[string]map[string]string{}
		}
		h.folders[folder] = files
	}
	return files[id]
}

// partsBelow lists the files of live sessions below a folder by the ids that others refer to.
func partsBelow(folder string) map[string]string {
	files := map[string]string{}
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			if n, ok := ParseName(entry.Name()); ok && n.Kind == Live {
				files[n.part()] = path
			}
		}
		return nil // what cannot be read is not the session
	})
	return files
}

// aboveDates returns the folder that has the folders of years, if a folder is one for a date, and otherwise the folder.
func aboveDates(folder string) string {
	for strings.Trim(filepath.Base(folder), "0123456789") == "" {
		folder = filepath.Dir(folder)
	}
	return folder
}

// A historyReader reads the beginning of a file. A chain may be long, so the file is open only while it is read.
type historyReader struct {
	path  string
	bytes int64
	in    *Input // nil before the first read, and after the last one
	text  io.Reader
}

func (r *historyReader) Read(p []byte) (n int, err error) {
	if r.text == nil {
		if r.in, err = Open(r.path); err != nil {
			return 0, err
		}
		r.text = r.in.First(r.bytes)
	}
	n, err = r.text.Read(p)
	if err != nil {
		r.Close()
	}
	return n, err
}

// Close closes the file if it is open.
func (r *historyReader) Close() {
	if r.in != nil {
		r.in.Close()
		r.in = nil
	}
}
