package diff

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/source"
)

// session returns a session of agent main. A generation makes it an archive.
func session(key, id, generation string) *source.Session {
	s := &source.Session{Key: key, ID: id, Agent: "main", Generation: generation, Kind: source.Live}
	if generation != "" {
		s.Kind = source.Reset
	}
	return s
}

// match returns a place with all of the sessions, of which those without a generation are looked at.
func match(all ...*source.Session) *source.Match {
	m := &source.Match{Places: []*source.Listing{{Sessions: all}}}
	for _, s := range all {
		if s.Generation == "" {
			m.Sessions = append(m.Sessions, s)
		}
	}
	return m
}

// describe writes pairs as "A=B", each session as its id and generation.
func describe(pairs []Pair) (words []string) {
	name := func(s *source.Session) string {
		if s == nil {
			return "none"
		}
		return s.ID + s.Generation
	}
	for _, p := range pairs {
		words = append(words, name(p.A)+"="+name(p.B))
	}
	return words
}

func TestPairAll(t *testing.T) {
	for name, c := range map[string]struct {
		a, b *source.Match
		want string
	}{
		"by key, whatever the id": {match(session("k", "1", "")), match(session("k", "2", "")), "1=2"},
		"by id, if the keys differ": {
			match(session("k", "1", "")), match(session("other", "1", ""), session("k2", "2", "")), "1=1 none=2",
		},
		"a key wins over an id": {
			match(session("k", "1", "")), match(session("x", "1", ""), session("k", "2", "")), "1=2 none=1",
		},
		"an archive, if there is nothing else": {match(session("k", "1", "")), match(session("", "1", ".r")), "1=1.r"},
		"an archive of A":                      {match(session("", "1", ".r")), match(session("k", "1", "")), "1.r=1"},
		"nothing in common":                    {match(session("k", "1", "")), match(session("l", "2", "")), "1=none none=2"},
	} {
		if got := strings.Join(describe(PairAll(c.a, c.b)), " "); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// A session without a name that the place knows is recognized by the id in its header.
func TestPairOne(t *testing.T) {
	header := `{"type":"session","version":3,"id":"2","timestamp":"2026-05-04T14:53:00.000Z"}` + "\n"
	path := filepath.Join(t.TempDir(), "copy.jsonl")
	testkit.Write(t, path, header)
	named := &source.Match{ByName: true, Sessions: []*source.Session{source.File(path)}}
	place := match(session("k", "1", ""), session("l", "2", ""))
	if p, err := PairOne(t.Context(), named, place); err != nil || p.A != named.Sessions[0] || p.B != place.Sessions[1] {
		t.Error(p, err)
	}
	if p, err := PairOne(t.Context(), place, named); err != nil || p.A != place.Sessions[1] || p.B != named.Sessions[0] {
		t.Error(p, err)
	}
	other := match(session("k", "1", ""), session("m", "3", ""))
	if p, err := PairOne(t.Context(), named, other); err != nil || p.B != nil {
		t.Error(p, err)
	}
	gone := &source.Match{ByName: true, Sessions: []*source.Session{source.File("missing.jsonl")}}
	var side *SideError
	if _, err := PairOne(t.Context(), place, gone); !errors.As(err, &side) || !side.InB {
		t.Error(err)
	}
}

func TestSelection(t *testing.T) {
	sums := &Sums{A: 3, B: 3, Same: 1, Changed: 1, Removed: 1, Added: 1}
	both := Pair{session("k", "1", ""), session("k", "1", "")}
	archived := Pair{session("k", "1", ""), session("k", "1", ".r")}
	for _, c := range []struct {
		only      Selection
		result    Result
		different bool
		sentence  string
	}{
		{nil, Result{Pair: both, Sums: *sums}, true, "1 the same, 1 only in A, 1 only in B, 1 changed."},
		{Selection{"changed"}, Result{Pair: both, Sums: *sums}, true, "1 changed."},
		{Selection{"moved", "renumbered"}, Result{Pair: both, Sums: *sums}, false, "Nothing moved or renumbered."},
		{nil, Result{Pair: both, Sums: Sums{Same: 2, Respelled: 1}}, false, "The same content (1 written differently)."},
		{nil, Result{Pair: both, Sums: Sums{Renumbered: 2}}, true, "The same content, 2 records renumbered."},
		{nil, Result{Pair: archived}, true, "The same content."},
		{Selection{"removed"}, Result{Pair: archived}, false, "The same content."},
		{Selection{"removed"}, Result{Pair: Pair{A: both.A}}, true, "The same content."},
		{Selection{"removed"}, Result{Pair: Pair{B: both.B}}, false, "The same content."},
		{Selection{"added"}, Result{Pair: Pair{B: both.B}}, true, "The same content."},
	} {
		if got := c.only.IsDifferent(&c.result); got != c.different {
			t.Errorf("%v %+v: different is %v", c.only, c.result.Sums, got)
		}
		if got := c.only.Sentence(&c.result.Sums); got != c.sentence {
			t.Errorf("%v: %s, want %s", c.only, got, c.sentence)
		}
	}
}

func TestPlaceSums(t *testing.T) {
	a, b, archive := session("k", "1", ""), session("k", "1", ""), session("k", "1", ".r")
	list := []Result{
		{Pair: Pair{a, b}}, {Pair: Pair{a, archive}}, {Pair: Pair{a, b}, Sums: Sums{Renumbered: 1}},
		{Pair: Pair{a, b}, Sums: Sums{Changed: 1}}, {Pair: Pair{A: a}}, {Pair: Pair{B: b}},
		{Pair: Pair{a, b}, Err: errors.New("gone")},
	}
	var rows []SumsRow
	var statuses []string
	for i := range list {
		rows = append(rows, NewSumsRow(&list[i]))
		statuses = append(statuses, rows[i].statusWords())
	}
	want := []string{
		"the same", "of another kind (live in A, reset in B)", "renumbered", "different", "only in A", "only in B",
		"unreadable",
	}
	if !slices.Equal(statuses, want) {
		t.Errorf("%q", statuses)
	}
	sums := NewPlaceSums(rows)
	const sentence = "7 sessions: 1 the same, 1 of another kind, 1 renumbered, 1 different, 1 only in A, 1 only in B, " +
		"1 unreadable."
	if got := sums.Sentence(); got != sentence || rows[6].Error != "gone" {
		t.Error(got)
	}
	if row := NewSummaryRow(&list[1]); row.Status != "same" || !row.Summary || row.Session != "" {
		t.Errorf("%+v", row)
	}
}
