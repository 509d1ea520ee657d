// Package cli is one run of clawctl: the arguments, the flags of a command, what goes to stdout and stderr, the
// settings, and the sessions that the arguments name.
//
// Run gets the arguments, three streams and the commands, and returns an exit status. It makes an App, parses the flags
// into the options of a Command, and calls it. The command finds its sessions with Find or EachSession, prints with
// Print or PrintReport, speaks with Note and Hint, and returns an error that has a code and an exit status.
package cli
