package jsonl

// A Usage holds the token counts of a provider for one answer. Input does not include tokens from the cache.
type Usage struct {
	Input, Output, CacheRead, CacheWrite int64
	// Total is the complete context of the request and its answer. If it was not recorded, it is the sum of the four.
	Total int64
	// Cost is in US dollars. HasCost distinguishes a recorded price, even of 0, from none. A price that cannot be one,
	// such as 1e999, counts as none.
	Cost    float64
	HasCost bool
}

// Add adds other usage.
func (u *Usage) Add(o Usage) {
	u.Input += o.Input
	u.Output += o.Output
	u.CacheRead += o.CacheRead
	u.CacheWrite += o.CacheWrite
	u.Total += o.Total
	u.Cost += o.Cost
	u.HasCost = u.HasCost || o.HasCost
}

// usageOf reads both shapes: OpenClaw's, and that of 2026.5 and 2026.6 with a cache object and the OpenAI names.
func usageOf(v Value) (u Usage, ok bool) {
	if !v.IsObject() {
		return u, false
	}
	w := walker{text: v}
	for w.next() {
		switch string(plainKey(w.key)) {
		case "input":
			u.Input = tokenCount(w.value())
		case "output":
			u.Output = tokenCount(w.value())
		case "cacheRead":
			u.CacheRead = tokenCount(w.value())
		case "cacheWrite":
			u.CacheWrite = tokenCount(w.value())
		case "totalTokens", "total", "total_tokens":
			u.Total = tokenCount(w.value())
		case "cache":
			cache := w.value()
			u.CacheRead, u.CacheWrite = tokenCount(cache.Get("read")), tokenCount(cache.Get("write"))
		case "cost":
			u.readCost(&w)
		default:
			w.value()
		}
	}
	if u.Total == 0 {
		u.Total = u.Input + u.Output + u.CacheRead + u.CacheWrite
	}
	return u, true
}

// readCost reads the price of an answer.
func (u *Usage) readCost(w *walker) {
	var total Value
	if w.text[w.at] != '{' {
		w.value()
		return
	}
	for w.next() {
		if v := w.value(); string(plainKey(w.key)) == "total" {
			total = v
		}
	}
	if cost := total.Float(); total.IsNumber() && cost >= 0 && cost <= maxCost {
		u.Cost, u.HasCost = cost, true
	}
}

// A walker walks over the members of an object, and of objects inside it, without looking at anything twice.
type walker struct {
	text []byte
	at   int    // the beginning of an object, a value, or what follows a value
	key  []byte // of the current member, as it is written
}

// next moves to the value of the next member. It reports false at the end of the object, which it passes.
func (w *walker) next() bool {
	i := next(w.text, w.at)
	if w.text[i] != '}' {
		i = next(w.text, i+1) // after a brace or a comma
	}
	if w.text[i] == '}' {
		w.at = i + 1
		return false
	}
	end := skipString(w.text, i+1)
	w.key = w.text[i+1 : end]
	w.at = next(w.text, next(w.text, end+1)+1)
	return true
}

// value returns the current value and passes it.
func (w *walker) value() Value {
	start := w.at
	w.at = skipValue(w.text, start)
	return Value(w.text[start:w.at:w.at])
}

// Limits on the tokens and the price of one answer. A larger number is not a real count, and would spoil a sum.
const (
	maxTokens = 1 << 40
	maxCost   = 1e9
)

// tokenCount returns a number of tokens, or 0 if the value cannot be one.
func tokenCount(v Value) int64 {
	if n := v.Int(); n >= 0 && n <= maxTokens {
		return n
	}
	return 0
}
