package ui

import (
	"os"

	"golang.org/x/sys/windows"
)

// showsStyles asks a console to obey the codes of styles, and reports whether it does. Consoles in legacy mode print
// them as text. Texts in any language need no such question: Go gives them to a console in UTF-16, whatever its code
// page is.
func showsStyles(file *os.File) bool {
	var mode uint32
	console := windows.Handle(file.Fd())
	if windows.GetConsoleMode(console, &mode) != nil {
		return false
	}
	const obeys = windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING
	return mode&obeys != 0 || windows.SetConsoleMode(console, mode|obeys) == nil
}
