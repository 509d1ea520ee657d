//go:build !windows

package ui

import "os"

// showsStyles is true: a terminal that does not know styles says so by TERM.
func showsStyles(*os.File) bool { return true }
