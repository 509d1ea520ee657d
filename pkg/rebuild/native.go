package rebuild

import (
	"iter"
	"slices"
	"strconv"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext/javascript"
)

// Native writes the messages as the program that wrote the transcript sends them to its model, calling emit with one
// JSON object each. records must read the same transcript again.
func (c *Context) Native(records iter.Seq2[*jsonl.Record, error], emit func(message []byte) error) error {
	if err := c.Refusal(); err != nil {
		return err
	}
	rules := c.ix.rules
	if groups := rules.groups(c); groups != nil {
		needs := func(m int) []int32 { return c.ix.sources(groups[m].entries...) }
		return c.ix.assemble(records, len(groups), needs, func(m int, body func(int32) *jsonl.Record) error {
			return emit([]byte(rules.group(c, groups[m], body)))
		})
	}
	needs := func(m int) []int32 { return c.ix.sources(c.items[m].entry) }
	return c.ix.assemble(records, len(c.items), needs, func(m int, body func(int32) *jsonl.Record) error {
		return emit([]byte(rules.native(c, c.items[m], body)))
	})
}

// The text that OpenClaw and pi put around a summary.
const (
	compactionBefore = "The conversation history before this point was compacted into the following " +
		"summary:\n\n<summary>\n"
	compactionAfter = "\n</summary>"
	branchBefore    = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"
	branchAfter     = "</summary>"
)

// sources lists the entries that some entries are written from: themselves, and those that have their content.
func (ix *Index) sources(entries ...int32) []int32 {
	if ix.edits == nil { // nearly always
		return entries
	}
	sources := slices.Clone(entries)
	for _, i := range entries {
		if source := ix.contentEntry(i); source != i {
			sources = append(sources, source)
		}
	}
	return sources
}

// dateOf returns the time of a record in milliseconds.
func dateOf(rec *jsonl.Record) string {
	ms, _ := javascript.ParseDate(rec.Get("timestamp").String())
	return strconv.FormatInt(ms, 10)
}

// summaryText returns the text that the model reads for a compaction or a branch, as the inside of a JSON string.
func summaryText(e *entry, rec *jsonl.Record) string {
	if e.kind == kindCompaction {
		return quoteInner(compactionBefore) + inner(rec.Get("summary")) + quoteInner(compactionAfter)
	}
	return quoteInner(branchBefore) + inner(rec.Get("summary")) + quoteInner(branchAfter)
}

// userMessage returns a message that OpenClaw generates. A timestamp of "" is left out.
func userMessage(content, timestamp string) string {
	if timestamp != "" {
		timestamp = `,"timestamp":` + timestamp
	}
	return `{"role":"user","content":` + content + timestamp + `}`
}

// isCarrier reports whether the details of a custom message say that it carries the context of the runtime.
func isCarrier(details jsonl.Value) bool {
	return details.IsObject() && details.Get("runtimeContextCarrier").IsTrue()
}

func customMessage(content, details jsonl.Value, timestamp string) string {
	message := userMessage(contentList(content), timestamp)
	if isCarrier(details) {
		message = strings.TrimSuffix(message, "}") + `,"runtimeContextCarrier":true}`
	}
	return message
}

// bashText describes a command and its output, as the inside of a JSON string.
func bashText(message jsonl.Value) string {
	text := "Ran `" + inner(message.Get("command")) + "`\\n"
	if output := inner(message.Get("output")); output != "" {
		text += "```\\n" + output + "\\n```"
	} else {
		text += "(no output)"
	}
	exit := message.Get("exitCode")
	switch {
	case javascript.IsTruthy(message.Get("cancelled")):
		text += `\n\n(command cancelled)`
	case exit.Exists() && !exit.IsNull() && !(exit.IsNumber() && exit.Float() == 0):
		text += `\n\nCommand exited with code ` + scriptText(exit)
	}
	if full := message.Get("fullOutputPath"); javascript.IsTruthy(message.Get("truncated")) && javascript.IsTruthy(full) {
		text += `\n\n[Output truncated. Full output: ` + scriptText(full) + `]`
	}
	return text
}

// scriptText returns a value the way JavaScript converts it to text, as the inside of a JSON string.
func scriptText(v jsonl.Value) string {
	switch {
	case v.IsString():
		return inner(v)
	case v.IsNumber():
		return strconv.FormatFloat(v.Float(), 'f', -1, 64)
	case v.IsObject():
		return "[object Object]"
	}
	return quoteInner(string(v.UTF8()))
}

// plainMessage returns a message unchanged, except that old forms of content become lists of blocks, and that a text
// that was sent stands for the one that was written.
func plainMessage(e *entry, rec *jsonl.Record, retained bool) string {
	message, content := rec.Get("message"), contentOf(e, rec)
	rewritten := content.IsString() && e.role != roleUser
	isSent := e.has(projected)
	if !rec.Repeated && rec.Damage == nil && !rewritten && !retained && !isSent &&
		!(content.IsObject() && e.role == roleToolResult) {
		return string(message)
	}
	o := objectOf(message)
	switch {
	case isSent:
		o.set("content", string(content.UTF8()))
	case rewritten:
		o.set("content", textList(inner(content)))
	case content.IsObject() && e.role == roleToolResult:
		o.set("content", list([]string{string(content.UTF8())}))
	}
	if (rewritten || retained && e.role == roleAssistant) &&
		jsonl.IsReplayCheckpoint(message.Get("providerReplay").Get("type").String()) {
		o.delete("providerReplay")
	}
	return o.String()
}
