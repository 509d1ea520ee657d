// Package compact makes the records that keep a conversation within its window: compactions and checkpoints. It decides
// where a compaction cuts (plan.go, cut.go), finds a summary for the part that is cut off (compaction.go), takes the
// notes of a checkpoint (checkpoint.go), and writes both as records (record.go).
//
// A [Survey] is one reading of the entries that the next compaction may summarize. Plans come from it alone; a summary
// needs the texts again. Nothing here runs a command, reads a clock or rolls dice: the caller passes that in.
package compact
