package repair

import (
	"fmt"
	"testing"
)

// A link leads past everything that is gone, and circles end.
func TestLast(t *testing.T) {
	chain := relinks{}
	for i := range 5 {
		chain[fmt.Sprint(i)] = relink{id: fmt.Sprint(i + 1), cause: int64(i)}
	}
	for _, from := range []string{"3", "0", "4", "0"} {
		if got := chain.last(from); got != "5" {
			t.Errorf("%s leads to %s", from, got)
		}
	}
	if chain["2"] != (relink{"5", 2}) {
		t.Errorf("the way is still long: %v", chain)
	}
	circle := relinks{"a": {id: "b"}, "b": {id: "c"}, "c": {id: "b"}, "d": {id: "d"}}
	for from := range circle {
		if got := circle.last(from); circle.last(got) != got {
			t.Errorf("%s leads to %s, and that to %s", from, got, circle.last(got))
		}
	}
}
