// Package compact makes the records that keep a conversation within its window: compactions and checkpoints. It decides
// where a compaction cuts (plan.go, cut.go), finds a summary for the part before the cut (compaction.go), takes the
// notes of a checkpoint (checkpoint.go), and writes both as records (record.go).
//
// A [Survey] is the result of reading the entries that the next compaction may summarize. Plans need nothing else. A
// summary needs the texts, which are read again. This package runs no commands, reads no clock and uses no randomness.
// The caller passes them in.
package compact
