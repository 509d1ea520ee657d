package rebuild

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
)

// prove proves the requests of a text. It returns the lines that differ.
func prove(t *testing.T, text []byte) (*prover, proof, []int64) {
	t.Helper()
	p := newProver(t, text)
	var lines []int64
	result := p.compare(func(line int64) { lines = append(lines, line) })
	return p, result, lines
}

// A loggedTalk is a transcript of Claude Code that is being written, with its log of requests.
type loggedTalk struct {
	rows []string
	sent []any // the messages so far
	last string
	log  int // number of requests
	keep int // number of messages of the last one
}

func (w *loggedTalk) row(kind string, members map[string]any) string {
	id := fmt.Sprintf("id-%d", len(w.rows))
	row := map[string]any{"type": kind, "uuid": id, "parentUuid": nil, "sessionId": "s"}
	if w.last != "" {
		row["parentUuid"] = w.last
	}
	for key, v := range members {
		row[key] = v
	}
	w.add(row)
	w.last = id
	return id
}

// add adds a line.
func (w *loggedTalk) add(row map[string]any) {
	text, _ := json.Marshal(row)
	w.rows = append(w.rows, string(text))
}

// say adds a row of the user or of the model, which is a message of its own.
func (w *loggedTalk) say(role string, content any) {
	w.sent = append(w.sent, map[string]any{"role": role, "content": content})
	message := map[string]any{"role": role, "content": content}
	if role == "assistant" {
		message["id"], message["model"] = fmt.Sprintf("msg-%d", len(w.rows)), "claude-opus-4-6"
	}
	w.row(role, map[string]any{"message": message})
}

// request logs a request with all messages so far, either as a whole or as what is new.
func (w *loggedTalk) request(whole bool) {
	w.log++
	row := map[string]any{"type": "api-request", "id": fmt.Sprintf("r%d", w.log), "sessionId": "s", "keep": 0}
	if !whole && w.log > 1 {
		row["base"], row["keep"] = fmt.Sprintf("r%d", w.log-1), w.keep
	}
	var tail []string
	for _, m := range w.sent[row["keep"].(int):] {
		tail = append(tail, sentHash(m))
	}
	row["tail"], w.keep = tail, len(w.sent)
	w.add(row)
}

// sentHash returns the hash of a message: of its JSON with sorted keys, in which a text is a block.
func sentHash(message any) string {
	m := message.(map[string]any)
	if text, ok := m["content"].(string); ok {
		m = map[string]any{"role": m["role"], "content": []any{map[string]any{"type": "text", "text": text}}}
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(m)
	return fmt.Sprintf("%x", sha256.Sum256(bytes.TrimSpace(b.Bytes())))
}

func textContent(text string) any { return []any{map[string]any{"type": "text", "text": text}} }

// conversation returns a conversation with some turns, whose requests are logged in both ways.
func conversation(turns int) []byte {
	w := &loggedTalk{}
	for turn := range turns {
		w.say("user", fmt.Sprintf("question %d <é>", turn))
		w.request(turn%2 == 0)
		call := fmt.Sprintf("toolu_%d", turn)
		w.say("assistant", []any{map[string]any{"type": "tool_use", "id": call, "name": "Read",
			"input": map[string]any{"z": 1.5, "a": []any{true, nil}, "m": "x"}}})
		w.say("user", []any{map[string]any{"type": "tool_result", "tool_use_id": call, "content": "found it"}})
		w.request(false)
		w.say("assistant", textContent(fmt.Sprintf("answer %d", turn)))
	}
	return []byte(strings.Join(w.rows, "\n") + "\n")
}

// Requests whose messages are rebuilt are proved, and a changed message is found at its row.
func TestProve(t *testing.T) {
	t.Parallel()
	text := conversation(4)
	if _, got, lines := prove(t, text); got != (proof{8, 8}) || lines != nil {
		t.Errorf("got %v, %v", got, lines)
	}
	for _, test := range []struct {
		old, new string
		lines    []int64
		proof    proof
	}{
		{"question 0", "Question 0", []int64{1}, proof{8, 0}},
		{"question 2", "question 3", []int64{13}, proof{8, 4}},
		{`"z":1.5`, `"z":1.50`, nil, proof{8, 8}}, // the same number
		{`"z":1.5`, `"z":1.6`, []int64{3}, proof{8, 1}},
		{"answer 3", "answer 4", nil, proof{8, 8}},        // no request follows
		{`"keep":3`, `"keep":2`, []int64{8}, proof{8, 6}}, // the request has fewer messages
		{`"base":"r3"`, `"base":"r9"`, nil, proof{8, 7}},  // nobody knows what the request had
	} {
		changed := bytes.Replace(text, []byte(test.old), []byte(test.new), 1)
		if _, got, lines := prove(t, changed); got != test.proof || !slices.Equal(lines, test.lines) {
			t.Errorf("%s: got %v on %v, want %v on %v", test.new, got, lines, test.proof, test.lines)
		}
	}
}

// A session that is resumed inside an answer has the rest of that answer only after it is resumed again.
func TestProveSessionResumedInAnswer(t *testing.T) {
	t.Parallel()
	thought := map[string]any{"type": "thinking", "thinking": "hm", "signature": "c2ln"}
	call := map[string]any{"type": "tool_use", "id": "toolu_1", "name": "Read", "input": map[string]any{}}
	result := map[string]any{"type": "tool_result", "tool_use_id": "toolu_1", "content": "found it"}
	text := func(text string) any { return map[string]any{"type": "text", "text": text} }
	w := &loggedTalk{}
	answer := func(block any) string {
		message := map[string]any{"role": "assistant", "id": "msg", "model": "claude-opus-4-6", "content": []any{block}}
		return w.row("assistant", map[string]any{"message": message})
	}
	ask := func(content any) {
		w.row("user", map[string]any{"message": map[string]any{"role": "user", "content": content}})
	}
	said := func(role string, content ...any) any { return map[string]any{"role": role, "content": content} }

	ask("one")
	w.sent = []any{said("user", text("one"))}
	w.request(true)
	inside := answer(thought)
	answer(call)
	ask([]any{result})
	w.sent = append(w.sent, said("assistant", thought, call), said("user", result))
	w.request(false)

	w.last = inside
	ask("two") // in a process that has not loaded the call
	w.sent = []any{said("user", text("one\n"), text("two"))}
	w.request(true)
	w.say("assistant", []any{text("well")})

	ask("three") // in another process
	w.sent = []any{said("user", text("one")), said("assistant", thought, call), said("user", result, text("two")),
		said("assistant", text("well")), said("user", text("three"))}
	w.request(true)
	if _, got, lines := prove(t, []byte(strings.Join(w.rows, "\n")+"\n")); got != (proof{4, 4}) || lines != nil {
		t.Errorf("got %v, %v", got, lines)
	}
}

// FuzzProve proves the requests of any text. What is compared and not proved is reported.
func FuzzProve(f *testing.F) {
	f.Add(conversation(2))
	f.Add(bytes.Replace(conversation(2), []byte(`"keep":3`), []byte(`"keep":99`), 1))
	f.Add(bytes.Replace(conversation(2), []byte(`"base":"r1"`), []byte(`"base":"r2"`), 1))
	f.Add(bytes.Replace(conversation(2), []byte(`"tail":["`), []byte(`"tail":[7,"`+strings.Repeat("00", 40)), 1))
	f.Fuzz(func(t *testing.T, text []byte) {
		p, got, lines := prove(t, text)
		compared := p.comparable()
		if got.proved > compared || compared > got.requests || got.requests != len(p.requests) {
			t.Errorf("%v, compared %d", got, compared)
		}
		if got.proved == got.requests && lines != nil {
			t.Errorf("%v, but lines %v differ", got, lines)
		}
	})
}

// harnessSessions returns the sessions of Claude Code that the real program wrote.
func harnessSessions(t *testing.T) []string {
	t.Helper()
	folders := []string{"../../../shared/transcripts/harness/claude/*"}
	if random := os.Getenv("CLAWCTL_HARNESS"); random != "" {
		folders = append(folders, random+"/written/*")
	}
	var files []string
	for _, folder := range folders {
		more, _ := filepath.Glob(filepath.Join(folder, "projects/*/*.jsonl"))
		files = append(files, more...)
	}
	if len(files) == 0 {
		t.Skip("no sessions of Claude Code here")
	}
	return files
}

// Every request that the real program logged is proved, and a change of one character in anything that was sent is
// found.
func TestProveHarnessSessions(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(36, 1))
	requests, compared, found, tried := 0, 0, 0, 0
	files := harnessSessions(t)
	rounds := longtest.Rounds(t, "CLAWCTL_PROOF_ROUNDS", 40, 600)/len(files) + 1
	for _, file := range files {
		text := testkit.Read(t, file)
		p, got, lines := prove(t, text)
		possible := p.comparable()
		if requests, compared = requests+got.requests, compared+possible; got.proved < possible || lines != nil {
			t.Errorf("%s: proved %d of %d; lines %v differ", file, got.proved, possible, lines)
			continue
		}
		for range rounds {
			changed, line := changeSent(random, p, text)
			if changed == nil {
				continue
			}
			tried++
			if _, _, lines := prove(t, changed); lines != nil {
				found++
			} else {
				t.Errorf("%s: a change of line %d was not found", file, line)
			}
		}
	}
	if compared*10 < requests*9 {
		t.Errorf("only %d of %d requests were compared", compared, requests)
	}
	t.Logf("%d of %d requests of %d sessions; %d of %d changes found", compared, requests, len(files), found, tried)
}

// comparable returns how many requests are compared with what is rebuilt. Those of a session that was resumed at a call
// are not.
func (p *prover) comparable() int {
	seen := map[int]bool{}
	for _, c := range p.claims {
		for at := c.request; at >= 0 && !seen[at]; at = p.base[at] {
			seen[at] = true
		}
	}
	return len(seen)
}

// changeSent changes one letter of a text in a row that was sent.
func changeSent(random *rand.Rand, p *prover, text []byte) (changed []byte, line int64) {
	g := p.groups[random.IntN(len(p.groups))]
	if len(g.entries) == 0 {
		return nil, 0
	}
	e := p.ix.at(g.entries[random.IntN(len(g.entries))])
	end := int(e.offset) + bytes.IndexByte(text[e.offset:], '\n')
	row := jsonl.Value(text[e.offset:end])
	sent := row.Get("message").Get("content")
	if rendered := row.Get("rendered"); rendered.Exists() {
		sent = rendered
	}
	if !sent.Exists() {
		return nil, 0 // an image, which is rendered when it is sent
	}
	start := bytes.Index(text[e.offset:end], sent) + int(e.offset)
	for range 100 {
		at := start + random.IntN(len(sent))
		if changed := changeText(text, start, len(sent), at); changed != nil {
			return changed, int64(e.line)
		}
	}
	return nil, 0
}

// changeText changes the letter at a place of a value, if it is inside a text that is sent.
func changeText(text []byte, start, size, at int) []byte {
	c := text[at]
	if c < 'a' || c > 'y' || text[at-1] == '\\' {
		return nil
	}
	changed := slices.Clone(text)
	changed[at]++
	var before, after any
	if json.Unmarshal(text[start:start+size], &before) != nil || json.Unmarshal(changed[start:start+size], &after) != nil {
		return nil // part of an escape or of a word such as true
	}
	if !hasSameKeys(before, after) {
		return nil
	}
	return changed
}

// hasSameKeys reports whether only texts differ in two values. The tags around a reminder are not sent, and a reminder
// with other tags is.
func hasSameKeys(a, b any) bool {
	switch a := a.(type) {
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, hasSameKeys)
	case map[string]any:
		b, ok := b.(map[string]any)
		for key, v := range a {
			w, isKnown := b[key]
			if ok = ok && isKnown && hasSameKeys(v, w); key == "type" || key == "role" {
				ok = ok && v == w
			}
		}
		return ok
	}
	return true
}
