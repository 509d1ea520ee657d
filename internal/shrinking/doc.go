// Package shrinking is what compact, checkpoint and guard share: the session that becomes shorter, the record that says
// so, and the summarizer that a user names.
package shrinking
