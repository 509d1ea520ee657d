// Package session gives sessions of clawctl's store a life: they begin, grow, are deleted and come back.
//
// A [Keeper] is a store with a clock. Every change is one durable transaction, which other writers wait for:
//
//	lock ─▶ read where the session ends ─▶ compose the records ─▶ check them ─▶ insert ─▶ commit
//
// Where a session ends is a [Head]: the entry that the next one follows, and the tool calls that a result may answer.
// The store keeps it beside the session, so appending takes the same time whatever the session's length. If anything
// else has written to the session, its text is read once to find the head again (head.go).
//
// Records are checked with the rules of validate (check.go). A head stands for the whole session there: a short
// transcript that ends in the same state. A record that refers to other entries, or that the short transcript does not
// fit, is checked after the session's own text. What is wrong there is a [Refusal], and nothing is written.
//
// Deleted sessions go to the trash of the store. [Keeper.Restore] revives them, earlier generations and archives.
package session
