package main

import (
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		times []time.Duration
		want  time.Duration
	}{
		{[]time.Duration{7}, 7},
		{[]time.Duration{9, 1}, 5},
		{[]time.Duration{9, 1, 2}, 2},
	} {
		if got := median(test.times); got != test.want {
			t.Errorf("median(%v) = %v, want %v", test.times, got, test.want)
		}
	}
}

func TestLastLineEnd(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for _, test := range []struct {
		text string
		end  int64
		want int64 // 0 for an error
	}{
		{"ab\ncd\n", 6, 6},
		{"ab\ncd\n", 5, 3},
		{"ab\n" + long, 200 << 10, 3},
		{long, 100, 0},
	} {
		got, err := lastLineEnd(strings.NewReader(test.text), test.end)
		if got != test.want || (err != nil) != (test.want == 0) {
			t.Errorf("lastLineEnd(%.10q, %d) = %d, %v, want %d", test.text, test.end, got, err, test.want)
		}
	}
}

func TestChoose(t *testing.T) {
	for only, want := range map[string]string{
		"": "read memory start sessions validate trees tokens import", "start,read": "start read",
	} {
		chosen, err := choose(only)
		if got := strings.Join(names(chosen), " "); got != want || err != nil {
			t.Errorf("choose(%q) = %s, %v, want %s", only, got, err, want)
		}
	}
	if _, err := choose("reed"); err == nil {
		t.Error("choose accepts an unknown section")
	}
}
