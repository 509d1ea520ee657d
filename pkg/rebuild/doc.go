// Package rebuild finds out what a model would see of a transcript, and makes a conversation of it that an API accepts.
//
// One reading leaves an [Index]: a few bytes for every record and every block, no text. From it alone come the tree and
// the path through it (tree.go, branch.go), the [Context] with its boundary (context.go), the [Conversation]
// for an API with every [Fix] it needs (conversation.go), and what is wrong with the records (check.go). A second
// reading writes the messages, a few records at a time (assembly.go, native.go, anthropic.go, openai.go).
//
// The context is OpenClaw's 2026.9.6, oddities included: scripts/difftest holds it to the real program on random
// transcripts. Everything takes linear time and no recursion.
//
// Where pi differs, OpenClaw counts: pi takes a compaction without firstKeptEntryId as one that keeps nothing, ends the
// chain at a parent that is missing, knows no reset, leaf or side rows, and hangs on a circle.
package rebuild
