package secrets

import (
	"fmt"
	"testing"
)

// Thousands of texts may begin alike, have the same characters that JSON writes as they are, or have none of them. The
// time for each is the same then: few keywords share a gram, few rules share a keyword, and no rule looks at all texts.
func TestManyLiterals(t *testing.T) {
	for name, pattern := range map[string]string{
		"random": "%[1]x", "a long beginning": "sk-ant-api03-production-%[1]x",
		"a long end": "%[1]x-in-production-everywhere",
		"odd":        "Schlüssel/ключ/%[2]c%[3]c%[4]c", "in the middle": "é%[2]cproduction%[3]c%[4]cé",
	} {
		d := NewDetector().Clone()
		const count = 3000
		literal := func(i int) string {
			return fmt.Sprintf(pattern, uint64(i+1)*0x9e3779b97f4a7c15, 'а'+i%32, 'а'+i/32%32, 'а'+i/1024)
		}
		for i := range count {
			d.Add(Literal("value", literal(i)))
		}
		if len(d.loose) > 0 {
			t.Errorf("%s: %d rules look at every text", name, len(d.loose))
		}
		for _, k := range d.index.keywords {
			if len(k.rules) > 64 {
				t.Errorf("%s: %d rules have the keyword %s", name, len(k.rules), k.text)
			}
		}
		most := 0
		for _, first := range d.index.first {
			n := 0
			for at := first; at > 0; at = d.index.places[at-1].next {
				n++
			}
			most = max(most, n)
		}
		if most > mostSharing+8 {
			t.Errorf("%s: %d keywords share a gram", name, most)
		}
		for i := 0; i < count; i += 501 {
			text := "so " + literal(i) + ", yes"
			if found := d.Find([]byte(text)); len(found) != 1 || text[found[0].Start:found[0].End] != literal(i) {
				t.Errorf("%s: found %v in %s", name, found, text)
			}
		}
	}
}

// No keyword is lost if there are more than an index has room for.
func TestMoreLiteralsThanKeywords(t *testing.T) {
	d := NewDetector().Clone()
	const count = mostKeywords + 10
	for i := range count {
		d.Add(Literal("value", fmt.Sprintf("value%06d", i)))
	}
	for _, i := range []int{0, count / 2, count - 1} {
		if found := d.Find(fmt.Appendf(nil, "so value%06d, yes", i)); len(found) != 1 {
			t.Errorf("value %d is found %d times", i, len(found))
		}
	}
}
