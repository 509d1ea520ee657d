// Package source finds and opens transcripts in files, folders, databases and streams. It never writes, moves or locks
// what it reads.
//
// [Find] lists the [Session]s below a folder, and [FindDatabase] those of an OpenClaw database. [File] and [Stream]
// return single sessions. A session knows its key, agent, id, kind and generation, where it comes from, and what is
// wrong with how it is stored. [Session.Open] returns its text as lines, whatever it is stored in, for package jsonl to
// read. [Inspect] reads many sessions once, on all cores, and returns their [Facts].
//
// One table recognizes file names (names.go). Package openclaw reads OpenClaw's indexes and databases, package packed
// decompresses texts, and package hold knows which files must stay.
package source
