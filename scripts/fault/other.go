//go:build !linux

// Command fault interrupts imports in every way that a machine can, and checks that nothing is lost. It needs Linux.
package main

import "fmt"

func main() { fmt.Println("skipped: fault needs the strace, mounts and signals of Linux") }
