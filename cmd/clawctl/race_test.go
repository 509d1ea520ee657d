//go:build race

package main

// raceDetector: memory is measured without the race detector, which takes several times as much.
const raceDetector = true
