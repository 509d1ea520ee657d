// Package longtest says how much a test with random or numerous inputs tries, so that the usual run stays short.
package longtest

import (
	"os"
	"runtime/debug"
	"slices"
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

// NeedEngine skips a test that starts a large program, such as a browser or a database server. These tests have a make
// target each, and run in .ci/run (which sets CLAWCTL_ENGINES) and in make long.
func NeedEngine(t testing.TB, target string) {
	t.Helper()
	if !IsLong() && os.Getenv("CLAWCTL_ENGINES") == "" {
		t.Skipf("CLAWCTL_ENGINES is not set (make %s)", target)
	}
}

// WithoutRaceDetector skips a test that measures memory, of which the race detector takes more.
func WithoutRaceDetector(t testing.TB) {
	t.Helper()
	info, _ := debug.ReadBuildInfo()
	if info != nil && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"}) {
		t.Skip("the race detector takes memory")
	}
}

// Step returns the distance between the items of a long list that a test looks at: 1 in make long.
func Step(usual int) int {
	if IsLong() {
		return 1
	}
	return usual
}

// IsLong reports whether tests should take the time to try everything.
func IsLong() bool { return os.Getenv("CLAWCTL_LONG") != "" }
