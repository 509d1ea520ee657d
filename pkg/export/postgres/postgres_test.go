package postgres

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"unicode/utf8"

	"clawctl/internal/spool"
	"clawctl/pkg/jsonl"
)

// Whatever a field holds, reading it gives back what was written.
func FuzzRow(f *testing.F) {
	f.Add("a\tb\\\r\n", []byte("\x00\xff"))
	f.Add(`\N`, []byte{})
	f.Fuzz(func(t *testing.T, text string, raw []byte) {
		var b, back bytes.Buffer
		w := rowWriter{out: bufio.NewWriter(&b)}
		w.text(text)
		w.bytea(append([]byte{}, raw...))
		w.end()
		w.out.Flush()
		r := rowReader{in: bufio.NewReaderSize(&b, 16)}
		got, isNull, err := r.field()
		if got != text || isNull || err != nil {
			t.Errorf("got %q, %v, %v, want %q", got, isNull, err, text)
		}
		if _, isNull, err := r.bytea(&back); !bytes.Equal(back.Bytes(), raw) || isNull || err != nil {
			t.Errorf("got %q, %v, %v, want %q", back.Bytes(), isNull, err, raw)
		}
	})
}

// PostgreSQL itself writes some characters in ways that clawctl does not.
func TestUnescape(t *testing.T) {
	for raw, want := range map[string]string{
		`\b\f\n\r\t\v`: "\b\f\n\r\t\v", `\101\x41\xg\q`: "AAxgq", `\\N`: `\N`, `\7z`: "\az", `a\`: `a\`,
		`a\\`: `a\`, `\\\n`: "\\\n",
	} {
		if got := unescape(raw); got != want {
			t.Errorf("%s: got %q, want %q", raw, got, want)
		}
	}
}

// The columns data and raw are the line, and data has nothing that PostgreSQL refuses.
func FuzzColumns(f *testing.F) {
	for _, line := range []string{`{"a":"\u0000\\u0000\ud800"}` + "\n", "{\"a\":\"\xff\"}\r\n", "\ufeff{}\n", "{\n", "{}",
		"[" + strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth) + "]\n", `{"a":"[\"["}` + "\n"} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for rec, err := range jsonl.Records(bytes.NewReader(text), jsonl.Options{}) {
			if err != nil {
				return
			}
			data, raw := columnsOf(rec)
			if raw == nil {
				raw = append(bytes.Clone(data), '\n')
			}
			if !bytes.Equal(raw, rec.Raw) {
				t.Errorf("got %q, want %q", raw, rec.Raw)
			}
			if !utf8.Valid(data) || bytes.ContainsRune(data, 0) {
				t.Errorf("PostgreSQL refuses %q", data)
			}
		}
	})
}

func TestClean(t *testing.T) {
	long := strings.Repeat("ä", maxName)
	a, b := clean(long+"a"), clean(long+"b")
	if a == b || len(a) > maxName || !utf8.ValidString(a) {
		t.Errorf("got %q and %q", a, b)
	}
	if got := clean("a\x00\xff"); got != "a\ufffd\ufffd" {
		t.Errorf("got %q", got)
	}
}

const metadata = `{"key":"k"}`

func TestUnpackRefuses(t *testing.T) {
	row := func(host, key string, record int, lines, metadata, line string) string {
		return fmt.Sprintf("%s\t%s\t%d\t%s\t%s\t%s\n", host, key, record, lines, metadata, line)
	}
	first := row("h", "k", 1, "2", metadata, `\\x61`)
	for name, text := range map[string]string{
		"two hosts":      row("h", "k", 1, "1", metadata, `\\x61`) + row("g", "k2", 1, "1", metadata, `\\x61`),
		"no first row":   row("h", "k", 2, `\N`, `\N`, `\\x61`),
		"a gap":          first + row("h", "k", 3, `\N`, `\N`, `\\x61`),
		"a repeated row": first + row("h", "k", 1, `\N`, `\N`, `\\x61`),
		"a long session": first + row("h", "k", 2, `\N`, `\N`, `\\x61`) + row("h", "k", 3, `\N`, `\N`, `\\x61`),
		"a repeated key": row("h", "k", 0, "0", metadata, `\N`) + row("h", "k", 0, "0", metadata, `\N`),
		"no line":        row("h", "k", 1, "1", metadata, `\N`),
		"half a byte":    row("h", "k", 1, "1", metadata, `\\x6`),
		"no digits":      row("h", "k", 1, "1", metadata, `\\xzz`),
		"other bytes":    row("h", "k", 1, "1", metadata, `a`),
		"other data":     row("h", "k", 1, "1", `{}`, `\\x61`),
		"few columns":    "h\tk\n" + first,
	} {
		var format *formatError
		if err := unpackAll(t, text, nil); !errors.As(err, &format) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, text := range []string{first, first[:len(first)-2], first + "h\tk\t2\t\\N\t\\N\t"} {
		var incomplete *incompleteError
		if err := unpackAll(t, text, nil); !errors.As(err, &incomplete) {
			t.Errorf("%q: got %v", text, err)
		}
	}
}

func TestUnpack(t *testing.T) {
	var got strings.Builder
	text := "h\tk\t1\t2\t" + metadata + "\t\\\\x610a\nh\tk\t2\t\\N\t\\N\t\\\\x62\r\n" +
		"h\tempty\t0\t0\t" + metadata + "\t\\N\n\\.\n"
	if err := unpackAll(t, text, &got); err != nil || got.String() != "[k]a\nb[empty]" {
		t.Errorf("got %q, %v", got.String(), err)
	}
}

// unpackAll writes the names and texts of all sessions.
func unpackAll(t *testing.T, rows string, dst *strings.Builder) error {
	t.Helper()
	file, err := spool.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	kept, err := Keep(context.Background(), strings.NewReader(rows), file)
	for _, k := range kept {
		if err == nil && dst != nil {
			dst.WriteString("[" + k.name + "]")
			_, err = io.Copy(dst, k.text)
		}
	}
	return err
}
