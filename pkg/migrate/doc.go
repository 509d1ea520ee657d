// Package migrate moves sessions between sources and stores, and proves that nothing was lost on the way.
//
// [Import] reads every source once, and decides by content what it is to the store (decide.go):
//
//	receipt fits the file ─────────────────────────────────────────────▶ unchanged: one stat
//	its text is that of a stored transcript, or the beginning of one ──▶ copy: a receipt
//	its text begins with a stored transcript ──────────────────────────▶ grown: the new lines are added
//	else ──────────────────────────────────────────────────────────────▶ new: a session, or a generation of one
//
// Lines come from a feed (feed.go), which reads, checks and digests a source on another core, and go into a batch of
// the store. Several sessions share a commit. After it, the log is synced, and what was written is read back and its
// digest compared with that of the source (compare.go), while the next batch is being written; only then is a session
// reported as done.
//
// Every commit leaves whole lines, and digests that fit them, so that an interrupted import is just one that is not
// finished: the next run finds a session that its source begins with, and adds the rest.
package migrate
