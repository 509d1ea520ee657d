// Package search finds texts in transcripts without an index.
//
//	bytes ─▶ candidate lines ─▶ records ─▶ parts ─▶ decoded text ─▶ hits
//
// A [Query] is a condition on the decoded text of one part. Decoding everything would take longer than reading, so a
// filter looks at the raw bytes first: every text that a line must contain to match, and every escape that may hide it
// (filter.go). Only lines that pass are parsed, and only their parts are decoded. A line that passes need not match,
// but a line that matches always passes. The tests compare this with decoding everything.
//
// [Sums] count hits and recognize copies. A [Layout] writes hits for people, and a [HitRow] is one for programs.
package search
