package source

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	pathpkg "path"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/openfile"
	"clawctl/internal/portable"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/store/dbfile"
)

// An indexState says what is known about an index.
type indexState int

const (
	noIndex indexState = iota
	unreadableIndex
	damagedIndex
	emptyIndex
	healthyIndex
)

// searchIndex holds every file that an index names, and returns the state of the index. Each index is read once.
func (h *holder) searchIndex(path string) indexState {
	state, known := h.states[path]
	if !known {
		state = h.readRegistrations(path)
		h.states[path] = state
	}
	return state
}

func (h *holder) readRegistrations(path string) indexState {
	data, err := readWhole(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return noIndex
	case err != nil:
		return unreadableIndex
	}
	if len(bytes.TrimSpace(data)) == 0 {
		return emptyIndex
	}
	folder := filepath.Dir(path)
	eachText(data, func(text string) {
		h.holdNamed(text, folder, path)
		for _, f := range h.byID[portable.Fold(text)] {
			if f.hasIndex(folder) {
				h.hold(f, Hold{Registered, path})
			}
		}
	})
	if !isObject(data) {
		return damagedIndex
	}
	return healthyIndex
}

// hasIndex reports whether the index in a folder is about the file: the index beside it or, as in claw0, above.
func (f *heldFile) hasIndex(folder string) bool {
	return slices.ContainsFunc(f.paths, func(path string) bool {
		own := filepath.Dir(path)
		return own == folder || isBelowIndex(own) && filepath.Dir(own) == folder
	})
}

// holdNamed holds the files that a text in a registration names.
func (h *holder) holdNamed(text, folder, by string) {
	for _, f := range h.byBase[pathpkg.Base(cleanPath(text))] {
		for _, path := range f.paths {
			if isNamed(text, folder, path) {
				h.hold(f, Hold{Registered, by})
			}
		}
	}
}

// readWhole reads an index. It neither follows a link nor waits for a pipe.
func readWhole(path string) ([]byte, error) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || dbfile.IsInUse(info) {
		return nil, cmp.Or(err, dbfile.ErrNotRegular)
	}
	file, err := openfile.ReadNow(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxIndex+1))
	if err == nil && len(data) > maxIndex {
		err = errIndexTooLong
	}
	return data, err
}

var errIndexTooLong = errors.New("the index is too long")

// isObject reports whether data is a complete JSON object.
func isObject(data []byte) bool {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	line := bytes.ReplaceAll(data, []byte("\n"), []byte(" "))
	rec := (&jsonl.Parser{Verbatim: true}).Parse(line, 1, 0)
	return rec.Damage == nil && !rec.Blank
}

// eachText calls f for every text between two quotes of a JSON document, and also for what is between the texts. So it
// finds every string of a damaged document too, whatever is missing before it.
func eachText(data []byte, f func(text string)) {
	for len(data) > 0 {
		end := 0
		for end < len(data) && data[end] != '"' {
			if data[end] == '\\' {
				end++
			}
			end++
		}
		end = min(end, len(data))
		f(plainText(data[:end]))
		data = data[min(end+1, len(data)):]
	}
}

// plainText decodes the inside of a string. One that is damaged is taken as it is, with its backslashes single.
func plainText(inside []byte) string {
	if bytes.IndexByte(inside, '\\') < 0 {
		return string(inside)
	}
	var text string
	if json.Unmarshal([]byte(`"`+string(inside)+`"`), &text) == nil {
		return text
	}
	return strings.ReplaceAll(strings.ReplaceAll(string(inside), `\\`, `\`), `\/`, "/")
}
