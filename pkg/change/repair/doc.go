// Package repair mends transcripts: it turns the problems that validate reports as errors, and those that an API
// refuses, into edits.
//
// [New] works in rounds. Each round reads the text as it would be after the rounds before, finds what is wrong with it,
// and makes one kind of change. What depends on something else comes later:
//
//   - lines: encoding, damaged lines (lines.go)
//   - records: headers, shapes, ids (records.go)
//   - links: parents, targets of leaf records and compactions (links.go)
//   - the conversation: tool calls and results, empty messages, signatures, names, images (conversation.go)
//   - its beginning: a message of the user (opening.go)
//
// It ends when a round finds nothing to change. So a repaired text needs no repair, whatever the problems were and
// however they were connected.
//
// Nothing is guessed. A record stays where it is and keeps its id unless its own problem is about that. If a record
// only disturbs the conversation, it is marked as excluded from the context, which keeps all of its text. What has to
// be removed and is not a copy goes to the quarantine, and every removal is named in the plan with what it costs. Links
// get the value that OpenClaw's own reading gives them, so the model sees the same before and after. A line that
// changes because of another one, such as a link to a record that gets another id, is named with it ([Row.AlsoLines]).
package repair
