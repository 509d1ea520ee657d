package jsontext

import (
	"encoding/json"
	"testing"
)

func TestCheck(t *testing.T) {
	for _, test := range []struct {
		text         string
		line, column int
		want         string
	}{
		{"", 1, 1, "the file is empty"},
		{" \n", 1, 1, "the file is empty"},
		{"{\n\"a\": [1,\n", 2, 9, "the file ends inside a value"},
		{"{\n\"a\": ,}", 2, 6, "not valid JSON"},
		{"{}\n]", 2, 1, "not valid JSON"},
	} {
		err := Check([]byte(test.text))
		if err == nil || err.Text != test.want || err.Error() != test.want {
			t.Errorf("%q: %+v", test.text, err)
			continue
		}
		if line, column := Position([]byte(test.text), err.Offset); line != test.line || column != test.column {
			t.Errorf("%q: line %d, column %d", test.text, line, column)
		}
	}
	if err := Check([]byte(`{"a":[1e999]}`)); err != nil {
		t.Error(err)
	}
}

// FuzzCheck compares with encoding/json, and checks that the place of an error is in the text.
func FuzzCheck(f *testing.F) {
	f.Add([]byte(`{"a":[1,{"b":null}]}`))
	f.Add([]byte("{\n\"a\"\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		err := Check(text)
		if (err == nil) != json.Valid(text) {
			t.Fatalf("%v", err)
		}
		if err != nil && (err.Offset < 0 || err.Offset > len(text)) {
			t.Errorf("offset %d of %d", err.Offset, len(text))
		}
	})
}
