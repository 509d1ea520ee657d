package source

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"clawctl/internal/regex"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/source/packed"
)

// headSize is how much of a file is read to see what it is, after decompression.
const headSize = 16 << 10

// A head is what the beginning of a file says about it.
type head struct {
	isTranscript bool   // it has a header, or a record of a known dialect
	isDatabase   bool   // it is an SQLite file
	id           string // of the session, according to the header; may be ""
}

// head reads the beginning of a file below the root.
func (w *walker) head(path string) (head, error) {
	file, err := w.openAny(path)
	if err != nil {
		return head{}, err
	}
	defer file.Close()
	return readHead(file, w.displayPath(path), &w.reader)
}

// readHead reads the beginning of an open file. A file that is compressed, but damaged, is not a transcript.
func readHead(file fs.File, name string, reader *jsonl.Reader) (h head, err error) {
	in, err := fileInput(file, name, false)
	if errors.As(err, new(*packed.Error)) {
		return h, nil
	}
	if err != nil {
		return h, err
	}
	if in.finishes != nil {
		defer in.finishes()
	}
	start, err := io.ReadAll(io.LimitReader(in, headSize))
	if err != nil && in.packed == nil {
		return h, err
	}
	return headOf(start, reader), nil
}

// headOf says what the beginning of a text is.
func headOf(start []byte, reader *jsonl.Reader) head {
	var h head
	if bytes.HasPrefix(start, []byte("SQLite format 3\x00")) {
		return head{isDatabase: true}
	}
	for rec, err := range reader.Records(bytes.NewReader(start), jsonl.Options{}) {
		if err != nil || !rec.Blank && !mayBeRecord(rec) {
			break // a text with records in it, such as a log or a document
		}
		if rec.Legible() && rec.Type() == jsonl.TypeSession && h.id == "" {
			header, _ := rec.Header()
			h.id = header.ID
		}
	}
	h.isTranscript = reader.Dialect().IsKnown()
	if !h.isTranscript && bytes.HasPrefix(start, []byte("{")) { // a record that is torn, or longer than what is read
		found, _ := reader.Recognize(bytes.NewReader(start), nil)
		h.isTranscript = found.IsTranscript
	}
	return h
}

// mayBeRecord reports whether a line is a record, or was one before it was damaged.
func mayBeRecord(rec *jsonl.Record) bool {
	return rec.Legible() || rec.Raw[0] == '{' || rec.Raw[0] == 0
}

// hashedStem is the name of an archive of a session whose id is too long for a file name. The digits are the SHA-256 of
// the id, which only the header has.
var hashedStem = regex.Lazy(`^session-([0-9a-f]{64})$`)

// isHashOf reports whether a stem stands for an id.
func isHashOf(stem, id string) bool {
	sum := sha256.Sum256([]byte(id))
	return stem == "session-"+hex.EncodeToString(sum[:])
}

// nameByHeader replaces the hash in a name by the id in the header of the file.
func (n Name) nameByHeader(h head) Name {
	if isHashOf(n.ID, h.id) {
		n.ID = h.id
	}
	return n
}

// guessName returns the parts of the name of a transcript that was recognized by its content: the id from the name, or
// from the header if the name has none, and the kind that the rest of the name suggests.
func guessName(base, headerID string) Name {
	var n Name
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".zst"), ".gz")
	n.Generation = base
	if stem, rest, ok := strings.Cut(base, suffix); ok && stem != "" {
		n.parseStem(stem)
		n.Generation = rest
	} else if id := leadingID().FindString(base); id != "" {
		n.ID, n.Generation = id, base[len(id):]
	} else if n.ID = headerID; n.ID == "" {
		n.ID = base
	}
	n.Kind = kindNamed(n.Generation)
	if trimmed := strings.TrimLeft(n.Generation, ".-_ "); trimmed != "" {
		n.Generation = trimmed
	}
	return n.nameByHeader(head{id: headerID})
}

var leadingID = regex.Lazy(`^` + uuidPattern)

// kindWords are the words in names of files and folders that say why a copy was made.
var kindWords = map[string]Kind{
	"reset": Reset, "deleted": Deleted, "delete": Deleted, "removed": Deleted, "trash": Deleted, "checkpoint": Checkpoint,
	"archive": Archive, "archived": Archive, "archives": Archive, "compacted": Archive, "rotated": Archive,
	"imported": Archive, "history": Archive,
}

// kindNamed returns the kind that a name suggests. Without a known word, it is a backup.
func kindNamed(name string) Kind {
	isLetter := func(r rune) bool { return r >= 'a' && r <= 'z' }
	for _, word := range strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !isLetter(r) }) {
		if kind, known := kindWords[word]; known {
			return kind
		}
	}
	return Backup
}

// nameOfFile returns the parts of the name of a file that was named on its own, with the help of its header.
func nameOfFile(path, base string, open func() (fs.File, error)) Name {
	name, ok := ParseName(base)
	if ok && !hashedStem().MatchString(name.ID) {
		return name
	}
	hasID := strings.Contains(base, suffix) || leadingID().MatchString(base)
	switch h := headFrom(open); {
	case ok:
		return name.nameByHeader(h)
	case h.isTranscript && hasID && !isExpected(base) && !isRegistered(path, base):
		return guessName(base, h.id)
	}
	return Name{ID: base, Kind: Live}
}

// isRegistered reports whether the sessions.json beside a file names it, or may do so because it is damaged.
func isRegistered(path, base string) bool {
	data, err := openclaw.ReadWhole(filepath.Join(filepath.Dir(path), openclaw.IndexName))
	if err != nil {
		return !errors.Is(err, fs.ErrNotExist)
	}
	found := !openclaw.IsWhole(data)
	openclaw.EachText(data, func(text string) { found = found || openclaw.BaseName(text) == base })
	return found
}

// headFrom reads the beginning of a regular file. One that cannot be read says nothing.
func headFrom(open func() (fs.File, error)) (h head) {
	file, err := open()
	if err != nil {
		return h
	}
	defer file.Close()
	h, _ = readHead(file, "", &jsonl.Reader{})
	return h
}
