package window

import (
	"reflect"
	"testing"
)

func TestParts(t *testing.T) {
	got := Parts(map[string]int64{"user": 1, "assistant": 2, "tool": 1})
	if want := []Part{{"assistant", 2, 0.5}, {"tool", 1, 0.25}, {"user", 1, 0.25}}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := Parts(map[string]int64{"user": 0}); got[0].Share != 0 {
		t.Errorf("a part of nothing has the share %g", got[0].Share)
	}
}

func TestWords(t *testing.T) {
	for want, f := range map[string]Fill{
		"1 token counted, none reported by the model":                        {Counted: 1},
		"0 tokens counted, none reported by the model, 1,200 to be sent":     {Next: 1200},
		"1,500 tokens reported by the model, 20 counted since":               {Recorded: 1500, Counted: 20},
		"1,500 tokens reported by the model, 20 counted since, 1 to be sent": {Recorded: 1500, Counted: 20, Next: 1},
	} {
		if got := f.SizeWords(); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	r := &Report{Thresholds: []Threshold{{Flush, 50, 5, true}, {Flush, 62.5, 6, false}, {Compaction, 90, 9, true}}}
	for kind, want := range map[Kind]string{Flush: "50% passed, 62.5%", Compaction: "90% passed", Checkpoint: "off"} {
		if got := r.MarkWords(kind); got != want {
			t.Errorf("%s: got %q, want %q", kind, got, want)
		}
	}
}
