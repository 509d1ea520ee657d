// Package compact decides what to do about a context that fills up: where a compaction cuts (plan.go, cut.go), what
// stands for the part that is cut off (summary.go, extract.go), when a checkpoint is due (checkpoint.go), and the records
// that say so (record.go).
//
// A [Survey] is one reading of what the next compaction has before it. From it alone come plans; a summary needs the
// texts again. Nothing here runs a command, reads a clock or rolls dice: the caller passes that in.
package compact
