package handoff

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"strings"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/rebuild/rebuildtest"
	"clawctl/pkg/tokens"
)

// collect collects the material of a transcript.
func collect(t testing.TB, text []byte) *Material {
	t.Helper()
	read := func() iter.Seq2[*jsonl.Record, error] { return jsonl.Records(bytes.NewReader(text), jsonl.Options{}) }
	index, err := rebuild.Scan(jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	context, err := index.Context("")
	if err != nil {
		t.Skip(err) // nobody can continue it
	}
	m, err := Collect(Source{
		Name: "agent:main:main", ID: "s1", Program: index.Program, Context: context, Records: read(),
		Masker: &redact.Masker{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// line returns an entry of a transcript, whose id is e and its number.
func line(n int, message string) string {
	parent := fmt.Sprintf(`"e%d"`, n-1)
	if n == 1 {
		parent = "null"
	}
	const form = `{"type":"message","id":"e%d","parentId":%s,"timestamp":"2026-11-01T10:00:%02d.000Z","message":%s}`
	return fmt.Sprintf(form, n, parent, n, message) + "\n"
}

const header = `{"type":"session","version":3,"id":"s1","timestamp":"2026-11-01T10:00:00.000Z",` +
	`"cwd":"/home/ada/notes"}` + "\n"

// talk is a session with everything that a prompt has.
var talk = header +
	line(1, `{"role":"user","content":"Sort the notes.\n\n# Ignore all of this"}`) +
	line(2, `{"role":"assistant","content":[{"type":"text","text":"We will go with folders by year."},`+
		`{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"a.txt"}},`+
		`{"type":"toolCall","id":"c2","name":"write","arguments":{"path":"2026/a.txt","content":"x"}}]}`) +
	line(3, `{"role":"toolResult","isError":false,"toolCallId":"c1","toolName":"read",`+
		`"content":[{"type":"text","text":"key sk-ant-api03-`+strings.Repeat("aB3dE", 19)+`-AA"}]}`) +
	line(4, `{"role":"toolResult","isError":false,"toolCallId":"c2","toolName":"write","content":"done"}`) +
	line(5, `{"role":"user","content":"[Request interrupted by user]"}`) +
	line(6, `{"role":"user","content":"And the pictures?"}`) +
	line(7, `{"role":"assistant","content":[{"type":"toolCall","id":"c3","name":"TodoWrite","arguments":{"todos":[`+
		`{"content":"sort","status":"completed"},{"content":"look at pictures","status":"pending"}]}},`+
		`{"type":"toolCall","id":"c4","name":"bash","arguments":{"command":"ls pictures"}}]}`) +
	line(8, `{"role":"toolResult","isError":false,"toolCallId":"c3","toolName":"TodoWrite","content":"ok"}`)

// A prompt has every kind of part, each with its source, and no secret.
func TestParts(t *testing.T) {
	p, err := collect(t, []byte(talk)).Fit(4000, tokens.CL100K)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, part := range p.Parts {
		if part.Kind != Turn {
			got = append(got, fmt.Sprintf("%s %s:%d %s", part.Kind, part.Entry, part.Line, part.Text))
		}
	}
	want := []string{
		"goal e1:2 Sort the notes.\n\n# Ignore all of this", "request e6:7 And the pictures?",
		"decision e2:3 We will go with folders by year.", "task e7:8 look at pictures",
		`open_call e7:8 {"command":"ls pictures"}`, "changed_file e2:3 2026/a.txt", "read_file e2:3 a.txt",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if p.Cwd != "/home/ada/notes" || p.Program != "OpenClaw" || len(p.LeftOut) > 0 {
		t.Error(p.Cwd, p.Program, p.LeftOut)
	}
	if strings.Contains(p.Text, "aB3dE") || !strings.Contains(p.Text, "> key ") {
		t.Errorf("not masked:\n%s", p.Text)
	}
}

// A limit that is too small is an error that names the least one, which is enough.
func TestTooSmall(t *testing.T) {
	m := collect(t, []byte(talk))
	_, err := m.Fit(10, tokens.CL100K)
	var small *tooSmallError
	if !errors.As(err, &small) || small.FailureAt("x").Status() != 2 {
		t.Fatal(err)
	}
	if p, err := m.Fit(small.Least, tokens.CL100K); err != nil || p.Tokens > small.Least {
		t.Error(p, err)
	}
	if _, err := m.Fit(small.Least-1, tokens.CL100K); !errors.As(err, &small) {
		t.Error(err)
	}
	if _, err := collect(t, []byte(header)).Fit(4000, tokens.CL100K); err != errEmpty {
		t.Error(err)
	}
}

// checkFit checks what every prompt promises: it has at most limit tokens, is the same every time, and cuts a part only
// if the whole one does not fit.
func checkFit(t *testing.T, m *Material, limit int, c tokens.Counter) {
	t.Helper()
	p, err := m.Fit(limit, c)
	var small *tooSmallError
	if errors.As(err, &small) && small.Least > limit || err == errEmpty {
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	if n := c.Count(p.Text); n > limit || n != p.Tokens {
		t.Fatalf("%d tokens instead of at most %d, said to be %d", n, limit, p.Tokens)
	}
	if again, _ := m.Fit(limit, c); !reflect.DeepEqual(p, again) {
		t.Fatal("another prompt the second time")
	}
	f := &fitter{m: m, limit: limit, counter: c, picked: map[int]Part{}}
	at := 0
	for i := range m.parts {
		if at < len(p.Parts) && sameSource(&m.parts[i], &p.Parts[at]) {
			f.picked[i] = p.Parts[at]
			at++
		}
	}
	for i, part := range f.picked {
		if whole := m.parts[i]; part.Cut && !whole.Cut {
			f.picked[i] = whole
			if n := c.Count(f.text()); n <= limit {
				t.Errorf("limit %d: %s was cut, but the whole prompt has %d tokens", limit, part.Kind, n)
			}
			f.picked[i] = part
		}
	}
}

// sameSource reports whether one part is the other, or is cut from it.
func sameSource(whole, p *Part) bool {
	return whole.Kind == p.Kind && whole.Origin == p.Origin && whole.Role == p.Role && whole.Name == p.Name &&
		(p.Cut || whole.Text == p.Text)
}

// Random transcripts fit any limit.
func TestRandomTranscripts(t *testing.T) {
	for seed := range uint64(longtest.Rounds(t, "CLAWCTL_ROUNDS", 20, 3000)) {
		for _, text := range [][]byte{rebuildtest.Transcript(seed), rebuildtest.PiTranscript(seed)} {
			t.Run(fmt.Sprint(seed), func(t *testing.T) {
				m := collect(t, text)
				for _, limit := range []int{200, 260, 333, 500, 1000, 4000} {
					checkFit(t, m, limit, tokens.CL100K)
				}
				checkFit(t, m, 400, tokens.Heuristic{})
			})
		}
	}
}

// Tasks that are made and changed one by one are open until they are completed, and files that only shell commands name
// are listed as such.
func TestTasksOneByOne(t *testing.T) {
	call := func(id, name, arguments string) string {
		return fmt.Sprintf(`{"role":"assistant","content":[{"type":"toolCall","id":%q,"name":%q,"arguments":%s}]}`,
			id, name, arguments)
	}
	result := func(id, name, text string) string {
		return fmt.Sprintf(`{"role":"toolResult","isError":false,"toolCallId":%q,"toolName":%q,"content":%q}`, id, name, text)
	}
	lines := []string{
		`{"role":"user","content":"Build the shop."}`,
		call("c1", "TaskCreate", `{"subject":"draw the logo"}`), result("c1", "TaskCreate",
			"Task #7 created successfully: draw the logo"),
		call("c2", "TaskCreate", `{"subject":"write the prices"}`), result("c2", "TaskCreate",
			"Task #8 created successfully: write the prices"),
		call("c3", "TaskUpdate", `{"taskId":"7","status":"completed"}`), result("c3", "TaskUpdate", "Updated task #7"),
		call("c4", "TaskUpdate", `{"taskId":"8","status":"in_progress","subject":"write all prices"}`),
		result("c4", "TaskUpdate", "Updated task #8"),
		call("c5", "bash", `{"command":"cat prices.csv notes.txt"}`), result("c5", "bash", "1"),
		call("c6", "read", `{"path":"notes.txt"}`), result("c6", "read", "2"),
	}
	text := header
	for i, l := range lines {
		text += line(i+1, l)
	}
	p, err := collect(t, []byte(text)).Fit(4000, tokens.CL100K)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, part := range p.Parts {
		if part.Kind != Turn && part.Kind != Request {
			got = append(got, fmt.Sprintf("%s %s %s", part.Kind, part.Entry, part.Text))
		}
	}
	want := []string{"task e8 write all prices", "read_file e12 notes.txt", "named_file e10 prices.csv"}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
