package secrets

import (
	"math/rand/v2"
	"strings"
	"testing"
)

// contains reports whether a text contains a key.
func contains(text string) bool {
	key, _ := Search([]byte(text))
	return key
}

// A key is found at every place of a text, and nothing that only begins like one.
func TestKey(t *testing.T) {
	key := strings.Repeat("a1B2", 8)
	for mark, isKey := range map[string]bool{
		"sk-": true, "xoxb-": true, "xoxp-": true, "ghp_": true, "gho_": true, "github_pat_": true,
		"ask-": false, "sk_": false, "ghp-": false, "cat_": false, "chk-": false, "xoxo-": false, "KEY-": false,
	} {
		for length := range 100 {
			filler := strings.Repeat(" _-k- t_", 13)[:length]
			for _, text := range []string{filler + " " + mark + key, mark + key + " " + filler} {
				if contains(text) != isKey {
					t.Fatalf("%q: got %v", text, !isKey)
				}
			}
			if short := filler + " " + mark + key[:10]; contains(short) {
				t.Fatalf("%q is too short for a key", short)
			}
		}
	}
	if !contains("PRIVATE KEY-") || contains("") || contains("-") {
		t.Error("the shortest texts are wrong")
	}
}

// Both ways to search find the same ends of marks.
func TestNextEnd(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	const alphabet = "--__kbpYotsxxEhhazTED\x8d\xad\xdf\x00 {}0=O"
	isEnd := func(text []byte, at int) bool {
		if at < 2 {
			return false
		}
		switch string(text[at-2 : at+1]) {
		case "sk-", "xb-", "xp-", "EY-", "hp_", "ho_", "at_", "TED":
			return true
		}
		return false
	}
	for range 5000 {
		text := make([]byte, 1+random.IntN(150))
		for i := range text {
			text[i] = alphabet[random.IntN(len(alphabet))]
		}
		for name, next := range map[string]func([]byte, int) int{"nextEnd": nextEnd, "nextEndGo": nextEndGo} {
			var found []int
			for at := next(text, 2); at >= 0; at = next(text, at+1) {
				if isEnd(text, at) {
					found = append(found, at)
				}
			}
			for at := range text {
				if isEnd(text, at) {
					if len(found) == 0 || found[0] != at {
						t.Fatalf("%s of %q: %v are found, but not %d", name, text, found, at)
					}
					found = found[1:]
				}
			}
		}
	}
}

// REDACTED is found at every place of a text, and behind what is no key.
func TestBlanked(t *testing.T) {
	for length := range 100 {
		for text, want := range map[string]bool{blanked: true, "R" + blanked + "D": true, "REDAKTED": false, "ACTED": false} {
			text = strings.Repeat("TED k- at_", 10)[:length] + text
			if key, blanked := Search([]byte(text)); key || blanked != want {
				t.Fatalf("%q: got %v, %v", text, key, blanked)
			}
		}
	}
}
