package jsontext

import (
	"strings"
	"testing"
)

func TestNestsDeeper(t *testing.T) {
	const levels = 50
	quoted := `{"a":"` + strings.Repeat(`[\"`, 2*levels) + `"}`
	wide := "[" + strings.Repeat("{},", 2*levels) + "{}]"
	deep := strings.Repeat(`{"[":`, levels+1) + "1" + strings.Repeat("}", levels+1)
	for text, want := range map[string]bool{quoted: false, wide: false, deep: true} {
		if NestsDeeper([]byte(text), levels) != want {
			t.Errorf("%.40s: got %v", text, !want)
		}
	}
}
