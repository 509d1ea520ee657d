package migrate

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/source/hold"
)

// safeProof is the proof of a file that is safe to delete.
func safeProof(path string) Proof {
	return Proof{Session: &source.Session{Path: path}, Relation: Identical}
}

func TestListSafe(t *testing.T) {
	used := safeProof("used")
	used.Keep = Keep{Reason: KeepReason(hold.Locked)}
	proofs := []Proof{safeProof("a b"), used, safeProof("-rf"), safeProof("line\nbreak"), safeProof(" space")}
	if text, refused := ListSafe(proofs, false); text != "a b\n" || refused != 3 {
		t.Errorf("%q, and %d refused", text, refused)
	}
	want := "a b\x00./-rf\x00line\nbreak\x00 space\x00"
	if text, refused := ListSafe(proofs, true); text != want || refused != 0 {
		t.Errorf("%q, and %d refused", text, refused)
	}
}

func TestProofSums(t *testing.T) {
	used, kept, partial, unread := safeProof("b"), safeProof("c"), safeProof("d"), safeProof("e")
	used.Keep = Keep{Reason: KeepReason(hold.Registered)}
	kept.Keep = Keep{Reason: Changed}
	partial.Relation, partial.Missing, partial.Line = Prefix, 2, 7
	unread.Relation, unread.Err = Unreadable, errors.New("x")
	tests := []struct {
		proofs []Proof
		want   string
	}{
		{[]Proof{safeProof("a")}, "1 transcript with the clawctl store s: 1 safe to delete. Every record was found."},
		{[]Proof{safeProof("a"), used, kept, partial}, "4 transcripts with the clawctl store s: 1 safe to delete, " +
			"1 in use and complete, 1 complete but not safe to delete, 1 not complete. " +
			"2 records are only in these files."},
		{[]Proof{unread}, "1 transcript with the clawctl store s: 1 not complete."},
	}
	for _, test := range tests {
		sums := SumProofs(test.proofs, "s")
		if got := sums.Words(Location{ClawctlStore, "s"}); got != "Compared "+test.want {
			t.Errorf("%q\nwant %q", got, "Compared "+test.want)
		}
	}
	filters := map[ProofFilter][3]bool{"": {true, true, true}, OnlySafe: {true, false, false},
		OnlyProblems: {false, false, true}}
	for filter, want := range filters {
		safe := safeProof("a")
		if got := [3]bool{filter.Takes(&safe), filter.Takes(&used), filter.Takes(&partial)}; got != want {
			t.Errorf("%q takes %v, want %v", filter, got, want)
		}
	}
	if got := partial.Verdict(); got != "prefix at line 7" {
		t.Error(got)
	}
}

func TestImportSums(t *testing.T) {
	tests := []struct {
		dryRun   bool
		outcomes []Outcome
		want     string
	}{
		{false, nil, "Nothing to import."},
		{false, []Outcome{{Verdict: New}, {Verdict: New}, {Verdict: Generation}},
			"Imported 3 transcripts: 2 new, 1 older version. All verified."},
		{true, []Outcome{{Verdict: New}, {Verdict: Older}}, "Would import 1 transcript: 1 new. " +
			"Skipped 1 transcript older than --since."},
		{false, []Outcome{{Verdict: Unchanged}, {Verdict: Unchanged}}, "Nothing new: 2 transcripts already imported."},
		{false, []Outcome{{Verdict: Refused, Err: errors.New("x")}, {Verdict: Newer}},
			"Nothing imported. Skipped 1 transcript with records from --until on. Refused 1 transcript."},
		{false, []Outcome{{Verdict: Grown, Err: ErrDiffers}},
			"Imported 1 transcript: 1 updated. 1 stored copy did not verify."},
	}
	for _, test := range tests {
		sums := NewImportSums(test.dryRun)
		for i := range test.outcomes {
			sums.Add(&test.outcomes[i])
		}
		got := sums.Words("1.2.3")
		if words, _, _ := strings.Cut(got, " ("); words != test.want {
			t.Errorf("%q, want %q", words, test.want)
		}
		if len(test.outcomes) > 0 && !strings.Contains(got, "clawctl 1.2.3 ") {
			t.Errorf("no version: %q", got)
		}
	}
}

func TestOutcomeFailure(t *testing.T) {
	s := &source.Session{Path: "a.jsonl"}
	tests := []struct {
		err  error
		f    *failure.Error
		code failure.Code
		exit int
	}{
		{ErrSourceChanged, failure.New(failure.IO, ""), failure.Changed, failure.ExitDamaged},
		{ErrDiffers, failure.New(failure.IO, ""), failure.Differs, failure.Differs.Exit()},
		{errors.New("x"), failure.Usage("", "x"), failure.UsageCode, failure.ExitDamaged},
	}
	for _, test := range tests {
		f := (&Outcome{Session: s, Err: test.err}).Failure(test.f, "store.db")
		if f.Code != test.code || f.Status() != test.exit || !f.Done {
			t.Errorf("%v: %v, exit %d", test.err, f, f.Status())
		}
	}
	if f := (&Outcome{Session: s}).DamageFailure(); f != nil {
		t.Error(f)
	}
	damage := &jsonl.Damage{Code: jsonl.TooLong, Line: 3}
	f := (&Outcome{Session: s, Damage: damage, Damaged: 3}).DamageFailure()
	if f.Line != 3 || !strings.HasSuffix(f.Text, ", and 2 more damaged lines; it was not imported") {
		t.Error(f)
	}
}

func TestLinksToStore(t *testing.T) {
	folder := t.TempDir()
	path := func(name string) string { return filepath.Join(folder, name) }
	var sessions []*source.Session
	for _, name := range []string{"own.db-wal", "other.jsonl", "link.jsonl"} {
		sessions = append(sessions, &source.Session{Path: path(name)})
	}
	if links := LinksToStore(sessions, path("own.db")); links != nil {
		t.Error("links to nothing", links)
	}
	for _, name := range []string{"own.db", "own.db-wal", "other.jsonl"} {
		testkit.Write(t, path(name), "")
	}
	if err := os.Link(path("own.db"), path("link.jsonl")); err != nil {
		t.Skip(err)
	}
	links := LinksToStore(sessions, path("own.db"))
	if len(links) != 2 || links[0] != sessions[0] || links[1] != sessions[2] {
		t.Errorf("%d links", len(links))
	}
}

// A source that is gone when its turn comes is one that was skipped. That nothing was found is something else.
func TestFailureOfVanishedSource(t *testing.T) {
	o := &Outcome{Session: &source.Session{Path: "a.jsonl"}, Verdict: Refused, Err: os.ErrNotExist}
	f := o.Failure(failure.New(failure.NotFound, "no such file"), "s.db")
	if f.Status() != failure.ExitDamaged || f.Code != failure.NotFound {
		t.Errorf("%s, exit %d", f.Code, f.Status())
	}
}
