package main

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// declared is what a package may declare, with a field, a value and a type that nobody knows.
const declared = `
interface CompactionEntry<T = unknown> extends SessionEntryBase {
  type: "compaction";
  /** A comment with note: text. */
  summary: string;
  "__openclaw"?: {
    planted: string;
  };
  flavour?: string;
}
type InternalSessionEntryCore = SessionEntryCore & {
  readonly lifecycleRunId?: string;
  mood: { sessionId: string };
};
type StopReason = "stop" | "length" | "refusal";
declare const SessionRunStatusSchema: Type.TUnion<[Type.TLiteral<"queued">, Type.TLiteral<"asleep">]>;
interface CompactionEntry {
  other: string;
}
type SessionEntry = CompactionEntry | LabelEntry | PollEntry;
`

func TestDeclarations(t *testing.T) {
	d := &drift{}
	found := d.checkTypes("x", declared)
	slices.Sort(d.unknown)
	want := []string{
		"field flavour of compaction record in x", "field mood of index entry in x", "type PollEntry in x",
		"value asleep of status in index entry in x", "value refusal of stopReason in assistant message in x",
	}
	if !slices.Equal(d.unknown, want) || found != 7 {
		t.Errorf("%d declarations: %s", found, strings.Join(d.unknown, "\n"))
	}
}

// Real transcripts have nothing unknown but what was planted in them.
func TestSharedTranscripts(t *testing.T) {
	d := &drift{shared: "../../../shared/transcripts"}
	if _, err := os.Stat(d.shared); err != nil {
		t.Skip("no real transcripts here")
	}
	if err := d.checkFolder(d.shared); err != nil || len(d.unknown) > 0 {
		t.Errorf("%v, unknown: %s", err, strings.Join(d.unknown, "\n"))
	}
}

// An import counts if every session is in a database.
func TestIsImported(t *testing.T) {
	for report, want := range map[string]bool{
		`{"totals":{"importedEntries":10,"legacyEntries":10,"issues":3}}`: true,
		`{"totals":{"importedEntries":9,"legacyEntries":10,"issues":0}}`:  false,
		`{"totals":{"importedEntries":0,"legacyEntries":0}}`:              false,
		`Error: no such command`: false,
	} {
		if got := isImported([]byte(report)); got != want {
			t.Errorf("%s: %v", report, got)
		}
	}
}
