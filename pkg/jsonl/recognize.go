package jsonl

import (
	"bytes"
	"io"
	"unicode/utf8"

	"clawctl/pkg/dialect"
)

// Limits of what is searched for a record that shows whose text it is. A healthy transcript shows that with its first
// line. The limits are for beginnings that are damaged.
const (
	searchedBytes = 64 << 20
	searchedLine  = 1 << 20  // of one line
	mendedLines   = 10_000   // damaged lines whose remains are looked at
	mendedLine    = 64 << 10 // of one damaged line
)

// A Recognition says whether a text is a transcript.
type Recognition struct {
	// IsTranscript is set if a record fits a dialect, or was one that did before it was damaged. A text without lines
	// is a transcript that has not begun.
	IsTranscript bool
	// IsBlank is set if the whole text has blank lines only, or none.
	IsBlank bool
	// First is the damage of the first line, or nil.
	First *Damage
	// IsIllegible is set if there are lines, but none that can be read as a record of any program.
	IsIllegible bool
	// IsBinary is set if no line can be read, and some have bytes that no text has.
	IsBinary bool
	// IsCut is set if the text is longer than what was searched.
	IsCut bool
	// Dialect is that of the first record that fits one.
	Dialect Dialect
	// LooksLike says what the first record is if it fits none, or "" if nobody knows.
	LooksLike string
}

// Recognize is Reader.Recognize with a reader that others use afterwards.
func Recognize(src io.Reader, fits func(*Record) bool) (Recognition, error) {
	r := readers.Get().(*Reader)
	defer readers.Put(r)
	return r.Recognize(src, fits)
}

// Recognize reads a text up to the first record that fits a dialect. Records that are known to fit by what surrounds
// them can be added with fits, which may be nil.
func (r *Reader) Recognize(src io.Reader, fits func(*Record) bool) (found Recognition, err error) {
	limited := &io.LimitedReader{R: &gentleReader{src: src, size: firstRead}, N: searchedBytes}
	src = limited
	lines, damaged := 0, 0
	for rec, err := range r.Records(src, Options{MaxLine: searchedLine}) {
		if err != nil {
			return found, err
		}
		if rec.Blank || rec.Continued {
			continue
		}
		if lines++; lines == 1 {
			found.First, found.IsIllegible = rec.Damage, true
			found.LooksLike = dialect.LooksLike(rec.Stated())
		}
		isLong := rec.Damage != nil && rec.Damage.Code == TooLong // for this search only
		found.IsIllegible = found.IsIllegible && !rec.Legible() && !isLong
		if !rec.Legible() {
			damaged++
		}
		found.IsBinary = found.IsIllegible && (found.IsBinary || isBinary(rec.Raw))
		isKnown := (rec.Legible() || damaged <= mendedLines) && rec.fitsDialect() || fits != nil && fits(rec)
		found.IsTranscript = found.IsTranscript || isKnown
		if found.IsTranscript && !found.IsIllegible {
			found.Dialect = r.Dialect()
			return found, nil
		}
	}
	found.IsCut = limited.N == 0
	found.IsBlank = lines == 0 && !found.IsCut
	found.IsTranscript = found.IsTranscript || lines == 0
	found.IsBinary = found.IsBinary && found.First.Code != WrongCoded
	return found, nil
}

func isBinary(line []byte) bool { return bytes.IndexByte(line, 0) >= 0 || !utf8.Valid(line) }

// fitsDialect reports whether the record, or what is left of it, fits a dialect.
func (r *Record) fitsDialect() bool {
	if r.Legible() {
		return dialect.Detect(statedLine{r}).IsKnown()
	}
	rest := (&Parser{}).Parse(remains(r.Raw), 1, 0)
	return rest.Legible() && (dialect.Detect(statedLine{rest}).IsKnown() || dialect.IsBeginning(statedLine{rest}))
}

// remains returns the first record of a damaged line as far as it is whole: without NUL bytes, which are half of a text
// in UTF-16, without the bracket of a list, and up to the first wrong byte.
func remains(line []byte) []byte {
	text := bytes.ReplaceAll(line[:min(len(line), mendedLine)], []byte{0}, nil)
	text = bytes.Trim(text, "\xff\xfe\xef\xbb\xbf \t\r\n")
	text = bytes.TrimLeft(text, "[ ")
	rec := (&Parser{}).Parse(text, 1, 0)
	if rec.Blank || rec.Legible() {
		return text
	}
	return closeObject(text[:min(int(rec.Damage.Column)-1, len(text))])
}

// closeObject returns the object that a text begins with. If it is torn, it is cut after its last whole member, and
// its brackets are closed.
func closeObject(text []byte) []byte {
	var open []byte // the brackets that close what is open
	cut, depth := 0, 0
	inString, isEscaped := false, false
	for i, c := range text {
		switch {
		case isEscaped:
			isEscaped = false
		case inString:
			isEscaped, inString = c == '\\', c != '"'
		case c == '"':
			inString = true
		case c == '{', c == '[':
			open = append(open, c+2) // the code of } and ] follows that of { and [ by two
		case c == '}', c == ']':
			if len(open) <= 1 {
				return text[:i+1]
			}
			open = open[:len(open)-1]
			cut, depth = i+1, len(open)
		case c == ',':
			cut, depth = i, len(open)
		}
	}
	closed := bytes.Clone(text[:cut])
	for i := depth - 1; i >= 0; i-- {
		closed = append(closed, open[i])
	}
	return closed
}

// firstRead is how much is read of a text at first, in which most headers are.
const firstRead = 4 << 10

// A gentleReader reads little at first and more each time, for texts of which the first line usually says enough.
type gentleReader struct {
	src  io.Reader
	size int
}

func (g *gentleReader) Read(p []byte) (int, error) {
	n, err := g.src.Read(p[:min(len(p), g.size)])
	g.size = min(4*g.size, searchedBytes)
	return n, err
}
