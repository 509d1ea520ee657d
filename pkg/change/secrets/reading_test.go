package secrets

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// The keywords that a reading carries over are all that its plain form has, and matches lead back to where they are.
func TestCarry(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	x := standard().index
	pieces := []string{`\n`, `\"`, `\u0041`, `\u0070ass=`, "%20", "%3D", "+", "&quot;", "&amp;", "\n", "\\\n  ", "a", " ",
		": ", strings.Repeat("wide ", 13), "Ab9"}
	for _, k := range x.keywords {
		pieces = append(pieces, k.text, k.text[:len(k.text)/2], k.text[len(k.text)/2:])
	}
	changed := 0
	for range 6000 {
		var b strings.Builder
		for range 1 + random.IntN(40) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		text := []byte(b.String())
		sights := x.appendSights(nil, text, 0)
		for number := range views {
			var p reading
			if p.open(&views[number], text); len(p.steps) == 0 {
				continue
			}
			changed++
			p.carry(x, sights, &x.pairs)
			if want := x.appendSights(nil, p.plain, 0); !slices.Equal(p.sights, want) {
				t.Fatalf("view %d of %q: %d keywords, want %d", number, text, len(p.sights), len(want))
			}
			whole := p.back([]Match{{Start: 0, End: len(p.plain)}})[0]
			if last := p.steps[len(p.steps)-1]; whole.Start != 0 || whole.End != len(text) && last.at+last.n != len(text) {
				t.Fatalf("view %d of %q: leads back to %d to %d", number, text, whole.Start, whole.End)
			}
		}
	}
	if changed < 3000 {
		t.Errorf("only %d texts have another plain form", changed)
	}
}
