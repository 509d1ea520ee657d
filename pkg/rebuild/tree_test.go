package rebuild

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild/rebuildtest"
)

const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n"

// user returns a user message. The parent is given as JSON.
func user(id, parent string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-05-01T10:00:00.000Z",`+
		`"message":{"role":"user","content":%q}}`+"\n", id, parent, id)
}

// quoted returns a string as JSON.
func quoted(id string) string { return `"` + id + `"` }

// Small trees have the path that OpenClaw takes through them.
func TestPath(t *testing.T) {
	leaf := func(id, target string) string {
		return fmt.Sprintf(`{"type":"leaf","id":%q,"parentId":null,"targetId":%s,`+
			`"timestamp":"2026-05-01T10:00:00.000Z"}`+"\n", id, target)
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
		{"a row to the side", user("a", "null") + strings.Replace(user("b", `"a"`), `"type"`, `"appendMode":"side","type"`,
			1), "a"},
		{"below a row to the side", user("a", "null") + strings.Replace(user("b", `"a"`), `"type"`,
			`"appendMode":"side","type"`, 1) + user("c", `"b"`), "a c"},
		{"an id twice", user("a", "null") + user("b", `"a"`) + user("c", `"b"`) + user("b", `"a"`), "a b"},
		{"a checkpoint between", user("a", "null") + `{"type":"checkpoint","id":"k","parentId":"a"}` + "\n" +
			user("b", `"k"`), "a b"},
		{"a circle, walked once", user("a", `"b"`) + user("b", `"a"`), "a b"},
	} {
		_, c := read(t, []byte(header+test.rows), "")
		if got := strings.Join(c.Path(), " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// Forty thousand entries in every shape for which a naive walk needs quadratic time or a deep stack.
func TestLargeTrees(t *testing.T) {
	const n = 40_000
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
		fmt.Fprintf(&calls, `{"type":"message","id":"c%d","parentId":%q,"message":{"role":"assistant",`+
			`"content":[{"type":"toolCall","id":"same","name":"x","arguments":{}}]}}`+"\n", i, before)
		before = fmt.Sprintf("l%d", i)
	}
	checkFast(t, "leaves of leaves", leaves.Bytes())
	checkFast(t, "opaque rows", opaque.Bytes())
	checkFast(t, "calls of one id", calls.Bytes())
}

// checkFast runs everything once. In quadratic time the test would take minutes.
func checkFast(t *testing.T, name string, text []byte) {
	t.Helper()
	begun := time.Now()
	ix, c := read(t, text, "")
	faults := 0
	ix.Check(func(Fault) { faults++ })
	c.Check(func(Fault) { faults++ })
	ix.wholeBranch()
	conversation := c.Conversation(Limits{})
	err := conversation.Anthropic(jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}).All(),
		func([]byte) error { return nil })
	if err != nil {
		t.Errorf("%s: %v", name, err)
	}
	t.Logf("%s: %d on the path, %d messages, %d faults, %v", name, len(c.path), conversation.Len(), faults,
		time.Since(begun))
}

// If the rows form a cycle and nothing else is left to show, OpenClaw knows no model either, with a header or without.
func TestNothingBehindCycle(t *testing.T) {
	const (
		header = `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}`
		answer = `{"type":"message","id":"a","parentId":"x","timestamp":"2026-05-01T10:00:01.000Z","message":{` +
			`"role":"assistant","content":[{"type":"text","text":"x"}],"api":"a","provider":"anthropic","model":"m",` +
			`"usage":{"input":1,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":2,"cost":{"input":0,"output":0,` +
			`"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"stop","timestamp":1}}`
		reset = `{"type":"reset","id":"r","parentId":"a","timestamp":"2026-05-01T10:00:02.000Z","reason":"new"}`
		loop  = `{"type":"message","id":"l","parentId":"y","timestamp":"2026-05-01T10:00:03.000Z",` +
			`"message":{"role":"assistant","provider":"openclaw","model":"acp-runtime"}}`
	)
	for _, lines := range [][]string{{answer, reset, loop, loop}, {header, answer, reset, loop, loop}} {
		ix, _ := scanBy(t, Author{}, lines...)
		c, err := ix.Context("")
		if err != nil || c.Model != (Model{}) || c.Leaf != "" {
			t.Errorf("%d lines: model %v, leaf %q, %v", len(lines), c.Model, c.Leaf, err)
		}
	}
}

// ScanPath leads to the path and the marks that ScanBy leads to, or says that it does not.
func TestScanPath(t *testing.T) {
	sure := 0
	for seed := range endingRounds(t) {
		for _, text := range [][]byte{rebuildtest.Transcript(seed), rebuildtest.PiTranscript(seed)} {
			if checkScanPath(t, text) {
				sure++
			}
			if t.Failed() {
				t.Fatalf("seed %d:\n%s", seed, text)
			}
		}
	}
	if sure < 30 {
		t.Error("only", sure, "paths are sure")
	}
}

// checkScanPath compares both, for every leaf. It reports whether the path to the last one is sure.
func checkScanPath(t *testing.T, text []byte) (sure bool) {
	t.Helper()
	whole, err := ScanBy(Author{}, jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	light, err := ScanPath(Author{}, jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	leaves := []string{"nobody"}
	for rec := range jsonl.Records(bytes.NewReader(text), jsonl.Options{}) {
		if rec.Legible() {
			leaves = append(leaves, rec.ID())
		}
	}
	for _, leaf := range append(leaves, "") {
		want, wantErr := whole.Context(leaf)
		got, err := light.Context(leaf)
		if fmt.Sprint(err) != fmt.Sprint(wantErr) {
			t.Fatal(leaf, err, wantErr)
		}
		if sure = err == nil && got.IsSure(); !sure {
			continue
		}
		if !slices.Equal(got.Marks(), want.Marks()) || !slices.Equal(got.Outline(), want.Outline()) ||
			!slices.Equal(got.Path(), want.Path()) || light.Program != whole.Program {
			t.Errorf("leaf %q: the paths differ", leaf)
		}
	}
	return sure
}
