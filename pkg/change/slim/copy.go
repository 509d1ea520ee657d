package slim

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"unicode/utf8"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// A Manifest says how to make the original from a copy.
type Manifest struct {
	Version  int    `json:"version"`
	Original Digest `json:"original"`
	Copy     Digest `json:"copy"`
	Folder   string `json:"folder"` // of the content files, relative to the manifest
	Cuts     []Cut  `json:"cuts"`
}

// A Digest identifies bytes.
type Digest struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// A Cut is where something was taken out.
type Cut struct {
	At     int64    `json:"at"`     // in the copy
	Length int64    `json:"length"` // of what stands there now
	File   string   `json:"file"`
	Form   Encoding `json:"form"`
	Before string   `json:"before,omitempty"` // what comes before the content
	After  string   `json:"after,omitempty"`  // what comes after it
}

// An Encoding is how the content of a file was written in the transcript.
type Encoding string

// The encodings.
const (
	Raw    Encoding = "raw"    // as it is
	Base64 Encoding = "base64" // in base64
	Quoted Encoding = "quoted" // as a JSON string
)

// A Copier writes the small copy of one session.
type Copier struct {
	Options
	Tally    Tally
	manifest Manifest
	out      counter
	original counter
	kept     map[string]bool
}

// A counter counts and digests bytes.
type counter struct {
	n    int64
	hash hash.Hash
}

func newCounter() counter { return counter{hash: sha256.New()} }

func (c *counter) add(text []byte) {
	c.n += int64(len(text))
	c.hash.Write(text)
}

func (c *counter) digest() Digest { return Digest{c.n, hex.EncodeToString(c.hash.Sum(nil))} }

// Copy writes the small copy of a transcript, and returns its manifest. folder is where the content files are, as seen
// from the manifest.
func (c *Copier) Copy(in io.Reader, out io.Writer, folder string, opts jsonl.Options) (*Manifest, error) {
	c.Tally, c.out, c.original = Tally{}, newCounter(), newCounter()
	c.manifest = Manifest{Version: 1, Folder: folder, Cuts: []Cut{}}
	if c.kept == nil {
		c.kept = map[string]bool{}
	}
	w := jsonl.NewWriter(out)
	for rec, err := range jsonl.Records(in, opts) {
		if err != nil {
			return nil, err
		}
		c.original.add(rec.Raw)
		line, err := c.line(rec)
		if err != nil {
			return nil, err
		}
		if err = w.WriteRaw(line); err != nil {
			return nil, err
		}
		c.out.add(line)
	}
	c.manifest.Original, c.manifest.Copy = c.original.digest(), c.out.digest()
	return &c.manifest, w.Flush()
}

// line returns a record without its large pieces.
func (c *Copier) line(rec *jsonl.Record) ([]byte, error) {
	other := c.Tally.of(Other)
	other.add(Sizes{Before: int64(len(rec.Raw)), After: int64(len(rec.Raw))})
	if !rec.Legible() || rec.Blank {
		return rec.Raw, nil
	}
	text := rec.Text()
	var line []byte
	begin := bytes.Index(rec.Raw, text) // after a byte order mark
	from := 0
	for _, p := range recordPieces(rec) {
		size := int64(p.end - p.start)
		sizes := c.Tally.of(p.kind)
		sizes.add(Sizes{Before: size, After: size})
		other.Before, other.After = other.Before-size, other.After-size
		if limit := c.over(p.kind); limit < 0 || int(size) <= limit {
			continue
		}
		if line == nil {
			line = append(line, rec.Raw[:begin]...)
		}
		start, end, stub, err := c.take(text, p, c.out.n+int64(len(line)+p.start-from))
		if err != nil {
			return nil, err
		}
		line = append(append(line, text[from:start]...), stub...)
		from = end
		sizes.Pieces++
		sizes.After += int64(len(stub)) - size
		other.After -= int64(end-start) - size // keys and commas that go with it
	}
	if line == nil {
		return rec.Raw, nil
	}
	return append(line, rec.Raw[begin+from:]...), nil
}

// take takes a piece out of a line: it returns the bytes to replace, and what stands for them.
func (c *Copier) take(text []byte, p piece, at int64) (start, end int, stub []byte, err error) {
	if len(c.Drop) > 0 {
		if (p.kind == Details || p.kind == Thinking) && !p.only {
			return p.from, p.to, nil, nil
		}
		return p.start, p.end, stubOf(text, p, ""), nil
	}
	cut, content := contentOf(text, p)
	if !c.kept[cut.File] {
		if err := c.Keep(cut.File, content); err != nil {
			return 0, 0, nil, err
		}
		c.kept[cut.File] = true
	}
	stub = stubOf(text, p, c.manifest.Folder+"/"+cut.File)
	cut.At, cut.Length = at, int64(len(stub))
	c.manifest.Cuts = append(c.manifest.Cuts, cut)
	return p.start, p.end, stub, nil
}

// headSize is how much of a large result stays.
const headSize = 400

// stubOf returns what stands for a piece in a copy.
func stubOf(text []byte, p piece, where string) []byte {
	size := fmt.Sprintf("%d bytes of ", p.end-p.start)
	switch p.kind {
	case Images:
		what := cmp.Or(p.mime, "an image")
		return []byte(`{"type":"text","text":` + jsonl.Quote(note(size+what, where)) + `}`)
	case Thinking:
		return []byte(`{"type":"text","text":` + jsonl.Quote(note("thinking", where)) + `}`)
	case Details:
		return []byte(`{}`)
	}
	head := jsonl.Value(text[p.start:p.end]).String()
	head = head[:min(len(head), headSize)]
	for len(head) > 0 && !utf8.ValidString(head) {
		head = head[:len(head)-1]
	}
	return []byte(jsonl.Quote(head + "\n" + note(size+"this result", where)))
}

// extensions are the ends of file names, by the type of an image.
var extensions = map[string]string{
	"image/png": ".png", "image/jpeg": ".jpg", "image/gif": ".gif", "image/webp": ".webp", "image/svg+xml": ".svg",
}

// contentOf returns the content of a piece, in the form that is most useful as a file.
func contentOf(text []byte, p piece) (cut Cut, content []byte) {
	raw := text[p.start:p.end]
	cut, content = Cut{Form: Raw, File: ".json"}, raw
	if p.kind == Images && p.data[1] > p.data[0] {
		before, data, after := text[p.start:p.data[0]], text[p.data[0]:p.data[1]], text[p.data[1]:p.end]
		image, err := base64.StdEncoding.DecodeString(string(data))
		isExact := err == nil && base64.StdEncoding.EncodeToString(image) == string(data)
		if isExact && utf8.Valid(before) && utf8.Valid(after) {
			content = image
			cut = Cut{Form: Base64, File: cmp.Or(extensions[p.mime], ".bin"), Before: string(before), After: string(after)}
		}
	}
	if p.kind == Results {
		decoded := jsontext.Decode(nil, raw[1:len(raw)-1])
		if jsonl.Quote(string(decoded)) == string(raw) {
			cut, content = Cut{Form: Quoted, File: ".txt"}, decoded
		}
	}
	sum := sha256.Sum256(content)
	cut.File = hex.EncodeToString(sum[:]) + cut.File
	return cut, content
}

// Size returns the size of the last copy.
func (c *Copier) Size() int64 { return c.out.n }
