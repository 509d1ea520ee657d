package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"clawctl/internal/longtest"
)

// testServer has a tool that repeats its argument, one that waits until it is cancelled, and one that panics.
func testServer() *Server {
	return &Server{Name: "test", Version: "1", Instructions: "Read.", Tools: []Tool{
		{Name: "echo", Title: "Echo", Description: "Repeats.", Arguments: []Argument{
			{Name: "text", Required: true}, {Name: "times", Least: 1, Most: 3, Default: "1"},
			{Name: "how", Choices: []string{"loud", "quiet"}},
		}, Call: func(_ context.Context, v Values) Result {
			if v["text"] == "fail" {
				return Result{Text: "CL1 failed", Problem: map[string]string{"code": "CL1"}}
			}
			return Result{Text: v["text"] + v["times"] + v["how"]}
		}},
		{Name: "wait", Call: func(ctx context.Context, _ Values) Result {
			<-ctx.Done()
			return Result{Text: "late"}
		}},
		{Name: "panic", Call: func(context.Context, Values) Result { panic("a bug") }},
	}, Refuse: func(_ *Tool, err error) Result { return Result{Text: err.Error(), Problem: err.Error()} }}
}

// talk sends lines and returns the lines of the answer, in order of their ids.
func talk(t *testing.T, input string) []string {
	t.Helper()
	var out bytes.Buffer
	if err := testServer().Serve(t.Context(), strings.NewReader(input), &out); err != nil {
		t.Fatal(err)
	}
	lines := slices.Collect(strings.Lines(out.String()))
	for i, l := range lines {
		if lines[i] = strings.TrimSuffix(l, "\n"); !json.Valid([]byte(l)) {
			t.Fatalf("not JSON: %s", l)
		}
	}
	slices.SortStableFunc(lines, func(a, b string) int { return strings.Compare(idText(a), idText(b)) })
	return lines
}

func idText(line string) string {
	var m struct{ ID json.RawMessage }
	_ = json.Unmarshal([]byte(line), &m) // a batch has no id
	return string(m.ID)
}

const meta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientCapabilities":{}}`

// Each message has the answers that follow it: texts that are in one, or "" if there is none.
func TestMessages(t *testing.T) {
	call := func(arguments string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":` + arguments + `}}`
	}
	initialize := func(version string) string {
		return `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + version + `"}}`
	}
	for _, test := range []struct{ name, input, want string }{
		{"agrees on an old version", initialize("2024-11-05"),
			`"protocolVersion":"2024-11-05","serverInfo":{"name":"test","version":"1"}`},
		{"offers its newest version", initialize("1999-01-01"), `"protocolVersion":"2025-11-25"`},
		{"needs a version", `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{}}`, `"code":-32602`},
		{"ping", `{"jsonrpc":"2.0","id":"a","method":"ping"}`, `{"jsonrpc":"2.0","id":"a","result":{}}`},
		{"lists tools", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `"readOnlyHint":true`},
		{"has one page", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`, `"code":-32602`},
		{"calls", call(`{"text":"a","times":2,"how":null}`), `"content":[{"text":"a2","type":"text"}]`},
		{"reports a failure of a tool", call(`{"text":"fail"}`), `"isError":true,"structuredContent":{"code":"CL1"}`},
		{"refuses a missing argument", call(`{}`), `echo needs the argument text`},
		{"refuses an unknown argument", call(`{"text":"a","more":1}`),
			`echo has no argument \"more\", but text, times, how`},
		{"refuses a large number", call(`{"text":"a","times":4}`), `times must be a whole number from 1 to 3`},
		{"refuses half a number", call(`{"text":"a","times":1.5}`), `whole number`},
		{"refuses an unknown choice", call(`{"text":"a","how":"fast"}`), `how must be one of loud, quiet`},
		{"refuses a number for a text", call(`{"text":1}`), `text must be a string`},
		{"refuses a list", call(`[]`), `must be an object`},
		{"survives a panic", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"panic"}}`, `"code":-32603`},
		{"has no such tool", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"rm"}}`, `"code":-32602`},
		{"needs parameters", `{"jsonrpc":"2.0","id":1,"method":"tools/call"}`, `"code":-32602`},
		{"has no such method", `{"jsonrpc":"2.0","id":1,"method":"resources/list"}`, `"code":-32601`},
		{"discovers without a version", `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`,
			`"supportedVersions":["2026-07-28",`},
		{"is stateless", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + meta + `}}`, `"ttlMs":3600000`},
		{"names its version", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo",` +
			`"arguments":{"text":"a"},` + meta + `}}`, `"resultType":"complete"`},
		{"refuses a version of later", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":` +
			`{"io.modelcontextprotocol/protocolVersion":"2999-01-01"}}}`, `"code":-32022`},
		{"refuses a version that is no text", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":` +
			`{"io.modelcontextprotocol/protocolVersion":1}}}`, `"code":-32602`},
		{"garbage", `garbage`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700`},
		{"half a message", `{"jsonrpc":"2.0","id":1,`, `"code":-32700`},
		{"deep nesting", strings.Repeat("[", 100_000), `"code":-32700`},
		{"a long line", `{"x":"` + strings.Repeat("a", maxMessage) + `"}`, `at most 1 MiB`},
		{"another version of JSON-RPC", `{"jsonrpc":"1.0","id":7,"method":"ping"}`, `"id":7,"error":{"code":-32600`},
		{"no object", `"ping"`, `"code":-32600`},
		{"a method that is no text", `{"jsonrpc":"2.0","id":7,"method":1}`, `"id":7,"error":{"code":-32600`},
		{"no method", `{"jsonrpc":"2.0","id":7}`, `"id":7,"error":{"code":-32600`},
		{"an id that is none", `{"jsonrpc":"2.0","id":{},"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		{"an id of null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `"id":null,"error":{"code":-32600`},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, `"code":-32600`},
		{"a notification", `{"jsonrpc":"2.0","method":"notifications/initialized"}`, ""},
		{"an unknown notification", `{"jsonrpc":"2.0","method":"notifications/x","params":[]}`, ""},
		{"a wrong cancellation", `{"jsonrpc":"2.0","method":"notifications/cancelled","params":7}`, ""},
		{"a response", `{"jsonrpc":"2.0","id":1,"result":{}}`, ""},
		{"blank lines", "\n  \n\r\n", ""},
	} {
		lines := talk(t, test.input+"\n"+`{"jsonrpc":"2.0","id":"z","method":"ping"}`+"\n")
		isSilent := test.want == ""
		if got := strings.Join(lines, "\n"); !strings.Contains(got, test.want) || len(lines) == 1 != isSilent ||
			!strings.Contains(got, `"id":"z","result":{}`) {
			t.Errorf("%s: %s", test.name, got)
		}
	}
}

// Batches belong to one version. They are answered as a whole.
func TestBatches(t *testing.T) {
	hello := `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}` + "\n"
	lines := talk(t, hello+`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"},7,`+
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}},`+
		`{"jsonrpc":"2.0","id":3,"method":"initialize","params":{}}]`+"\n[]\n"+`[{"jsonrpc":"2.0","method":"x"}]`)
	all := strings.Join(lines, "\n")
	if len(lines) != 3 || strings.Count(all, `"jsonrpc"`) != 6 || !strings.Contains(all, `"text":"a"`) ||
		strings.Count(all, `-32600`) != 3 {
		t.Error(all)
	}
}

// A cancelled call has no answer, and does not keep others waiting. Two calls cannot have one id.
func TestCancellation(t *testing.T) {
	in, write := io.Pipe()
	read, out := io.Pipe()
	var group sync.WaitGroup
	group.Go(func() {
		if err := testServer().Serve(t.Context(), in, out); err != nil {
			t.Error(err)
		}
		out.Close()
	})
	wait := `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"wait"}}` + "\n"
	group.Go(func() {
		for id := range 10 { // more than run at a time
			fmt.Fprintf(write, wait, id)
		}
		fmt.Fprintf(write, wait, 3)
		for id := range 10 {
			fmt.Fprintf(write, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", id)
		}
		fmt.Fprintln(write, `{"jsonrpc":"2.0","id":"z","method":"ping"}`)
		write.Close()
	})
	text, err := io.ReadAll(read)
	group.Wait()
	if got := string(text); err != nil || strings.Count(got, "\n") != 2 || !strings.Contains(got, `"id":3,"error"`) ||
		!strings.Contains(got, `"id":"z"`) {
		t.Error(got, err)
	}
}

// brokenPipe is a client that does not read.
type brokenPipe struct{}

func (brokenPipe) Write([]byte) (int, error) { return 0, io.ErrClosedPipe }

// A client that went away, or a signal, ends the server although input may follow.
func TestEnds(t *testing.T) {
	in, write := io.Pipe()
	go fmt.Fprintln(write, `{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	if err := testServer().Serve(t.Context(), in, brokenPipe{}); !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, _ = io.Pipe()
	if err := testServer().Serve(ctx, in, io.Discard); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	in, write = io.Pipe()
	write.CloseWithError(io.ErrUnexpectedEOF)
	if err := testServer().Serve(t.Context(), in, io.Discard); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Error(err)
	}
}

// FuzzServe sends anything. Every line that is not blank and not a notification has an answer, and every answer is a
// message of JSON-RPC with a result or an error.
func FuzzServe(f *testing.F) {
	for _, seed := range []string{"garbage", "{}", "[]", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"text":"a"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-03-26"}}` + "\n[1]"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, input string) {
		if strings.Contains(input, "wait") {
			return // it would
		}
		var out bytes.Buffer
		if err := testServer().Serve(t.Context(), strings.NewReader(input), &out); err != nil {
			t.Fatal(err)
		}
		for l := range strings.Lines(out.String()) {
			checkAnswer(t, []byte(l))
		}
	})
}

// checkAnswer checks a line: an answer, or a batch of them.
func checkAnswer(t *testing.T, text []byte) {
	t.Helper()
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		list = []json.RawMessage{text}
	}
	for _, one := range list {
		var m struct {
			JSONRPC string
			ID      any
			Result  map[string]any
			Error   *Error
		}
		if err := json.Unmarshal(one, &m); err != nil || m.JSONRPC != "2.0" || (m.Result == nil) == (m.Error == nil) {
			t.Errorf("%s: %v", one, err)
		}
	}
}

// A batch of very many messages gets one answer, and takes little more memory than its line.
func TestLargeBatch(t *testing.T) {
	longtest.WithoutRaceDetector(t)
	begin := `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"` + batchVersion +
		`","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}` + "\n"
	batch := "[" + strings.Repeat("{},", maxMessage/3-2) + "{}]\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	lines := talk(t, begin+batch)
	runtime.ReadMemStats(&after)
	if len(lines) != 2 || !strings.Contains(strings.Join(lines, ""), "at most 256 messages") {
		t.Errorf("%d answers: %.300s", len(lines), lines)
	}
	if used := after.TotalAlloc - before.TotalAlloc; used > 16<<20 {
		t.Errorf("a batch of %d bytes takes %d", len(batch), used)
	}
}
