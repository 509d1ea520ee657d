package dataset

import (
	"cmp"
	"time"

	"clawctl/internal/parquet"
	"clawctl/pkg/jsonl"
)

// A messageRow is a message that is not a copy.
type messageRow struct {
	recordRow
	parent, provider, model, stop string
	isMirror                      bool
	parts                         int64
	textBytes                     int64
	recorded                      jsonl.Usage
}

func (r *messageRow) columns(c *cells) {
	r.recordRow.columns(c)
	c.id("parent", "the entry it follows", r.parent)
	c.word("role", "user, assistant, toolResult, …", r.role)
	c.word("provider", "the provider of an answer, as recorded", r.provider)
	c.word("model", "the model of an answer, as recorded", r.model)
	c.word("stop_reason", "why the answer ended", r.stop)
	c.truth("is_mirror", "no model sent it: OpenClaw wrote it itself, and stats counts it separately", r.isMirror)
	c.count("parts", "number of its rows in parts", r.parts)
	c.count("text_bytes", "length of its texts in UTF-8", r.textBytes)
	c.usage(&r.recorded)
}

// A partRow is a piece of a record that is read by itself.
type partRow struct {
	recordRow
	part       int64
	kind       string
	name, call string
	failed     bool
	hidden     bool
	bytes      int64 // of the text or the image
	sha256     string
	text       []byte // nil for an image
	fields     jsonl.Value
}

func (r *partRow) columns(c *cells) {
	r.recordRow.columns(c)
	c.count("part", "its number in the record, from 0", r.part)
	c.word("kind", "as in `show --json`: user, assistant, thinking, call, result, image, …", r.kind)
	c.word("role", "the role of its message", r.role)
	c.word("name", "the tool of a call or result, the media type of an image, the section of a system prompt", r.name)
	c.id("call", "the id of the tool call", r.call)
	c.truth("failed", "the result reports an error", r.failed)
	c.truth("hidden", "the model never sees it", r.hidden)
	c.count("bytes", "length of the text in UTF-8, or of the decoded image", r.bytes)
	c.id("sha256", "the digest of an image", r.sha256)
	c.content(parquet.Text, "text", "the text, or the JSON of another value; null for images and with --no-content",
		r.text)
	c.content(parquet.JSON, "fields", "further facts, such as the exit code; null with --no-content", r.fields)
}

// A callRow is a tool call, with what is known about its result.
type callRow struct {
	recordRow
	part            int64
	tool, call      string
	arguments       jsonl.Value
	argumentBytes   int64
	model, provider string
	result          *callResult
}

type callResult struct {
	line      int64
	at        time.Time
	failed    bool
	bytes     int64
	exitCode  int64
	hasExited bool // exitCode is known
}

func (r *callRow) columns(c *cells) {
	r.recordRow.columns(c)
	c.count("part", "its number in the record, from 0", r.part)
	c.word("tool", "the name of the tool, as in `stats --by tool`", r.tool)
	c.id("call", "the id of the call", r.call)
	c.word("provider", "the provider of the answer", r.provider)
	c.word("model", "the model of the answer", r.model)
	c.content(parquet.JSON, "arguments", "null with --no-content", r.arguments)
	c.count("argument_bytes", "length of the arguments", r.argumentBytes)
	result := cmp.Or(r.result, &callResult{})
	c.maybe("result_line", "the line of the result, null if there is none", result.line, r.result != nil)
	c.maybe("result_bytes", "length of the texts of the result", result.bytes, r.result != nil)
	c.maybe("duration_ms", "from the time of the answer to that of the result",
		result.at.Sub(r.timestamp).Milliseconds(), !result.at.IsZero() && !r.timestamp.IsZero())
	c.maybe("exit_code", "of a command", result.exitCode, result.hasExited)
	c.truth("failed", "the result reports an error", result.failed)
}
