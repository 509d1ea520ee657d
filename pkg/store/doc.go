// Package store keeps sessions: the [SessionStore] interface and its primary implementation, [SQLite].
//
// A store is one database file. Its tables sessions and messages are for everybody with SQL; those beside them hold
// what it takes to give every source back byte for byte. A session's text is a [Transcript]: each of its lines is a row
// of messages, or in quarantine where it is no whole record, in the order in which they came. [View.Text] gives it
// back.
//
// All writing goes through a [Batch], one transaction. Sessions are appended to, never overwritten: another text is
// another generation of the session, under its own key ([Name]). For every source that was read there is a [Receipt].
package store
