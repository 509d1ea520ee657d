// Package migrate moves sessions between sources and stores, and verifies that nothing was lost.
//
// [Import] reads every source once and decides by content what it is to the store (decide.go):
//
//	receipt fits the file ─────────────────────────────────────────────▶ unchanged: one stat
//	its text is that of a stored transcript, or the beginning of one ──▶ copy: a receipt
//	its text begins with a stored transcript ──────────────────────────▶ grown: the new lines are added
//	else ──────────────────────────────────────────────────────────────▶ new: a session, or a generation of one
//
// A feed (feed.go) reads, checks and digests a source on another core. Its lines go into a batch of the store, and
// several sessions share a commit. After the commit the log is synced, and what was written is read back and compared
// with the digest of the source (compare.go) while the next batch is written. Only then is a session reported as done.
//
// Every commit leaves whole lines and digests that match them, so that an interrupted import is just an unfinished one:
// the next run finds a session that its source begins with, and adds the rest.
//
// [Verify] compares sources with a [Target], which is a store or a database of OpenClaw's.
package migrate
