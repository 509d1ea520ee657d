// Package source finds and opens transcripts wherever they lie. It never writes, moves or locks what it reads.
//
// [Find] lists the [Session]s below a folder, [FindDatabase] those of one of OpenClaw's databases, [File] and [Stream]
// are single ones. A session knows its identity: key, agent, id, kind and generation, where it comes from, and what is
// wrong about how it is kept. [Session.Open] gives its bytes as lines, whatever the place; from there on package jsonl
// reads it. [Inspect] reads many of them once, on all cores, for their [Facts].
//
// Names of files are told by one table (names.go), registrations are read in every broken state (index.go), and
// OpenClaw's databases are opened so that nothing in their folders changes (database.go).
package source
