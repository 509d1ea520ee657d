package trajectory

import (
	"context"
	"math"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/report/stats"
)

// totals are what a trajectory adds up to. Package stats counts it, so that a record that the path has twice counts
// once.
type totals struct {
	counter *stats.Counter
	usage   *jsonl.Usage // what the last record adds, nil if it adds nothing
	all     jsonl.Usage
	outside jsonl.Usage // the part that is not in the metrics of any step
}

// newTotals returns totals of a path. The records are not all of the session, so the counter must not read that again.
func newTotals() totals { return totals{counter: stats.NewCounter(nil)} }

// add counts the next record of the path, when it is read for the second time.
func (t *totals) add(rec *jsonl.Record, b *builder) error {
	t.usage = nil
	if b.surveys {
		return nil
	}
	added, err := t.counter.Add(context.Background(), rec)
	if err != nil || added == nil {
		return err
	}
	u := b.finite(added.Recorded)
	t.all.Add(u)
	if added.IsPaid() {
		t.usage = &u
	}
	return nil
}

// ofAnswer returns the usage of an answer as metrics, nil if it adds none.
func (t *totals) ofAnswer() *metrics {
	if t.usage == nil {
		return nil
	}
	u := *t.usage
	m := &metrics{Prompt: promptOf(u), Completion: u.Output, Cached: u.CacheRead, Cost: costOf(u)}
	if u.CacheWrite != 0 {
		m.Extra.set("cache_creation_input_tokens", u.CacheWrite)
	}
	if u.Total != promptOf(u)+u.Output {
		m.Extra.set("total_tokens", u.Total)
	}
	return m
}

// addOutside adds the usage of other work to the extra data, if there is any.
func (t *totals) addOutside(to *extra) {
	if t.usage == nil {
		return
	}
	t.outside.Add(*t.usage)
	to.set("usage", describe(*t.usage))
	t.usage = nil // only the first result of the record has it
}

func (t *totals) final(steps int) finalMetrics {
	f := finalMetrics{
		Prompt: promptOf(t.all), Completion: t.all.Output, Cached: t.all.CacheRead, Cost: costOf(t.all), Steps: steps,
	}
	if t.all.CacheWrite != 0 {
		f.Extra.set("total_cache_creation_input_tokens", t.all.CacheWrite)
	}
	if t.outside.Total != 0 {
		f.Extra.set("outside_steps", describe(t.outside))
	}
	return f
}

// describe returns usage under the names of metrics.
func describe(u jsonl.Usage) extra {
	x := extra{"prompt_tokens": promptOf(u), "completion_tokens": u.Output, "cached_tokens": u.CacheRead}
	if u.HasCost {
		x.set("cost_usd", u.Cost)
	}
	return x
}

// finite returns usage without a price that is not a number, which JSON cannot express.
func (b *builder) finite(u jsonl.Usage) jsonl.Usage {
	if u.HasCost && (math.IsInf(u.Cost, 0) || math.IsNaN(u.Cost)) {
		b.leaveOut("price")
		u.Cost, u.HasCost = 0, false
	}
	return u
}

// promptOf returns all tokens of the request, whether they came from a cache or not.
func promptOf(u jsonl.Usage) int64 { return u.Input + u.CacheRead + u.CacheWrite }

// costOf returns the price, or nil if none was recorded.
func costOf(u jsonl.Usage) *float64 {
	if !u.HasCost {
		return nil
	}
	return &u.Cost
}
