package rebuild

import (
	"testing"

	"clawctl/pkg/jsonl"
)

// The masks are what OpenClaw 2026.9.6 makes of texts with keys. The others are Markdown and prose.
func TestHasMask(t *testing.T) {
	for text, want := range map[string]bool{
		"export OPENAI_API_KEY=sk-pro…6789":              true,
		"export PASSWORD=***":                            true,
		"password: *** and more":                         true,
		"Authorization: Bearer abcdef…2345":              true,
		`curl -H "Authorization: Bearer ***"  https://x`: true,
		`{"apiKey":"***","token":"x"}`:                   true,
		`{"token":"abcdef…wxyz"}`:                        true,
		"https://user:***@example.com/":                  true,
		"x?token=***&x=1":                                true,
		"ghp_ab…6789":                                    true,
		"-----BEGIN PRIVATE KEY-----\n…redacted…\n-----END PRIVATE KEY-----": true,
		`token="***"`:                          true,
		"client_secret='***'":                  true,
		"--password *** --x":                   true,
		"AKIAIO…MPLE":                          true,
		"first line\n123456…3456\nlast line":   true,
		"AIzaSy…stuv":                          true,
		"hook before 1 ***\n\noriginal turn 1": true,
		"***":                                  false,
		"one\n\n***\n\ntwo":                    false,
		"one\n  ***  \ntwo":                    false,
		"***\nafter":                           false,
		"before\n***":                          false,
		"***important***":                      false,
		"this is ***important*** indeed":       false,
		"- ***item***: text":                   false,
		"****":                                 false, "a **** b": false, "/*** comment ***/": false, "x = a***b": false,
		"*** a heading of a diff ***":                       false,
		"Saving…done":                                       false,
		"we were saving…then it ended":                      false,
		"wait… what":                                        false,
		"no mask at all, and 6 * 7 ** 8":                    false,
		"please wait…now":                                   false,
		"a long path/to/file.go…and more":                   false,
		"a word such as mother…land, but not a key of mine": false,
	} {
		if got := hasMask(jsonl.Value(jsonl.Quote(text))); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
	for content, want := range map[string]bool{
		`[{"type":"toolCall","arguments":{"password":"***"}}]`:             true,
		`[{"type":"text","text":"***"}]`:                                   false,
		`[{"type":"text","text":"a"},{"type":"text","text":"key=***"}]`:    true,
		`[{"type":"text","text":"a***"},{"type":"text","text":"***b***"}]`: false,
	} {
		if got := hasMask(jsonl.Value(content)); got != want {
			t.Errorf("%s: %v, want %v", content, got, want)
		}
	}
}
