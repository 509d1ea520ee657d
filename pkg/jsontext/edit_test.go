package jsontext

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"testing"
)

// hostile are objects with repeated keys, escapes, white space and nested members.
var hostile = []string{
	`{}`, ` { } `[1:4], `{"a":1}`, `{"a":1,"b":2,"c":3}`, `{"a":1,"a":2,"a":3}`, `{"a":1,"b":2,"a":{"a":3}}`,
	"{ \"a\" :\t1 ,\r\n\"b\" : [ 1 , { \"a\" : \"}\" } ] }", `{"\u0061":1,"b":"\"a\":2,"}`, `{"a\\":1,"a":"\\"}`,
	`{"a":"{\"a\":[}","b":[[],[{}],{"a":{}}],"":0}`, `{"\ud800":1,"\ud83d\ude00":2,"é":3,"a":null}`,
	`{"a\"b":1,"a":[1,2,[3,"]"]],"a":false}`,
}

// decoded returns the members of an object as JavaScript has them.
func decoded(t *testing.T, text []byte) map[string]any {
	t.Helper()
	var object map[string]any
	if err := json.Unmarshal(text, &object); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return object
}

func TestEditsOfMembers(t *testing.T) {
	for _, text := range hostile {
		for key := range maps.Keys(decoded(t, []byte(text))) {
			checkEdits(t, text, key)
		}
		checkEdits(t, text, `new"key`)
	}
	if got := Value(nil).With("a", []byte("1")); string(got) != `{"a":1}` {
		t.Errorf("nothing with a member is %s", got)
	}
}

func checkEdits(t *testing.T, text, key string) {
	t.Helper()
	want := decoded(t, []byte(text))
	want[key] = "x\u2028"
	with := Value(text).WithText(key, "x\u2028")
	if got := decoded(t, with); !reflect.DeepEqual(got, want) {
		t.Errorf("%s with %q is %s", text, key, with)
	}
	if n := count(with, key); n != 1 {
		t.Errorf("%s with %q has it %d times", text, key, n)
	}
	delete(want, key)
	without := Value(text).Without(key)
	if got := decoded(t, without); !reflect.DeepEqual(got, want) || count(without, key) > 0 {
		t.Errorf("%s without %q is %s", text, key, without)
	}
}

func count(object Value, key string) (n int) {
	for name := range object.Members() {
		if name == key {
			n++
		}
	}
	return n
}

// Whatever goes, the rest stays as it is written, and the text stays JSON.
func TestCuts(t *testing.T) {
	for _, text := range slices.Concat(hostile, []string{`[ 1 , [2,{}] ,"," , {"a":1}]`, `[0]`, `[]`}) {
		var parts [][2]int
		if text[0] == '[' {
			for start, end := range Elements([]byte(text), 0) {
				parts = append(parts, [2]int{start, end})
			}
		} else {
			for m := range Members([]byte(text), 0) {
				parts = append(parts, [2]int{m.Start, m.End})
			}
		}
		for set := range 1 << len(parts) {
			goes := func(i int) bool { return set>>i&1 == 1 }
			left, from, stays := "", 0, ""
			for i, cut := range Cuts(parts, goes) {
				if cut[0] < from || cut[0] > parts[i][0] || cut[1] < parts[i][1] {
					t.Fatalf("%s: part %d of %v has the cut %v", text, i, parts, cut)
				}
				left, from = left+text[from:cut[0]], cut[1]
			}
			left += text[from:]
			for i, part := range parts {
				if !goes(i) {
					stays += "," + text[part[0]:part[1]]
				}
			}
			want := fmt.Sprintf("%c%s%c", text[0], stays[min(1, len(stays)):], text[0]+2)
			if compact(t, left) != compact(t, want) {
				t.Errorf("%s without %b is %s, want %s", text, set, left, want)
			}
		}
	}
}

// compact returns a JSON text without the white space around its values.
func compact(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	if err := json.Compact(&out, []byte(text)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return out.String()
}
