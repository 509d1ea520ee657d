// Package rebuild determines what a model would see of a transcript, and makes a conversation from it that an API
// accepts.
//
// The first reading produces an [Index]: a few bytes for every record and every block, without text. The index alone
// yields the tree and the path through it (tree.go, branch.go), the [Context] with its boundary (context.go), the
// [Conversation] for an API with every [Fix] it needs (conversation.go), and the problems with the records (check.go).
// A second reading writes the messages, a few records at a time (assembly.go, native.go, anthropic.go, openai.go).
//
// The context is that of OpenClaw 2026.9.6, including its oddities. scripts/difftest compares it with the real
// program on random transcripts. Everything takes linear time and no recursion.
//
// If pi and OpenClaw differ, rebuild follows OpenClaw. In pi, a compaction without firstKeptEntryId keeps nothing, a
// missing parent ends the chain, reset, leaf and side rows do not exist, and a cycle hangs the program.
package rebuild
