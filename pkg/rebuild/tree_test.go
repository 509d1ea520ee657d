package rebuild

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"clawctl/pkg/jsonl"
)

const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n"

// user is a message of a user's; parent is JSON.
func user(id, parent string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-05-01T10:00:00.000Z","message":{"role":"user","content":%q}}`+"\n", id, parent, id)
}

// quoted is a string as JSON.
func quoted(id string) string { return `"` + id + `"` }

// The path of small trees, each as OpenClaw walks it.
func TestPath(t *testing.T) {
	leaf := func(id, target string) string {
		return fmt.Sprintf(`{"type":"leaf","id":%q,"parentId":null,"targetId":%s,"timestamp":"2026-05-01T10:00:00.000Z"}`+"\n", id, target)
	}
	for _, test := range []struct{ name, rows, want string }{
		{"a chain", user("a", "null") + user("b", `"a"`) + user("c", `"b"`), "a b c"},
		{"a branch", user("a", "null") + user("b", `"a"`) + user("c", `"a"`), "a c"},
		{"a missing parent", user("a", "null") + user("b", `"gone"`), "a b"},
		{"a second root", user("a", "null") + user("b", "null"), "b"},
		{"no parent key", user("a", "null") + strings.Replace(user("b", `"x"`), `"parentId":"x",`, "", 1), "a b"},
		{"a leaf goes back", user("a", "null") + user("b", `"a"`) + leaf("l", `"a"`), "a"},
		{"what follows a leaf", user("a", "null") + user("b", `"a"`) + leaf("l", `"a"`) + user("c", `"l"`), "a c"},
		{"a leaf to nothing", user("a", "null") + leaf("l", "null"), ""},
		{"a leaf to the unknown", user("a", "null") + leaf("l", `"gone"`), "a"},
		{"a row to the side", user("a", "null") + strings.Replace(user("b", `"a"`), `"type"`, `"appendMode":"side","type"`, 1), "a"},
		{"below a row to the side", user("a", "null") + strings.Replace(user("b", `"a"`), `"type"`, `"appendMode":"side","type"`, 1) + user("c", `"b"`), "a c"},
		{"an id twice", user("a", "null") + user("b", `"a"`) + user("c", `"b"`) + user("b", `"a"`), "a b"},
		{"a checkpoint between", user("a", "null") + `{"type":"checkpoint","id":"k","parentId":"a"}` + "\n" + user("b", `"k"`), "a b"},
		{"a circle, walked once", user("a", `"b"`) + user("b", `"a"`), "a b"},
	} {
		_, c := read(t, []byte(header+test.rows), "")
		if got := strings.Join(c.Path(), " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// A hundred thousand entries in every shape that needs square time or a deep stack when it is done wrong.
func TestLargeTrees(t *testing.T) {
	const n = 100_000
	id := func(i int) string { return fmt.Sprintf("%08x", i) }
	shapes := map[string]func(i int) string{
		"chain":  func(i int) string { return quoted(id(i - 1)) },
		"fan":    func(int) string { return quoted(id(0)) },
		"circle": func(i int) string { return quoted(id((i + n - 1) % n)) },
		"later":  func(i int) string { return quoted(id(i + 1)) },
		"roots":  func(int) string { return "null" },
	}
	for name, parent := range shapes {
		var b bytes.Buffer
		b.WriteString(header)
		for i := range n {
			b.WriteString(user(id(i), parent(i)))
		}
		checkFast(t, name, b.Bytes())
	}
	var leaves, opaque, calls bytes.Buffer
	leaves.WriteString(header + user("a", "null"))
	opaque.WriteString(header + user("a", "null"))
	calls.WriteString(header + user("a", "null"))
	before := "a"
	for i := range n {
		fmt.Fprintf(&leaves, `{"type":"leaf","id":"l%d","parentId":null,"targetId":%q}`+"\n", i, before)
		leaves.WriteString(user(id(i), quoted(fmt.Sprintf("l%d", i))))
		fmt.Fprintf(&opaque, `{"type":"novel","id":"l%d","parentId":%q}`+"\n", i, before)
		fmt.Fprintf(&opaque, `{"type":"leaf","id":"k%d","parentId":null,"targetId":"l%d"}`+"\n", i, i)
		fmt.Fprintf(&calls, `{"type":"message","id":"c%d","parentId":%q,"message":{"role":"assistant","content":[{"type":"toolCall","id":"same","name":"x","arguments":{}}]}}`+"\n", i, before)
		before = fmt.Sprintf("l%d", i)
	}
	checkFast(t, "leaves of leaves", leaves.Bytes())
	checkFast(t, "opaque rows", opaque.Bytes())
	checkFast(t, "calls of one id", calls.Bytes())
}

// checkFast runs everything once; square time would take minutes, and a test that takes minutes is seen.
func checkFast(t *testing.T, name string, text []byte) {
	t.Helper()
	begun := time.Now()
	ix, c := read(t, text, "")
	faults := 0
	ix.Check(func(Fault) { faults++ })
	c.Check(func(Fault) { faults++ })
	ix.wholeBranch()
	plan := c.Plan(Limits{})
	err := plan.Anthropic(jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}).All(), func([]byte) error { return nil })
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	t.Logf("%s: %d on the path, %d messages, %d faults, %v", name, len(c.path), plan.Len(), faults, time.Since(begun))
}

// The dates that Date.parse takes, with what it makes of them in UTC.
func TestParseDate(t *testing.T) {
	for text, want := range map[string]int64{
		"2026-05-01":                    1777593600000,
		"2026-05-01T10:00:00":           1777629600000,
		"2026-05-01 10:00:00":           1777629600000,
		"2026-05-01T10:00Z":             1777629600000,
		"2026-05-01T10:00:00+02:00":     1777622400000,
		"2026-05-01T10:00:00-0530":      1777649400000,
		"2026-05-01T10:00:00.123456Z":   1777629600123,
		"2026-05-01T10:00:00.1Z":        1777629600100,
		"2026-02-30T00:00:00Z":          1772409600000,
		"2026-05-01T24:00:00Z":          1777680000000,
		"Fri, 01 May 2026 10:00:00 GMT": 1777629600000,
		"1969-12-31T23:59:59.999Z":      -1,
		"+012026-05-01T00:00:00Z":       317347113600000,
	} {
		if got, ok := parseDate(text); !ok || got != want {
			t.Errorf("parseDate(%q) = %d, %v, want %d", text, got, ok, want)
		}
	}
	for _, text := range []string{"", "yesterday", "1777629601000", "2026-13-01T00:00:00Z", "2026-05-01T25:00:00Z", "2026-05-01T24:00:01Z", "2026-02-32T00:00:00Z", "2026-05-01T10", " 2026-05-01T10:00:00Z"} {
		if got, ok := parseDate(text); ok {
			t.Errorf("parseDate(%q) = %d, want none", text, got)
		}
	}
}

// Signatures by their shape.
func TestIsSignature(t *testing.T) {
	const whole = `"EhYKFGEgc2lnbmF0dXJlIG9mIHR3ZW50"`
	for text, want := range map[string]bool{
		whole:                        true,
		whole[:20] + `"`:             false,
		`""`:                         false,
		`"k7FdvB0Sg_F0TWPE0"`:        false,
		`"AAAAAAAAAAAAAAAAAAAAAAAA"`: false,
	} {
		if got := isSignature(jsonl.Value(text)); got != want {
			t.Errorf("isSignature(%s) = %v", text, got)
		}
	}
}
