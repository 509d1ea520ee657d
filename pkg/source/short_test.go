package source

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Every short name selects its session, in a place with many similar names.
func TestShortNamesAreUnique(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 200 {
		var sessions []*Session
		for n := range 1 + r.IntN(40) {
			id := fmt.Sprintf("%04x%04x-0000-4000-8000-%012x", r.IntN(3), r.IntN(3), n)
			key := RecoveredKey("main", id)
			if r.IntN(3) == 0 {
				key = fmt.Sprintf("agent:main:telegram:direct:%d", n)
			}
			sessions = append(sessions, &Session{Key: key, ID: id, Agent: "main", Kind: Live})
			for g := range r.IntN(3) {
				at := fmt.Sprintf("reset.2026-05-0%dT14-58-56.79%dZ", 1+r.IntN(9), g)
				sessions = append(sessions, &Session{Key: key, ID: id, Agent: "main", Kind: Reset, Generation: at})
			}
			if r.IntN(4) == 0 {
				sessions = append(sessions, &Session{Key: key, ID: id, Agent: "main", Kind: Backup, Generation: "bak-1-2"})
			}
		}
		for s, name := range ShortNames(sessions) {
			for _, kinds := range [][]Kind{{Live}, Kinds} {
				found, err := Select(sessions, Filter{Session: name}, kinds)
				if err != nil || len(found) != 1 || found[0] != s {
					t.Fatalf("round %d: %s (for %s) selects %d sessions, %v", round, name, s.Name(), len(found), err)
				}
			}
			if len(name) > len(s.Name()+liveSuffix) {
				t.Errorf("%s is longer than %s", name, s.Name())
			}
		}
	}
}

func TestShortNames(t *testing.T) {
	live := &Session{Key: "agent:main:main", ID: "1446f8af-9c1d-59cf-89b9-af81ce7cbe85", Kind: Live}
	reset := &Session{Key: "agent:main:main", ID: live.ID, Kind: Reset, Generation: "reset.2026-05-04T14-58-56.795Z"}
	later := &Session{Key: "agent:main:main", ID: live.ID, Kind: Reset, Generation: "reset.2026-05-04T15-06-05.171Z"}
	stdin := &Session{Key: RecoveredKey("main", "<stdin>"), ID: "<stdin>", Kind: Live}
	lone := &Session{Key: "agent:main:telegram:direct:1001", ID: "a1cf946c-0000-4000-8000-000000000001", Kind: Live}
	names := ShortNames([]*Session{live, reset, later, stdin, lone})
	for s, want := range map[*Session]string{
		live: "agent:main:main@live", reset: "1446f8af@reset.2026-05-04T14",
		later: "1446f8af@reset.2026-05-04T15", stdin: "<stdin>", lone: "a1cf946c",
	} {
		if names[s] != want {
			t.Errorf("%s: %q, want %q", s.Name(), names[s], want)
		}
	}
}
