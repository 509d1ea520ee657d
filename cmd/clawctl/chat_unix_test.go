//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"clawctl/internal/longtest"
	"clawctl/pkg/rebuild/apicheck"
)

// A standIn answers like the Messages API. A question that names a number divisible by three makes it call tools first.
type standIn struct {
	mu       sync.Mutex
	t        *testing.T
	answers  map[string]string // the content of every answer, by its id
	requests int
}

// apiMessage is a message of a request or an answer.
type apiMessage struct {
	Role    string     `json:"role"`
	Content []apiBlock `json:"content"`
}

type apiBlock struct {
	Type      string          `json:"type"`
	Text      string          `json:"text,omitempty"`
	ID        string          `json:"id,omitempty"`
	Name      string          `json:"name,omitempty"`
	Input     json.RawMessage `json:"input,omitempty"`
	ToolUseID string          `json:"tool_use_id,omitempty"`
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	body, err := io.ReadAll(r.Body)
	var request struct{ Messages json.RawMessage }
	var messages []apiMessage
	if err == nil {
		err = json.Unmarshal(body, &request)
	}
	if err == nil {
		err = json.Unmarshal(request.Messages, &messages)
	}
	if err == nil {
		err = apicheck.Anthropic(request.Messages)
	}
	if err != nil || len(messages) == 0 {
		s.t.Errorf("request %d: %v", s.requests, err)
		return
	}
	s.requests++
	id := fmt.Sprintf("msg_%d", s.requests)
	content, err := json.Marshal(s.answer(messages[len(messages)-1].Content))
	if err != nil {
		s.t.Error(err)
	}
	s.answers[id] = string(content)
	fmt.Fprintf(w, `{"id":%q,"type":"message","role":"assistant","model":"stand-in","content":%s,`+
		`"stop_reason":"end_turn","usage":{"input_tokens":%d,"output_tokens":9}}`, id, content, len(body)/4)
}

// answer calls tools for some questions, and otherwise says something.
func (s *standIn) answer(last []apiBlock) []apiBlock {
	text := ""
	for _, b := range last {
		if b.Type == "tool_result" {
			return []apiBlock{{Type: "text", Text: fmt.Sprintf("tools are done (%d)", s.requests)}}
		}
		text = b.Text
	}
	n := 0
	_, _ = fmt.Sscanf(text, "question %d", &n)
	said := apiBlock{Type: "text", Text: fmt.Sprintf("answer to %q (%d) <&> \u2028 \"\\\n", text, s.requests)}
	if n == 0 || n%3 != 0 {
		return []apiBlock{said}
	}
	calls := []apiBlock{said}
	for i := range 1 + n%2 {
		calls = append(calls, apiBlock{Type: "tool_use", ID: fmt.Sprintf("toolu_%d_%d", s.requests, i), Name: "count",
			Input: json.RawMessage(`{"n":3}`)})
	}
	return calls
}

// A chatter runs scripts/chat.sh against the stand-in.
type chatter struct {
	t   *testing.T
	env []string
	api *standIn
	rng *rand.Rand
}

func newChatter(t *testing.T) *chatter {
	for _, program := range []string{"sh", "curl", "jq"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("needs ", program)
		}
	}
	home := t.TempDir()
	api := &standIn{t: t, answers: map[string]string{}}
	server := httptest.NewServer(api)
	t.Cleanup(server.Close)
	tools := filepath.Join(home, "tools")
	write := func(name, text string, mode os.FileMode) {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	write("tools/tools.json", `[{"name":"count","input_schema":{"type":"object"}}]`, 0o600)
	write("tools/count", "#!/bin/sh\nexec jq '.n + 1'\n", 0o700)
	write("config.json", `{"session":{"checkpoint":{"minTokensForGen":1,"turnThreshold":5}}}`, 0o600)
	return &chatter{t: t, api: api, rng: rand.New(rand.NewPCG(1, uint64(os.Getpid()))), env: append(os.Environ(),
		"HOME="+home, "XDG_DATA_HOME=", "XDG_CONFIG_HOME=", "OPENCLAW_STATE_DIR=", "CLAWCTL_DB="+filepath.Join(home, "s.db"),
		"CLAWCTL_CONFIG="+filepath.Join(home, "config.json"), "CHAT_URL="+server.URL, "CHAT_TOOLS="+tools, "CHAT_KEY=me",
		"CHAT_WINDOW=6000", "TMPDIR="+home, "no_proxy=127.0.0.1")}
}

// run runs the script, and kills it and everything that it started if it takes longer than patience. It reports
// whether it ended by itself.
func (c *chatter) run(patience time.Duration, text ...string) bool {
	c.t.Helper()
	cmd := exec.Command("../../scripts/chat.sh", text...)
	cmd.Env = c.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		c.t.Fatal(err)
	}
	timer := time.AfterFunc(patience, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	err := cmd.Wait()
	if timer.Stop() && err != nil {
		c.t.Fatalf("%v: %s", err, &output)
	}
	return err == nil
}

// A said message is one of the history.
type said struct {
	Role       string          `json:"role"`
	Content    json.RawMessage `json:"content"`
	ResponseID string          `json:"responseId"`
	ToolCallID string          `json:"toolCallId"`
}

// history returns the messages of the session.
func (c *chatter) history() (list []said) {
	c.t.Helper()
	cmd := exec.Command("clawctl", "cat", "-q", "me", "--type", "message")
	cmd.Env = c.env
	out, err := cmd.Output()
	if err != nil && cmd.ProcessState.ExitCode() != 4 {
		c.t.Fatal(err)
	}
	for line := range bytes.Lines(out) {
		var record struct{ Message said }
		if err := json.Unmarshal(line, &record); err != nil {
			c.t.Fatal(err)
		}
		list = append(list, record.Message)
	}
	return list
}

// wasSaid reports whether the history has a question.
func (c *chatter) wasSaid(text string) bool {
	for _, m := range c.history() {
		if m.Role == "user" && string(m.Content) == fmt.Sprintf("%q", text) {
			return true
		}
	}
	return false
}

// An agent in a few lines of shell keeps its memory: whatever is killed, the history has every question once, every
// recorded answer as the API gave it, and every result with its call.
func TestChatScript(t *testing.T) {
	t.Parallel()
	c := newChatter(t)
	turns := 6
	if longtest.IsLong() {
		turns = 50
	}
	kills := 0
	for n := 1; n <= turns; n++ {
		text := fmt.Sprintf("question %d", n)
		patience := time.Minute
		if n%2 == 0 { // every other turn is killed, several times if it is slow
			patience = time.Duration(c.rng.IntN(1500)) * time.Millisecond
		}
		for done := c.run(patience, text); !done; done = c.run(time.Minute, text) {
			kills++
			if c.wasSaid(text) {
				if !c.run(time.Minute) {
					t.Fatal("the turn does not end")
				}
				break
			}
		}
	}
	c.check(turns)
	t.Logf("%d turns, %d kills, %d requests", turns, kills, c.api.requests)
}

// records counts the records of a type.
func (c *chatter) records(typ string) int {
	c.t.Helper()
	cmd := exec.Command("clawctl", "cat", "-q", "me", "--type", typ)
	cmd.Env = c.env
	out, err := cmd.Output()
	if err != nil {
		c.t.Fatal(err)
	}
	return bytes.Count(out, []byte("\n"))
}

// check compares the history with what was said.
func (c *chatter) check(turns int) {
	c.t.Helper()
	asked, open := 0, map[string]bool{}
	for _, m := range c.history() {
		switch m.Role {
		case "user":
			if strings.HasPrefix(string(m.Content), `"[SYSTEM`) {
				continue // a flush prompt
			}
			if asked++; string(m.Content) != fmt.Sprintf(`"question %d"`, asked) {
				c.t.Errorf("question %d is %s", asked, m.Content)
			}
		case "assistant":
			c.checkAnswer(m, open)
		case "toolResult":
			if !open[m.ToolCallID] || !strings.Contains(string(m.Content), `"4`) {
				c.t.Errorf("result of %s: %s", m.ToolCallID, m.Content)
			}
			delete(open, m.ToolCallID)
		}
	}
	if asked != turns {
		c.t.Errorf("%d questions, want %d", asked, turns)
	}
	if c.records("checkpoint") == 0 {
		c.t.Error("no checkpoint was made, although one is due after five questions")
	}
	verify := exec.Command("clawctl", "verify", filepath.Join(c.home(), "s.db"))
	verify.Env = c.env
	if out, err := verify.CombinedOutput(); err != nil {
		c.t.Errorf("%v: %s", err, out)
	}
}

func (c *chatter) home() string {
	for _, setting := range c.env {
		if path, ok := strings.CutPrefix(setting, "CLAWCTL_DB="); ok {
			return filepath.Dir(path)
		}
	}
	return ""
}

// checkAnswer compares a recorded answer with the one that the API gave.
func (c *chatter) checkAnswer(m said, open map[string]bool) {
	c.t.Helper()
	var blocks, given []apiBlock
	err := json.Unmarshal([]byte(strings.ReplaceAll(strings.ReplaceAll(string(m.Content), `"toolCall"`, `"tool_use"`),
		`"arguments"`, `"input"`)), &blocks)
	if err == nil {
		err = json.Unmarshal([]byte(c.api.answers[m.ResponseID]), &given)
	}
	want, _ := json.Marshal(given)
	got, _ := json.Marshal(blocks)
	if err != nil || string(got) != string(want) {
		c.t.Errorf("%s is %s, want %s (%v)", m.ResponseID, got, want, err)
	}
	delete(c.api.answers, m.ResponseID) // it is recorded once
	for _, b := range blocks {
		if b.Type == "tool_use" {
			open[b.ID] = true
		}
	}
}
