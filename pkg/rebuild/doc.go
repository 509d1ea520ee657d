// Package rebuild determines what a model would see of a transcript, and makes a conversation from it that an API
// accepts.
//
// The first reading produces an [Index]: a few bytes for every record and every block, without text. The index alone
// yields the tree and the path through it (tree.go, branch.go), the [Context] with its boundary (context.go), the
// [Conversation] for an API with every [Fix] it needs (conversation.go), and the problems with the records (check.go).
// A second reading writes the messages, a few records at a time (assembly.go, native.go, anthropic.go, openai.go).
//
// The context is that of OpenClaw 2026.9.6 or pi 1.5, including their oddities. `make oracle` compares it with the
// real programs on random transcripts. Everything takes linear time and no recursion.
//
// Both programs share a format, and tables of rules have what they do differently (rules.go). The author
// of a transcript is recognized by its records. The first rule that fits decides:
//
//   - The user names the program.
//   - A record that only pi 0.81 and later writes: a system message with sections or tools, a compaction that holds the
//     prompt, a usage record with its model, a price that says who stated it, a deferred answer, or a custom record of
//     pi itself.
//   - A record that only OpenClaw writes: a leaf, reset or side row, a mirrored message, or a header of version 4.
//   - The file is in a folder of pi.
//   - Otherwise the rules are OpenClaw's. That includes the files of older versions of pi.
package rebuild
