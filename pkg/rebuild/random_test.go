package rebuild

import (
	"testing"

	"clawctl/internal/longtest"
	"clawctl/pkg/rebuild/rebuildtest"
)

// Every random conversation is rebuilt into a request that the API accepts.
func TestRandomConversationsAreAccepted(t *testing.T) {
	for seed := range uint64(longtest.Rounds(t, "CLAWCTL_ROUNDS", 400, 10_000)) {
		text := rebuildtest.Transcript(seed)
		checkAll(t, text)
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
}

// FuzzConversation checks as many random conversations as time allows.
func FuzzConversation(f *testing.F) {
	f.Fuzz(func(t *testing.T, seed uint64) { checkAll(t, rebuildtest.Transcript(seed)) })
}
