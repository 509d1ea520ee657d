package dataset

import (
	"context"
	"math"
	"testing"
	"time"

	"clawctl/internal/parquet/parquettest"
	"clawctl/pkg/report/stats"
)

// sources are folders with every shape of transcript.
var sources = []string{exampleHome, "../../../testdata/transcripts"}

// groupName returns what a row of usage is called in a dimension of stats.
func groupName(dimension string, row parquettest.Row) string {
	text := func(column string) string { name, _ := row[column].(string); return name }
	switch dimension {
	case "day":
		if days, ok := row["day"].(int64); ok {
			return time.Unix(days*24*60*60, 0).UTC().Format(time.DateOnly)
		}
		return "undated"
	case "agent":
		if row["agent"] == nullPartition {
			return ""
		}
	}
	return text(dimension)
}

// sums are the totals that a test compares.
type sums struct{ records, messages, errors, input, output, cacheRead, cacheWrite, total, nanodollars int64 }

func (s *sums) add(row parquettest.Row) {
	n := func(name string) int64 { return row[name].(int64) }
	cost, _ := row["cost_usd"].(float64)
	*s = sums{s.records + n("records"), s.messages + n("messages"), s.errors + n("tool_errors"), s.input + n("input"),
		s.output + n("output"), s.cacheRead + n("cache_read"), s.cacheWrite + n("cache_write"), s.total + n("total"),
		s.nanodollars + int64(math.Round(cost*1e9))}
}

func sumsOf(t *stats.Tally) sums {
	u := &t.Recorded
	return sums{t.Records, t.Messages, t.ToolErrors, u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Total,
		int64(math.Round(u.Cost * 1e9))}
}

// near compares sums. Prices are rounded for every record.
func (s sums) near(o sums) bool {
	difference := s.nanodollars - o.nanodollars
	s.nanodollars, o.nanodollars = 0, 0
	return s == o && difference > -1000 && difference < 1000
}

// Sums over the table usage are the totals of stats, in every dimension.
func TestUsageEqualsStats(t *testing.T) {
	dimensions := []string{"day", "month", "model", "provider", "agent", "channel", "kind", "session", "tool"}
	for _, home := range sources {
		sessions := sessionsOf(t, home)
		folder := t.TempDir()
		result := export(t, folder, sessions, testOptions())
		want, err := stats.Collect(context.Background(), sessions, stats.Options{By: dimensions})
		if err != nil {
			t.Fatal(err)
		}
		got := sums{}
		groups := map[string]map[string]*sums{}
		for _, row := range rowsOf(t, folder, "usage") {
			got.add(row)
			for _, d := range dimensions {
				if name := groupName(d, row); name != "" {
					if groups[d] == nil {
						groups[d] = map[string]*sums{}
					}
					if groups[d][name] == nil {
						groups[d][name] = &sums{}
					}
					groups[d][name].add(row)
				}
			}
		}
		if total := sumsOf(&want.Total); got.records == 0 || !got.near(total) {
			t.Errorf("%s: total %v, stats has %v", home, got, total)
		}
		if result.Counts.Copies != want.Coverage.Copies || result.Counts.Damaged != want.Coverage.Damaged {
			t.Errorf("%s: %v, stats has %d copies and %d damaged lines", home, result.Counts, want.Coverage.Copies,
				want.Coverage.Damaged)
		}
		for _, d := range dimensions {
			compareGroups(t, home, d, groups[d], want.By[d])
		}
		compareCalls(t, rowsOf(t, folder, "tool_calls"), want.By["tool"], want.Total.ToolCalls)
	}
}

func compareGroups(t *testing.T, home, dimension string, got map[string]*sums, want map[string]*stats.Tally) {
	t.Helper()
	for name, tally := range want {
		if dimension == "tool" && tally.Records == 0 {
			continue // it has calls, but no results
		}
		figures := sumsOf(tally)
		if dimension == "model" || dimension == "provider" {
			figures.errors = 0 // a result is a record of its own, which has no model
		}
		if g := got[name]; g == nil || !g.near(figures) {
			t.Errorf("%s: %s %s: %v, stats has %v", home, dimension, name, g, figures)
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s: stats has no %s %s", home, dimension, name)
	}
}

// compareCalls compares the numbers of calls of each tool.
func compareCalls(t *testing.T, rows []parquettest.Row, want map[string]*stats.Tally, total int64) {
	t.Helper()
	calls := map[string]int64{}
	for _, row := range rows {
		calls[row["tool"].(string)]++
	}
	for tool, tally := range want {
		if calls[tool] != tally.ToolCalls {
			t.Errorf("%d calls of %s, stats has %d", calls[tool], tool, tally.ToolCalls)
		}
	}
	if int64(len(rows)) != total {
		t.Errorf("%d calls, stats has %d", len(rows), total)
	}
}

// The table sessions adds up to the same totals as the table usage.
func TestSessionsEqualUsage(t *testing.T) {
	folder := t.TempDir()
	export(t, folder, sessionsOf(t, exampleHome), testOptions())
	bySession, byUsage := sums{}, sums{}
	for _, row := range rowsOf(t, folder, "sessions") {
		bySession.add(row)
	}
	for _, row := range rowsOf(t, folder, "usage") {
		byUsage.add(row)
	}
	if !bySession.near(byUsage) {
		t.Errorf("sessions %v, usage %v", bySession, byUsage)
	}
}
