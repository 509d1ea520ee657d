package flush

import (
	"testing"
	"time"

	"clawctl/pkg/config"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window"
)

func TestHistoryAddsUp(t *testing.T) {
	h := NewHistory(nil, tokens.Heuristic{}, 0)
	at := time.Date(2026, 5, 1, 12, 0, 0, 0, time.FixedZone("CEST", 2*60*60))
	rows := h.Add("key", "file", &Watcher{WindowKnown: true, Crossings: []*Crossing{
		{Threshold: config.FlushThreshold{Percent: 50, InjectAs: config.User}, Line: 3, Time: at},
		{Actioned: true}, {Actioned: true, ActionedMemory: true},
	}})
	want := CrossingReport{
		SchemaVersion: 1, Session: "key", Path: "file", Line: 3, Time: "2026-05-01T10:00:00Z", Threshold: 50,
		InjectAs: string(config.User),
	}
	if len(rows) != 3 || rows[0] != want || rows[1].Time != "" {
		t.Errorf("got %+v, want %+v first", rows, want)
	}
	if rows := h.Add("other", "file", &Watcher{}); rows != nil {
		t.Errorf("a session without crossings has %v", rows)
	}
	totals := Totals{
		SchemaVersion: 1, Summary: true, Sessions: 2, Unmeasured: 1, Thresholds: 3, Actioned: 2, ActionedMemory: 1,
	}
	if h.Totals != totals {
		t.Errorf("got %+v, want %+v", h.Totals, totals)
	}
}

// A window of the command line comes before that of the registration, which comes before that of the model.
func TestHistoryWindow(t *testing.T) {
	known, _ := window.OfModel("claude-opus-4-6")
	for _, c := range []struct {
		given, registered int64
		model             string
		want              int64
	}{
		{9, 8, "claude-opus-4-6", 9}, {0, 8, "claude-opus-4-6", 8}, {0, 0, "claude-opus-4-6", known}, {0, 0, "nobody", 0},
	} {
		w := NewHistory(nil, tokens.Heuristic{}, c.given).Watch(c.registered, nil)
		if got := w.Window(c.model); got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
	}
}
