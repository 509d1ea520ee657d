package source

import (
	"path/filepath"

	"clawctl/pkg/jsonl"
)

// isColdArchive reports whether a file is cold/<sha256>.jsonl.zst, to which OpenClaw moves complete database rows.
func isColdArchive(path string) bool {
	name, ok := ParseName(filepath.Base(path))
	return ok && name.Kind == Archive && len(name.ID) == 64 && filepath.Base(filepath.Dir(path)) == "cold"
}

// unwrapCold reads the transcript from a cold archive. Each line of the archive is a row, and the rows of kind event
// hold a line of the transcript as a string.
func unwrapCold(in *Input) *Input {
	out := *in
	out.unwrapped = true
	out.Reader = &coldReader{lines: jsonl.NewReader(in.Reader, jsonl.Options{})}
	return &out
}

type coldReader struct {
	lines *jsonl.Reader
	rest  []byte
}

func (c *coldReader) Read(p []byte) (int, error) {
	for len(c.rest) == 0 {
		rec, err := c.lines.Next()
		if err != nil {
			return 0, err
		}
		row := rec.Get("row")
		if event := row.Get("event_json"); event.IsString() {
			c.rest = append(append(c.rest[:0], event.String()...), '\n')
		} else if rec.Damage != nil || !row.IsObject() && !rec.Get("kind").IsString() {
			c.rest = append(c.rest[:0], rec.Raw...) // not a row: kept byte for byte
		}
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}
