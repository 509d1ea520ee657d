// Package store keeps sessions: the [SessionStore] interface and its primary implementation, [SQLite]. What needs no
// more than the interface takes it, such as the inheritance of a session (migrate.Inherit).
//
// A store is one database file. Its tables sessions and messages are meant to be queried with SQL. The other tables
// hold what is needed to return every source byte for byte. The text of a session is a [Transcript]. Each line is a row
// of messages or, if it is not a complete record, a row of quarantine, in the original order. [View.Text] returns the
// text.
//
// A [Batch] is the transaction for all writes. Sessions are appended to and never overwritten: different text becomes
// another generation of the session, under its own key ([Name]). Every source that was read has a [Receipt].
package store
