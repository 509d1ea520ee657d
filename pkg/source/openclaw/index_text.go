package openclaw

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"os"
	"strings"

	"clawctl/internal/openfile"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/store/dbfile"
)

// ReadWhole reads an index as it is. It neither follows a link nor waits for a pipe.
func ReadWhole(path string) ([]byte, error) {
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() || dbfile.IsInUse(info) {
		return nil, cmp.Or(err, openfile.ErrNotRegular)
	}
	file, err := openfile.Regular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxIndex+1))
	if err != nil {
		return data, err
	}
	if len(data) > maxIndex {
		return data, errIndexTooLong
	}
	return data, nil
}

var errIndexTooLong = errors.New("the index is too long")

// IsWhole reports whether data is a complete JSON object.
func IsWhole(data []byte) bool {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	rec := parseWhole(data)
	return rec.Damage == nil && !rec.Blank
}

// parseWhole parses a JSON document of several lines as a record.
func parseWhole(data []byte) *jsonl.Record {
	return (&jsonl.Parser{Verbatim: true}).Parse(bytes.ReplaceAll(data, []byte("\n"), []byte(" ")), 1, 0)
}

// EachText calls f for every text between two quotes of a JSON document, and also for what is between the texts. So it
// finds every string of a damaged document too, whatever is missing before it.
func EachText(data []byte, f func(text string)) {
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
