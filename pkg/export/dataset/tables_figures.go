package dataset

import (
	"slices"
	"sync"
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

var usageTable = sync.OnceValue(func() *table[usageRow] {
	return &table[usageRow]{
		name:  "usage",
		about: "one row for each record that `stats` counts; the sums are the totals of `stats --json`",
		columns: slices.Concat(recordColumns(func(r *usageRow) *recordRow { return &r.recordRow }), []column[usageRow]{
			word("channel", "as in `stats --by channel`", func(r *usageRow) string { return r.channel }),
			word("kind", "the kind of paid work, as in `stats --by kind`; null for other records",
				func(r *usageRow) string { return r.kind }),
			word("provider", "as in `stats --by provider`", func(r *usageRow) string { return r.provider }),
			word("model", "as in `stats --by model`: the model that answered", func(r *usageRow) string { return r.model }),
			word("tool", "the tool of a result, as in `stats --by tool`", func(r *usageRow) string { return r.tool }),
		}, tallyColumns(func(r *usageRow) *stats.Tally { return &r.tally })),
	}
})

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

var sessionsTable = sync.OnceValue(func() *table[sessionRow] {
	return &table[sessionRow]{
		name:  "sessions",
		about: "one row for each transcript: live sessions, archives and backups; `records` is 0 if all of them are copies",
		columns: slices.Concat(originColumns(func(r *sessionRow) *origin { return &r.origin }), []column[sessionRow]{
			word("kind", "live, deleted, reset, …, as in `sessions --json`", func(r *sessionRow) string { return r.kind }),
			id("generation", "which earlier state it is, null for the current one",
				func(r *sessionRow) string { return r.generation }),
			word("channel", "as in `stats --by channel`", func(r *sessionRow) string { return r.channel }),
			moment("first", "the time of the first record", func(r *sessionRow) time.Time { return r.first }),
			moment("last", "the time of the last record", func(r *sessionRow) time.Time { return r.last }),
			id("title", "the last title; null with --no-content", func(r *sessionRow) string { return r.title }),
			word("folder", "the working folder in the header; null with --no-content",
				func(r *sessionRow) string { return r.folder }),
			id("parent_session", "the session in the header that it was forked from",
				func(r *sessionRow) string { return r.parent }),
			word("model", "the model of the last answer", func(r *sessionRow) string { return r.model }),
			number("bytes", "size of the transcript as stored", func(r *sessionRow) int64 { return r.bytes }),
			number("lines", "number of lines", func(r *sessionRow) int64 { return r.lines }),
			number("copied_records", "records that are counted elsewhere", func(r *sessionRow) int64 { return r.copies }),
			number("mirrors", "messages that no model sent", func(r *sessionRow) int64 { return r.mirrors }),
			number("damaged_lines", "lines that cannot be read", func(r *sessionRow) int64 { return r.damaged }),
			word("state", "what the API would say to its conversation: accepted, refused or empty",
				func(r *sessionRow) string { return r.state }),
			word("state_code", "the code of the first reason for a refusal", func(r *sessionRow) string { return r.reason }),
			number("errors", "findings of this severity", func(r *sessionRow) int64 { return r.errors }),
			number("warnings", "findings of this severity", func(r *sessionRow) int64 { return r.warnings }),
			number("notes", "findings of this severity", func(r *sessionRow) int64 { return r.notes }),
			truth("usage_known", "false if no answer has recorded tokens",
				func(r *sessionRow) bool { return r.tally.UsageKnown() }),
			truth("cost_known", "false if no answer has a recorded price",
				func(r *sessionRow) bool { return r.tally.CostKnown() }),
		}, tallyColumns(func(r *sessionRow) *stats.Tally { return &r.tally })),
	}
})

// A findingRow is a problem of a transcript.
type findingRow struct {
	origin
	code, severity, level, message, entry string
	line, offset                          *int64
	more                                  int64
}

var findingsTable = sync.OnceValue(func() *table[findingRow] {
	return &table[findingRow]{
		name: "findings",
		about: "one row for each problem that `validate` finds in a transcript, damaged lines among them, and for each " +
			"transcript that cannot be read to its end",
		columns: append(originColumns(func(r *findingRow) *origin { return &r.origin }),
			word("code", "the code, as in `clawctl explain`", func(r *findingRow) string { return r.code }),
			word("severity", "error, warn or info", func(r *findingRow) string { return r.severity }),
			word("level", "line, order, links, pairing, api, store, accounting, privacy or file",
				func(r *findingRow) string { return r.level }),
			maybe("line", "null if it is about the whole transcript", func(r *findingRow) *int64 { return r.line }),
			maybe("offset", "where the line begins", func(r *findingRow) *int64 { return r.offset }),
			id("entry", "the id of the record", func(r *findingRow) string { return r.entry }),
			word("message", "what is wrong; never text of the transcript", func(r *findingRow) string { return r.message }),
			number("more", "how many findings of this code are not listed", func(r *findingRow) int64 { return r.more }),
		),
	}
})

// A lineRow is a line as it is in the transcript.
type lineRow struct {
	recordRow
	offset           int64
	kind             string
	isCopy, isBroken bool
	raw              []byte
}

var recordsTable = sync.OnceValue(func() *table[lineRow] {
	return &table[lineRow]{
		name: "records",
		about: "one row for each line, copies and damaged lines among them; only with --raw-lines. " +
			"The lines of a file, joined in their order, are its text byte for byte",
		columns: slices.Concat(recordColumns(func(r *lineRow) *recordRow { return &r.recordRow }), []column[lineRow]{
			number("offset", "where the line begins", func(r *lineRow) int64 { return r.offset }),
			word("type", "the type of the record", func(r *lineRow) string { return r.kind }),
			truth("is_copy", "the record is counted elsewhere", func(r *lineRow) bool { return r.isCopy }),
			truth("is_damaged", "the line cannot be read as it should be", func(r *lineRow) bool { return r.isBroken }),
			content(parquet.Bytes, "raw", "the line with its line end", func(r *lineRow) []byte { return r.raw }),
		}),
	}
})
