package search

import (
	"math/rand/v2"
	"strings"
	"testing"

	"clawctl/pkg/change/secrets"
	"clawctl/pkg/source"
	"clawctl/pkg/tokens"
)

// An answer is never larger than its budget, and has whole messages as long as they fit.
func TestAnswerFits(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	s := &source.Session{Key: "agent:main:main"}
	for range 300 {
		budget := 1 + r.IntN(300)
		a := Answer{Budget: budget, Count: tokens.O200K.Count, Head: AnswerHead, Write: Citation.Markdown}
		for range r.IntN(6) {
			h := RankedHit{Whole: randomSentences(r)}
			h.Best = Span{r.IntN(len(h.Whole)), len(h.Whole)}
			a.Add(s, h)
		}
		text := a.Text() + a.Note()
		if n := tokens.O200K.Count(text); a.Shown > 0 && n > budget {
			t.Fatalf("%d tokens, the budget is %d:\n%s", n, budget, text)
		}
	}
}

func randomSentences(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(8) {
		for range 1 + r.IntN(12) {
			b.WriteString([]string{"battery ", "部署", "of_the ", "ghp ", "x", "\n", "Zürich "}[r.IntN(7)])
		}
		b.WriteString(". ")
	}
	return b.String()
}

func TestPiecesAround(t *testing.T) {
	const text = "One. Two. Three. Four."
	best := strings.Index(text, " Three")
	var got []string
	for _, p := range piecesAround(text, Span{best, best + 7}) {
		got = append(got, text[p.Start:p.End])
	}
	want := []string{" Three.", " Three. Four.", " Two. Three. Four.", "One. Two. Three. Four."}
	if strings.Join(got, "|") != strings.Join(want, "|") {
		t.Errorf("%q", got)
	}
}

// A range stays where it was when keys before, in and after it are masked.
func TestMaskedText(t *testing.T) {
	const text = "aaa KEY bbb KEY ccc"
	places := []secrets.Span{{Start: 4, End: 7}, {Start: 12, End: 15}}
	masked, at := maskedText(text, places, Span{8, 15})
	if !strings.HasPrefix(masked[at.Start:], "bbb ") || strings.Contains(masked, "KEY") || masked[at.End:] != " ccc" {
		t.Errorf("%q, %q", masked, masked[at.Start:at.End])
	}
}
