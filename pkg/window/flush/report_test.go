package flush

import (
	"testing"

	"clawctl/pkg/config"
	"clawctl/pkg/models"
	"clawctl/pkg/tokens"
)

func TestHistoryAddsUp(t *testing.T) {
	h := NewHistory(nil, tokens.Heuristic{}, 0, nil)
	rows := h.Add("key", "file", &Watcher{WindowKnown: true, Crossings: []*Crossing{
		{Threshold: 50, InjectAs: config.User, Line: 3}, {Actioned: true}, {Actioned: true, ActionedMemory: true},
	}})
	want := Crossing{Session: "key", Path: "file", Line: 3, Threshold: 50, InjectAs: config.User}
	if len(rows) != 3 || *rows[0] != want {
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
	find := func(provider, model string) (*models.Match, error) {
		if provider == "anthropic" && model == "claude-opus-4-6" {
			return &models.Match{Entry: models.Entry{Facts: models.Facts{Window: 7}}}, nil
		}
		return nil, nil
	}
	for _, c := range []struct {
		given, registered int64
		model             string
		want              int64
	}{
		{9, 8, "claude-opus-4-6", 9}, {0, 8, "claude-opus-4-6", 8}, {0, 0, "claude-opus-4-6", 7}, {0, 0, "nobody", 0},
	} {
		w := NewHistory(nil, tokens.Heuristic{}, c.given, find).Watch(c.registered, nil)
		if got := w.Window("anthropic", c.model); got != c.want {
			t.Errorf("%+v: got %d", c, got)
		}
	}
}
