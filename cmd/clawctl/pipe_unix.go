//go:build !windows

package main

// closedPipeErrnos are the further ways in which this system says that nobody reads a pipe; EPIPE is all here.
var closedPipeErrnos []error
