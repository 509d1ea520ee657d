package dataset

import (
	"slices"
	"sync"
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
	usage                         jsonl.Usage
}

var messagesTable = sync.OnceValue(func() *table[messageRow] {
	return &table[messageRow]{
		name:  "messages",
		about: "one row for each message that is not a copy",
		columns: slices.Concat(recordColumns(func(r *messageRow) *recordRow { return &r.recordRow }), []column[messageRow]{
			id("parent", "the entry it follows", func(r *messageRow) string { return r.parent }),
			word("role", "user, assistant, toolResult, …", func(r *messageRow) string { return r.role }),
			word("provider", "the provider of an answer, as recorded", func(r *messageRow) string { return r.provider }),
			word("model", "the model of an answer, as recorded", func(r *messageRow) string { return r.model }),
			word("stop_reason", "why the answer ended", func(r *messageRow) string { return r.stop }),
			truth("is_mirror", "no model sent it: OpenClaw wrote it itself, and stats counts it separately",
				func(r *messageRow) bool { return r.isMirror }),
			number("parts", "number of its rows in parts", func(r *messageRow) int64 { return r.parts }),
			number("text_bytes", "length of its texts in UTF-8", func(r *messageRow) int64 { return r.textBytes }),
		}, usageColumns(func(r *messageRow) *jsonl.Usage { return &r.usage })),
	}
})

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

var partsTable = sync.OnceValue(func() *table[partRow] {
	return &table[partRow]{
		name: "parts",
		about: "one row for each piece of a record that is not a copy: texts, thoughts, calls, results, images, " +
			"summaries, …",
		columns: slices.Concat(recordColumns(func(r *partRow) *recordRow { return &r.recordRow }), []column[partRow]{
			number("part", "its number in the record, from 0", func(r *partRow) int64 { return r.part }),
			word("kind", "as in `show --json`: user, assistant, thinking, call, result, image, …",
				func(r *partRow) string { return r.kind }),
			word("role", "the role of its message", func(r *partRow) string { return r.role }),
			word("name", "the tool of a call or result, the media type of an image, the section of a system prompt",
				func(r *partRow) string { return r.name }),
			id("call", "the id of the tool call", func(r *partRow) string { return r.call }),
			truth("failed", "the result reports an error", func(r *partRow) bool { return r.failed }),
			truth("hidden", "the model never sees it", func(r *partRow) bool { return r.hidden }),
			number("bytes", "length of the text in UTF-8, or of the decoded image", func(r *partRow) int64 { return r.bytes }),
			id("sha256", "the digest of an image", func(r *partRow) string { return r.sha256 }),
			content(parquet.Text, "text", "the text, or the JSON of another value; null for images and with --no-content",
				func(r *partRow) []byte { return r.text }),
			content(parquet.JSON, "fields", "further facts, such as the exit code; null with --no-content",
				func(r *partRow) []byte { return r.fields }),
		}),
	}
})

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
	line     int64
	at       time.Time
	failed   bool
	bytes    int64
	exitCode *int64
}

// resultNumber returns a number of the result, or nil if there is no result.
func (r *callRow) resultNumber(get func(*callResult) int64) *int64 {
	if r.result == nil {
		return nil
	}
	n := get(r.result)
	return &n
}

// duration returns the time from the call to its result in milliseconds, or nil if it is not known.
func (r *callRow) duration() *int64 {
	if r.result == nil || r.result.at.IsZero() || r.timestamp.IsZero() {
		return nil
	}
	n := r.result.at.Sub(r.timestamp).Milliseconds()
	return &n
}

var callsTable = sync.OnceValue(func() *table[callRow] {
	return &table[callRow]{
		name:  "tool_calls",
		about: "one row for each tool call of an answer that is not a copy, with its result",
		columns: slices.Concat(recordColumns(func(r *callRow) *recordRow { return &r.recordRow }), []column[callRow]{
			number("part", "its number in the record, from 0", func(r *callRow) int64 { return r.part }),
			word("tool", "the name of the tool, as in `stats --by tool`", func(r *callRow) string { return r.tool }),
			id("call", "the id of the call", func(r *callRow) string { return r.call }),
			word("provider", "the provider of the answer", func(r *callRow) string { return r.provider }),
			word("model", "the model of the answer", func(r *callRow) string { return r.model }),
			content(parquet.JSON, "arguments", "null with --no-content", func(r *callRow) []byte { return r.arguments }),
			number("argument_bytes", "length of the arguments", func(r *callRow) int64 { return r.argumentBytes }),
			maybe("result_line", "the line of the result, null if there is none", func(r *callRow) *int64 {
				return r.resultNumber(func(x *callResult) int64 { return x.line })
			}),
			maybe("result_bytes", "length of the texts of the result", func(r *callRow) *int64 {
				return r.resultNumber(func(x *callResult) int64 { return x.bytes })
			}),
			maybe("duration_ms", "from the time of the answer to that of the result",
				func(r *callRow) *int64 { return r.duration() }),
			maybe("exit_code", "of a command", func(r *callRow) *int64 {
				if r.result == nil {
					return nil
				}
				return r.result.exitCode
			}),
			truth("failed", "the result reports an error", func(r *callRow) bool { return r.result != nil && r.result.failed }),
		}),
	}
})
