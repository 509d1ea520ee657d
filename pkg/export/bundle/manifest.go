package bundle

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"clawctl/internal/failure"
)

// The manifest is the first member of a bundle.
const (
	manifestName = "clawctl-bundle.json"
	format       = "clawctl-bundle"
	version      = 1
	// groupedVersion is that of a bundle whose frames have several files.
	groupedVersion = 2
)

// Limits of a manifest.
const (
	maxManifest = 64 << 20
	maxFiles    = 200_000
)

// A Kind says what a file of a bundle is.
type Kind string

// The kinds of files.
const (
	Transcript Kind = "transcript"
	Index      Kind = "index" // a sessions.json
	Media      Kind = "media" // what a transcript mentions
)

// A File is what a manifest says about one file.
type File struct {
	Path     string `json:"path"` // with slashes
	Kind     Kind   `json:"kind"`
	Size     int64  `json:"size"`
	SHA256   string `json:"sha256"`
	Modified int64  `json:"modified,omitempty"` // seconds since 1970, 0 if unknown
}

// ModTime returns when the original was modified, the zero time if that is not known.
func (f *File) ModTime() time.Time {
	if f.Modified == 0 {
		return time.Time{}
	}
	return time.Unix(f.Modified, 0).UTC()
}

// A Manifest lists the files of a bundle, in their order.
type Manifest struct {
	Format   string `json:"format"`
	Version  int    `json:"version"`
	Redacted bool   `json:"redacted,omitempty"`
	// Frames are the numbers of files in each frame. Without it, every file is a frame of its own.
	Frames []int `json:"frames,omitempty"`
	// Stored describes the sessions of a store whose text the bundle has. It is nil if they are not of a store.
	Stored json.RawMessage `json:"stored,omitempty"`
	Files  []File          `json:"files"`
}

// Group puts neighbouring files into one frame until they have a number of bytes together. What several files have in
// common is compressed once then, and a file is read from the beginning of its frame. A file that is larger by itself
// gains nothing from others, so it is alone.
func (m *Manifest) Group(bytes int64) {
	m.Version, m.Frames = groupedVersion, nil
	left := int64(0) // room in the last frame
	for i := range m.Files {
		size := m.Files[i].Size
		if left <= 0 || size >= bytes {
			m.Frames, left = append(m.Frames, 0), bytes
		}
		m.Frames[len(m.Frames)-1]++
		left -= size // a large file leaves no room
	}
}

// groups returns the first file of each frame, and after them the number of files.
func (m *Manifest) groups() []int {
	var firsts []int
	first := 0
	for _, n := range m.Frames {
		firsts = append(firsts, first)
		first += n
	}
	for ; first < len(m.Files); first++ {
		firsts = append(firsts, first)
	}
	return append(firsts, len(m.Files))
}

// errNewer is the error for a bundle of a later version.
var errNewer error = &failure.Sentinel{
	Code: failure.Newer, Text: "a newer version of clawctl wrote this bundle", Hint: "clawctl version",
}

// A RefusedError says why a bundle is refused as a whole.
type RefusedError struct {
	Member string // the file in the bundle, or ""
	Reason string
	Err    error
}

// FailureAt says how to look into the bundle.
func (e *RefusedError) FailureAt(path string) *failure.Error {
	return failure.New(failure.BadBundle, "%v", e).At(path).WithHint("zstd -dc " + failure.Quote(path) + " | tar -t")
}

func (e *RefusedError) Error() string {
	text := "the bundle is refused: "
	if e.Member != "" {
		text += fmt.Sprintf("%q: ", e.Member)
	}
	if e.Err != nil {
		return text + e.Reason + ": " + e.Err.Error()
	}
	return text + e.Reason
}

func (e *RefusedError) Unwrap() error { return e.Err }

func refused(member, reason string, args ...any) error {
	return &RefusedError{Member: member, Reason: fmt.Sprintf(reason, args...)}
}

func parseManifest(text []byte) (*Manifest, error) {
	var known struct {
		Format  string
		Version int
	}
	if err := json.Unmarshal(text, &known); err != nil || known.Format != format {
		return nil, refused(manifestName, "not the manifest of a bundle")
	}
	if known.Version > groupedVersion {
		return nil, errNewer
	}
	m := &Manifest{}
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.DisallowUnknownFields()
	if err := dec.Decode(m); err != nil {
		return nil, &RefusedError{manifestName, "the manifest cannot be read", err}
	}
	if _, err := dec.Token(); err != io.EOF {
		return nil, refused(manifestName, "text follows the manifest")
	}
	return m, m.check()
}

// check refuses a manifest with a file that a bundle must not have.
func (m *Manifest) check() error {
	switch {
	case m.Version < version || m.Version > groupedVersion:
		return refused(manifestName, "version %d does not exist", m.Version)
	case len(m.Files) > maxFiles:
		return refused(manifestName, "it lists more than %d files", maxFiles)
	case m.Version == version && (m.Frames != nil || m.Stored != nil) || !m.hasWholeFrames():
		return refused(manifestName, "its frames are not those of its files")
	}
	names := taken{}
	for i := range m.Files {
		f := &m.Files[i]
		if err := f.check(); err != nil {
			return err
		}
		if err := names.add(f.Path); err != nil {
			return err
		}
	}
	return nil
}

// hasWholeFrames reports whether the frames have exactly the files.
func (m *Manifest) hasWholeFrames() bool {
	files := 0
	for _, n := range m.Frames {
		if n < 1 || n > len(m.Files)-files {
			return false
		}
		files += n
	}
	return m.Version == version || files == len(m.Files)
}

func (f *File) check() error {
	if err := CheckName(f.Path, f.Kind); err != nil {
		return err
	}
	sum, err := hex.DecodeString(f.SHA256)
	switch {
	case err != nil || len(sum) != 32 || strings.ToLower(f.SHA256) != f.SHA256:
		return refused(f.Path, "its SHA-256 is not 64 hexadecimal digits")
	case f.Size < 0:
		return refused(f.Path, "its size is negative")
	case f.Modified < 0 || f.Modified > maxTime:
		return refused(f.Path, "its time is out of range")
	}
	return nil
}

// maxTime is the last second that every tar program can write.
const maxTime = 1<<33 - 1
