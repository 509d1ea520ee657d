package dataset

import (
	"time"

	"clawctl/internal/parquet"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/report/stats"
)

// SchemaVersion is the version of the tables. It is in the manifest and in the metadata of every file. New columns do
// not change it. A column that goes away or changes its meaning does.
const SchemaVersion = 1

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

// A table is a table with rows of type R.
type table[R any] struct {
	name, about string
	columns     []column[R]
}

// A schema is a table of any type.
type schema interface {
	describe() Table
	parquetColumns() []parquet.Column
}

func (t *table[R]) parquetColumns() []parquet.Column {
	list := make([]parquet.Column, len(t.columns))
	for i, c := range t.columns {
		list[i] = c.Column
	}
	return list
}

// typeNames are the types of columns, in the words of SQL.
var typeNames = map[parquet.Type]string{
	parquet.Bool: "BOOLEAN", parquet.Int: "BIGINT", parquet.Float: "DOUBLE", parquet.Timestamp: "TIMESTAMP (UTC)",
	parquet.Date: "DATE", parquet.Text: "VARCHAR", parquet.JSON: "JSON", parquet.Bytes: "BLOB",
}

func (t *table[R]) describe() Table {
	d := Table{Name: t.name, About: t.about}
	for _, c := range t.columns {
		d.Columns = append(d.Columns, TableColumn{c.Name, typeNames[c.Type], c.about, !c.Required})
	}
	return d
}

// schemas lists the tables in the order in which they are documented. They are made at their first use, because other
// commands should start at once.
func schemas() []schema {
	return []schema{
		sessionsTable(), messagesTable(), partsTable(), callsTable(), usageTable(),
		findingsTable(), recordsTable(),
	}
}

// Tables describes all tables. Each has two more columns, agent and month, in the names of its folders.
func Tables() (list []Table) {
	for _, s := range schemas() {
		list = append(list, s.describe())
	}
	return list
}

// An origin says which transcript a row comes from.
type origin struct{ host, session, sessionID, file string }

// originColumns begin every table.
func originColumns[R any](of func(*R) *origin) []column[R] {
	return []column[R]{
		word("host", "the name of `--host`", func(r *R) string { return of(r).host }),
		word("session", "the key of the session, as in `stats --by session`", func(r *R) string { return of(r).session }),
		word("session_id", "the id of the session", func(r *R) string { return of(r).sessionID }),
		word("file", "the transcript: its path below SOURCE, and its session if that is a database",
			func(r *R) string { return of(r).file }),
	}
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

func recordColumns[R any](of func(*R) *recordRow) []column[R] {
	return append(originColumns(func(r *R) *origin { return &of(r).origin }),
		number("line", "the number of its line, from 1", func(r *R) int64 { return of(r).line }),
		id("entry", "the id of the record", func(r *R) string { return of(r).entry }),
		moment("time", "of the record, or of the last one before it that has a time",
			func(r *R) time.Time { return of(r).at }),
		day("day", "the day of `time` in UTC, as in `stats --by day --timezone UTC`",
			func(r *R) time.Time { return of(r).at }),
	)
}

// tallyColumns are the counts of stats, under their names in `stats --json`.
func tallyColumns[R any](of func(*R) *stats.Tally) []column[R] {
	return append([]column[R]{
		number("records", "1 for a record", func(r *R) int64 { return of(r).Records }),
		number("messages", "messages of people, models and tools", func(r *R) int64 { return of(r).Messages }),
		number("turns", "messages in which a user says something", func(r *R) int64 { return of(r).Turns }),
		number("tool_calls", "tool calls of an answer", func(r *R) int64 { return of(r).ToolCalls }),
		number("tool_errors", "results that report an error", func(r *R) int64 { return of(r).ToolErrors }),
		number("answers", "answers of a model", func(r *R) int64 { return of(r).Answers }),
		number("failed_answers", "answers that ended with an error or were interrupted",
			func(r *R) int64 { return of(r).Failed }),
		number("answers_without_usage", "answers that recorded no tokens", func(r *R) int64 { return of(r).NoUsage }),
		number("answers_with_price", "records with a price above $0", func(r *R) int64 { return of(r).WithPrice }),
		number("answers_zero_price", "records with a price of $0", func(r *R) int64 { return of(r).ZeroPrice }),
		number("answers_without_price", "records with tokens but no price", func(r *R) int64 { return of(r).NoPrice }),
	}, usageColumns(func(r *R) *jsonl.Usage { return &of(r).Recorded })...)
}

// usageColumns are what providers recorded.
func usageColumns[R any](of func(*R) *jsonl.Usage) []column[R] {
	return []column[R]{
		number("input", "tokens sent, without cached ones", func(r *R) int64 { return of(r).Input }),
		number("output", "tokens received", func(r *R) int64 { return of(r).Output }),
		number("cache_read", "tokens read from the cache", func(r *R) int64 { return of(r).CacheRead }),
		number("cache_write", "tokens written to the cache", func(r *R) int64 { return of(r).CacheWrite }),
		number("total", "all tokens, as recorded", func(r *R) int64 { return of(r).Total }),
		dollars("cost_usd", "the recorded price, null if there is none",
			func(r *R) (float64, bool) { return of(r).Cost, of(r).HasCost }),
	}
}
