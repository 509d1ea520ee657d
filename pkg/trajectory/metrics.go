package trajectory

import (
	"math"

	"clawctl/pkg/jsonl"
)

// totals are what a trajectory adds up to, as package stats counts it.
type totals struct {
	all     jsonl.Usage
	outside jsonl.Usage // the part that is not in the metrics of any step
	meter   jsonl.Meter
}

// addAnswer adds the usage of an answer and returns it as metrics.
func (t *totals) addAnswer(u jsonl.Usage, b *builder) *Metrics {
	u = b.finite(t.meter.Increase(u))
	t.all.Add(u)
	m := &Metrics{Prompt: promptOf(u), Completion: u.Output, Cached: u.CacheRead, Cost: costOf(u)}
	if u.CacheWrite != 0 {
		m.Extra.set("cache_creation_input_tokens", u.CacheWrite)
	}
	if u.Total != promptOf(u)+u.Output {
		m.Extra.set("total_tokens", u.Total)
	}
	return m
}

// addOutside adds the usage of other work and returns it for the extra data.
func (t *totals) addOutside(u jsonl.Usage, b *builder) extra {
	u = b.finite(t.meter.Increase(u))
	t.all.Add(u)
	t.outside.Add(u)
	return describe(u)
}

// final returns the totals.
func (t *totals) final(steps int) FinalMetrics {
	f := FinalMetrics{
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
