// Package browsing is the full-screen browser of sessions: a list that is filtered as one types, and beside it the
// conversation as show draws it.
//
// A [Model] is the whole state. [Model.Press] takes a key, [Model.Take] a conversation that was drawn, and
// [Model.Frame] gives the lines of the screen; none of them waits for anything. [Run] connects a model with a terminal:
// it draws conversations in the background, cancels a drawing that nobody needs any more, and redraws what has changed.
//
// A browser changes nothing. It puts a name on the clipboard by asking the terminal, and prints a command line when it
// is left, for whoever wants to run it.
package browsing
