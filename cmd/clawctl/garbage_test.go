package main

import "testing"

func TestGarbagePercent(t *testing.T) {
	for _, test := range []struct {
		inUse       uint64
		usual, want int
	}{
		{0, 100, 100},
		{maxGarbage, 100, 100},
		{2 * maxGarbage, 100, 50},
		{2 * maxGarbage, 30, 30}, // the user wants less garbage
		{maxBounded, 100, 25},
		{maxBounded + 1, 100, 100},
	} {
		if got := garbagePercent(test.inUse, test.usual); got != test.want {
			t.Errorf("%d bytes in use, usually %d%%: got %d%%, want %d%%", test.inUse, test.usual, got, test.want)
		}
	}
}
