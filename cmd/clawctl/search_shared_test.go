package main

import (
	"fmt"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"clawctl/internal/longtest"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	finder "clawctl/pkg/read/search"
)

// hitSet is the set of the entries and parts that were found, by session id.
type hitSet map[string]map[string]bool

func newHitSet(hits []finder.HitRow) hitSet {
	set := hitSet{}
	for _, h := range hits {
		if set[h.ID] == nil {
			set[h.ID] = map[string]bool{}
		}
		set[h.ID][fmt.Sprintf("%s/%d %s", h.Entry, h.Part, h.In)] = true
	}
	return set
}

// all returns what was found in any session. Copies are found in one of several sessions with the same record.
func (s hitSet) all() map[string]bool {
	all := map[string]bool{}
	for _, found := range s {
		maps.Copy(all, found)
	}
	return all
}

// compareSets reports what only one of two sets has.
func compareSets(t *testing.T, what string, before, after map[string]bool) {
	t.Helper()
	for hit := range before {
		if !after[hit] {
			t.Errorf("%s: %s is no longer found", what, hit)
		}
	}
	for hit := range after {
		if !before[hit] {
			t.Errorf("%s: %s is found only afterwards", what, hit)
		}
	}
}

// sharedWords returns words and phrases from the transcripts below a folder, the same ones every time.
func sharedWords(t *testing.T, folder string, n int) (words []string) {
	t.Helper()
	var texts []string
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !transcriptName.MatchString(entry.Name()) {
			return err
		}
		in, err := os.Open(path)
		if err != nil {
			return err
		}
		defer in.Close()
		var maker parts.Maker
		for rec, err := range jsonl.Records(in, jsonl.Options{}) {
			if err != nil {
				return err
			}
			if e := maker.Entry(rec); e != nil && rec.Legible() {
				for i := range e.Parts {
					texts = append(texts, finder.Text(&e.Parts[i]))
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	r := rand.New(rand.NewPCG(5, 6))
	for len(words) < n {
		fields := strings.FieldsFunc(texts[r.IntN(len(texts))], func(c rune) bool { return unicode.IsSpace(c) })
		if len(fields) == 0 {
			continue
		}
		at := r.IntN(len(fields))
		word := strings.Join(fields[at:min(len(fields), at+1+r.IntN(2))], " ")
		words = append(words, word[:min(len(word), 40)])
	}
	return words
}

// sharedPatterns is how many patterns are searched in all of the shared transcripts.
func sharedPatterns() int {
	if longtest.IsLong() {
		return 15
	}
	return 1
}

// The same parts are found in OpenClaw's transcripts before and after its migration to databases, in all kinds of
// sessions. Each session in a database has the hits that its file had.
func TestSearchFindsTheSameAfterMigration(t *testing.T) {
	t.Parallel()
	before, after := sharedTranscripts+"/openclaw-jsonl", sharedTranscripts+"/openclaw-sqlite"
	if _, err := os.Stat(after); err != nil {
		t.Skip("no real transcripts here")
	}
	if raceDetector {
		t.Skip("SQLite takes minutes with the race detector")
	}
	databases, _ := filepath.Glob(after + "/agents/*/agent/openclaw-agent.sqlite")
	found, sessions := 0, map[string]bool{}
	for _, word := range sharedWords(t, before, sharedPatterns()) {
		search := func(kind string, sources ...string) hitSet {
			args := []string{"--in", "all", "-i", "--kind", kind, "--", strings.ToValidUTF8(word, "")}
			return newHitSet(searchHits(t, append(args, sources...)...))
		}
		compareSets(t, word, search("all", before).all(), search("all", after).all())
		live := search("live", before)
		for id, hits := range search("live", databases...) {
			compareSets(t, word+" in "+id, live[id], hits)
			found, sessions[id] = found+len(hits), true
		}
	}
	if found < 20 || len(sessions) < 5 {
		t.Errorf("only %d hits in %d sessions of databases", found, len(sessions))
	}
	t.Logf("%d hits in %d sessions of databases", found, len(sessions))
}

// A newer schema holds the same sessions.
func TestSearchFindsTheSameInSchema24(t *testing.T) {
	const database = "/agents/course/agent/openclaw-agent.sqlite"
	newer := sharedTranscripts + "/openclaw-sqlite-24" + database
	if _, err := os.Stat(newer); err != nil {
		t.Skip("no real transcripts here")
	}
	for _, word := range []string{"e", "error", "config", "を"} {
		older := newHitSet(searchHits(t, word, sharedTranscripts+"/openclaw-sqlite"+database))
		compareSets(t, word, older.all(), newHitSet(searchHits(t, word, newer)).all())
	}
}

// show opens what search finds, in every kind of place. Of each session, some hits are tried.
func TestShowOpensHits(t *testing.T) {
	needsAllNames(t)
	t.Parallel()
	if _, err := os.Stat(sharedTranscripts); err != nil {
		t.Skip("no real transcripts here")
	}
	tried := 0
	patterns := []string{"e", "error", "the"}
	if !longtest.IsLong() {
		patterns = patterns[:1]
	}
	for _, pattern := range patterns {
		bySession := map[string][]finder.HitRow{}
		for _, h := range searchHits(t, "--in", "all", "--kind", "all", pattern, sharedTranscripts) {
			if h.Entry != "" {
				bySession[placeOfHit(h)] = append(bySession[placeOfHit(h)], h)
			}
		}
		for _, place := range slices.Sorted(maps.Keys(bySession)) {
			hits := bySession[place]
			for _, h := range []finder.HitRow{hits[0], hits[len(hits)/2]}[longtest.Step(2)-1:] {
				exit, stdout, stderr := inProcess("", "show", place, "--around", h.Entry, "-C", "1")
				if exit != 0 && exit != 3 || !strings.Contains(stdout, "▶ entry "+h.Entry) {
					t.Errorf("show %s --around %s: exit %d: %s", place, h.Entry, exit, stderr)
				}
				tried++
			}
		}
	}
	t.Logf("%d hits opened", tried)
	if tried < 50 {
		t.Errorf("only %d hits tried", tried)
	}
}

// placeOfHit returns how the session of a hit is named to show.
func placeOfHit(h finder.HitRow) string {
	if strings.HasSuffix(h.Path, ".sqlite") {
		return h.Path + "#" + h.Session
	}
	return h.Path
}
