// Package jsonl turns the lines of a transcript into records and back, losing nothing.
//
// There is one flow. A [Reader] cuts a stream into lines and scans each of them once. The scan checks the line as
// strict JSON, UTF-8 and depth, and on the way notes where the few fields lie that every consumer asks for. The result
// is a [Record]: the verbatim bytes, their line number and byte offset, and the places of those fields. Nothing is
// decoded before it is asked for: [Record.Type], [Record.ID] and [Record.Time] read one field, [Record.Message] and its
// relatives are views that decode block by block. A [Writer] writes records whole.
//
// The records of a stream tile it: the offset of each is the end of the one before, and their Raw bytes joined are the
// input. That holds for damaged lines too. A damaged line is a record with a [Damage]; it costs that line alone. With
// [Options.Strict] the first damage ends the stream as an error instead.
//
// # What the reader makes of odd input
//
//	empty file                 no record
//	blank line                 a record with Blank set; no damage
//	CRLF                       the CR belongs to the line end; no damage
//	no newline at the end      a record like any other if it is whole JSON; else CL002, a torn tail
//	BOM at the start           skipped for parsing, kept in Raw; no damage (a BOM elsewhere is CL001)
//	U+2028, U+2029 in strings  ordinary characters, never line ends
//	NUL bytes                  CL007 where the line holds nothing else, else CL001
//	invalid UTF-8              CL003; the fields can still be read (OpenClaw reads such lines with U+FFFD)
//	UTF-16                     CL008 for every line
//	a lone \ud83d escape       valid JSON; kept as it stands
//	a duplicate key            the last one wins, as in JavaScript
//	deeper than 10,000         CL004
//	longer than MaxLine        CL005; the line comes in pieces, each a record with the same Line
//	JSON that is no object     CL006
package jsonl
