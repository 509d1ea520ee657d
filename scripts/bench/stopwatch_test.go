package main

import (
	"slices"
	"testing"
	"time"
)

func TestParseStolen(t *testing.T) {
	const stat = "cpu  9 9 9 9 9 9 9 300 0 0\ncpu0 1 2 3 4 5 6 7 100 0 0\ncpu1 1 2 3 4 5 6 7 200 0 0\nintr 1 2 3\n"
	want := []time.Duration{time.Second, 2 * time.Second}
	if got := parseStolen([]byte(stat)); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestStopwatchLeavesOutStolenTime(t *testing.T) {
	now := stolenTimes()
	if len(now) == 0 {
		t.Skip("this system does not tell stolen time")
	}
	const took = 100 * time.Second
	earlier := slices.Clone(now)
	earlier[0] -= 25 * time.Second
	share := stopwatch{stolen: earlier}.stolenShare(1, took)
	if share < 0.25 || share > 0.3 {
		t.Errorf("a quarter was stolen, got %v", share)
	}
	if share := (stopwatch{}).stolenShare(1, took); share != 0 {
		t.Errorf("without knowledge nothing is left out, got %v", share)
	}
}
