//go:build !linux && !darwin

package main

import "os"

// peakMemory returns 0, because this system does not tell the peak.
func peakMemory(*os.ProcessState) int64 { return 0 }
