package longtest

import "testing"

func TestRounds(t *testing.T) {
	for _, test := range []struct {
		long, number string
		want         int
	}{{"", "", 3}, {"1", "", 100}, {"", "7", 7}, {"1", "7", 7}} {
		t.Setenv("CLAWCTL_LONG", test.long)
		t.Setenv("CLAWCTL_TEST_ROUNDS", test.number)
		if got := Rounds(t, "CLAWCTL_TEST_ROUNDS", 3, 100); got != test.want {
			t.Errorf("%+v: got %d", test, got)
		}
	}
}
