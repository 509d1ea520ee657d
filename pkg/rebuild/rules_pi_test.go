package rebuild

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild/rebuildtest"
	"clawctl/pkg/tokens"
)

const (
	piHeader = `{"type":"session","version":3,"id":"s","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/w"}`
	piSystem = `{"type":"message","id":"s1","parentId":null,"timestamp":"2026-11-01T10:00:00.000Z","message":` +
		`{"role":"system","content":"Be brief.","sections":{"cwd":"/w","mood":"calm"},"toolsAdded":[{"name":"read",` +
		`"description":"Read","parameters":{"type":"object"}},{"name":"bash"}],"timestamp":1}}`
)

// said returns a message record.
func said(id, parent, role, rest string) string {
	return `{"type":"message","id":"` + id + `","parentId":"` + parent + `","timestamp":"2026-11-01T10:00:01.000Z",` +
		`"message":{"role":"` + role + `",` + rest + `}}`
}

// entryOf returns a record that is not a message.
func entryOf(kind, id, parent, rest string) string {
	return `{"type":"` + kind + `","id":"` + id + `","parentId":"` + parent + `","timestamp":"2026-11-01T10:00:02.000Z",` +
		rest + `}`
}

func scanBy(t *testing.T, author Author, lines ...string) (*Index, func() *jsonl.Reader) {
	t.Helper()
	text := strings.Join(lines, "\n") + "\n"
	read := func() *jsonl.Reader { return jsonl.NewReader(strings.NewReader(text), jsonl.Options{}) }
	ix, err := ScanBy(author, read(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return ix, read
}

// nativeOf returns the native messages of lines, as JSON.
func nativeOf(t *testing.T, author Author, lines ...string) string {
	t.Helper()
	ix, read := scanBy(t, author, lines...)
	c, err := ix.Context("")
	if err != nil {
		t.Fatal(err)
	}
	var messages []string
	err = c.Native(read().All(), func(m []byte) error {
		messages = append(messages, string(m))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(messages, "\n")
}

var asPi = Author{Forced: Pi}

func TestPiContext(t *testing.T) {
	user := said("u1", "s1", "user", `"content":"Hi","timestamp":2`)
	reply := said("a1", "u1", "assistant", `"content":[{"type":"text","text":"Hello"}],"timestamp":3`)
	edit := func(id, parent, target, replacement string) string {
		return entryOf("context_edit", id, parent, `"targetId":"`+target+`","replacement":`+replacement)
	}
	tests := []struct {
		name  string
		lines []string
		want  string
	}{
		{"an edit replaces content", []string{user, reply, edit("e1", "a1", "u1", `{"content":"Hey"}`),
			edit("e2", "e1", "a1", `{"content":"Ho"}`)},
			`{"role":"user","content":"Hey","timestamp":2}` + "\n" +
				`{"role":"assistant","content":[{"type":"text","text":"Ho"}],"timestamp":3}`},
		{"the last edit counts, and null omits", []string{user, reply, edit("e1", "a1", "u1", `{"content":"Hey"}`),
			edit("e2", "e1", "u1", `null`)},
			`{"role":"assistant","content":[{"type":"text","text":"Hello"}],"timestamp":3}`},
		{"an edit before the compaction has no effect", []string{user, edit("e1", "u1", "u1", `null`), reply,
			entryOf("compaction", "c1", "e1", `"summary":"S","tokensBefore":1,"firstKeptEntryId":"c1"`),
			said("u2", "c1", "user", `"content":"Go","timestamp":4`)},
			`{"role":"user","content":[{"type":"text","text":"The conversation history before this point was compacted into ` +
				`the following summary:\n\n<summary>\nS\n</summary>"}],"timestamp":1793527202000}` + "\n" +
				`{"role":"user","content":"Go","timestamp":4}`},
		{"a missing parent ends the path", []string{user, said("u2", "gone", "user", `"content":"Go"`)},
			`{"role":"user","content":"Go"}`},
		{"missing content is an empty list", []string{said("u1", "gone", "user", `"content":null`)},
			`{"role":"user","content":[]}`},
		{"excludeFromContext hides commands only", []string{
			said("u1", "gone", "user", `"content":"Hi","excludeFromContext":true`),
			said("b1", "u1", "bashExecution", `"command":"ls","output":"","excludeFromContext":true`)},
			`{"role":"user","content":"Hi","excludeFromContext":true}`},
		{"the leaf is the last row of any type", []string{user, reply,
			entryOf("label", "l1", "u1", `"targetId":"u1","label":"x"`)},
			`{"role":"user","content":"Hi","timestamp":2}`},
		{"leaf and reset records mean nothing", []string{user,
			entryOf("leaf", "l1", "u1", `"targetId":null`), entryOf("reset", "r1", "l1", `"reason":"new"`)},
			`{"role":"user","content":"Hi","timestamp":2}`},
	}
	for _, test := range tests {
		got := nativeOf(t, asPi, append([]string{piHeader, strings.Replace(piSystem, "null", `"gone"`, 1)}, test.lines...)...)
		if system, rest, found := strings.Cut(got, "\n"); found && strings.HasPrefix(system, `{"role":"system"`) {
			got = rest
		}
		if got != test.want {
			t.Errorf("%s:\n%s\nwant\n%s", test.name, got, test.want)
		}
	}
}

// pi gives its target the content of an edit whatever it is, or none if the edit has none. The last edit counts.
func TestPiOddEdits(t *testing.T) {
	lines := []string{piHeader, said("u1", "gone", "user", `"content":"Hi","timestamp":2`),
		said("a1", "u1", "assistant", `"content":[],"timestamp":3`),
		entryOf("custom_message", "c1", "a1", `"customType":"n","content":"Note","display":true`),
		entryOf("context_edit", "e1", "c1", `"targetId":"u1","replacement":{"content":"Hey"}`)}
	for _, test := range []struct{ target, replacement, want string }{
		{"u1", `{}`, `{"role":"user","timestamp":2}`},
		{"u1", `7`, `{"role":"user","timestamp":2}`},
		{"u1", `"x"`, `{"role":"user","timestamp":2}`},
		{"u1", `{"content":null}`, `{"role":"user","content":null,"timestamp":2}`},
		{"u1", `{"content":[[1],null]}`, `{"role":"user","content":[[1],null],"timestamp":2}`},
		{"a1", `{}`, `{"role":"assistant","timestamp":3}`},
		{"a1", `{"content":7}`, `{"role":"assistant","content":7,"timestamp":3}`},
		{"a1", `{"content":""}`, `{"role":"assistant","content":[{"type":"text","text":""}],"timestamp":3}`},
		{"c1", `[]`, `{"role":"user","timestamp":1793527202000}`},
		{"c1", `{"content":null}`, `{"role":"user","content":null,"timestamp":1793527202000}`},
	} {
		edit := entryOf("context_edit", "e2", "e1", `"targetId":"`+test.target+`","replacement":`+test.replacement)
		got := strings.Split(nativeOf(t, asPi, append(lines, edit)...), "\n")
		if at := map[string]int{"u1": 0, "a1": 1, "c1": 2}[test.target]; got[at] != test.want {
			t.Errorf("%s %s: %s, want %s", test.target, test.replacement, got[at], test.want)
		}
	}
}

// pi fails on an edit without a replacement, unless its target keeps its content anyway.
func TestPiEditWithoutReplacement(t *testing.T) {
	for target, refused := range map[string]bool{"u1": true, "s1": false, "gone": false} {
		ix, read := scanBy(t, asPi, piHeader, piSystem, said("u1", "s1", "user", `"content":"Hi"`),
			entryOf("context_edit", "e1", "u1", `"targetId":"`+target+`"`))
		c, err := ix.Context("")
		if err != nil {
			t.Fatal(err)
		}
		err = c.Native(read().All(), func([]byte) error { return nil })
		if r := (*RefusalError)(nil); errors.As(err, &r) != refused || refused && r.Line != 4 {
			t.Errorf("%s: %v, refused should be %v", target, err, refused)
		}
	}
}

// A cycle ends the path. pi itself would not end.
func TestPiCycle(t *testing.T) {
	got := nativeOf(t, asPi, piHeader, said("a", "b", "user", `"content":"1"`), said("b", "a", "user", `"content":"2"`))
	if want := `{"role":"user","content":"1"}` + "\n" + `{"role":"user","content":"2"}`; got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}

func TestAuthor(t *testing.T) {
	user := said("u1", "gone", "user", `"content":"Hi"`)
	usage := entryOf("usage", "x", "u1", `"kind":"cache_warm","provider":"p","model":"m","usage":{"input":1}`)
	billed := said("a1", "u1", "assistant", `"content":[],"usage":{"input":1,"cost":{"total":1,"totalFromProvider":true}}`)
	leaf := entryOf("leaf", "l1", "u1", `"targetId":"u1"`)
	folder := Author{Folder: Pi}
	tests := []struct {
		name   string
		author Author
		lines  []string
		want   Program
	}{
		{"nothing special", Author{}, []string{user}, OpenClaw},
		{"a context edit alone", Author{}, []string{user,
			entryOf("context_edit", "e", "u1", `"targetId":"u1","replacement":null`)}, OpenClaw},
		{"a plain system message", Author{}, []string{said("s1", "gone", "system", `"content":"x"`)}, OpenClaw},
		{"sections", Author{}, []string{piSystem}, Pi},
		{"a usage entry", Author{}, []string{user, usage}, Pi},
		{"who stated the price", Author{}, []string{user, billed}, Pi},
		{"a prompt in a compaction", Author{}, []string{user, entryOf("compaction", "c", "u1", `"systemMessage":{}`)}, Pi},
		{"pi's folder", folder, []string{user}, Pi},
		{"OpenClaw's record in pi's folder", folder, []string{user, leaf}, OpenClaw},
		{"records of both", Author{}, []string{piSystem, leaf}, Pi},
		{"a forced program", Author{Forced: OpenClaw, Folder: Pi}, []string{piSystem}, OpenClaw},
	}
	for _, test := range tests {
		if ix, _ := scanBy(t, test.author, append([]string{piHeader}, test.lines...)...); ix.Program != test.want {
			t.Errorf("%s: %v, want %v", test.name, ix.Program, test.want)
		}
	}
}

func TestPrompt(t *testing.T) {
	ix, read := scanBy(t, asPi, piHeader, piSystem,
		said("s2", "s1", "system", `"content":[{"type":"text","text":"Be kind."}],"sections":{"cwd":null,"mood":"happy"},`+
			`"toolsRemoved":[{"name":"read"}],"toolsAdded":[{"name":"my tool","parameters":{"type":"object"}}]`),
		said("s3", "s2", "system", `"content":"","sections":{"cwd":"/v"}`))
	c, err := ix.Context("")
	if err != nil {
		t.Fatal(err)
	}
	p, err := c.Prompt(read().All())
	if err != nil {
		t.Fatal(err)
	}
	if got, want := p.Text(), "Be brief.\n\nBe kind.\n\nhappy\n\n/v"; got != want {
		t.Errorf("text %q, want %q", got, want)
	}
	want := `{"name":"bash","input_schema":{"type":"object"}} {"name":"my_tool","input_schema":{"type":"object"}}`
	if got := strings.Join(p.Tools("anthropic"), " "); got != want {
		t.Errorf("tools %s, want %s", got, want)
	}
	want = `{"role":"system","content":"Be brief.\n\nBe kind.","sections":{"mood":"happy","cwd":"/v"},"toolsAdded":` +
		`[{"name":"bash"},{"name":"my tool","parameters":{"type":"object"}}],"timestamp":9}`
	if got := p.Message("9"); got != want {
		t.Errorf("message %s, want %s", got, want)
	}
}

// pi 1.5 reads the same from every transcript that it wrote.
func TestPiTranscripts(t *testing.T) {
	const shared = "../../../shared/transcripts/pi1"
	if _, err := os.Stat(shared); err != nil {
		t.Skip("no transcripts of pi here")
	}
	files, _ := filepath.Glob(shared + "/*.jsonl")
	more, _ := filepath.Glob(shared + "/home/.pi/agent/sessions/*/*.jsonl")
	files = append(files, more...)
	if len(files) < 20 {
		t.Fatal(len(files), "transcripts")
	}
	for _, file := range files {
		text := testkit.Read(t, file)
		answer := testkit.Read(t, strings.TrimSuffix(file, ".jsonl")+".expected.json")
		var want struct {
			Path     []string
			Messages []any
		}
		if err := json.Unmarshal(answer, &want); err != nil {
			t.Fatal(err)
		}
		lines := strings.TrimSuffix(string(text), "\n")
		var got []any
		native := nativeOf(t, Author{}, lines) // nothing but the records tells that pi wrote them
		for _, line := range strings.Split(native, "\n") {
			var m any
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(file, err)
			}
			got = append(got, m)
		}
		ix, _ := scanBy(t, Author{}, lines)
		c, _ := ix.Context("")
		if !reflect.DeepEqual(c.Path(), want.Path) || !reflect.DeepEqual(got, want.Messages) {
			t.Errorf("%s: path %v and %d messages, pi has %v and %d, or they differ",
				file, c.Path(), len(got), want.Path, len(want.Messages))
		}
	}
}

// Whatever pi writes, every way of reading it ends, and the API accepts the conversation.
func TestRandomPiTranscripts(t *testing.T) {
	for seed := range uint64(500) {
		text := string(rebuildtest.PiTranscript(seed))
		ix, read := scanBy(t, Author{}, strings.TrimSuffix(text, "\n"))
		if ix.Program != Pi {
			t.Fatalf("seed %d: not recognized:\n%s", seed, text)
		}
		ix.Check(func(Fault) {})
		c, err := ix.Context("")
		if err != nil {
			t.Fatal(err)
		}
		c.Check(func(Fault) {})
		shown := 0
		if err := c.Native(read().All(), func([]byte) error { shown++; return nil }); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		measured := 0
		err = c.Measure(read().All(), tokens.Heuristic{}, func(Measurement) { measured++ })
		if err != nil || measured != shown {
			t.Fatalf("seed %d: %d measured, %d shown, %v", seed, measured, shown, err)
		}
		if err := c.Conversation(LimitsOf("anthropic")).Anthropic(read().All(), func(m []byte) error {
			if !json.Valid(m) {
				t.Errorf("seed %d: %s", seed, m)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		c.Stretch(nil)
	}
}
