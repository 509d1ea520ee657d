package postgres

import (
	"bufio"
	"encoding/hex"
	"io"
	"strconv"
	"strings"
)

// A rowWriter writes rows in the text format of COPY. The writer keeps the first error.
type rowWriter struct {
	out   *bufio.Writer
	begun bool // the row has a field
}

func (w *rowWriter) end() {
	w.out.WriteByte('\n')
	w.begun = false
}

// next separates a field from the one before.
func (w *rowWriter) next() {
	if w.begun {
		w.out.WriteByte('\t')
	}
	w.begun = true
}

func (w *rowWriter) null() {
	w.next()
	w.out.WriteString(`\N`)
}

// escapes writes the characters that have a meaning in the text format of COPY.
var escapes = strings.NewReplacer(`\`, `\\`, "\n", `\n`, "\r", `\r`, "\t", `\t`)

func (w *rowWriter) text(text string) {
	w.next()
	_, _ = escapes.WriteString(w.out, text)
}

// textOrNull writes a text, and null for an empty one.
func (w *rowWriter) textOrNull(text string) {
	if text == "" {
		w.null()
		return
	}
	w.text(text)
}

func (w *rowWriter) int(n int64) {
	w.next()
	w.out.Write(strconv.AppendInt(w.out.AvailableBuffer(), n, 10))
}

func (w *rowWriter) bool(b bool) { w.text(strconv.FormatBool(b)) }

// bytea writes bytes, and null for nil.
func (w *rowWriter) bytea(b []byte) {
	if b == nil {
		w.null()
		return
	}
	w.next()
	w.out.WriteString(`\\x`)
	hex.NewEncoder(w.out).Write(b) // the buffer keeps the error
}

// arrayQuotes quotes the elements of an array.
var arrayQuotes = strings.NewReplacer(`\`, `\\`, `"`, `\"`)

// array writes an array of texts, and null for an empty one.
func (w *rowWriter) array(texts []string) {
	if len(texts) == 0 {
		w.null()
		return
	}
	var b strings.Builder
	for i, text := range texts {
		b.WriteString([]string{`{"`, `,"`}[min(i, 1)])
		arrayQuotes.WriteString(&b, text)
		b.WriteByte('"')
	}
	w.text(b.String() + "}")
}

// A rowReader reads rows in the text format of COPY.
type rowReader struct {
	in   *bufio.Reader
	line int64 // of the row, from 1
}

// maxField is the longest field that is held in memory. Metadata is the largest of them.
const maxField = 64 << 20

// field reads a field that another one follows, decoded. isNull reports a null.
func (r *rowReader) field() (text string, isNull bool, err error) {
	var raw []byte
	for {
		chunk, err := r.in.ReadSlice('\t')
		raw = append(raw, chunk...)
		switch {
		case err == nil:
			text = string(raw[:len(raw)-1])
			if strings.Contains(text, "\n") {
				return "", false, &formatError{r.line, "too few columns"}
			}
			return unescape(text), text == `\N`, nil
		case err == io.EOF && len(raw) > 0:
			return "", false, &formatError{r.line, "too few columns"}
		case err != bufio.ErrBufferFull:
			return "", false, err
		case len(raw) > maxField:
			return "", false, &formatError{r.line, "a column is too long"}
		}
	}
}

// unescape decodes a field.
func unescape(raw string) string {
	var b strings.Builder
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' || i+1 == len(raw) {
			b.WriteByte(raw[i])
			continue
		}
		i++
		c, length := escapedByte(raw[i:])
		b.WriteByte(c)
		i += length - 1
	}
	return b.String()
}

// escapedByte decodes what follows a backslash, and returns how many bytes that is.
func escapedByte(after string) (c byte, length int) {
	if at := strings.IndexByte("bfnrtv", after[0]); at >= 0 {
		return "\b\f\n\r\t\v"[at], 1
	}
	if after[0] == 'x' {
		if n, digits := number(after[1:], 16, 2); digits > 0 {
			return n, 1 + digits
		}
	}
	if n, digits := number(after, 8, 3); digits > 0 {
		return n, digits
	}
	return after[0], 1
}

func number(text string, base, max int) (n byte, digits int) {
	for digits < max && digits < len(text) {
		d, err := strconv.ParseUint(string(text[digits]), base, 8)
		if err != nil {
			break
		}
		n, digits = n*byte(base)+byte(d), digits+1
	}
	return n, digits
}

// bytea copies the last field of a row, which is bytes or null, and returns how many bytes it has. It holds only a
// piece of it.
func (r *rowReader) bytea(dst io.Writer) (n int64, isNull bool, err error) {
	var pending []byte
	for prefix := true; ; prefix = false {
		chunk, err := r.in.ReadSlice('\n')
		if err != nil && err != bufio.ErrBufferFull {
			return n, false, r.cutOff(err)
		}
		isLast := err == nil
		pending = append(pending, chunk...)
		if isLast {
			pending = []byte(strings.TrimSuffix(strings.TrimSuffix(string(pending), "\n"), "\r"))
		}
		if prefix && string(pending) == `\N` {
			return 0, true, nil
		}
		if prefix && !strings.HasPrefix(string(pending), `\\x`) {
			return n, false, &formatError{r.line, "the column line must be a bytea in hexadecimal form"}
		}
		if prefix {
			pending = pending[len(`\\x`):]
		}
		if pending, err = r.decode(dst, pending, &n); err != nil {
			return n, false, err
		}
		if isLast && len(pending) > 0 {
			return n, false, &formatError{r.line, "the column line has half a byte"}
		}
		if isLast {
			return n, false, nil
		}
	}
}

// decode writes the bytes of hexadecimal digits, and returns a digit that is left over.
func (r *rowReader) decode(dst io.Writer, digits []byte, n *int64) ([]byte, error) {
	even := len(digits) &^ 1
	decoded := make([]byte, even/2)
	if _, err := hex.Decode(decoded, digits[:even]); err != nil {
		return nil, &formatError{r.line, "the column line must be a bytea in hexadecimal form"}
	}
	written, err := dst.Write(decoded)
	*n += int64(written)
	return append(digits[:0], digits[even:]...), err
}

// cutOff is the error of a row that ends before its last column.
func (r *rowReader) cutOff(err error) error {
	if err == io.EOF {
		return &incompleteError{Line: r.line}
	}
	return err
}
