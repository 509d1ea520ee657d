package trajectory

import (
	"bufio"
	"io"
	"iter"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
)

// ErrNoAnswer means that a session has no answer that a model could learn from.
var ErrNoAnswer error = &failure.Sentinel{Code: failure.NoAnswer, Text: "the session has no answer"}

// ExampleForm is the form of rebuild that examples are made from.
const ExampleForm = "openai"

// An Example is a session that a model learns from.
type Example struct {
	Prompt       *rebuild.Prompt // nil if the transcript has none
	Conversation *rebuild.Conversation
	Records      func() iter.Seq2[*jsonl.Record, error] // reads the transcript again
}

// An ExampleSummary says what was written.
type ExampleSummary struct {
	Messages int
	Masked   int
	// Dropped counts the messages after the last answer, which teach nothing.
	Dropped int
	// NamedTools counts the tools that are declared by name alone.
	NamedTools int
}

// writeExample writes an example as one JSON object, without a line end. It ends with the last answer, and nothing is
// written if there is none.
func writeExample(w io.Writer, x *Example, o Options) (*ExampleSummary, error) {
	e := &exampleWriter{
		out: bufio.NewWriterSize(w, 256<<10), masker: redact.Masker{Raw: o.Raw, Rules: o.Rules, KeepIDs: true},
	}
	if err := e.learn(x.Records()); err != nil {
		return nil, err
	}
	if text := x.Prompt.Text(); text != "" {
		e.held = append(e.held, []byte(`{"role":"system","content":`+jsonl.Quote(e.masker.Text(text))+`}`))
	}
	if err := x.Conversation.OpenAI(x.Records(), e.add); err != nil {
		return nil, err
	}
	if e.summary.Messages == 0 {
		return nil, ErrNoAnswer
	}
	e.finish(x)
	e.summary.Dropped, e.summary.Masked = len(e.held), e.masker.Count
	return &e.summary, e.out.Flush()
}

// An exampleWriter writes the messages of an example. It holds back those that no answer has followed yet.
type exampleWriter struct {
	summary    ExampleSummary
	out        *bufio.Writer
	masker     redact.Masker
	held       [][]byte
	isParallel bool // an answer has several calls
}

func (e *exampleWriter) add(message []byte) error {
	e.held = append(e.held, e.mask(message))
	v := jsonl.Value(message)
	if v.Get("role").String() != "assistant" {
		return nil
	}
	calls := 0
	for range v.Get("tool_calls").Elements() {
		calls++
	}
	e.isParallel = e.isParallel || calls > 1
	for _, text := range e.held {
		e.begin()
		if _, err := e.out.Write(text); err != nil {
			return err
		}
	}
	e.held = e.held[:0]
	return nil
}

// begin writes what comes before a message.
func (e *exampleWriter) begin() {
	if e.summary.Messages == 0 {
		e.out.WriteString(`{"messages":[`)
	} else {
		e.out.WriteByte(',')
	}
	e.summary.Messages++
}

// finish writes what comes after the messages.
func (e *exampleWriter) finish(x *Example) {
	e.out.WriteByte(']')
	if tools := e.tools(x); len(tools) > 0 {
		e.out.WriteString(`,"tools":[` + strings.Join(tools, ",") + `],"parallel_tool_calls":`)
		e.out.WriteString(map[bool]string{true: "true", false: "false"}[e.isParallel])
	}
	e.out.WriteByte('}')
}

// tools returns the declarations of the tools: those of the prompt, and the names of others that were called.
func (e *exampleWriter) tools(x *Example) []string {
	tools := x.Prompt.Tools(ExampleForm)
	declared := map[string]bool{}
	for i, tool := range tools {
		declared[jsonl.Value(tool).Get("function").Get("name").String()] = true
		tools[i] = string(whole(e.masker.Value(jsonl.Value(tool))))
	}
	for _, name := range x.Conversation.Tools() {
		if !declared[name] {
			tools = append(tools, rebuild.DeclareTool(ExampleForm, name))
			e.summary.NamedTools++
		}
	}
	return tools
}

// learn finds the secrets of the records, which are masked in all messages, whatever became of their names there.
func (e *exampleWriter) learn(records iter.Seq2[*jsonl.Record, error]) error {
	for rec, err := range records {
		if err != nil {
			return err
		}
		e.masker.Record(rec)
	}
	e.masker.Count = 0
	return nil
}

// mask returns a message without its secrets.
func (e *exampleWriter) mask(message []byte) []byte {
	return whole(slices.Clone(e.masker.Value(message)))
}
