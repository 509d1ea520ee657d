package source

import (
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"clawctl/internal/rooted"
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
	before, missing := s.sharedHistories().before(s)
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
	return s.sharedHistories().check(s)
}

// sharedHistories returns what is known of the files around the session.
func (s *Session) sharedHistories() *histories {
	if s.histories == nil {
		s.histories = &histories{}
	}
	return s.histories
}

// histories finds the files that texts begin in, and those of subagents. Sessions that are found together share one, so
// each header is read once and each folder listed once, however long their chains are.
type histories struct {
	mutex   sync.Mutex
	folders map[historyFile]*historyFolder
	steps   map[historyFile]historyStep
	ends    map[historyFile]*HistoryError // what the chain of a file lacks, nil if nothing
}

// lock returns what ends the use of the maps by one goroutine.
func (h *histories) lock() (unlock func()) {
	h.mutex.Lock()
	if h.steps == nil {
		h.folders, h.steps = map[historyFile]*historyFolder{}, map[historyFile]historyStep{}
		h.ends = map[historyFile]*HistoryError{}
	}
	return h.mutex.Unlock
}

// A historyFile is a file or a folder below the one that was named.
type historyFile struct{ reach, below string }

// historyFile returns the file of the session.
func (s *Session) historyFile() historyFile {
	below, _ := filepath.Rel(s.reach, s.AbsolutePath()) // both are absolute
	return historyFile{s.reach, filepath.ToSlash(below)}
}

func (f historyFile) rooted() rooted.Path { return rooted.Of(f.reach, f.below) }

// open opens the file, unless a link leads out of the folder that was named.
func (f historyFile) open() (*Input, error) {
	file, err := f.rooted().Open()
	if err != nil {
		return nil, err
	}
	return fileInput(file, f.below, false)
}

// A historyStep leads from a file to the one that its text begins in.
type historyStep struct {
	file    *historyFile // nil if its text begins in no other
	bytes   int64        // how much of the other file comes before
	missing *HistoryError
}

// header returns the header of the file. A file that cannot be read has none.
func (f historyFile) header() (h jsonl.Header) {
	if in, err := f.open(); err == nil {
		h = firstHeader(in)
		in.Close()
	}
	return h
}

// check returns what the chain of a session's file lacks.
func (h *histories) check(s *Session) *HistoryError {
	defer h.lock()()
	var chain []historyFile
	var end *HistoryError
	first := h.start(s)
	for at := &first; at != nil; {
		known, isKnown := h.ends[*at]
		if isKnown { // also in a circle, which lacks nothing
			end = known
			break
		}
		h.ends[*at] = nil
		chain = append(chain, *at)
		step := h.step(*at, at.header)
		at, end = step.file, step.missing
	}
	for _, file := range chain {
		h.ends[file] = end
	}
	return end
}

// before returns what comes before the text of a session's file, the nearest first. A circle ends before it repeats a
// file.
func (h *histories) before(s *Session) (parts []*historyReader, missing *HistoryError) {
	defer h.lock()()
	seen := map[historyFile]bool{}
	for at := h.start(s); !seen[at]; {
		seen[at] = true
		step := h.step(at, at.header)
		if step.file == nil || seen[*step.file] {
			return parts, step.missing
		}
		at = *step.file
		parts = append(parts, &historyReader{file: at, bytes: step.bytes})
	}
	return parts, nil
}

// start returns the file of a session. Its own header is read as the session is, because the user may have named a
// link.
func (h *histories) start(s *Session) historyFile {
	file := s.historyFile()
	h.step(file, s.header)
	return file
}

// step returns the step from a file to the history that its header refers to. The header is read once.
func (h *histories) step(file historyFile, header func() jsonl.Header) historyStep {
	step, isKnown := h.steps[file]
	if isKnown {
		return step
	}
	history := header().History
	if step.bytes = history.Bytes; history.Session != "" {
		if found, ok := h.near(file).byID[history.Session]; ok {
			step.file = &found
		} else {
			step.missing = &HistoryError{history.Session}
		}
	}
	h.steps[file] = step
	return step
}

// A historyFolder has the files of live sessions in a folder and in those of dates below it.
type historyFolder struct {
	byID  map[string]historyFile // by the ids that others refer to
	dates []*datedFolder         // in order
}

// near lists the files near another: in its folder, or in folders with the parts of other dates, as far as they were
// named. A folder is listed once.
func (h *histories) near(file historyFile) *historyFolder {
	folder := historyFile{file.reach, "."}
	above := aboveDates(filepath.Join(file.reach, filepath.Dir(filepath.FromSlash(file.below))))
	if below, err := filepath.Rel(file.reach, above); err == nil && filepath.IsLocal(below) {
		folder.below = filepath.ToSlash(below)
	}
	if h.folders[folder] == nil {
		h.folders[folder] = folder.list()
	}
	return h.folders[folder]
}

// list lists the files of live sessions below a folder.
func (f historyFile) list() *historyFolder {
	list := &historyFolder{byID: map[string]historyFile{}}
	byPath := map[string]*datedFolder{}
	_ = f.rooted().Walk(func(below string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil // what cannot be read is not the session
		}
		n, ok := ParseName(entry.Name())
		if !ok || n.Kind != Live {
			return nil
		}
		list.byID[n.part()] = historyFile{f.reach, below}
		path := filepath.Dir(filepath.Join(f.reach, filepath.FromSlash(below)))
		if byPath[path] == nil {
			byPath[path] = &datedFolder{path: path}
			list.dates = append(list.dates, byPath[path])
		}
		byPath[path].files = append(byPath[path].files, below)
		return nil
	})
	return list
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
	file  historyFile
	bytes int64
	in    *Input // nil before the first read, and after the last one
	text  io.Reader
}

func (r *historyReader) Read(p []byte) (n int, err error) {
	if r.text == nil {
		if r.in, err = r.file.open(); err != nil {
			return 0, err
		}
		r.text = r.in.First(r.bytes)
	}
	n, err = r.text.Read(p)
	if err != nil {
		r.close()
	}
	return n, err
}

// close closes the file if it is open.
func (r *historyReader) close() {
	if r.in != nil {
		r.in.Close()
		r.in = nil
	}
}

// A datedFolder is a folder with the sessions of a date.
type datedFolder struct {
	path    string   // absolute
	files   []string // of live sessions, below the folder that was named
	once    sync.Once
	started map[string][]string // the files by the session that started theirs
}

// dated returns the folders with sessions near a session, in order.
func (h *histories) dated(s *Session) []*datedFolder {
	defer h.lock()()
	return h.near(s.historyFile()).dates
}

// startedBy returns the files of the sessions in the folder whose header says that a session has started them. They
// begin after it.
func (f *datedFolder) startedBy(s *Session) (files []string) {
	f.once.Do(func() {
		f.started = map[string][]string{}
		for _, below := range f.files {
			for _, other := range s.appendNear(nil, below) {
				if by := other.SpawnedBy(); by != "" && other.ID > by {
					f.started[by] = append(f.started[by], below)
				}
			}
		}
	})
	return f.started[s.ID]
}
