package summary

import "testing"

func TestClaw0Count(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 0, 4: 0, 5: 1, 6: 2, 7: 3, 8: 4, 9: 4, 10: 5, 20: 10, 21: 10, 100: 50} {
		if got := Claw0Count(n); got != want {
			t.Errorf("%d messages: got %d, want %d", n, got, want)
		}
	}
}
