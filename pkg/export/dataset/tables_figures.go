package dataset

import (
	"time"

	"clawctl/internal/parquet"
	"clawctl/pkg/report/stats"
)

// A usageRow is a record that stats counts.
type usageRow struct {
	recordRow
	channel                     string
	kind, provider, model, tool string
	tally                       stats.Tally
}

func (r *usageRow) columns(c *cells) {
	r.recordRow.columns(c)
	c.word("channel", "as in `stats --by channel`", r.channel)
	c.word("kind", "the kind of paid work, as in `stats --by kind`; null for other records", r.kind)
	c.word("provider", "as in `stats --by provider`", r.provider)
	c.word("model", "as in `stats --by model`: the model that answered", r.model)
	c.word("tool", "the tool of a result, as in `stats --by tool`", r.tool)
	c.tally(&r.tally)
}

// A sessionRow is a transcript.
type sessionRow struct {
	origin
	kind, generation, channel string
	first, last               time.Time
	title                     string
	folder, parent            string
	model                     string
	bytes, lines              int64
	copies, mirrors, damaged  int64
	tally                     stats.Tally
	state, reason             string
	errors, warnings, notes   int64
}

func (r *sessionRow) columns(c *cells) {
	r.origin.columns(c)
	c.word("kind", "live, deleted, reset, …, as in `sessions --json`", r.kind)
	c.id("generation", "which earlier state it is, null for the current one", r.generation)
	c.word("channel", "as in `stats --by channel`", r.channel)
	c.moment("first", "the time of the first record", r.first)
	c.moment("last", "the time of the last record", r.last)
	c.id("title", "the last title; null with --no-content", r.title)
	c.word("folder", "the working folder in the header; null with --no-content", r.folder)
	c.id("parent_session", "the session in the header that it was forked from", r.parent)
	c.word("model", "the model of the last answer", r.model)
	c.count("bytes", "size of the transcript as stored", r.bytes)
	c.count("lines", "number of lines", r.lines)
	c.count("copied_records", "records that are counted elsewhere", r.copies)
	c.count("mirrors", "messages that no model sent", r.mirrors)
	c.count("damaged_lines", "lines that cannot be read", r.damaged)
	c.word("state", "what the API would say to its conversation: accepted, refused or empty", r.state)
	c.word("state_code", "the code of the first reason for a refusal", r.reason)
	c.count("errors", "findings of this severity", r.errors)
	c.count("warnings", "findings of this severity", r.warnings)
	c.count("notes", "findings of this severity", r.notes)
	c.truth("usage_known", "false if no answer has recorded tokens", r.tally.UsageKnown())
	c.truth("cost_known", "false if no answer has a recorded price", r.tally.CostKnown())
	c.tally(&r.tally)
}

// A findingRow is a problem of a transcript.
type findingRow struct {
	origin
	code, severity, level, message, entry string
	line, offset                          int64 // line is 0 if it is about the whole transcript
	more                                  int64
}

func (r *findingRow) columns(c *cells) {
	r.origin.columns(c)
	c.word("code", "the code, as in `clawctl explain`", r.code)
	c.word("severity", "error, warn or info", r.severity)
	c.word("level", "line, order, links, pairing, api, store, accounting, privacy or file", r.level)
	c.maybe("line", "null if it is about the whole transcript", r.line, r.line > 0)
	c.maybe("offset", "where the line begins", r.offset, r.line > 0)
	c.id("entry", "the id of the record", r.entry)
	c.word("message", "what is wrong; never text of the transcript", r.message)
	c.count("more", "how many findings of this code are not listed", r.more)
}

// A lineRow is a line as it is in the transcript.
type lineRow struct {
	recordRow
	offset           int64
	kind             string
	isCopy, isBroken bool
	raw              []byte
}

func (r *lineRow) columns(c *cells) {
	r.recordRow.columns(c)
	c.count("offset", "where the line begins", r.offset)
	c.word("type", "the type of the record", r.kind)
	c.truth("is_copy", "the record is counted elsewhere", r.isCopy)
	c.truth("is_damaged", "the line cannot be read as it should be", r.isBroken)
	c.content(parquet.Bytes, "raw", "the line with its line end", r.raw)
}
