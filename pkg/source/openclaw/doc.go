// Package openclaw knows how OpenClaw keeps its sessions: the state folder and its configuration, the index of a
// folder, locks, cold archives, and databases of every schema. It reads them and changes nothing. What a session is,
// and which files are transcripts, is decided in package source.
//
// An index is read even if it is damaged ([IndexReader]). A database is opened without changing anything in its folder
// ([OpenDatabase]), and can be read again and again while OpenClaw writes it ([GrowingDatabase]).
package openclaw
