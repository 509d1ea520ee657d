// Package longtest says how much a test with random or numerous inputs tries, so that the usual run stays short.
package longtest

import (
	"os"
	"strconv"
	"testing"
)

// Rounds returns how many inputs a test tries: the number in the environment variable, or else many if CLAWCTL_LONG is
// set (make long), or else few.
func Rounds(t testing.TB, variable string, few, many int) int {
	t.Helper()
	if text := os.Getenv(variable); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatalf("%s must be a number, got %q", variable, text)
		}
		return n
	}
	if IsLong() {
		return many
	}
	return few
}

// IsLong reports whether tests should take the time to try everything.
func IsLong() bool { return os.Getenv("CLAWCTL_LONG") != "" }
