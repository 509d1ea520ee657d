package ui

import "testing"

func TestPicturesInASCII(t *testing.T) {
	values := []int64{0, 1, 2, 3, 4, 5, 6, 7, 8}
	for _, c := range []struct {
		term       Terminal
		bar, spark string
	}{
		{Terminal{}, "██▌", "▁▁▂▃▄▅▆▇█"},
		{Terminal{ASCII: true}, "###", "__.:-=+*#"},
	} {
		if bar, spark := c.term.Bar(.5, 5), c.term.Sparkline(values, 9, 8); bar != c.bar || spark != c.spark {
			t.Errorf("got %s and %s, want %s and %s", bar, spark, c.bar, c.spark)
		}
	}
}
