// Package harness finds the sessions of other programs that did the work of OpenClaw's sessions, and joins both.
//
//	entry, state database, sidecar ─▶ references ─▶ Finder ─▶ source.Binding ─▶ Join ─▶ one text
//
// OpenClaw lets programs such as Claude Code and Codex do the work of a session. It then keeps the prompts and what
// was said, and the other program keeps the tool calls, the thinking and the usage. A binding leads from one to the
// other. Join pairs the turns of both, and writes one text in which every turn has OpenClaw's prompt and the other
// program's records. What both have is in it once. Whoever reads the session afterwards, to show, search or count it,
// reads that text, so that all of them agree.
//
// Files outside the folder that was searched are read only if the user allows it (Finder.Allowed).
package harness
