package media

import (
	"testing"

	"clawctl/pkg/jsonl"
)

// Signatures are recognized by their shape.
func TestIsSignature(t *testing.T) {
	const whole = `"EhYKFGEgc2lnbmF0dXJlIG9mIHR3ZW50"`
	for text, want := range map[string]bool{
		whole:                        true,
		whole[:20] + `"`:             false,
		`""`:                         false,
		`"k7FdvB0Sg_F0TWPE0"`:        false,
		`"AAAAAAAAAAAAAAAAAAAAAAAA"`: false,
	} {
		if got := IsSignature(jsonl.Value(text)); got != want {
			t.Errorf("IsSignature(%s) = %v", text, got)
		}
	}
}
