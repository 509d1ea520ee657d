package source

import (
	"strings"
	"testing"
)

const (
	id1 = "7fb76b61-3779-5fe2-9277-80e1f064bb17"
	id2 = "2908687f-de10-5ffd-9126-7aba8fdabc4c"
)

func TestParseName(t *testing.T) {
	const at = "2026-05-04T14-58-56.795Z"
	hash := strings.Repeat("0af1", 8)
	for base, want := range map[string]Name{
		id1 + ".jsonl":                               {ID: id1, Kind: Live},
		id1 + "-topic-42.jsonl":                      {ID: id1, Kind: Live, Topic: "42"},
		"2026-05-01T10-00-00-000Z_" + id1 + ".jsonl": {ID: id1, Kind: Live},
		"boot-2026.jsonl":                            {ID: "boot-2026", Kind: Live},
		"0ae36737cf9e.jsonl":                         {ID: "0ae36737cf9e", Kind: Live},
		"main_cli_user_296e4ed563a7.jsonl":           {ID: "296e4ed563a7", Kind: Live},
		id1 + ".jsonl.gz":                            {ID: id1, Kind: Live},
		id1 + ".checkpoint." + id2 + ".jsonl": {ID: id1, Kind: Checkpoint,
			Generation: "checkpoint." + id2},
		id1 + ".jsonl.reset." + at: {ID: id1, Kind: Reset,
			Generation: "reset." + at},
		id1 + ".jsonl.reset." + at + "." + hash +
			".zst": {ID: id1, Kind: Reset, Generation: "reset." + at + "." + hash},
		id1 + ".jsonl.deleted." + at + ".zst": {ID: id1, Kind: Deleted,
			Generation: "deleted." + at},
		id1 + ".jsonl.bak." + at: {ID: id1, Kind: Backup,
			Generation: "bak." + at},
		id1 + ".jsonl.bak-3436-1777899690089": {ID: id1, Kind: Backup,
			Generation: "bak-3436-1777899690089"},
		id1 + ".jsonl.bak": {ID: id1, Kind: Backup,
			Generation: "bak"},
		id1 + ".jsonl.full.bak": {ID: id1, Kind: Backup,
			Generation: "full.bak"},
		id1 + ".full.bak": {ID: id1, Kind: Backup,
			Generation: "full.bak"},
		id1 + ".jsonl.broken-1777": {ID: id1, Kind: Backup,
			Generation: "broken-1777"},
		id1 + ".jsonl.pre-doctor-20260501.bak": {ID: id1, Kind: Backup,
			Generation: "pre-doctor-20260501.bak"},
		hash + hash + ".jsonl.zst": {ID: hash + hash, Kind: Archive},
		"agent_main_main." + id1 + ".jsonl.imported-179": {ID: id1, Kind: Archive,
			Generation: "imported-179", KeyHint: "agent_main_main"},
		"archive-tier." + id1 + ".jsonl.imported-179": {ID: id1, Kind: Archive,
			Generation: "imported-179"},
		"archive-tier." + id1 + ".checkpoint." + id2 +
			".jsonl.imported-179": {ID: id1, Kind: Checkpoint, Generation: "checkpoint." + id2},
	} {
		if got, ok := ParseName(base); !ok || got != want {
			t.Errorf("%s: %+v %v, want %+v", base, got, ok, want)
		}
	}
	for _, base := range []string{
		"sessions.json", "sessions.json.1a2b.tmp", id1 + ".trajectory.jsonl", id1 + ".trajectory-path.json",
		id1 + ".jsonl.lock", ".usage-cost-cache.json",
		"legacy-store.sessions.json.imported-179", "agent_x." + id1 + ".trajectory.jsonl.imported-179",
		"archive-tier." + id1 + ".trajectory.jsonl.imported-17",
		"agent_x." + id1 + ".trajectory-path.json.imported-179", "README.md", "notes.json", "openclaw.json.broken-1",
		"auth-profiles.json.pre-doctor-1.bak", "", ".jsonl", ".hidden.jsonl",
	} {
		if got, ok := ParseName(base); ok {
			t.Errorf("%s is accepted as a transcript: %+v", base, got)
		}
	}
}

// FuzzParseName checks that the parts of any name occur in it, and that parsing is stable.
func FuzzParseName(f *testing.F) {
	for _, base := range []string{id1 + ".jsonl", id1 + "-topic-1.jsonl.reset.2026-05-04T14-58-56.795Z.zst",
		"a_b." + id1 + ".jsonl.imported-1", "x.checkpoint." + id2 + ".jsonl"} {
		f.Add(base)
	}
	f.Fuzz(func(t *testing.T, base string) {
		n, ok := ParseName(base)
		if !ok {
			return
		}
		for _, part := range []string{n.ID, n.Generation, n.Topic, n.KeyHint} {
			if !strings.Contains(base, part) {
				t.Fatalf("%q does not contain %q", base, part)
			}
		}
		if n.ID == "" || n.Kind == "" || n.Kind == Live && n.Generation != "" {
			t.Fatalf("%q: %+v", base, n)
		}
	})
}

// The stem of a session and of its archives is the same.
func TestSplitName(t *testing.T) {
	const id = "e062545a-58d4-4c17-a35c-7cb0f9f71a36"
	for _, rest := range []string{
		".jsonl", ".jsonl.zst", ".jsonl.reset.2026-04-30T10-00-00.000Z", ".jsonl.bak-1-2", ".jsonl.2", ".full.bak",
		".checkpoint." + id + ".jsonl", ".pre-doctor-1.bak", ".broken-1", ".jsonl.broken-1", "",
	} {
		for _, stem := range []string{id, "a.b", "key." + id} {
			if gotStem, gotRest := SplitName(stem + rest); gotStem != stem || gotRest != rest {
				t.Errorf("%q is split into %q and %q", stem+rest, gotStem, gotRest)
			}
		}
	}
}
