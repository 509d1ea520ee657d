// Package diff compares two transcripts record by record.
//
//	A, B ─▶ index ─▶ match ─▶ order ─▶ Comparison ─▶ Change, Change, …
//
// [Compare] reads both sides once and keeps a few numbers for each record. Records match by their bytes, then by their
// content, then by their id, and at last by their content without ids and links, which finds records that a program has
// numbered anew. Only records without a byte-identical partner are read a second time to learn their content.
//
// A [Comparison] has the sums. [Comparison.Changes] reads both sides again, side by side, and returns the differences
// in the order of the transcripts with their text. So the memory does not grow with the text, and the time is linear
// but for the sorting of records that were moved.
//
// [Words] compares two texts word by word, in time and memory that are bounded for any input.
package diff
