// Package scrub removes values from everything that clawctl may write: "remove this leaked key everywhere".
//
//	values ─▶ Tracer ─▶ lines without them ─▶ new files, a new state of the store, receipts without text
//
// A [Tracer] finds a value in raw bytes, however it is escaped, and the erasing is done by package redact, so that
// sessions can still be continued. What a line becomes depends on the line only. So a transcript, its archives and its
// copy in the store stay equal to each other, and a run that was interrupted is completed by running it again.
package scrub
