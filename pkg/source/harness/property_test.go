package harness

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A conversation is written by OpenClaw and by Claude Code, each of which may lack parts of it.
type conversation struct {
	random     *rand.Rand
	own, other strings.Builder
	last       string          // the last entry of OpenClaw
	said       map[string]bool // by either
	both       int             // turns that can be recognized
}

// turn adds a turn. Either side may lack it, and OpenClaw may lack its prompt or its answer.
func (c *conversation) turn(n int, at time.Time) {
	prompt, answer := fmt.Sprintf("Question number %d of today", n), fmt.Sprintf("This is answer number %d.", n)
	hasOwn, hasOther := c.random.IntN(5) > 0, c.random.IntN(5) > 0
	hasPrompt, hasAnswer := c.random.IntN(5) > 0, c.random.IntN(5) > 0
	if hasOwn && hasPrompt {
		c.entry(fmt.Sprintf("p%d", n), at, `{"role":"user","content":"`+prompt+`"}`)
		c.said[prompt] = true
	}
	if hasOwn && hasAnswer {
		c.entry(fmt.Sprintf("a%d", n), at.Add(20*time.Second),
			`{"role":"assistant","api":"cli","provider":"claude-cli","model":"m",`+
				`"content":[{"type":"text","text":"`+answer+`"}]}`)
		c.said[answer] = true
	}
	if hasOwn && hasOther && (hasPrompt || hasAnswer) {
		c.both++
	}
	if hasOther {
		c.row(n, 0, "user", at.Add(time.Second), `{"role":"user","content":"`+prompt+`"}`)
		c.row(n, 1, "assistant", at.Add(5*time.Second), fmt.Sprintf(`{"id":"msg%d","role":"assistant","model":"m",`+
			`"content":[{"type":"tool_use","id":"t%d","name":"Bash","input":{}}]}`, n, n))
		c.row(n, 2, "user", at.Add(6*time.Second), fmt.Sprintf(
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"t%d","content":"result"}]}`, n))
		c.row(n, 3, "assistant", at.Add(19*time.Second), fmt.Sprintf(
			`{"id":"end%d","role":"assistant","model":"m","content":[{"type":"text","text":"%s"}]}`, n, answer))
		c.said[prompt], c.said[answer] = true, true
	}
}

// entry adds an entry of OpenClaw.
func (c *conversation) entry(id string, at time.Time, message string) {
	fmt.Fprintf(&c.own, `{"type":"message","id":"%s","parentId":%s,"timestamp":"%s","message":%s}`+"\n", id,
		quotedOrNull(c.last), at.Format(time.RFC3339), message)
	c.last = id
}

// row adds a row of Claude Code.
func (c *conversation) row(n, part int, kind string, at time.Time, message string) {
	fmt.Fprintf(&c.other, `{"type":"%s","uuid":"row-%d-%d","parentUuid":null,"sessionId":"s","timestamp":"%s",`+
		`"message":%s}`+"\n", kind, n, part, at.Format(time.RFC3339), message)
}

// Whatever either side lacks, every text is in the joined session once, all tool calls are there, and each entry
// follows one that is before it.
func TestJoinRandom(t *testing.T) {
	folder := t.TempDir()
	for round := range longtest.Rounds(t, "CLAWCTL_ROUNDS", 30, 3000) {
		c := &conversation{random: rand.New(rand.NewPCG(uint64(round), 36)), said: map[string]bool{}}
		start := time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC)
		fmt.Fprintf(&c.own, `{"type":"session","version":4,"id":"s","timestamp":"%s"}`+"\n", start.Format(time.RFC3339))
		turns := 1 + c.random.IntN(8)
		for n := range turns {
			c.turn(n, start.Add(time.Duration(n)*time.Minute))
		}
		if c.both == 0 {
			continue // then they are different conversations
		}
		s := c.session(t, folder)
		if problem := check(c, joinedText(t, s)); problem != "" {
			t.Fatalf("round %d: %s\n%s\n%s", round, problem, &c.own, &c.other)
		}
	}
}

// session writes both files, and returns that of OpenClaw with its binding.
func (c *conversation) session(t *testing.T, folder string) *source.Session {
	t.Helper()
	own, other := filepath.Join(folder, "own.jsonl"), filepath.Join(folder, "other.jsonl")
	for path, text := range map[string]string{own: c.own.String(), other: c.other.String()} {
		testkit.Write(t, path, text)
	}
	s := source.File(own)
	s.Bindings = []source.Binding{{State: source.BindingFound, File: other, Session: source.File(other),
		Program: dialect.BackendNamed("claude-cli")}}
	return s
}

// check returns what is wrong with the joined text of a conversation, or "".
func check(c *conversation, text []byte) string {
	said, known, calls := map[string]int{}, map[string]bool{}, 0
	for rec, err := range jsonl.Records(strings.NewReader(string(text)), jsonl.Options{}) {
		if err != nil || rec.Damage != nil {
			return fmt.Sprint("line ", rec.Line, " is damaged")
		}
		m, ok := rec.Message()
		if !ok {
			continue
		}
		if parent, _ := rec.ParentID(); len(known) > 0 && !known[parent] {
			return fmt.Sprintf("%s follows %q\n%s", rec.ID(), parent, text)
		}
		known[rec.ID()] = true
		if words := jsonl.PlainText(m.Content()); words != "" && m.Role() != jsonl.RoleToolResult {
			said[words]++
		}
		for b := range m.Blocks() {
			if b.Kind == jsonl.BlockToolCall {
				calls++
			}
		}
	}
	for words := range c.said {
		if said[words] != 1 {
			return fmt.Sprintf("%q is said %d times\n%s", words, said[words], text)
		}
	}
	if want := strings.Count(c.other.String(), "tool_use\""); calls != want {
		return fmt.Sprintf("%d calls, want %d\n%s", calls, want, text)
	}
	return ""
}
