package trajectory

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/export/trajectory/atifcheck"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/rebuild/rebuildtest"
	"clawctl/pkg/report/stats"
)

// parsed is a trajectory as a test reads it.
type parsed struct {
	Agent map[string]any
	Steps []struct {
		step
		Message any `json:"message"`
	}
	Final finalMetrics `json:"final_metrics"`
	Extra map[string]any
}

// sessionOf returns a session for a transcript.
func sessionOf(t *testing.T, text []byte) *input {
	t.Helper()
	c := contextOf(t, text)
	return &input{ID: "s", Document: "d", Agent: Agent{Name: "pi", Version: "1"},
		Path: func(emit func(*jsonl.Record) error) error { return c.PathRecords(recordsOf(text)(), emit) }}
}

func contextOf(t *testing.T, text []byte) *rebuild.Context {
	t.Helper()
	ix, err := rebuild.Scan(jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ix.Context("")
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func recordsOf(text []byte) func() iter.Seq2[*jsonl.Record, error] {
	return func() iter.Seq2[*jsonl.Record, error] { return jsonl.Records(bytes.NewReader(text), jsonl.Options{}) }
}

// write writes a session and checks the result.
func write(t *testing.T, s *input, o Options) (parsed, *summary) {
	t.Helper()
	var out bytes.Buffer
	result, err := Write(&out, s, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, problem := range atifcheck.Check(out.Bytes()) {
		t.Error(problem)
	}
	var p parsed
	if err := json.Unmarshal(out.Bytes(), &p); err != nil {
		t.Fatal(err)
	}
	return p, result
}

const header = `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/"}`

// transcript makes a transcript of the bodies of records. Each continues the one before it.
func transcript(bodies ...string) []byte {
	lines := []string{header}
	for i, body := range bodies {
		parent := "null"
		if i > 0 {
			parent = fmt.Sprintf(`"e%d"`, i-1)
		}
		lines = append(lines, fmt.Sprintf(`{"id":"e%d","parentId":%s,"timestamp":"2026-05-01T10:00:%02d.000Z",%s}`,
			i, parent, i+1, body))
	}
	return []byte(strings.Join(lines, "\n") + "\n")
}

// message returns the body of a message record.
func message(fields string) string { return `"type":"message","message":{` + fields + `}` }

// The records that most tests begin with.
var (
	ask  = message(`"role":"user","content":"Look."`)
	look = message(`"role":"assistant","provider":"p","model":"m","stopReason":"toolUse","content":[` +
		`{"type":"thinking","thinking":"Hm."},{"type":"text","text":"I look."},` +
		`{"type":"toolCall","id":"c1","name":"read","arguments":{"path":"a"}}],` +
		`"usage":{"input":10,"output":5,"cacheRead":100,"cacheWrite":7,"totalTokens":122,"cost":{"total":0.25}}`)
	seen = message(`"role":"toolResult","toolCallId":"c1","toolName":"read","isError":true,` +
		`"content":[{"type":"text","text":"nothing"}]`)
)

// show describes the steps of a trajectory on one line each.
func show(p parsed) string {
	var lines []string
	for _, s := range p.Steps {
		line := fmt.Sprintf("%d %s %v", s.ID, s.Source, s.Message)
		for _, c := range s.Calls {
			line += fmt.Sprintf(" %s(%s)=%s", c.Function, c.Arguments, c.ID)
		}
		if s.Observation != nil {
			for _, r := range s.Observation.Results {
				line += fmt.Sprintf(" [%s:%s]", r.Call, r.Content)
			}
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n")
}

func TestSteps(t *testing.T) {
	call := func(id string) string {
		return message(`"role":"assistant","content":[{"type":"toolCall","id":"` + id + `","name":"x","arguments":{}}]`)
	}
	result := func(id, text string) string {
		return message(`"role":"toolResult","toolCallId":"` + id + `","toolName":"x","isError":false,` +
			`"content":[{"type":"text","text":"` + text + `"}]`)
	}
	for _, test := range []struct {
		name   string
		bodies []string
		want   string
	}{
		{"answer with its result", []string{ask, look, seen},
			"1 user Look.\n2 agent I look. read({\"path\":\"a\"})=c1 [c1:\"nothing\"]"},
		{"late result", []string{call("a"), ask, result("a", "r")}, "1 agent  x({})=a [a:\"r\"]\n2 user Look."},
		{"no result", []string{call("a"), ask}, "1 agent  x({})=a\n2 user Look."},
		{"result without a call", []string{ask, result("z", "r")},
			"1 user Look.\n2 system A tool result without a recorded call. [:\"r\"]"},
		{"an id that is used again", []string{call("a"), result("a", "1"), call("a"), result("a", "2")},
			"1 agent  x({})=a [a:\"1\"]\n2 agent  x({})=a [a:\"2\"]"},
		{"two results", []string{call("a"), result("a", "1"), result("a", "2")}, `1 agent  x({})=a [a:"1"] [a:"2"]`},
		{"the same id twice", []string{message(`"role":"assistant","content":[` +
			`{"type":"toolCall","id":"a","name":"x","arguments":{}},{"type":"toolCall","id":"a","name":"y"}]`),
			result("a", "1"), result("a", "2")}, `1 agent  x({})=a y({})=a#2 [a:"1"] [a#2:"2"]`},
		{"no id and no name", []string{message(`"role":"assistant","content":[{"type":"toolCall","arguments":"x"}]`)},
			"1 agent  unknown({})=call-1-1"},
		{"arguments in a string", []string{message(`"role":"assistant","content":[` +
			`{"type":"toolCall","id":"a","name":"x","arguments":"{\"k\":1}"}]`)}, `1 agent  x({"k":1})=a`},
		{"compaction", []string{ask, `"type":"compaction","summary":"Before.","firstKeptEntryId":"z","tokensBefore":9`},
			"1 user Look.\n2 system Earlier messages were replaced by a summary. [:\"Before.\"]"},
		{"command", []string{message(`"role":"bashExecution","command":"ls","output":"a","exitCode":0`)},
			"1 system The user ran a command: ls [:\"a\"]"},
		{"records", []string{ask, `"type":"custom","customType":"x","data":{"a":1}`}, "1 user Look."},
		{"half a character", []string{message(`"role":"user","content":"a\ud83d"`)}, "1 user a\ufffd"},
	} {
		t.Run(test.name, func(t *testing.T) {
			p, _ := write(t, sessionOf(t, transcript(test.bodies...)), Options{})
			if got := show(p); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// The fields of a step say what the answer said.
func TestAnswer(t *testing.T) {
	level := `"type":"thinking_level_change","thinkingLevel":"high"`
	p, _ := write(t, sessionOf(t, transcript(ask, level, look, seen)), Options{})
	s := p.Steps[1]
	if s.Model != "m" || s.Effort != "high" || string(s.Reasoning) != `"Hm."` || *s.LLMCalls != 1 {
		t.Errorf("%+v", s)
	}
	m := s.Metrics
	if m.Prompt != 117 || m.Cached != 100 || m.Completion != 5 || *m.Cost != 0.25 ||
		m.Extra["cache_creation_input_tokens"] != 7.0 {
		t.Errorf("%+v", m)
	}
	if s.Observation.Results[0].Extra["is_error"] != true || len(s.Extra["records"].([]any)) != 1 {
		t.Errorf("%+v", s)
	}
	if p.Agent["model_name"] != "m" || p.Final.Prompt != 117 || p.Final.Steps != 2 {
		t.Errorf("%+v %+v", p.Agent, p.Final)
	}
}

// A compaction that keeps entries says from which step on, and what its summary cost.
func TestBoundary(t *testing.T) {
	compaction := `"type":"compaction","summary":"Before.","firstKeptEntryId":"e1","tokensBefore":9,` +
		`"usage":{"input":1,"output":2,"totalTokens":3}`
	p, _ := write(t, sessionOf(t, transcript(ask, look, seen, compaction, ask)), Options{})
	management := p.Steps[2].Extra["context_management"].(map[string]any)
	if management["boundary"] != "truncate" || management["first_kept_step"] != 2.0 || management["type"] != "compaction" {
		t.Error(management)
	}
	if p.Final.Prompt != 118 || p.Final.Extra["outside_steps"].(map[string]any)["completion_tokens"] != 2.0 {
		t.Errorf("%+v", p.Final)
	}
	p, _ = write(t, sessionOf(t, transcript(ask, `"type":"reset","reason":"new"`, ask)), Options{})
	if management := p.Steps[1].Extra["context_management"].(map[string]any); management["boundary"] != "replace" {
		t.Error(management)
	}
}

// Subagents are linked where a result mentions them, and otherwise at the end.
func TestSubagents(t *testing.T) {
	s := sessionOf(t, transcript(ask, look, seen, look, message(`"role":"toolResult","toolCallId":"c1","toolName":"x",`+
		`"isError":false,"content":[{"type":"text","text":"started agent:main:subagent:1"}]`)))
	s.Subagents = []subagent{{"agent:main:subagent:1", "i1", "one.json"}, {"agent:main:subagent:2", "i2", "two.json"}}
	p, _ := write(t, s, Options{})
	if got := p.Steps[2].Observation.Results[0].Subagents; len(got) != 1 || got[0].Path != "one.json" {
		t.Error(got)
	}
	last := p.Steps[len(p.Steps)-1]
	if got := last.Observation.Results[0].Subagents; last.Source != "system" ||
		len(got) != 1 || got[0].Path != "two.json" {
		t.Error(got)
	}
}

// Keys are masked, in arguments too, and images are stored or replaced by a text.
func TestMaskedAndImages(t *testing.T) {
	text := transcript(message(`"role":"user","content":[{"type":"text","text":"sk-ant-0123456789abcdefghijklmnop"},`+
		`{"type":"image","data":"AAAA","mimeType":"image/png"}]`),
		message(`"role":"assistant","content":[{"type":"toolCall","id":"a","name":"x",`+
			`"arguments":{"password":"hunter2secretXk39"}}]`))
	p, result := write(t, sessionOf(t, text), Options{})
	if got := show(p); strings.Contains(got, "0123456789") || strings.Contains(got, "hunter2") || result.Masked != 2 {
		t.Error(got, result.Masked)
	}
	if result.LeftOut["image"] != 1 {
		t.Error(result.LeftOut)
	}
	stored := Options{Raw: true, Image: func(string, jsonl.Value) (string, error) { return "images/a.png", nil }}
	p, result = write(t, sessionOf(t, text), stored)
	if got := show(p); !strings.Contains(got, "images/a.png") || !strings.Contains(got, "hunter2") || result.Masked != 0 {
		t.Error(got)
	}
	full := errors.New("disk full")
	stored.Image = func(string, jsonl.Value) (string, error) { return "", full }
	if _, err := Write(&bytes.Buffer{}, sessionOf(t, text), stored); !errors.Is(err, full) {
		t.Error(err)
	}
}

func TestNoSteps(t *testing.T) {
	var out bytes.Buffer
	if _, err := Write(&out, sessionOf(t, transcript()), Options{}); !errors.Is(err, ErrNoSteps) || out.Len() > 0 {
		t.Error(err, out.String())
	}
}

// Random transcripts, intact or with bytes that were changed, make valid trajectories with the totals of stats.
func TestRandomTranscripts(t *testing.T) {
	for seed := range uint64(400) {
		text := rebuildtest.Transcript(seed)
		if seed%2 == 1 {
			text = rebuildtest.PiTranscript(seed)
		}
		if seed%4 > 1 {
			random := rand.New(rand.NewPCG(seed, 1))
			for range 1 + random.IntN(20) {
				text[random.IntN(len(text))] = byte(random.IntN(256))
			}
		}
		s := sessionOf(t, text)
		if _, err := survey(s); errors.Is(err, ErrNoSteps) {
			continue
		}
		p, _ := write(t, s, Options{})
		counter := stats.NewCounter(nil)
		if err := s.Path(func(rec *jsonl.Record) error { return counter.Count(t.Context(), rec) }); err != nil {
			t.Fatal(err)
		}
		want := counter.Total().Recorded
		if p.Final.Prompt != promptOf(want) || p.Final.Completion != want.Output || p.Final.Steps != len(p.Steps) {
			t.Errorf("seed %d: %+v, want %+v", seed, p.Final, want)
		}
		checkExample(t, fmt.Sprint("seed ", seed), text)
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

// Ids of calls are unique in a step, and numbers are not tried twice.
func TestFreeID(t *testing.T) {
	s := &openStep{}
	var got []string
	for _, id := range []string{"c", "c", "c#3", "c", "c", "d", "c#3"} {
		got = append(got, s.freeID(id))
	}
	if want := []string{"c", "c#2", "c#3", "c#4", "c#5", "d", "c#3#2"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
