// Package parts turns the records of a transcript into the parts of a conversation that people read.
//
//	record ─▶ Entry ─▶ Part, Part, …
//
// A [Part] is the smallest piece that is shown, searched or compared by itself: a text, a thought, a tool call, a
// result, an image, a summary, a change of the model, or a damaged line. An [Entry] is a record with its parts, and
// has what they share: id, time, model, tokens and price. A [Maker] makes entries, one after another, and looks at
// every record once.
//
// Parts are views. Their texts stay undecoded JSON until somebody asks for them, so a part that is only counted or
// passed on costs nothing. An entry is valid as long as its record, and until the next one is made.
//
// Everything that a person can read in a record is in one of its parts: text in unknown blocks, roles and records too.
// What is left out are ids, signatures and encrypted data. Everything that shows a conversation works on parts, so what
// one of them shows the others find.
package parts
