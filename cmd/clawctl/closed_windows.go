package main

import "io"

// isClosed reports whether a standard stream was closed before clawctl began, which Windows reports when it is written.
func isClosed(io.Writer) bool { return false }
