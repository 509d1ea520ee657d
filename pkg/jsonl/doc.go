// Package jsonl turns the lines of a transcript into records and back without losing anything.
//
// A [Reader] splits a stream into lines and scans each of them once. The scan checks that the line is strict JSON in
// UTF-8 and not nested too deeply, and notes the positions of the few fields that every consumer needs. The result is a
// [Record]: the verbatim bytes, their line number and byte offset, and the positions of those fields. Nothing is
// decoded until it is needed: [Record.Type], [Record.ID] and [Record.Time] read one field, and [Record.Message] and
// similar methods return views that decode block by block. A [Writer] writes complete records.
//
// The records of a stream cover it without gaps: the offset of each is the end of the previous one, and their joined
// Raw bytes are the input. That includes damaged lines. A damaged line is a record with a [Damage], and other lines are
// unaffected. With [Options.Strict] the first damage ends the stream with an error.
//
// # How the reader works
//
//	stream ─▶ filler ─▶ batch ─▶ cutter ─▶ records
//
// A filler reads a stream into a chunk of 256 KiB and hands on a batch: the complete lines in it. A cutter cuts the
// batch into records, and checks and scans each. With [Options.Jobs], one goroutine is the filler and several are
// cutters. They hand on lists of records, and the consumer takes those of one batch after the other, in the order of
// the stream. It counts the lines, which no cutter can know, and the chunk is free again when it has passed the batch.
//
// A line that is longer than a chunk gets a buffer of 4 MiB. If it is longer than that too, the stream is looked at
// ahead to find its end, and it gets a buffer of its length, but only one at a time: nothing further is read before the
// consumer has passed it. A file is looked at without moving its position. Of a pipe, the stream keeps what it has
// looked at. A line above [Options.MaxLine] is handed on in pieces.
//
// # How the reader handles unusual input
//
//	empty file                 no record
//	blank line                 a record with Blank set; no damage
//	CRLF                       the CR belongs to the line end; no damage
//	no newline at the end      an ordinary record if it is complete JSON, otherwise CL002, a torn tail
//	BOM at the start           skipped for parsing, kept in Raw; no damage (a BOM elsewhere is CL001)
//	NBSP, VT, another BOM      the same at the start and at the end of a stream, where JavaScript trims them
//	U+2028, U+2029 in strings  ordinary characters, never line ends
//	NUL bytes                  CL007 if the line contains nothing else, otherwise CL001
//	invalid UTF-8              CL003; the fields can still be read (OpenClaw reads such lines with U+FFFD)
//	UTF-16                     CL008 for every line
//	a lone \ud83d escape       valid JSON; kept unchanged
//	a duplicate key            the last one wins, as in JavaScript
//	deeper than 10,000         CL004
//	longer than MaxLine        CL005; the line is returned in pieces, each a record with the same Line
//	JSON but not an object     CL006
package jsonl
