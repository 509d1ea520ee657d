package stats

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// countAll counts a session on the way, with contributions that were prepared or not.
func countAll(t *testing.T, s *source.Session, isPrepared bool) Tally {
	t.Helper()
	in, err := s.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	c := NewCounter(s)
	opts := jsonl.Options{}
	if isPrepared {
		opts.Prepare = c.Prepare()
	}
	var sum Tally
	for rec, err := range jsonl.NewReader(in.Reader, opts).All() {
		if err != nil {
			t.Fatal(err)
		}
		one, err := c.Add(context.Background(), rec)
		if err != nil {
			t.Fatal(err)
		}
		if one != nil {
			sum.add(one)
		}
	}
	c.End()
	if total := *c.Total(); total != sum {
		t.Errorf("the total is %+v, and the records add up to %+v", total, sum)
	}
	return sum
}

// oddLines are one of each kind of record that is counted in its own way.
var oddLines = []string{
	user("u1", 1),
	message("u2", 2, `"role":"user","content":[]`),
	message("u3", 3, `"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"x","is_error":true}]`),
	message("m1", 4, `"role":"assistant","provider":"openclaw","model":"delivery-mirror","content":"hi"`),
	message("a1", 5, `"role":"assistant","content":[{"type":"toolCall","id":"c","name":"x","arguments":{}}]`),
	message("a2", 6, `"role":"assistant","content":[],"stopReason":"error","usage":{"input":0,"cost":{"total":0}}`),
	message("a3", 7, `"role":"assistant","content":[],"stopReason":"aborted","usage":{"input":2}`),
	message("r1", 8, `"role":"toolResult","toolCallId":"c","toolName":"x","content":"no","isError":true`),
	message("b1", 9, `"role":"bashExecution","command":"ls","output":"x","exitCode":1`),
	`{"type":"compaction","id":"k1","timestamp":"2026-05-01T10:00:10.000Z","summary":"s","usage":{"input":3}}`,
	`{"type":"usage","id":"w1","timestamp":"2026-05-01T10:00:11.000Z","kind":"cache_warm","usage":{"cost":{"total":1}}}`,
	`{"type":"damaged`,
}

// A Counter finds what Collect finds, whatever is repeated and in whatever order.
func TestCounterAgreesWithCollect(t *testing.T) {
	rememberFew(t, 4)
	random := rand.New(rand.NewPCG(3, 4))
	for round := range longtest.Rounds(t, "CLAWCTL_COPIES", 50, 2000) {
		lines := []string{header("s", "")}
		for range 60 {
			line := oddLines[random.IntN(len(oddLines))]
			if random.IntN(2) == 0 {
				line = paidAnswer(random.IntN(60), fmt.Sprint(strings.Repeat("x", random.IntN(2)*400), random.IntN(2)))
			}
			lines = append(lines, line)
		}
		s := transcript(t, t.TempDir(), "s.jsonl", lines...)
		want := collect(t, Options{}, s).Total
		want.Sessions = 0
		if got := countAll(t, s, round%2 == 0); got != want {
			t.Fatalf("round %d: %+v, want %+v", round, got, want)
		}
	}
}

// Every kind of record counts as docs/numbers.md says.
func TestDefinitions(t *testing.T) {
	got := countAll(t, transcript(t, t.TempDir(), "s.jsonl", append([]string{header("s", "")}, oddLines...)...), false)
	want := Tally{
		Records: 11, Messages: 8, Turns: 1, ToolCalls: 1, ToolErrors: 2, Answers: 3, Failed: 2, NoUsage: 2, NoPrice: 2,
		WithPrice: 1, Work: 5, UsageStated: 4, CostStated: 2,
		Recorded: jsonl.Usage{Input: 5, Total: 5, Cost: 1, HasCost: true},
	}
	if got != want {
		t.Errorf("%+v\nwant\n%+v", got, want)
	}
}
