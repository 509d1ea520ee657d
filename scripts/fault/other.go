//go:build !linux

// Command fault breaks imports in every way that a machine can, and makes sure that nothing is lost. It takes Linux.
package main

import "fmt"

func main() { fmt.Println("skipped: faults are made with strace, mounts and signals of Linux") }
