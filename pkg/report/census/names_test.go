package census

import (
	"fmt"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

func TestNamesAreNotContent(t *testing.T) {
	for name, shown := range map[string]bool{
		"newField": true, "new-field": true, "a.b:c_d-9": true, strings.Repeat("a", 40): true,
		strings.Repeat("a", 41): false, "": false, "two words": false, "mailto@x": false, "schlüssel": false, "a/b": false,
	} {
		if isShown([]byte(name)) != shown {
			t.Errorf("%q: want %v", name, shown)
		}
	}
}

// What is planted as a field, a value or a type is never printed if it is a secret.
func TestSecretsAreNotNames(t *testing.T) {
	const secret = "ghp_" + "0aB1cD2eF3gH4iJ5kL6mN7oP8qR9sT0uV1wX"
	if isShown([]byte(secret)) || len(secret) != 40 {
		t.Fatal("a key of 40 characters is shown")
	}
	text := fmt.Sprintf(`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/","%s":1}
{"type":%[1]q,"id":"a","parentId":null}
{"type":"reset","id":"b","parentId":"a","reason":%[1]q,"long name of a field, with text":2}
{"type":"label","id":"c","parentId":"a","\u0000":1}
`, secret)
	rows := takeCensus(t, text, "").Rows()
	if len(rows) != 5 {
		t.Fatal(words(rows))
	}
	for _, row := range rows {
		if row.Name != "" || row.Bytes == 0 || !strings.Contains(row.Label(), " byte") {
			t.Errorf("%+v", *row)
		}
	}
}

// Keys that look like content in every record take bounded memory, and are counted.
func TestManyNames(t *testing.T) {
	var b strings.Builder
	for i := range mostNames + 50 {
		fmt.Fprintf(&b, `{"type":"label","id":"i","parentId":null,"targetId":"x","n%d":1}`+"\n", i)
	}
	c := takeCensus(t, b.String(), "")
	if len(c.Rows()) != mostNames || c.More != 50 || !strings.Contains(c.Words(), "50 occurrences of other names") {
		t.Errorf("%d rows, %s", len(c.Rows()), c.Words())
	}
}

// The answer does not depend on the number of goroutines, and the first place counts.
func TestManyGoroutines(t *testing.T) {
	var b strings.Builder
	for i := range 30000 {
		fmt.Fprintf(&b, `{"type":"label","id":"i","parentId":null,"targetId":"%s","odd%d":1}`+"\n",
			strings.Repeat("x", 200), i%7)
	}
	want := words(takeCensus(t, b.String(), "").Rows())
	s := &source.Session{}
	result, err := Read(jsonl.NewReader(strings.NewReader(b.String()), jsonl.Options{Jobs: 4}), s)
	if err != nil {
		t.Fatal(err)
	}
	c := &Census{}
	c.Add(s, rebuild.Author{}, result)
	if got := words(c.Rows()); got != want || c.Rows()[6].Line != 7 {
		t.Errorf("%s, want %s; line %d", got, want, c.Rows()[6].Line)
	}
}
