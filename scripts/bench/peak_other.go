//go:build !linux && !darwin

package main

import (
	"errors"
	"os"
)

func peakMemory(*os.ProcessState) (int64, error) { return 0, errors.ErrUnsupported }
