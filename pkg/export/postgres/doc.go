// Package postgres writes sessions as a stream of SQL for psql, and reads them back from a stream of COPY.
//
// [Write] makes the tables sessions and messages in the current schema of a database, with a column for the host, and
// views of totals. Everything happens in one transaction. Rows are copied into temporary tables first and then merged
// by host, session and record, so a second push of the same sessions changes nothing.
//
// A line is kept exactly. Usually the column data is the line. What the type json cannot hold, such as a lone
// surrogate, is replaced there, and the column raw has the bytes of the line. [Keep] reads the view
// transcript_lines, which puts both together again.
//
// The package opens no connection.
package postgres
