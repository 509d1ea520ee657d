package rebuild

import (
	"testing"

	"clawctl/pkg/rebuild/rebuildtest"
)

// Whatever a conversation holds, what is made of it is accepted.
func TestRandomConversationsAreAccepted(t *testing.T) {
	for seed := range uint64(3000) {
		text := rebuildtest.Transcript(seed)
		checkAll(t, text)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
}

// FuzzConversation is the same for as many seeds as there is time.
func FuzzConversation(f *testing.F) {
	f.Fuzz(func(t *testing.T, seed uint64) { checkAll(t, rebuildtest.Transcript(seed)) })
}
