// Package ui formats text for people: terminals, color, tables, progress, numbers and times. It knows nothing about
// sessions.
//
// The rules of the terminal:
//
//   - Output to a terminal never controls it. Control characters other than newline and tab, and characters that change
//     the direction of text or hide in it, are shown as escapes (\u001b for ESC). Text that clawctl itself lays out is
//     escaped piece by piece before it is colored, because only then its width is known. A Stream sees to it that a
//     terminal never receives anything else than text and the codes of our own styles, whoever forgot to escape.
//   - Output to a pipe or a file is byte-exact. Messages on stderr are always escaped, because people read logs in
//     terminals.
//   - Color is only used on a terminal, unless NO_COLOR is set, TERM is dumb, or --color says otherwise.
//   - Prose is wrapped to the width of the terminal, at most 100 columns. Tables choose their columns by the width: a
//     number is never cut, and every hidden column is named.
//   - Progress goes to stderr if that is a terminal, after one second, and is erased before anything else is printed.
package ui
