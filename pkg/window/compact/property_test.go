package compact

import (
	"context"
	"io/fs"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/rebuild/rebuildtest"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window"
)

// A session is a transcript that a test reads.
type session struct {
	t       *testing.T
	text    string
	index   *rebuild.Index
	context *rebuild.Context
}

// read returns nil if the text is not a transcript.
func read(t *testing.T, text string) *session {
	t.Helper()
	s := &session{t: t, text: text}
	var err error
	if s.index, err = rebuild.Scan(s.reader(), nil); err != nil || s.index.Dialect.CheckOwner() != nil {
		return nil
	}
	if s.context, err = s.index.Context(""); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *session) reader() *jsonl.Reader {
	return jsonl.NewReader(strings.NewReader(s.text), jsonl.Options{})
}

func (s *session) records() iter.Seq2[*jsonl.Record, error] { return s.reader().All() }

func (s *session) look() *Survey {
	s.t.Helper()
	survey, err := NewSurvey(s.context, nil, s.records, tokens.Heuristic{})
	if err != nil {
		s.t.Fatal(err)
	}
	return survey
}

// messages returns the ids of the model's context without its prompt, and whether a summary comes first.
func (s *session) messages() (ids []string, summary bool) {
	s.t.Helper()
	err := s.context.Measure(s.records(), tokens.Heuristic{}, func(m rebuild.Measurement) {
		if m.Role == "summary" && len(ids) == 0 && !summary && s.isBoundary(m.Line) {
			summary = true
			return
		}
		if m.Role != jsonl.RoleSystem { // the compaction holds the prompt
			ids = append(ids, m.Entry)
		}
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return ids, summary
}

// isBoundary reports whether a summary is that of a compaction, not of a branch.
func (s *session) isBoundary(line int64) bool {
	return regexp.MustCompile(`"type": ?"compaction"`).MatchString(strings.Split(s.text, "\n")[line-1])
}

// parted returns the entries that have a call without its result, or a result without its call.
func (s *session) parted() map[string]bool {
	entries := map[string]bool{}
	for _, fix := range s.context.Conversation(rebuild.LimitsOf("anthropic")).Fixes {
		switch fix.Code {
		case rebuild.NoCall, rebuild.NoResult, rebuild.ResultFirst:
			entries[fix.Entry] = true
		}
	}
	return entries
}

var stampOf = func() Stamp {
	return Stamp{Now: time.Date(2026, 11, 1, 10, 0, 0, 0, time.UTC), Random: rand.NewChaCha8([32]byte{7})}
}

// checkPlan checks that a plan loses no message, keeps calls with their results, and matches what is rebuilt.
func (s *session) checkPlan(survey *Survey, p *Plan) {
	s.t.Helper()
	before, _ := s.messages()
	passed := survey.passedOver()
	if p.Summarized+p.Kept != survey.CountMessages() || s.index.HasTree() && passed+p.Summarized+p.Kept != len(before) {
		s.t.Errorf("%v: %d summarized, %d kept, %d messages", p.Keep, p.Summarized, p.Kept, len(before))
	}
	if p.keepsEverything() || !s.index.HasTree() || s.index.HasMadeUpIDs() {
		return
	}
	c := &Compaction{Plan: p, Summary: strings.Repeat("what was said before. ", 3)}
	record, err := c.Record(s.context.Leaf, stampOf())
	if err != nil {
		s.t.Fatal(err)
	}
	later := `{"type":"message","id":"later","parentId":"` + idOf(string(record)) +
		`","timestamp":"2026-11-01T10:00:01.000Z","message":{"role":"user","content":"Go on."}}` + "\n"
	after := read(s.t, strings.TrimSuffix(s.text, "\n")+"\n"+string(record)+later)
	got, summary := after.messages()
	if want := append(slices.Clone(before[passed+p.Summarized:]), "later"); !summary || !slices.Equal(got, want) {
		s.t.Errorf("%v, cut before %s: rebuilt %v, want %v, summary %v", p.Keep, p.FirstKeptID, got, want, summary)
	}
	parted := s.parted()
	for entry := range after.parted() {
		if !parted[entry] {
			s.t.Errorf("%v, cut before %s: %s separates a call from its result", p.Keep, p.FirstKeptID, entry)
		}
	}
}

// passedOver counts the messages that OpenClaw does not count, because its last compaction keeps an entry whose id
// stands behind it once more. They are summarized all the same.
func (s *Survey) passedOver() (n int) {
	for i := range s.stretch.Start() {
		if s.isMessage(i) && !s.steps[i].Counted {
			n++
		}
	}
	return n
}

func idOf(record string) string {
	return regexp.MustCompile(`"id":"([^"]+)"`).FindStringSubmatch(record)[1]
}

var everyKeep = []Keep{{Tokens, 20_000}, {Tokens, 300}, {Tokens, 20}, {Tokens, 3}, {Percent, 50}, {Percent, 90},
	{Messages, 2}, {Messages, 20}, {Unit: Claw0}}

// checkPlans checks the plans for every value of --keep, and from the checkpoint if there is one.
func (s *session) checkPlans() bool {
	s.t.Helper()
	survey := s.look()
	for _, keep := range everyKeep {
		s.checkPlan(survey, survey.Plan(keep))
	}
	p := survey.planFromCheckpoint()
	if p == nil {
		return false
	}
	s.checkPlan(survey, p)
	for i := survey.Checkpoint.Covers + 1; i < p.First; i++ {
		if survey.isMessage(i) {
			s.t.Errorf("%s is neither covered by the checkpoint nor kept", survey.stretch.ID(i))
		}
	}
	return !p.keepsEverything()
}

// withCheckpoint inserts a checkpoint after a random line.
func withCheckpoint(text string, seed uint64) string {
	lines := strings.SplitAfter(text, "\n")
	at := 1 + rand.New(rand.NewPCG(seed, 2)).IntN(len(lines)-2)
	return strings.Join(lines[:at+1], "") + `{"type":"checkpoint","id":"k1","parentId":"` + idOf(lines[at]) +
		`","timestamp":"2026-05-01T10:00:00.000Z","checkpoint":{"summary":"what was said before the checkpoint",` +
		`"tokensAtCheckpoint":9}}` + "\n" + strings.Join(lines[at+1:], "")
}

// No plan loses a message or separates a call from its result, whatever the transcript.
func TestPlansOfRandomTranscripts(t *testing.T) {
	fast, seeds := 0, uint64(longtest.Rounds(t, "CLAWCTL_ROUNDS", 150, 2000))
	for seed := range seeds {
		text := withCheckpoint(string(rebuildtest.Transcript(seed)), seed)
		if read(t, text).checkPlans() {
			fast++
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, text)
		}
	}
	if fast < int(seeds)/10 {
		t.Errorf("only %d plans from a checkpoint", fast)
	}
}

// Whoever's rules cut whoever's transcript, a call stays with its result.
func TestPlansLikeOtherPrograms(t *testing.T) {
	for seed := range uint64(60) {
		for _, text := range [][]byte{randomTranscript(seed), sizedTranscript(seed)} {
			s := read(t, string(text))
			for _, name := range rebuild.Likes {
				survey, err := NewSurvey(s.context, rebuild.LikeNamed(name), s.records, tokens.Heuristic{})
				if err != nil {
					t.Fatal(err)
				}
				for _, keep := range everyKeep {
					p := survey.Plan(keep)
					if !p.keepsEverything() && p.First > survey.firstMessage() && !survey.separatesNothing(p.First) {
						t.Errorf("seed %d, %v like %s: cut before %s", seed, keep, name, p.FirstKeptID)
					}
				}
			}
		}
	}
}

// FuzzPlan checks the plans of as many random transcripts as time allows.
func FuzzPlan(f *testing.F) {
	f.Fuzz(func(t *testing.T, seed uint64) {
		read(t, withCheckpoint(string(rebuildtest.Transcript(seed)), seed)).checkPlans()
	})
}

var transcriptName = regexp.MustCompile(`\.jsonl($|\.(reset|deleted|bak|imported)|\.bak)`)

// realTranscripts lists the real transcripts on this machine. A test without any is skipped.
func realTranscripts(t *testing.T) (files []string) {
	t.Helper()
	const shared = "../../../../shared/transcripts"
	if _, err := os.Stat(shared); err != nil {
		t.Skip("no real transcripts here")
	}
	err := filepath.WalkDir(shared, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && transcriptName.MatchString(entry.Name()) {
			files = append(files, path)
		}
		return err
	})
	if err != nil || len(files) < 100 {
		t.Fatal(len(files), "transcripts", err)
	}
	return files
}

// The plans of every real transcript have the same properties.
func TestPlansOfRealTranscripts(t *testing.T) {
	if testing.Short() {
		t.Skip("a short run")
	}
	for i, path := range realTranscripts(t) {
		if (i+1)%5 > 0 && !longtest.IsLong() {
			continue
		}
		if s := read(t, string(testkit.Read(t, path))); s != nil {
			s.checkPlans()
		}
		if t.Failed() {
			t.Fatalf("in %s", path)
		}
	}
}

// After a compaction the context is as large as its record says.
func TestTokensAfter(t *testing.T) {
	for seed := range uint64(400) {
		s := read(t, string(randomTranscript(seed)))
		c, err := s.look().Compact(context.Background(), s.records, Options{Keep: Keep{Messages, 3}, Offline: true})
		if err != nil {
			continue
		}
		record, _ := c.Record(s.context.Leaf, stampOf())
		if after := read(t, s.text+string(record)).look(); after.Fill.Current() != c.TokensAfter {
			t.Errorf("seed %d: %d tokens, the record says %d", seed, after.Fill.Current(), c.TokensAfter)
		}
	}
}

// randomTranscript returns a transcript of OpenClaw or pi.
func randomTranscript(seed uint64) []byte {
	if seed%2 == 0 {
		return rebuildtest.Transcript(seed / 2)
	}
	return rebuildtest.PiTranscript(seed / 2)
}

// A survey and the report of the context agree about its size, however often the prompt was patched.
func TestSurveySize(t *testing.T) {
	for seed := range uint64(400) {
		s := read(t, string(randomTranscript(seed)))
		usage, err := window.Measure(s.context, 0, s.records(), tokens.Heuristic{})
		if err != nil {
			t.Fatal(err)
		}
		if fill := s.look().Fill; fill != usage.Fill {
			t.Errorf("seed %d: the survey has %+v, the context %+v", seed, fill, usage.Fill)
		}
	}
}
