//go:build race

package main

// raceDetector reports whether the race detector is on. It multiplies memory, so tests do not measure memory with it.
const raceDetector = true
