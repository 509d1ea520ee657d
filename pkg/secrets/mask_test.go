package secrets

import (
	"strings"
	"testing"
)

func TestMask(t *testing.T) {
	key := strings.Repeat("a1B2", 10)
	for _, test := range []struct {
		text, want string
		n          int
	}{
		{"nothing", "nothing", 0},
		{"sk-short", "sk-short", 0},
		{"key sk-" + key + ".", "key sk-[masked].", 1},
		{"sk-ant-" + key + " ghp_" + key, "sk-[masked] ghp_[masked]", 2},
		{"-----BEGIN PRIVATE KEY-----\nMIIE\n-----END PRIVATE KEY-----\nrest",
			"-----BEGIN PRIVATE KEY[masked]-----END PRIVATE KEY-----\nrest", 1},
		{"-----BEGIN RSA PRIVATE KEY-----\nMIIE", "-----BEGIN RSA PRIVATE KEY[masked]", 1},
	} {
		got, n := Mask(test.text)
		if got != test.want || n != test.n {
			t.Errorf("%q: %q, %d", test.text, got, n)
		}
		if strings.Contains(got, key) {
			t.Errorf("%q still has the key", got)
		}
	}
}
