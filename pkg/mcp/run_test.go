package mcp

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
)

// A blockingTool counts its runs, reports each one that begins, and waits until a phase ends: the first one if its text
// begins with "first", otherwise the second one.
type blockingTool struct {
	runs          atomic.Int32
	began         chan string
	first, second chan struct{}
}

func (b *blockingTool) call(ctx context.Context, v Values) Result {
	n := b.runs.Add(1)
	b.began <- v["text"]
	end := b.second
	if strings.HasPrefix(v["text"], "first") {
		end = b.first
	}
	select {
	case <-end:
	case <-ctx.Done():
		return Result{Text: "cancelled"}
	}
	return Result{Text: fmt.Sprint("run ", n)}
}

// A conversation is a client of a server whose tools block.
type conversation struct {
	t       *testing.T
	tool    blockingTool
	in      *io.PipeWriter
	pings   int
	pongs   chan string
	answers map[string]string // by id; to be read after the end
	ended   chan struct{}
}

func converse(t *testing.T) *conversation {
	c := &conversation{t: t, pongs: make(chan string), answers: map[string]string{}, ended: make(chan struct{})}
	c.tool = blockingTool{began: make(chan string, maxWaiting), first: make(chan struct{}), second: make(chan struct{})}
	arguments := []Argument{{Name: "text", Required: true}, {Name: "times", Least: 1, Most: 3}}
	server := &Server{Name: "test", Version: "1", Tools: []Tool{
		{Name: "block", Arguments: arguments, Call: c.tool.call}, {Name: "other", Arguments: arguments, Call: c.tool.call},
	}, Refuse: func(_ *Tool, err error) Result { return Result{Text: err.Error(), Problem: err.Error()} }}
	in, write := io.Pipe()
	read, out := io.Pipe()
	c.in = write
	go func() {
		if err := server.Serve(t.Context(), in, out); err != nil {
			t.Error(err)
		}
		out.Close()
	}()
	go func() {
		defer close(c.ended)
		for lines := bufio.NewScanner(read); lines.Scan(); {
			if id := idText(lines.Text()); strings.HasPrefix(id, `"ping`) {
				c.pongs <- id
			} else {
				c.answers[id] = c.answers[id] + lines.Text()
			}
		}
	}()
	return c
}

// say sends lines, and returns when the server has taken them.
func (c *conversation) say(lines ...string) {
	c.pings++
	ping := fmt.Sprintf(`"ping%d"`, c.pings)
	for _, line := range lines {
		fmt.Fprintln(c.in, line)
	}
	fmt.Fprintf(c.in, `{"jsonrpc":"2.0","id":%s,"method":"ping"}`+"\n", ping)
	if got := <-c.pongs; got != ping {
		c.t.Errorf("%s instead of %s", got, ping)
	}
}

// wait waits until so many runs have begun.
func (c *conversation) wait(runs int) {
	for range runs {
		<-c.tool.began
	}
}

// end lets all calls finish and checks their answers.
func (c *conversation) end(runs int, answered map[int]int) {
	close(c.tool.second)
	c.in.Close()
	<-c.ended
	if n := int(c.tool.runs.Load()) - maxRunning; n != runs {
		c.t.Errorf("%d runs instead of %d", n, runs)
	}
	byRun := map[int]string{}
	for id, run := range answered {
		line := c.answers[fmt.Sprint(id)]
		var m struct {
			Result struct{ Content []struct{ Text string } }
		}
		if err := json.Unmarshal([]byte(line), &m); err != nil || len(m.Result.Content) != 1 {
			c.t.Errorf("the answer to %d: %q: %v", id, line, err)
			continue
		}
		text := m.Result.Content[0].Text
		if other, known := byRun[run]; strings.HasPrefix(text, "run ") != (run > 0) || known && other != text {
			c.t.Errorf("call %d is answered with %q, others with %q", id, text, other)
		}
		byRun[run] = text
	}
	texts := slices.Collect(maps.Values(byRun))
	if slices.Sort(texts); len(slices.Compact(texts)) != len(byRun) {
		c.t.Errorf("runs that should differ: %v", byRun)
	}
	if len(c.answers) != len(answered)+maxRunning {
		c.t.Errorf("answers: %v", c.answers)
	}
}

func callLine(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool,
		arguments)
}

func cancelLines(ids ...int) (lines []string) {
	for _, id := range ids {
		lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`,
			id))
	}
	return lines
}

// Calls that arrive while all places are taken, and others after the first of them began: how often the tools run, and
// which calls are answered by which of these runs.
func TestSharedRuns(t *testing.T) {
	const a = `{"text":"a"}`
	call := func(id int, arguments string) string { return callLine(id, "block", arguments) }
	var thirty []string
	allOfThem := map[int]int{}
	for id := range 30 {
		thirty, allOfThem[id] = append(thirty, call(id, a)), 1
	}
	two := []string{call(1, a), call(2, a)}
	for _, test := range []struct {
		name          string
		waiting, late []string
		begin         int         // how many of the waiting runs begin
		runs          int         // besides those that take the places
		answered      map[int]int // the calls with the same number share a run; 0 is a refusal
	}{
		{"equal calls", thirty, nil, 1, 1, allOfThem},
		{"other arguments", []string{call(1, a), call(2, `{"text":"b"}`), call(3, `{"text":"a","times":1}`)}, nil, 3, 3,
			map[int]int{1: 1, 2: 2, 3: 3}},
		{"another tool", []string{call(1, a), callLine(2, "other", a)}, nil, 2, 2, map[int]int{1: 1, 2: 2}},
		{"another form of the same", []string{call(1, `{"text":"a","times":2}`), call(2, `{ "times":2.0, "text":"\u0061"}`)},
			nil, 1, 1, map[int]int{1: 1, 2: 1}},
		{"wrong arguments", []string{call(1, `{}`), call(2, `{}`), call(3, `{}`)}, nil, 0, 0, map[int]int{1: 0, 2: 0, 3: 0}},
		{"one cancelled while it waits", slices.Concat(two, cancelLines(1)), nil, 1, 1, map[int]int{2: 1}},
		{"all cancelled while they wait", slices.Concat(two, cancelLines(1, 2)), nil, 0, 0, nil},
		{"the same again after all were cancelled", slices.Concat(two, cancelLines(1, 2), []string{call(3, a)}), nil, 1, 1,
			map[int]int{3: 1}},
		{"an equal call that runs", two, []string{call(3, a)}, 1, 2, map[int]int{1: 1, 2: 1, 3: 2}},
		{"one cancelled while it runs", two, cancelLines(1), 1, 1, map[int]int{2: 1}},
		{"all cancelled while they run", two, cancelLines(1, 2), 1, 1, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := converse(t)
			var places []string
			for i := range maxRunning {
				places = append(places, call(100+i, fmt.Sprintf(`{"text":"first %d"}`, i)))
			}
			c.say(places...)
			c.wait(maxRunning)
			c.say(test.waiting...)
			close(c.tool.first)
			c.wait(test.begin)
			c.say(test.late...)
			c.end(test.runs, test.answered)
		})
	}
}
