// Package source finds and opens transcripts in files, folders, databases and streams. It never writes, moves or locks
// what it reads.
//
// [Find] lists the [Session]s below a folder, [FindDatabase] those of an OpenClaw database. [File] and [Stream] are
// single sessions. A session knows its key, agent, id, kind and generation, where it comes from, and what is wrong with
// how it is stored. [Session.Open] returns its text as lines, wherever it is, for package jsonl to read. [Inspect]
// reads many sessions once, on all cores, for their [Facts].
//
// One table recognizes file names (names.go), registrations are read even if they are damaged (index.go), and
// OpenClaw's databases are opened so that nothing in their folders changes (database.go).
package source
