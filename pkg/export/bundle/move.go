package bundle

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/pkg/jsonl"
)

// maxIndex is the maximum size of a sessions.json.
const maxIndex = 256 << 20

// A Mapping replaces the beginning of paths.
type Mapping struct{ Old, New string }

// ParseMapping parses OLD=NEW.
func ParseMapping(text string) (Mapping, error) {
	old, now, ok := strings.Cut(text, "=")
	m := Mapping{trimSeparators(old), trimSeparators(now)}
	if !ok || m.Old == "" || m.New == "" {
		return Mapping{}, errors.New("must be OLD=NEW, two folders")
	}
	return m, nil
}

// trimSeparators removes slashes from the end of a path, but not the only one.
func trimSeparators(name string) string {
	if trimmed := strings.TrimRight(name, `/\`); trimmed != "" {
		return trimmed
	}
	return name
}

// apply returns a path with another beginning. ok is false if the mapping is for other paths.
func (m Mapping) apply(name string) (moved string, ok bool) {
	rest, ok := strings.CutPrefix(name, m.Old)
	if !ok || rest != "" && !strings.ContainsAny(rest[:1], `/\`) && !strings.HasSuffix(m.Old, "/") {
		return name, false
	}
	if strings.Contains(m.Old, `\`) != strings.Contains(m.New, `\`) { // between Windows and other systems
		separator := "/"
		if strings.Contains(m.New, `\`) {
			separator = `\`
		}
		rest = strings.NewReplacer(`\`, separator, "/", separator).Replace(rest)
	}
	return m.New + rest, true
}

// A Change is one value that was rewritten.
type Change struct {
	File  string `json:"file"`            // in the bundle
	Key   string `json:"key,omitempty"`   // of the session, in an index
	Field string `json:"field,omitempty"` // its path, such as sessionFile
	Old   string `json:"old"`
	New   string `json:"new"`

	Folders Mapping `json:"-"` // the folder that was replaced, and by which
}

// A mover rewrites the paths in registrations and headers for another machine. Everything else stays as it is.
type mover struct {
	folder   string // in which the files will be
	mappings []Mapping
	files    map[string]bool
	changed  func(Change)
}

// newMover returns a mover for the files of a manifest, which will be below a folder. It calls changed with every
// change.
func newMover(m *Manifest, folder string, mappings []Mapping, changed func(Change)) *mover {
	files := map[string]bool{}
	for i := range m.Files {
		files[m.Files[i].Path] = true
	}
	longest := slices.Clone(mappings)
	slices.SortStableFunc(longest, func(a, b Mapping) int { return len(b.Old) - len(a.Old) })
	return &mover{folder, longest, files, changed}
}

// copy copies a file of the bundle with its paths rewritten. A compressed transcript is copied as it is.
func (m *mover) copy(f *File, out io.Writer, in io.Reader, opts jsonl.Options) error {
	switch {
	case f.Kind == Index:
		return m.index(f, out, in)
	case f.Kind == Transcript && !isCompressed(f.Path):
		return m.transcript(f, out, in, opts)
	}
	_, err := io.Copy(out, in)
	return err
}

func isCompressed(name string) bool {
	return strings.Contains(name, ".zst") || strings.Contains(name, ".gz")
}

// index rewrites a sessions.json.
func (m *mover) index(f *File, out io.Writer, in io.Reader) error {
	text, err := io.ReadAll(io.LimitReader(in, maxIndex+1))
	if err != nil {
		return err
	}
	if len(text) > maxIndex || !json.Valid(text) || bytes.TrimSpace(text)[0] != '{' {
		return refused(f.Path, "it is not a JSON object of at most %d MiB", maxIndex>>20)
	}
	e := &edit{mover: m, file: f.Path}
	moved := jsonl.Value(bytes.TrimSpace(text)).WithMembers(func(key string, value jsonl.Value) jsonl.Value {
		e.key = key
		return e.value("", value)
	})
	if e.changes > 0 {
		var indented bytes.Buffer
		if err := json.Indent(&indented, moved, "", "  "); err != nil {
			return fmt.Errorf("indent %s: %w", f.Path, err)
		}
		text = append(indented.Bytes(), '\n')
	}
	_, err = out.Write(text)
	return err
}

// transcript rewrites the header of a transcript.
func (m *mover) transcript(f *File, out io.Writer, in io.Reader, opts jsonl.Options) error {
	w := jsonl.NewWriter(out)
	isDone := false
	for rec, err := range jsonl.Records(in, opts) {
		if err != nil {
			return err
		}
		raw := rec.Raw
		if !isDone && rec.Legible() && rec.Type() == jsonl.TypeSession {
			raw, isDone = m.header(f, rec), true
		}
		if err := w.WriteRaw(raw); err != nil {
			return err
		}
	}
	return w.Flush()
}

// headerPaths are the members of a header that are paths.
var headerPaths = []string{"cwd", "parentSession", "branchedFrom"}

func (m *mover) header(f *File, rec *jsonl.Record) []byte {
	e := &edit{mover: m, file: f.Path}
	moved := rec.Stated().WithMembers(func(key string, value jsonl.Value) jsonl.Value {
		if !slices.Contains(headerPaths, key) {
			return value
		}
		return e.value(key, value)
	})
	if e.changes == 0 {
		return rec.Raw
	}
	start := bytes.Index(rec.Raw, rec.Stated())
	return slices.Concat(rec.Raw[:start], moved, rec.Raw[start+len(rec.Stated()):])
}

// An edit rewrites the paths in a JSON value.
type edit struct {
	mover     *mover
	file, key string
	changes   int
}

// value returns a value with its paths rewritten. A value without any stays as it was written.
func (e *edit) value(field string, v jsonl.Value) jsonl.Value {
	before := e.changes
	var moved jsonl.Value
	switch {
	case v.IsString():
		return e.text(field, v)
	case v.IsObject():
		moved = v.WithMembers(func(key string, value jsonl.Value) jsonl.Value {
			return e.value(strings.TrimPrefix(field+"."+key, "."), value)
		})
	case v.IsArray():
		var elements []string
		for element := range v.Elements() {
			elements = append(elements, string(e.value(field, element)))
		}
		moved = jsonl.Value("[" + strings.Join(elements, ",") + "]")
	}
	if e.changes == before {
		return v
	}
	return moved
}

// text rewrites a string if it is a path that leads to a file of the bundle, or that a mapping is for.
func (e *edit) text(field string, v jsonl.Value) jsonl.Value {
	old := v.String()
	now, folders := e.move(field[strings.LastIndexByte(field, '.')+1:], old)
	if now == old {
		return v
	}
	e.changes++
	e.mover.changed(Change{e.file, e.key, field, old, now, folders})
	return jsonl.Value(jsonl.Quote(now))
}

// filePaths are the members whose values are paths of transcripts.
var filePaths = []string{"sessionFile", "parentSession", "branchedFrom"}

// move returns where a path leads on this machine, and the folders that differ.
func (e *edit) move(name, old string) (string, Mapping) {
	if slices.Contains(filePaths, name) {
		base := old[strings.LastIndexAny(old, `/\`)+1:]
		if beside := path.Join(path.Dir(e.file), base); base != "" && e.mover.files[beside] {
			return filepath.Join(e.mover.folder, filepath.FromSlash(beside)), Mapping{folderOf(old, beside), e.mover.folder}
		}
	}
	for _, mapping := range e.mover.mappings {
		if moved, ok := mapping.apply(old); ok {
			return moved, mapping
		}
	}
	return old, Mapping{}
}

// folderOf returns the folder in which a file of the bundle was, as far as its path in the bundle says.
func folderOf(old, below string) string {
	slashed := strings.ReplaceAll(old, `\`, "/")
	for !strings.HasSuffix(slashed, "/"+below) {
		_, rest, found := strings.Cut(below, "/")
		if !found {
			break
		}
		below = rest
	}
	return trimSeparators(old[:max(0, len(old)-len(below))])
}
