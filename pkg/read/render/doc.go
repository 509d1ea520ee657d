// Package render prints the parts of a conversation for people.
//
//	parts.Entry ─▶ Text      a terminal or a pipe
//	            ─▶ Markdown  GitHub's dialect, to send to somebody
//
// Both take entries one after another and keep a bounded amount of text, whatever the length of the conversation. A
// tool call is shown together with its result: see callLog.
//
// Text that goes to a terminal is escaped before anything else is done with it, so that a transcript never controls the
// terminal. The Markdown of messages is rendered in linear time and without recursion (see block.go and inline.go).
package render
