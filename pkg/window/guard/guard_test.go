package guard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild/apicheck"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window/summary"
)

// A maker generates conversations of any length that the API accepts.
type maker struct {
	*rand.Rand
	calls int
}

// text returns a text of at most that many words, some of them on their own lines.
func (m *maker) text(most int) string {
	var b strings.Builder
	b.WriteString("said")
	for range m.IntN(most) {
		b.WriteString([]string{" word", "\nline", " größer", ` "quoted"`, " 12,345", "…", " {json}"}[m.IntN(7)])
	}
	return b.String() + "."
}

func textBlockOf(text string) string { return `{"type":"text","text":` + jsonl.Quote(text) + `}` }

// conversation generates turns: a user message, then answers with tool calls and their results.
func (m *maker) conversation(turns, longest int) string {
	var messages []string
	add := func(role string, blocks ...string) {
		messages = append(messages, `{"role":"`+role+`","content":[`+strings.Join(blocks, ",")+`]}`)
	}
	for range turns {
		add("user", textBlockOf(m.text(60)))
		for range m.IntN(3) {
			calls, results := m.callsAndResults(longest)
			add("assistant", append([]string{textBlockOf(m.text(20))}, calls...)...)
			add("user", results...)
		}
		add("assistant", textBlockOf(m.text(60)))
	}
	add("user", textBlockOf(m.text(30)))
	return "[" + strings.Join(messages, ", ") + "]"
}

func (m *maker) callsAndResults(longest int) (calls, results []string) {
	for range 1 + m.IntN(3) {
		m.calls++
		id := fmt.Sprintf("toolu_%d", m.calls)
		calls = append(calls, `{"type":"tool_use","id":"`+id+`","name":"read","input":{"path":"src/`+id+`.go"}}`)
		content := jsonl.Quote(m.text(longest))
		switch m.IntN(3) {
		case 0:
			content = "[" + textBlockOf(m.text(longest)) + "," + textBlockOf(m.text(longest)) + "]"
		case 1:
			content = "[" + textBlockOf(m.text(longest)) +
				`,{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgoAAAAN` +
				`SUhEUgAAAAoAAAAKCAAAAACoWZBhAAAADElEQVR42mNgoCcAAABu` +
				`AAF2oKnPAAAAAElFTkSuQmCC"}}]`
		}
		results = append(results, `{"type":"tool_result","tool_use_id":"`+id+`","content":`+content+`}`)
	}
	return calls, results
}

// messagesOf returns the messages of a request.
func messagesOf(t testing.TB, body []byte) json.RawMessage {
	t.Helper()
	var r struct{ Messages json.RawMessage }
	if err := json.Unmarshal(body, &r); err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return r.Messages
}

// checkGuard checks that the output of a guard fits, is accepted, and equals the input if the input fits.
func checkGuard(t testing.TB, g *Shrinker, body []byte) *Result {
	t.Helper()
	r, err := parseRequest(body)
	if err != nil {
		t.Fatal(err)
	}
	fits := r.cost(g.Counter) <= g.Budget
	done, err := g.Fit(context.Background(), body)
	if err != nil {
		var large *tooLargeError
		if fits || !errors.As(err, &large) || large.Least <= g.Budget || large.Least > large.Tokens {
			t.Fatalf("fits is %v: %v", fits, err)
		}
		return nil
	}
	if fits != bytes.Equal(done.Body, body) || fits != (done.Cut+done.Summarized == 0) {
		t.Errorf("the input fits: %v, but the output differs: %+v", fits, done)
	}
	after, err := parseRequest(done.Body)
	if err != nil {
		t.Fatal(err)
	}
	if n := after.cost(g.Counter); n > g.Budget || n != done.After {
		t.Errorf("%d tokens, want %d, for a budget of %d", n, done.After, g.Budget)
	}
	if err := apicheck.Anthropic(messagesOf(t, done.Body)); err != nil {
		t.Errorf("%v\n%s", err, done.Body)
	}
	before, last := r.messages[len(r.messages)-1], after.messages[len(after.messages)-1]
	if string(last.Value) != string(before.Value) && done.Cut == 0 {
		t.Error("the last message changed")
	}
	return done
}

// Requests of a thousandth of the real size behave the same.
func TestGeneratedRequests(t *testing.T) {
	m := &maker{Rand: rand.New(rand.NewPCG(7, 11))}
	stages := map[string]int{}
	requests := longtest.Rounds(t, "CLAWCTL_ROUNDS", 80, 1000)
	for i := range requests {
		body := `{"model":"claude-x", "max_tokens": 100,` + "\n" +
			`"system":"Be brief.","tools":[{"name":"read","input_schema":{"type":"object"}}],"messages":` +
			m.conversation(1+m.IntN(12), 1+m.IntN(4)*m.IntN(800)) + "}\n"
		if err := apicheck.Anthropic(messagesOf(t, []byte(body))); err != nil {
			t.Fatal(err)
		}
		r, err := parseRequest([]byte(body))
		if err != nil {
			t.Fatal(err)
		}
		g := &Shrinker{Counter: tokens.CL100K, Budget: r.cost(tokens.CL100K) * (40 + m.IntN(90)) / 100, Offline: i%2 == 0}
		if !g.Offline {
			g.Summarizer = says("What was said before, in short.", nil)
		}
		switch done := checkGuard(t, g, []byte(body)); {
		case done == nil:
			stages["refused"]++
		case done.Summarized > 0:
			stages["summarized"]++
		case done.Cut > 0:
			stages["cut"]++
		default:
			stages["as it is"]++
		}
	}
	for _, stage := range []string{"as it is", "cut", "summarized", "refused"} {
		if stages[stage] < requests/25 {
			t.Errorf("only %d of %d requests were %s: %v", stages[stage], requests, stage, stages)
		}
	}
	t.Log(stages)
}

// Chat completions have tool results as separate messages, and the system prompt among the messages.
func TestOpenAI(t *testing.T) {
	m := &maker{Rand: rand.New(rand.NewPCG(3, 5))}
	fitted := 0
	for range 50 {
		messages := []string{`{"role":"system","content":"Be brief."}`}
		for range 2 + m.IntN(8) {
			messages = append(messages, `{"role":"user","content":`+jsonl.Quote(m.text(40))+`}`)
			m.calls++
			id := fmt.Sprint("call_", m.calls)
			messages = append(messages, `{"role":"assistant","content":null,"tool_calls":[{"id":"`+id+`","type":"function",`+
				`"function":{"name":"read","arguments":"{\"path\":\"a\"}"}}]}`,
				`{"role":"tool","tool_call_id":"`+id+`","content":`+jsonl.Quote(m.text(600))+`}`,
				`{"role":"assistant","content":`+jsonl.Quote(m.text(40))+`}`)
		}
		messages = append(messages, `{"role":"user","content":"And?"}`)
		body := []byte("[" + strings.Join(messages, ",") + "]")
		if err := apicheck.OpenAI(body); err != nil {
			t.Fatal(err)
		}
		r, err := parseRequest(body)
		if err != nil {
			t.Fatal(err)
		}
		g := &Shrinker{Counter: tokens.CL100K, Budget: r.cost(tokens.CL100K) * 7 / 10, Offline: true}
		done, err := g.Fit(context.Background(), body)
		if err != nil {
			continue
		}
		fitted++
		if err := apicheck.OpenAI(done.Body); err != nil || !bytes.HasPrefix(done.Body, []byte("["+messages[0])) {
			t.Errorf("%v: %s", err, done.Body)
		}
	}
	if fitted < 25 {
		t.Errorf("only %d of 50 fit", fitted)
	}
}

// FuzzFit checks the guard with any conversation that the API accepts.
func FuzzFit(f *testing.F) {
	f.Add(uint64(1), uint8(3), uint16(200), uint16(500))
	f.Add(uint64(2), uint8(12), uint16(1500), uint16(3000))
	f.Add(uint64(3), uint8(0), uint16(1), uint16(1))
	f.Fuzz(func(t *testing.T, seed uint64, turns uint8, longest, budget uint16) {
		m := &maker{Rand: rand.New(rand.NewPCG(seed, 1))}
		body := `{"messages":` + m.conversation(int(turns%20), 1+int(longest%2000)) + "}"
		checkGuard(t, &Shrinker{Counter: tokens.CL100K, Budget: 1 + int(budget), Offline: true}, []byte(body))
	})
}

// FuzzText checks that for any text a guard returns JSON that fits, or an error.
func FuzzText(f *testing.F) {
	f.Add(`{"messages":[{"role":"user","content":"hello"}]}`, uint8(5))
	f.Add(`[{"role":"user","content":[{"type":"tool_result","content":"a\nb\nc\nd\ne\nf\ng\nh"}]}]`, uint8(5))
	f.Add(`{"messages":[{"role":"system","content":"x"},{"role":"assistant","tool_calls":[{"function":{"name":"a",`+
		`"arguments":"{}"}}]},{"role":"tool","content":"x"},{"role":"a"},{"role":"b"},{"role":"c"},{"role":"d"}]}`, uint8(2))
	f.Fuzz(func(t *testing.T, text string, budget uint8) {
		g := &Shrinker{Counter: tokens.Heuristic{}, Budget: 1 + int(budget), Offline: true}
		done, err := g.Fit(context.Background(), []byte(text))
		if err != nil {
			return
		}
		r, err := parseRequest(done.Body)
		if err != nil || r.cost(g.Counter) > g.Budget {
			t.Errorf("%v: %s", err, done.Body)
		}
	})
}

// The cut moves so that no result loses its call, backwards if possible.
func TestCut(t *testing.T) {
	shape := map[rune]string{
		'u': `{"role":"user","content":"x"}`,
		'a': `{"role":"assistant","content":[{"type":"text","text":"x"}]}`,
		'c': `{"role":"assistant","content":[{"type":"tool_use","id":"i","name":"n","input":{}}]}`,
		'r': `{"role":"user","content":[{"type":"tool_result","tool_use_id":"i","content":"x"}]}`,
		't': `{"role":"tool","tool_call_id":"i","content":"x"}`,
		's': `{"role":"system","content":"x"}`,
	}
	for messages, want := range map[string]string{
		"uaua":         "0 of 4",
		"uauau":        "1 of 5", // an assistant message follows
		"uauaua":       "2 of 6",
		"ucrcrcru":     "3 of 8",
		"ucrcrcrau":    "3 of 9", // claw0 would cut between a call and its result
		"ucrrcrcrau":   "4 of 10",
		"sucttttttttu": "1 of 11", // all results of one call belong to it
		"ssuauaua":     "2 of 6",
		"rrrrrruu":     "6 of 8", // possible only further on
		"rrrrrrrr":     "0 of 8",
	} {
		var list []string
		for _, r := range messages {
			list = append(list, shape[r])
		}
		r, err := parseRequest([]byte("[" + strings.Join(list, ",") + "]"))
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%d of %d", r.cut(), len(r.messages)-r.lead); got != want {
			t.Errorf("%s: got %s, want %s", messages, got, want)
		}
	}
}

// The messages that stay are unchanged byte for byte, and the summary has claw0's form.
func TestText(t *testing.T) {
	long := strings.Repeat("one two three four five\n", 40)
	const tail = `,{"role":"user","content":"b"},{"role":"assistant","content":"c"},{"role":"user","content":"d"},` +
		`{"role":"assistant","content":"e"},{"role":"user","content":"f"}`
	body := `{"a":1.0,"messages":[{"role":"user","content":` + jsonl.Quote(long) +
		`},{"role":"assistant","content":"answer"}` + tail + `],"z":[ 1 ]}`
	g := &Shrinker{Counter: tokens.Heuristic{}, Budget: 100, Summarizer: func(
		_ context.Context, question func(io.Writer) error) (string, error) {
		var b strings.Builder
		if err := question(&b); err != nil {
			return "", err
		}
		text := strings.TrimSuffix(strings.TrimPrefix(b.String(), prompt), "\n")
		return "Sum of " + text[:20] + " and " + text[len(text)-19:], nil
	}}
	done, err := g.Fit(context.Background(), []byte(body))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"a":1.0,"messages":[{"role":"user","content":[{"type":"text","text":"[Previous conversation summary]\nSum ` +
		`of [user]: one two thre and [assistant]: answer"}]},` + "\n" +
		`{"role":"assistant","content":[{"type":"text","text":"Understood, I have the context."}]}` +
		strings.ReplaceAll(tail, `,{"role"`, ",\n"+`{"role"`) + `],"z":[ 1 ]}` + "\n"
	if string(done.Body) != want || done.Summarized != 2 {
		t.Errorf("%+v\n%s\nnot\n%s", done, done.Body, want)
	}
}

// says returns a summarizer with an answer.
func says(text string, err error) summary.Summarizer {
	return func(context.Context, func(io.Writer) error) (string, error) { return text, err }
}

func TestErrors(t *testing.T) {
	large := `{"messages":[` + strings.Repeat(`{"role":"user","content":"`+strings.Repeat("word ", 50)+`"},`, 9) +
		`{"role":"user","content":"x"}]}`
	failed := errors.New("no model")
	for _, test := range []struct {
		body       string
		summarizer summary.Summarizer
		want       error
	}{
		{"", nil, errNoRequest},
		{`{"messages":{}}`, nil, errNoRequest},
		{`{"message":[]}`, nil, errNoRequest},
		{`"messages"`, nil, errNoRequest},
		{`[1]`, nil, errNoRequest},
		{`[{"content":"x"}]`, nil, errNoRequest},
		{large, nil, errSummaryNeeded},
		{large, says("", failed), failed},
		{large, says(" too short ", nil), errShortSummary},
		{large, says(strings.Repeat("too long ", 100), nil), errTooLarge},
		{`[{"role":"user","content":"` + strings.Repeat("word ", 500) + `"}]`, says("A summary of everything.", nil),
			errTooLarge},
	} {
		g := &Shrinker{Counter: tokens.Heuristic{}, Budget: 100, Summarizer: test.summarizer}
		if _, err := g.Fit(context.Background(), []byte(test.body)); !errors.Is(err, test.want) {
			t.Errorf("%.60s: got %v, want %v", test.body, err, test.want)
		}
	}
}

func TestExtract(t *testing.T) {
	r, err := parseRequest([]byte(`[
		{"role":"user","content":"Build a clock.\nPlease."},
		{"role":"assistant","content":[{"type":"text","text":"Yes."},{"type":"tool_use","id":"1","name":"write",` +
		`"input":{"path":"clock.go"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"ok"}]},
		{"role":"assistant","content":null,"tool_calls":[{"id":"2","type":"function","function":{"name":"read",` +
		`"arguments":"{\"path\":\"clock.go\"}"}}]},
		{"role":"tool","tool_call_id":"2","content":"package clock"},
		{"role":"user","content":"Faster."},
		{"role":"assistant","content":"It is done."}]`))
	if err != nil {
		t.Fatal(err)
	}
	want := `[Offline extract of 7 messages by clawctl. No model wrote it: ` +
		`it quotes the conversation by fixed rules and may miss what matters.]

## Goal
Build a clock. Please.

## Asked for
- Build a clock. Please.
- Faster.

## Files
- modified clock.go

## Last state
The user said: Faster.
The assistant said: It is done.
The last calls: write {"path":"clock.go"}; read {"path":"clock.go"}`
	if got := extractOf(r.messages, tokens.Heuristic{}, 1000); got != want {
		t.Errorf("%s", got)
	}
	transcript := `[user]: Build a clock.
Please.
[assistant]: Yes.
[assistant called write]: {"path":"clock.go"}
[tool_result]: ok
[assistant called read]: {"path":"clock.go"}
[tool_result]: package clock
[user]: Faster.
[assistant]: It is done.`
	if got := transcribe(r.messages); got != transcript {
		t.Errorf("%s", got)
	}
	// An earlier summary is carried over.
	before := []message{textMessage("user", summaryHead+"They built a sundial."), textMessage("assistant", "Understood.")}
	if got := extractOf(append(before, r.messages...), tokens.Heuristic{}, 1000); !strings.Contains(got,
		"## Earlier summary\nThey built a sundial.\n\n## Goal\nBuild a clock.") {
		t.Errorf("%s", got)
	}
}

// The older form of a call in chat completions counts as much as the newer one.
func TestFunctionCallCounts(t *testing.T) {
	long := strings.Repeat("many words that count ", 50)
	request := func(call string) int {
		r, err := parseRequest([]byte(`{"messages":[{"role":"user","content":"x"},{"role":"assistant","content":null,` +
			call + `}]}`))
		if err != nil {
			t.Fatal(err)
		}
		return r.cost(tokens.CL100K)
	}
	old := request(`"function_call":{"name":"f","arguments":"` + long + `"}`)
	if new := request(`"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"` + long +
		`"}}]`); old != new || old < 200 {
		t.Error(old, new)
	}
}
