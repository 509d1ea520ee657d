package jsonl

import (
	"encoding/json"
	"slices"
	"testing"
)

// Usage of the plain form is read as any other is, and so is everything that differs from it in one byte.
func TestPlainUsage(t *testing.T) {
	plain := []string{
		`{"input":78,"output":73,"cacheRead":12000,"cacheWrite":2804,"totalTokens":14955,` +
			`"cost":{"input":0.00039,"output":0.001825,"cacheRead":6e-3,"cacheWrite":0.017525000000000002,"total":0.008215}}`,
		`{"input":-1,"output":1.5,"cacheRead":1E3,"cacheWrite":99999999999999999999,"totalTokens":0,` +
			`"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":1e999}}`,
	}
	for _, text := range plain {
		if _, ok := plainUsage(Value(text)); !ok {
			t.Errorf("not plain: %s", text)
		}
		for i := range text {
			for _, c := range []byte(` "{}[],:0-.eEnx`) {
				changed := []byte(text)
				changed[i] = c
				comparePlain(t, changed)
				comparePlain(t, slices.Insert([]byte(text), i, c))
			}
			comparePlain(t, slices.Delete([]byte(text), i, i+1))
		}
	}
}

func comparePlain(t *testing.T, text []byte) {
	t.Helper()
	if !json.Valid(text) || text[0] != '{' {
		return
	}
	if got, ok := plainUsage(Value(text)); ok && got != walkUsage(Value(text)) {
		t.Errorf("%s: got %+v, want %+v", text, got, walkUsage(Value(text)))
	}
}
