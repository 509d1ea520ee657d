package jsonl

import "fmt"

// A Usage holds the token counts of a provider for one answer. Input does not include tokens from the cache.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int64
	// Total is the complete context of the request and its answer. If it was not recorded, it is the sum of the four.
	Total int64
	// Cost is in US dollars. HasCost distinguishes a recorded price, even of 0, from none. A price that cannot be one,
	// such as 1e999, counts as none.
	Cost    float64
	HasCost bool
	// Series names the running total that the counts are, or is "" if they are those of one answer. Only a [Meter] can
	// tell what a running total adds.
	Series string
	// Fallback marks a running total that counts only until the session has one without the mark.
	Fallback bool
	// LongCacheWrite is the part of CacheWrite that stays in the cache for an hour, which costs more.
	LongCacheWrite int64
	// Counter is what the program's own counter of the series showed, "" if there is none. The counts are then those of
	// one answer, which the program repeats until the counter changes.
	Counter string
}

// Add adds other usage.
func (u *Usage) Add(o Usage) {
	u.Input += o.Input
	u.Output += o.Output
	u.CacheRead += o.CacheRead
	u.CacheWrite += o.CacheWrite
	u.LongCacheWrite += o.LongCacheWrite
	u.Total += o.Total
	u.Cost += o.Cost
	u.HasCost = u.HasCost || o.HasCost
}

// A Meter counts running totals, in which a record repeats what the records before it have counted: the rows of one
// answer, or the answers of a thread. Its zero value has counted nothing. Sessions that may repeat each other's records
// share a meter.
type Meter struct {
	totals   map[string]*Usage // the largest counts of each series
	counters map[string]string // what the counter of each series showed last in the session
	session  int               // how many sessions have begun
	isExact  bool              // the session has had a running total that is no fallback
}

// BeginSession tells the meter that the following records are those of another session.
func (m *Meter) BeginSession() { m.session, m.isExact, m.counters = m.session+1, false, nil }

// Repeats reports whether a usage is that of an answer which was counted before. It may still add to it.
func (m *Meter) Repeats(u Usage) bool {
	switch {
	case u.Series == "":
		return false
	case u.Fallback && m.isExact:
		return true
	case u.Counter != "":
		return m.counters[u.Series] == u.Counter
	}
	return m.knows(u.Series)
}

// Increase returns what a usage adds to those before it. A usage that is no running total adds all of it.
func (m *Meter) Increase(u Usage) Usage {
	switch {
	case u.Series == "":
		return u
	case u.Fallback && m.isExact:
		return Usage{}
	case u.Counter != "":
		return m.readCounter(u)
	case u.Fallback:
		u.Series = fmt.Sprint(u.Series, " ", m.session) // fallbacks are not named across sessions
	default:
		m.isExact = true
	}
	if m.totals == nil {
		m.totals = map[string]*Usage{}
	}
	total := m.totals[u.Series]
	if total == nil {
		total = &Usage{}
		m.totals[u.Series] = total
	}
	total.HasCost = u.HasCost
	return Usage{
		Input: raise(&total.Input, u.Input), Output: raise(&total.Output, u.Output),
		CacheRead: raise(&total.CacheRead, u.CacheRead), CacheWrite: raise(&total.CacheWrite, u.CacheWrite),
		LongCacheWrite: raise(&total.LongCacheWrite, u.LongCacheWrite),
		Total:          raise(&total.Total, u.Total), Cost: raise(&total.Cost, u.Cost), HasCost: u.HasCost,
	}
}

// raise makes a total as large as a number, and returns by how much that has increased it.
func raise[N int64 | float64](total *N, n N) N {
	before := *total
	*total = max(n, before)
	return *total - before
}

// readCounter returns the usage of the answer that a counter has added, or none if it has not changed. A counter may go
// back to begin again, so its size does not matter.
func (m *Meter) readCounter(u Usage) Usage {
	if m.Repeats(u) {
		return Usage{}
	}
	if m.counters == nil {
		m.counters = map[string]string{}
	}
	m.counters[u.Series] = u.Counter
	u.Series, u.Counter, u.Fallback = "", "", false
	return u
}

// StartAt lets the price of a running total that is not known begin with what was counted elsewhere.
func (m *Meter) StartAt(series string, cost float64) {
	if m.totals == nil {
		m.totals = map[string]*Usage{}
	}
	if !m.knows(series) {
		m.totals[series] = &Usage{Cost: cost}
	}
}

// HasCounted reports whether a running total had tokens before.
func (m *Meter) HasCounted(series string) bool { return m.knows(series) && m.totals[series].Total > 0 }

// knows reports whether some of a running total was counted before.
func (m *Meter) knows(series string) bool {
	_, known := m.totals[series]
	return known
}

// usageOf reads both shapes: OpenClaw's, and that of 2026.5 and 2026.6 with a cache object and the OpenAI names.
func usageOf(v Value) (u Usage, ok bool) {
	if !v.IsObject() {
		return u, false
	}
	if u, ok = plainUsage(v); !ok {
		u = walkUsage(v)
	}
	if u.Total == 0 {
		u.Total = u.Input + u.Output + u.CacheRead + u.CacheWrite
	}
	return u, true
}

// walkUsage reads the members of usage in any order.
func walkUsage(v Value) (u Usage) {
	for key, value := range v.Fields() {
		switch string(key) {
		case "input":
			u.Input = tokenCount(value)
		case "output":
			u.Output = tokenCount(value)
		case "cacheRead":
			u.CacheRead = tokenCount(value)
		case "cacheWrite":
			u.CacheWrite = tokenCount(value)
		case "cacheWrite1h":
			u.LongCacheWrite = tokenCount(value)
		case "totalTokens", "total", "total_tokens":
			u.Total = tokenCount(value)
		case "cache":
			u.CacheRead, u.CacheWrite = tokenCount(value.Get("read")), tokenCount(value.Get("write"))
		case "cost":
			u.setCost(value.Get("total"))
		case "series":
			u.Series = value.String()
		case "fallback":
			u.Fallback = value.IsTrue()
		case "counter":
			u.Counter = value.String()
		}
	}
	return u
}

// setCost sets the price, if the value can be one.
func (u *Usage) setCost(total Value) {
	if cost := total.Float(); total.IsNumber() && cost >= 0 && cost <= maxCost {
		u.Cost, u.HasCost = cost, true
	}
}

// MaxTokens is the limit on the tokens of one answer. A larger number is not a real count, and would spoil a sum.
const MaxTokens = 1 << 40

// maxCost is the limit on the price of one answer.
const maxCost = 1e9

// tokenCount returns a number of tokens, or 0 if the value cannot be one.
func tokenCount(v Value) int64 {
	if n := v.Int(); n >= 0 && n <= MaxTokens {
		return n
	}
	return 0
}
