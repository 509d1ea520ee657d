package hold

import (
	"bytes"
	"errors"
	"io/fs"
	pathpkg "path"
	"path/filepath"
	"slices"

	"clawctl/internal/portable"
	"clawctl/pkg/source/openclaw"
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
	data, err := openclaw.ReadWhole(path)
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
	openclaw.EachText(data, func(text string) {
		h.holdNamed(text, folder, path)
		for _, f := range h.byID[portable.Fold(text)] {
			if f.hasIndex(folder) {
				h.hold(f, Hold{Registered, path})
			}
		}
	})
	if !openclaw.IsWhole(data) {
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
