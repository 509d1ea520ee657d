// Command clawctl is the offline toolkit for the transcripts of OpenClaw and its relatives.
package main

import "os"

func main() {
	os.Exit(run(os.Args, os.Stdin, os.Stdout, os.Stderr))
}
