// Package migrate moves sessions between sources and stores, and verifies that nothing was lost.
//
// [Import] reads every source once and decides by content how it relates to the store (decide.go):
//
//	receipt matches the file ──────────────────────────────────────────▶ unchanged: one stat
//	its text is that of a stored transcript, or the beginning of one ──▶ copy: a receipt
//	its text begins with a stored transcript ──────────────────────────▶ grown: the new lines are added
//	otherwise ─────────────────────────────────────────────────────────▶ new: a session, or a generation of one
//
// Three types share the work, and each only knows those below it. An importRun (import.go) takes the sources in order.
// Its decider (decide.go) only reads, and says what a source is to the store. The run does that (write.go, rename.go,
// receipts.go), in the batches of a committer (commit.go). All of them ask the catalog (catalog.go, naming.go), which
// has what the store has, without the texts.
//
// A feed (feed.go) reads, checks and digests a source on another core. Lines go into a batch of the store, and several
// sessions share a commit. After the commit the log is synced, and what was written is read back and compared with what
// was read (compare.go) while the next batch is written. Only then is a session reported as done.
//
// Every commit leaves complete lines and digests that match them. The next run continues an interrupted import: it
// finds a session that its source begins with, and adds the rest.
//
// [Verify] compares sources with a [Target], which is a clawctl store or an OpenClaw database.
package migrate
