package compact

import (
	"reflect"
	"testing"

	"clawctl/pkg/read/fileuse"
	"clawctl/pkg/rebuild"
)

func TestPlanRows(t *testing.T) {
	at := rebuild.Place{Entry: "e7", Line: 9}
	files := fileuse.Details{ReadFiles: []string{"a"}, ModifiedFiles: []string{"b", "c"}}
	for name, c := range map[string]struct {
		report PlanReport
		plan   Plan
		want   []Row
	}{
		"tokens": {
			PlanReport{SummaryFrom: string(FromExtract)},
			Plan{Keep: Keep{Tokens, 20_000}, Program: rebuild.Pi, FirstKept: at, TokensBefore: 30_000, KeptTokens: 21_000},
			[]Row{
				{"keep", "the last 20,000 tokens, by pi's estimate"},
				{"cut", "before entry e7 on line 9, at the beginning of a turn"},
				{"tokens", "30,000 before, 21,000 and the summary after"},
				{"summary", "an offline extract"},
			},
		},
		"split turn": {
			PlanReport{SummaryFrom: "none"},
			Plan{
				Keep: Keep{Messages, 1}, FirstKept: rebuild.Place{Line: 9}, SplitTurn: true, Moved: &Plan{},
				TurnStart: rebuild.Place{Line: 4}, Details: files,
			},
			[]Row{
				{"keep", "the last 1 message"},
				{"cut", "before line 9, inside the turn of line 4; moved to keep a tool call with its result"},
				{"tokens", "0 before, 0 and the summary after"},
				{"summary", "none yet; use --summary, --summarizer or --offline"},
				{"files", "2 modified, 1 read"},
			},
		},
		"checkpoint": {
			PlanReport{SummaryFrom: string(FromCheckpoint), Checkpoint: &checkpointPlace{Line: 5, Tokens: 1200}},
			Plan{FromCheckpoint: true, FirstKept: at},
			[]Row{
				{"keep", "what the last checkpoint does not cover"},
				{"cut", "before entry e7 on line 9, at the beginning of a turn"},
				{"tokens", "0 before, 0 and the summary after"},
				{"summary", "the checkpoint on line 5, at 1,200 tokens"},
			},
		},
	} {
		if got := c.report.Rows(&c.plan); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}
