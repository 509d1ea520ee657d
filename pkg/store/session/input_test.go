package session

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"testing"
	"testing/iotest"
)

func TestReadInput(t *testing.T) {
	for _, size := range []int{0, 1, 1<<20 - 1, 1 << 20, 1<<20 + 1, 5 << 20} {
		want := bytes.Repeat([]byte("abc"), size/3+1)[:size]
		got, err := ReadInput(iotest.HalfReader(bytes.NewReader(want)))
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: got %d, %v", size, len(got), err)
		}
	}
	if _, err := ReadInput(iotest.ErrReader(io.ErrClosedPipe)); err == nil {
		t.Error("the error of stdin is missing")
	}
}

// A file that is too long is refused before it is read.
func TestReadInputTooLong(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "long"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := file.Truncate(maxInput + 1); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadInput(file); err == nil {
		t.Error("no error")
	}
	if at, err := file.Seek(0, io.SeekCurrent); at != 0 || err != nil {
		t.Errorf("%d bytes were read, %v", at, err)
	}
}

// An input is one JSON object or several, in lines, in lists, or over several lines.
func TestJSONValues(t *testing.T) {
	for _, test := range []struct{ input, want string }{
		{`{"a":1}`, `{"a":1}`},
		{"{\"a\":1}\n{\"b\":2}\n", `{"a":1}|{"b":2}`},
		{`[{"a":1}, {"b": 2}]`, `{"a":1}|{"b": 2}`},
		{"{\n  \"a\": 1\n}", `{"a":1}`},
		{"", "nothing on stdin"},
		{"data: {}", `a stream of events; ask the API without "stream"`},
		{"\nevent: x", `a stream of events; ask the API without "stream"`},
		{`{"a":1} x`, "not JSON after byte 7"},
		{`"a"`, "expected a JSON object, got a string"},
		{`[[1]]`, "expected a JSON object, got a list"},
		{`true`, "expected a JSON object, got true or false"},
		{`[null]`, "expected a JSON object, got null"},
		{`7`, "expected a JSON object, got a number"},
	} {
		values, err := jsonValues([]byte(test.input))
		got := string(bytes.Join(values, []byte("|")))
		if err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%q: got %q, want %q", test.input, got, test.want)
		}
	}
	two := []byte(`{"role":"user"}{"role":"user"}`)
	if _, err := FormAnthropic.Drafts(two); err == nil || err.Error() != "expected one response, got 2" {
		t.Errorf("two responses: %v", err)
	}
	if drafts, err := FormMessage.Drafts(two); len(drafts) != 2 || err != nil {
		t.Errorf("two messages: %d, %v", len(drafts), err)
	}
}

func TestReplaceInvalid(t *testing.T) {
	valid, n := ReplaceInvalid([]byte("caf\xe9 \ufffd \xff\xfe"))
	if want := "caf\ufffd \ufffd \ufffd\ufffd"; string(valid) != want || n != 3 {
		t.Errorf("got %q, %d", valid, n)
	}
}
