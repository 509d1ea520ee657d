package stats

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// entry returns a line of a transcript that is not a message.
func entry(kind, id string, second int, body string) string {
	const form = `{"type":%q,"id":%q,"parentId":null,"timestamp":"2026-05-01T10:00:%02d.000Z",%s}`
	return fmt.Sprintf(form, kind, id, second, body)
}

const paid = `"usage":{"input":10,"output":1,"cacheRead":0,"cacheWrite":0,"totalTokens":11,"cost":{"total":0.25}}`

// piSession has every kind of paid work once.
func piSession() []string {
	return []string{
		user("u1", 1), answer("a1", 2, "p", "m", `,"cost":{"total":1}`),
		message("t1", 3, `"role":"toolResult","toolCallId":"c","toolName":"scout","content":[],"isError":false,`+paid),
		entry("compaction", "c1", 4, `"summary":"s","firstKeptEntryId":"c1","tokensBefore":1,`+paid),
		entry("branch_summary", "b1", 5, `"summary":"s","fromId":"u1",`+paid),
		entry("usage", "w1", 6, `"kind":"cache_warm","provider":"p","model":"m",`+paid),
		entry("usage", "w2", 7, `"kind":"title","provider":"q","model":"n",`+paid),
	}
}

func TestPaidWork(t *testing.T) {
	s := transcript(t, t.TempDir(), "s.jsonl", append([]string{header("s", "")}, piSession()...)...)
	r := collect(t, Options{By: []string{"kind", "model", "tool"}}, s)
	if got := r.Total.Recorded; got.Input != 1050 || got.Output != 105 || got.Cost != 2.25 || r.Total.Answers != 1 {
		t.Errorf("total %+v, %d answers", got, r.Total.Answers)
	}
	inputs := func(dimension string) map[string]int64 {
		list := map[string]int64{}
		for name, tally := range r.By[dimension] {
			list[name] = tally.Recorded.Input
		}
		return list
	}
	for dimension, want := range map[string]map[string]int64{
		"kind":  {Reply: 1000, ToolWork: 10, Compaction: 10, BranchSummary: 10, CacheWarm: 10, OtherWork: 10},
		"model": {"m": 1010, "n": 10, noModel: 30},
		"tool":  {"scout": 10},
	} {
		if got := inputs(dimension); !maps.Equal(got, want) {
			t.Errorf("by %s: %v, want %v", dimension, got, want)
		}
	}
	if work := NewReport(r, Options{}, 0).ByWork; len(work) != 6 || work[CacheWarm].Input != 10 {
		t.Errorf("work %v", work)
	}
}

// A report on answers alone has the fields that it always had.
func TestNoOtherWork(t *testing.T) {
	s := transcript(t, t.TempDir(), "s.jsonl", header("s", ""), answer("a1", 2, "p", "m", ""))
	if work := NewReport(collect(t, Options{}, s), Options{}, 0).ByWork; work != nil {
		t.Errorf("work %v", work)
	}
}

// The model that answered counts, not the one that was asked.
func TestResponseModel(t *testing.T) {
	line := message("a1", 1, `"role":"assistant","content":[],"provider":"p","model":"m","responseModel":"m-2026",`+paid)
	s := transcript(t, t.TempDir(), "s.jsonl", header("s", ""), line)
	if r := collect(t, Options{By: []string{"model"}}, s); r.By["model"]["m-2026"] == nil {
		t.Errorf("models %v", r.By["model"])
	}
}

// Records that were copied to another session count once, however the copies are named.
func TestRolledOver(t *testing.T) {
	later := `{"type":"session","version":3,"id":%q,"timestamp":"2026-05-01T11:00:00.000Z","cwd":"/w"}`
	all := piSession()
	tests := []struct {
		name string
		copy []string // after the header
	}{
		{"from the beginning", all},
		{"the beginning only", all[:2]},
		{"the end of the session", append([]string{all[1]}, all[2:]...)},
	}
	for _, test := range tests {
		folder := t.TempDir()
		first := transcript(t, folder, "first.jsonl", append([]string{header("first", "")}, all...)...)
		lines := append([]string{fmt.Sprintf(later, "second")}, test.copy...)
		second := transcript(t, folder, "second.jsonl", append(lines, answer("new", 30, "p", "m", ""))...)
		r := collect(t, Options{}, first, second)
		if got := r.Total.Recorded.Input; got != 2050 || r.Coverage.Copies != int64(len(test.copy)) {
			t.Errorf("%s: %d input tokens, want 2050; %d copies, want %d", test.name, got, r.Coverage.Copies, len(test.copy))
		}
	}
}

// Copies are recognized by their first message, however long that is and what precedes it.
func TestRolledOverWithLongBeginning(t *testing.T) {
	long := strings.Repeat("x", 2*headerReach)
	prompt := message("s1", 1, `"role":"system","content":"`+long+`"`)
	question := message("u1", 2, `"role":"user","content":"`+long+`"`)
	folder := t.TempDir()
	first := transcript(t, folder, "first.jsonl", header("first", ""), prompt, question, answer("a1", 3, "p", "m", ""))
	second := transcript(t, folder, "second.jsonl", header("second", ""), prompt, question, answer("a1", 3, "p", "m", ""),
		answer("new", 30, "p", "m", ""))
	if r := collect(t, Options{}, first, second); r.Total.Recorded.Input != 2000 || r.Coverage.Copies != 3 {
		t.Errorf("%d input tokens, want 2000; %d copies, want 3", r.Total.Recorded.Input, r.Coverage.Copies)
	}
}

// Sessions that say the same at different times are not copies of each other.
func TestUnrelatedSessions(t *testing.T) {
	folder := t.TempDir()
	first := transcript(t, folder, "first.jsonl", header("first", ""), user("u1", 1), answer("a1", 2, "p", "m", ""))
	second := transcript(t, folder, "second.jsonl", header("second", ""), user("u1", 3), answer("a1", 4, "p", "m", ""))
	if r := collect(t, Options{}, first, second); r.Total.Recorded.Input != 2000 || r.Coverage.Copies != 0 {
		t.Errorf("%d input tokens, %d copies", r.Total.Recorded.Input, r.Coverage.Copies)
	}
}

// Records that repeat a running total count once, in a session and in a fork of it.
func TestRunningTotals(t *testing.T) {
	total := func(id string, second, input int, series string) string {
		return entry("usage", id, second, fmt.Sprintf(`"kind":"reply","usage":{"input":%d,"output":1,"series":%q}`, input,
			series))
	}
	dir := t.TempDir()
	first := transcript(t, dir, "a.jsonl", header("a", ""), user("u1", 1), total("w1", 2, 10, "thread"),
		total("w2", 3, 10, "thread"), total("w3", 4, 25, "thread"), total("w4", 5, 7, "other"))
	fork := transcript(t, dir, "b.jsonl", header("b", first.Path), user("u1", 1), total("x1", 6, 25, "thread"),
		total("x2", 7, 40, "thread"))
	r := collect(t, Options{By: []string{"kind"}}, first, fork)
	if got := r.Total.Recorded; got.Input != 47 || got.Output != 2 || r.Total.NoPrice != 4 {
		t.Errorf("recorded %+v, %d records without a price", got, r.Total.NoPrice)
	}
	if got := r.By["kind"][Reply].Recorded.Input; got != 47 {
		t.Errorf("replies %d", got)
	}
}
