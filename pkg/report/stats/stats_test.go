package stats

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
)

func TestChannel(t *testing.T) {
	for key, want := range map[string]string{
		"agent:main:main": "main", "agent:main:telegram:direct:1": "telegram", "agent:x:cron:daily:run:1": "cron",
		"agent:x:tui-7483354b": "tui", "agent:x:recovered:abc": "recovered", "main:cli:user": "cli",
		"goclaw:main:user1": "user1", "global": "global", "": "unknown",
	} {
		if got := Channel(key); got != want {
			t.Errorf("Channel(%s) = %s, want %s", key, got, want)
		}
	}
}

// header is the first line of a transcript.
func header(id, more string) string {
	const form = `{"type":"session","version":3,"id":%q,"timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"%s}`
	return fmt.Sprintf(form, id, more)
}

// message returns a line of a transcript, written the given number of seconds after 10:00.
func message(id string, second int, body string) string {
	const form = `{"type":"message","id":%q,"parentId":null,"timestamp":"2026-05-01T10:00:%02d.000Z","message":{%s}}`
	return fmt.Sprintf(form, id, second, body)
}

func user(id string, second int) string { return message(id, second, `"role":"user","content":"hi"`) }

// answer returns an answer of a model, with more fields after the tokens of its usage.
func answer(id string, second int, provider, model, usage string) string {
	return message(id, second, fmt.Sprintf(
		`"role":"assistant","content":[],"provider":%q,"model":%q,"usage":{"input":1000,"output":100,"totalTokens":1100%s}`,
		provider, model, usage))
}

// transcript writes a file and returns it as a session.
func transcript(t *testing.T, folder, name string, lines ...string) *source.Session {
	t.Helper()
	path := filepath.Join(folder, name)
	testkit.Write(t, path, strings.Join(lines, "\n")+"\n")
	return source.File(path)
}

func collect(t *testing.T, opts Options, sessions ...*source.Session) *Result {
	t.Helper()
	opts.Jobs = 2
	r, err := Collect(context.Background(), sessions, opts)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A fork repeats the records of its parent session. They count once.
func TestForksCountOnce(t *testing.T) {
	const first, second = "aaaaaaaa-0000-4000-8000-000000000001", "aaaaaaaa-0000-4000-8000-000000000002"
	call := message("a1", 2, `"role":"assistant","content":[{"type":"toolCall","id":"t","name":"x","arguments":{}}],`+
		`"usage":{"input":5,"output":2,"totalTokens":7}`)
	failed := message("r1", 3, `"role":"toolResult","toolCallId":"t","toolName":"x","content":[],"isError":true`)
	folder := t.TempDir()
	r := collect(t, Options{By: []string{"tool", "session"}},
		transcript(t, folder, first+".jsonl", header(first, ""), user("u1", 1), call, call),
		transcript(t, folder, second+".jsonl", header(second, `,"parentSession":"/old/`+first+`.jsonl"`),
			user("u1", 1), call, failed),
	)
	total := r.Total
	if total.Messages != 3 || total.Recorded.Input != 5 || total.ToolCalls != 1 || total.ToolErrors != 1 ||
		total.Sessions != 2 || r.Coverage.Copies != 3 {
		t.Errorf("%+v, %d copies", total, r.Coverage.Copies)
	}
	if tool := r.By["tool"]["x"]; tool == nil || tool.ToolCalls != 1 || tool.ToolErrors != 1 {
		t.Errorf("tool: %+v", tool)
	}
}

// A fork of Claude Code begins with the last compaction of its parent, which it does not name.
func TestForksFromCompactionsCountOnce(t *testing.T) {
	row := func(session, kind string, second int, more string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":"r%d","parentUuid":null,"sessionId":%q,`+
			`"timestamp":"2026-05-01T10:00:%02dZ",%s}`, kind, second, session, second, more)
	}
	answer := func(session string, second int) string {
		return row(session, "assistant", second, fmt.Sprintf(`"message":{"id":"m%d","model":"claude-opus-4-6",`+
			`"content":[{"type":"text","text":"x"}],"usage":{"input_tokens":5,"output_tokens":2}}`, second))
	}
	shared := func(session string) []string {
		return []string{
			row(session, "user", 3, `"isCompactSummary":true,"message":{"content":"so far"}`),
			row(session, "user", 4, `"message":{"content":"go on"}`), answer(session, 5),
		}
	}
	folder := t.TempDir()
	r := collect(t, Options{},
		transcript(t, folder, "a.jsonl", slices.Concat(
			[]string{row("a", "user", 1, `"message":{"content":"hi"}`), answer("a", 2)}, shared("a"))...),
		transcript(t, folder, "b.jsonl", append(shared("b"), answer("b", 6))...),
	)
	if r.Total.Recorded.Input != 15 || r.Total.Messages != 5 {
		t.Errorf("%+v", r.Total)
	}
}

// A turn belongs to the first model that answers it.
func TestTurnsByModel(t *testing.T) {
	mirror := message("m1", 9, `"role":"assistant","content":"x","provider":"openclaw","model":"delivery-mirror"`)
	result := message("r1", 5, `"role":"toolResult","toolCallId":"t","toolName":"x","content":[]`)
	s := transcript(t, t.TempDir(), "s.jsonl", header("s", ""),
		user("u1", 1), answer("a1", 2, "p", "one", ""), // a turn of one
		user("u2", 3), user("u3", 4), result, answer("a2", 6, "q", "two", ""), // two turns of two
		answer("a3", 7, "p", "one", ""),
		user("u4", 8), mirror, answer("a4", 10, "p", "one", ""), // a mirror is not an answer
		user("u5", 11), // nobody answers
	)
	r := collect(t, Options{By: []string{"model", "provider", "tool", "day"}}, s)
	for _, want := range []struct {
		dimension, name string
		turns           int64
	}{
		{"model", "one", 2}, {"model", "two", 2}, {"provider", "p", 2}, {"provider", "q", 2}, {"tool", "x", 0},
		{"day", "2026-05-01", 5},
	} {
		if got := r.By[want.dimension][want.name]; got == nil || got.Turns != want.turns {
			t.Errorf("%s %s: %+v, want %d turns", want.dimension, want.name, got, want.turns)
		}
	}
	if r.Total.Turns != 5 || hasTurns("tool") || !hasTurns("model") {
		t.Errorf("%d turns in total", r.Total.Turns)
	}
}

// An answer outside the time range still ends the turn before it.
func TestTurnsAnsweredOutsideOfTheRange(t *testing.T) {
	s := transcript(t, t.TempDir(), "s.jsonl", header("s", ""),
		user("u1", 1), answer("a1", 20, "p", "one", ""), user("u2", 21), answer("a2", 22, "p", "two", ""))
	until := mustParse("2026-05-01T10:00:10Z")
	r := collect(t, Options{By: []string{"model"}, Until: until}, s)
	if one := r.By["model"]["one"]; r.Total.Turns != 1 || one == nil || one.Turns != 1 || r.By["model"]["two"] != nil {
		t.Errorf("%+v, %+v", r.Total, r.By["model"])
	}
}

// Prices above $0, prices of $0 and missing prices are counted separately.
func TestPricesAreKeptApart(t *testing.T) {
	s := transcript(t, t.TempDir(), "s.jsonl", header("s", ""),
		answer("a1", 1, "p", "one", `,"cost":{"total":0.25}`), answer("a2", 2, "p", "one", `,"cost":{"total":0}`),
		answer("a3", 3, "p", "two", `,"cost":{"total":0}`), answer("a4", 4, "p", "two", ""),
		message("a5", 5, `"role":"assistant","content":[],"model":"two"`))
	r := collect(t, Options{By: []string{"model"}}, s)
	models := r.By["model"]
	for want, got := range map[string]*Tally{"1 2 1 1": &r.Total, "1 1 0 0": models["one"], "0 1 1 1": models["two"]} {
		if text := fmt.Sprint(got.WithPrice, got.ZeroPrice, got.NoPrice, got.NoUsage); text != want {
			t.Errorf("with price, zero, missing, no usage: %s, want %s", text, want)
		}
	}
	if r.Total.Priced != 0 || r.Total.PricedAnswers != 0 || r.Total.Unmatched != 0 || r.Coverage.Unmatched != nil {
		t.Errorf("priced without a list: %+v", r.Total)
	}
}

// A record that two hosts have counts for one of them. A host that has nothing else is listed without records.
func TestHosts(t *testing.T) {
	lines := []string{header("s", ""), user("u1", 1), answer("a1", 2, "p", "m", "")}
	var sessions []*source.Session
	for _, host := range []string{"web1", "web2", ""} {
		s := transcript(t, t.TempDir(), "s.jsonl", lines...)
		s.Host = host
		sessions = append(sessions, s)
	}
	sessions = append(sessions, transcript(t, t.TempDir(), "other.jsonl", header("other", ""), user("u9", 9)))
	r := collect(t, Options{By: []string{"host"}}, sessions...)
	for name, want := range map[string]int64{"web1": 3, "web2": 0, "unknown": 2} {
		if got := r.By["host"][name]; got == nil || got.Records != want {
			t.Errorf("%s: got %+v, want %d records", name, got, want)
		}
	}
	if r.Total.Records != 5 || r.Total.Sessions != 2 || len(r.By["host"]) != 3 {
		t.Errorf("total %+v, by host %v", r.Total, r.By["host"])
	}
}

func TestTriggersAndJobs(t *testing.T) {
	for key, want := range map[string][2]string{
		"agent:a:cron:daily:run:1": {"cron", "daily"}, "cron:nightly": {"cron", "nightly"},
		"agent:a:main:heartbeat": {"heartbeat", "heartbeat of a"}, "agent:a:subagent:1": {"subagent", ""},
		"agent:a:hook:x": {"hook", ""}, "agent:a:telegram:direct:1": {"user", ""}, "": {"user", ""},
	} {
		s := &source.Session{Key: key, Agent: "a"}
		if got := [2]string{Trigger(key), Job(s)}; got != want {
			t.Errorf("%s: got %v, want %v", key, got, want)
		}
	}
	named := &source.Session{Key: "agent:a:cron:8f2e", Entry: openclaw.Entry{Label: "Cron: Morning news"}}
	if got := Job(named); got != "Morning news" {
		t.Errorf("the job is called %q", got)
	}
}

// The cells of a cross table add up to its rows, its columns and the total. An error belongs to the model that called
// the tool.
func TestCross(t *testing.T) {
	call := func(id string, second int, model string) string {
		return message(id, second, `"role":"assistant","content":[{"type":"toolCall","id":"`+id+`","name":"x",`+
			`"arguments":{}}],"provider":"p","model":"`+model+`","usage":{"input":5,"output":2}`)
	}
	failed := func(id string, second int) string {
		return message("r"+id, second, `"role":"toolResult","toolCallId":"`+id+`","toolName":"x","content":[],"isError":true`)
	}
	s := transcript(t, t.TempDir(), "s.jsonl", header("s", ""),
		user("u1", 1), call("a1", 2, "one"), failed("a1", 3), call("a2", 4, "two"), failed("a2", 5),
		user("u2", 6), call("a3", 7, "two"), failed("a3", 8))
	opts := Options{By: []string{"model", "day"}, Cross: [][2]string{{"day", "model"}, {"model", "tool"}}}
	r := collect(t, opts, s)
	for name, want := range map[string]int64{"one": 1, "two": 2} {
		if got := r.By["model"][name].ToolErrors; got != want {
			t.Errorf("%d errors of %s, want %d", got, name, want)
		}
		cell := r.Cross[0][[2]string{"2026-05-01", name}]
		if cell == nil || *cell != *r.By["model"][name] {
			t.Errorf("cell of %s: %+v, want %+v", name, cell, r.By["model"][name])
		}
		if tool := r.Cross[1][[2]string{name, "x"}]; tool == nil || tool.ToolCalls != want || tool.ToolErrors != want {
			t.Errorf("tools of %s: %+v", name, tool)
		}
	}
	if r.Total.ToolErrors != 3 {
		t.Errorf("%d errors in total", r.Total.ToolErrors)
	}
	report := NewReport(r, opts, 1)
	if cross := report.Cross[0]; len(cross.Columns) != 1 || cross.Columns[0] != "two" || len(cross.Rows) != 1 {
		t.Errorf("the largest column is %v", cross.Columns)
	}
}

// The name of a column comes from a transcript, and drives no terminal.
func TestCrossHeaders(t *testing.T) {
	cells := map[[2]string]*Tally{{"2026-05-01", "\x1b[31mred\nmodel"}: {Records: 1}}
	for _, c := range newCrossReport([2]string{"day", "model"}, cells, Options{}, 0).table().Columns {
		if strings.ContainsAny(c.Name, "\x1b\n") {
			t.Errorf("the header has %q", c.Name)
		}
	}
}
