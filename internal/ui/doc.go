// Package ui puts text in front of people: what a terminal is and may see, colour, tables, progress, numbers and times.
// It knows nothing about sessions.
//
// The rules of the terminal:
//
//   - What goes to a terminal never drives it. Control characters other than newline and tab, and characters that
//     change the direction of text or hide in it, are shown as escapes (\u001b for ESC). Data goes through a
//     SafeWriter. Text that clawctl itself lays out is escaped piece by piece before it is coloured, so that our own
//     colour codes are the only ones a terminal ever receives.
//   - What goes to a pipe or a file is byte-exact. Messages on stderr are always escaped: people read logs in
//     terminals.
//   - Colour is used on a terminal only, unless NO_COLOR is set, TERM is dumb, or --color says otherwise.
//   - Prose is wrapped to the width of the terminal, at most 100 columns. Tables choose their columns by the width:
//     a number is never cut, and every hidden column is named.
//   - Progress goes to stderr if that is a terminal, after one second, and is erased before anything else is printed.
package ui
