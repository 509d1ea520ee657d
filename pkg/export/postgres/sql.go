package postgres

import (
	_ "embed" // for the statements
	"fmt"
	"slices"
	"strings"
	"sync"
)

// schemaVersion is the comment of the table messages. A layout that an older clawctl could not fill gets another
// number. Columns that may be null are added to the tables of older versions instead, so that the hosts of a fleet need
// not be updated at the same time.
const schemaVersion = "clawctl schema 1"

//go:embed schema.sql
var schemaSQL string

//go:embed merge.sql
var mergeSQL string

// figures are the columns of messages that views add up.
var figures = []string{
	"messages", "turns", "tool_calls", "tool_errors", "input", "output", "cache_read", "cache_write", "total", "cost_usd",
	"answers", "failed_answers", "usage_known", "cost_known",
}

// messageColumns are the columns of messages without the host, in the order of the stream.
var messageColumns = sync.OnceValue(func() []string {
	return append([]string{
		"session_key", "record", "id", "parent_id", "type", "timestamp", "data", "raw", "status", "kind", "provider",
		"model", "tool", "calls",
	}, figures...)
})

// sessionColumns are the columns of the temporary table of sessions, in the order of the stream.
var sessionColumns = []string{"key", "created_at", "updated_at", "metadata", "lines", "complete"}

// opening returns everything before the rows of messages. psql stops at the first error, and the transaction ends
// with the connection, so half a stream changes nothing.
func opening() string {
	schema := strings.NewReplacer(":version", schemaVersion, ":sums", sums(figures), ":work_sums",
		sums(slices.DeleteFunc(slices.Clone(figures), isTurns))).Replace(schemaSQL)
	return `\set ON_ERROR_STOP on
\set QUIET on
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL client_encoding = 'UTF8';
SET LOCAL client_min_messages = 'warning';
SET LOCAL standard_conforming_strings = on;
` + schema + `
CREATE TEMPORARY TABLE clawctl_messages (LIKE messages) ON COMMIT DROP;
ALTER TABLE clawctl_messages DROP COLUMN host;
CREATE TEMPORARY TABLE clawctl_sessions (key text, created_at bigint, updated_at bigint, metadata json, lines bigint,
  complete boolean) ON COMMIT DROP;
` + copyFrom("clawctl_messages", messageColumns())
}

// isTurns reports whether a figure is the number of turns. A turn is a message of a user, which has no model.
func isTurns(figure string) bool { return figure == "turns" }

// sums returns the columns of a view of totals.
func sums(figures []string) string {
	columns := []string{"count(DISTINCT session_key) AS sessions", "count(*) AS records"}
	for _, name := range figures {
		columns = append(columns, sumOf(name)+" AS "+name)
	}
	return strings.Join(columns, ", ")
}

// sumOf returns the sum of a figure. Dollars are rounded as stats rounds them. Usage is known if some of the paid work
// has it, or if there is no paid work.
func sumOf(name string) string {
	switch name {
	case "cost_usd":
		return "round(sum(cost_usd), 9)"
	case "usage_known", "cost_known":
		return "coalesce(bool_or(" + name + "), bool_and(kind IS NULL))"
	}
	return "sum(" + name + ")"
}

// copyFrom returns the statement before rows.
func copyFrom(table string, columns []string) string {
	return fmt.Sprintf("COPY %s (%s) FROM STDIN;\n", table, strings.Join(columns, ", "))
}

// merge returns the statements after the rows.
func merge(host string) string {
	var excluded, stored, compared []string
	for _, name := range messageColumns() {
		cast := ""
		if name == "data" {
			cast = "::text" // the type json has no equality
		}
		excluded = append(excluded, "excluded."+name)
		stored = append(stored, "m."+name+cast)
		compared = append(compared, "excluded."+name+cast)
	}
	return strings.NewReplacer(
		":host", "'"+strings.ReplaceAll(host, "'", "''")+"'", ":columns", strings.Join(messageColumns(), ", "),
		":excluded", strings.Join(excluded, ", "), ":stored", strings.Join(stored, ", "),
		":compared", strings.Join(compared, ", "),
	).Replace(mergeSQL)
}
