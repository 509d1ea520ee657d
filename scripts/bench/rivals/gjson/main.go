// Command gjson does the work of `clawctl cat --type leaf` with gjson: it checks every line as JSON and extracts
// five fields. It exists only for scripts/bench.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tidwall/gjson"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: gjson FILE")
		os.Exit(2)
	}
	n, err := countRecords(os.Args[1])
	if err != nil {
		fmt.Fprintln(os.Stderr, "gjson:", err)
		os.Exit(1)
	}
	fmt.Println(n)
}

// fields are the fields of a line. The last ones are kept in a package variable, so that the compiler cannot remove the
// work.
type fields struct{ kind, id, parent, time, role string }

var last fields

// countRecords returns how many lines of a file are well-formed records.
func countRecords(path string) (int, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	lines := bufio.NewReaderSize(f, 4<<20)
	for n, long := 0, []byte(nil); ; {
		line, err := lines.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long, line...)
			continue
		}
		if len(long) > 0 {
			line = append(long, line...)
			long = line[:0]
		}
		if take(bytes.TrimSuffix(line, []byte("\n"))) {
			n++
		}
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}

// take checks a line and keeps its five fields.
func take(line []byte) bool {
	if len(line) == 0 || !gjson.ValidBytes(line) {
		return false
	}
	gjson.ParseBytes(line).ForEach(func(key, value gjson.Result) bool {
		switch key.Str {
		case "type":
			last.kind = value.Str
		case "id":
			last.id = value.Str
		case "parentId":
			last.parent = value.Str
		case "timestamp":
			last.time = value.Str
		case "message":
			last.role = value.Get("role").Str
		}
		return true
	})
	return true
}
