// Package compact decides what to do about a context that fills up: where a compaction cuts (plan.go, cut.go), what
// stands for the part that is cut off (summary.go, extract.go), when a checkpoint is due (checkpoint.go), and the records
// that say so (record.go); which memory-flush prompt is due (flush.go), and what became of past ones (flush_report.go);
// and how a request that is too large is made to fit (guard.go).
//
// A [Survey] is one reading of what the next compaction has before it. From it alone come plans; a summary needs the
// texts again. Nothing here runs a command, reads a clock or rolls dice: the caller passes that in.
package compact
