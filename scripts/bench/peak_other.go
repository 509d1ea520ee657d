//go:build !linux && !darwin

package main

import (
	"errors"
	"os"
)

func peakMemory(*os.ProcessState) (int64, error) {
	return 0, errors.New("the peak of a process can be measured on Linux and macOS only")
}
