package dataset

import (
	"time"

	"clawctl/internal/parquet"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/report/stats"
)

// schemaVersion is the version of the tables. It is in the manifest and in the metadata of every file. New columns do
// not change it. A column that goes away or changes its meaning does.
const schemaVersion = 1

// A Table describes a table.
type Table struct {
	Name    string
	About   string
	Columns []TableColumn
}

// A TableColumn describes a column of a table.
type TableColumn struct {
	Name, Type, About string
	Nullable          bool
}

// A row is a row of a table. It gives all its columns to c, always in the same order.
type row interface{ columns(c *cells) }

type table struct {
	name, about string
	row         row // an empty one
}

// tables lists the tables in the order in which they are documented.
var tables = []table{
	{"sessions", "one row for each transcript: live sessions, archives and backups; `records` is 0 if all of them are " +
		"copies", &sessionRow{}},
	{"messages", "one row for each message that is not a copy", &messageRow{}},
	{"parts", "one row for each piece of a record that is not a copy: texts, thoughts, calls, results, images, " +
		"summaries, …", &partRow{}},
	{"tool_calls", "one row for each tool call of an answer that is not a copy, with its result", &callRow{}},
	{"usage", "one row for each record that `stats` counts; the sums are the totals of `stats --json`", &usageRow{}},
	{"findings", "one row for each problem that `validate` finds in a transcript, damaged lines among them, and for " +
		"each transcript that cannot be read to its end", &findingRow{}},
	{"records", "one row for each line, copies and damaged lines among them; only with --raw-lines. " +
		"The lines of a file, joined in their order, are its text byte for byte", &lineRow{}},
}

// typeNames are the types of columns, in the words of SQL.
var typeNames = map[parquet.Type]string{
	parquet.Bool: "BOOLEAN", parquet.Int: "BIGINT", parquet.Float: "DOUBLE", parquet.Timestamp: "TIMESTAMP (UTC)",
	parquet.Date: "DATE", parquet.Text: "VARCHAR", parquet.JSON: "JSON", parquet.Bytes: "BLOB",
}

// Tables describes all tables. Each has two more columns, agent and month, in the names of its folders.
func Tables() (list []Table) {
	for _, t := range tables {
		d := Table{Name: t.name, About: t.about}
		for _, c := range columnsOf(t.row) {
			d.Columns = append(d.Columns, TableColumn{c.Name, typeNames[c.Type], c.about, !c.Required})
		}
		list = append(list, d)
	}
	return list
}

// An origin says which transcript a row comes from.
type origin struct{ host, session, sessionID, file string }

// columns begin every table.
func (o *origin) columns(c *cells) {
	c.word("host", "the name of `--host`", o.host)
	c.word("session", "the key of the session, as in `stats --by session`", o.session)
	c.word("session_id", "the id of the session", o.sessionID)
	c.word("file", "the transcript: its path below SOURCE, and its session if that is a database", o.file)
}

// A recordRow is what the rows of a record have in common.
type recordRow struct {
	origin
	line      int64
	entry     string
	at        time.Time
	role      string
	timestamp time.Time // of the record itself
}

func (r *recordRow) columns(c *cells) {
	r.origin.columns(c)
	c.count("line", "the number of its line, from 1", r.line)
	c.id("entry", "the id of the record", r.entry)
	c.moment("time", "of the record, or of the last one before it that has a time", r.at)
	c.day("day", "the day of `time` in UTC, as in `stats --by day --timezone UTC`", r.at)
}

// tally takes the counts of stats, under their names in `stats --json`.
func (c *cells) tally(t *stats.Tally) {
	c.count("records", "1 for a record", t.Records)
	c.count("messages", "messages of people, models and tools", t.Messages)
	c.count("turns", "messages in which a user says something", t.Turns)
	c.count("tool_calls", "tool calls of an answer", t.ToolCalls)
	c.count("tool_errors", "results that report an error", t.ToolErrors)
	c.count("answers", "answers of a model", t.Answers)
	c.count("failed_answers", "answers that ended with an error or were interrupted", t.Failed)
	c.count("answers_without_usage", "answers that recorded no tokens", t.NoUsage)
	c.count("answers_with_price", "records with a price above $0", t.WithPrice)
	c.count("answers_zero_price", "records with a price of $0", t.ZeroPrice)
	c.count("answers_without_price", "records with tokens but no price", t.NoPrice)
	c.usage(&t.Recorded)
}

// usage takes what providers recorded.
func (c *cells) usage(u *jsonl.Usage) {
	c.count("input", "tokens sent, without cached ones", u.Input)
	c.count("output", "tokens received", u.Output)
	c.count("cache_read", "tokens read from the cache", u.CacheRead)
	c.count("cache_write", "tokens written to the cache", u.CacheWrite)
	c.count("total", "all tokens, as recorded", u.Total)
	c.dollars("cost_usd", "the recorded price, null if there is none", u.Cost, u.HasCost)
}
