package secrets

import (
	"math/rand/v2"
	"regexp/syntax"
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
	encoded := len(pieces)
	for _, k := range x.keywords {
		pieces = append(pieces, k.text, k.text[:len(k.text)/2], k.text[len(k.text)/2:])
	}
	changed := 0
	for range 9000 {
		var b strings.Builder
		for range 1 + random.IntN(40) {
			from := pieces
			if random.IntN(3) == 0 {
				from = pieces[:encoded]
			}
			b.WriteString(from[random.IntN(len(from))])
		}
		text := []byte(b.String())
		sights := x.appendSights(nil, text, 0)
		for number := range views {
			var r reading
			v := &views[number]
			p := new(page)
			p.open(text)
			if !v.may(p) {
				continue
			}
			if r.steps = v.steps(p, nil); len(r.steps) == 0 {
				continue
			}
			changed++
			r.read(p)
			r.carry(x, sights)
			if want := x.appendSights(nil, r.plain.text, 0); !slices.Equal(r.plain.sights, want) {
				t.Fatalf("view %d of %q: %d keywords, want %d", number, text, len(r.plain.sights), len(want))
			}
			whole := r.back([]Match{{Start: 0, End: len(r.plain.text)}})[0]
			if last := r.steps[len(r.steps)-1]; whole.Start != 0 || whole.End != len(text) && last.at+last.n != len(text) {
				t.Fatalf("view %d of %q: leads back to %d to %d", number, text, whole.Start, whole.End)
			}
		}
	}
	if changed < 3000 {
		t.Errorf("only %d texts have another plain form", changed)
	}
}

// Marked keys have no spaces, which is what the quick look for them takes for granted.
func TestMarkedKeysHaveNoSpaces(t *testing.T) {
	for _, r := range Rules() {
		if !r.isMarked {
			continue
		}
		if r.left != boundary {
			t.Errorf("%s: more than a boundary is before a marked key", r.Name)
		}
		parsed, err := syntax.Parse(r.Pattern, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		for _, space := range " \n\t\r" {
			if hasRune(parsed, space) {
				t.Errorf("%s may have %q inside", r.Name, space)
			}
		}
	}
}

// hasRune reports whether a pattern may match a character.
func hasRune(p *syntax.Regexp, r rune) bool {
	switch p.Op {
	case syntax.OpLiteral:
		return slices.Contains(p.Rune, r)
	case syntax.OpCharClass:
		for i := 0; i < len(p.Rune); i += 2 {
			if p.Rune[i] <= r && r <= p.Rune[i+1] {
				return true
			}
		}
	case syntax.OpAnyChar:
		return true
	case syntax.OpAnyCharNotNL:
		return r != '\n'
	}
	return slices.ContainsFunc(p.Sub, func(sub *syntax.Regexp) bool { return hasRune(sub, r) })
}
