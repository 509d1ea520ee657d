package diff

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// marked writes edits as they are shown without colour.
func marked(list []edit) string {
	var b strings.Builder
	for _, e := range list {
		switch e.Op {
		case Delete:
			b.WriteString("[-" + e.Text + "-]")
		case insert:
			b.WriteString("{+" + e.Text + "+}")
		default:
			b.WriteString(e.Text)
		}
	}
	return b.String()
}

func TestWords(t *testing.T) {
	for _, c := range []struct{ a, b, want string }{
		{"", "", ""},
		{"same", "same", "same"},
		{"", "new", "{+new+}"},
		{"old", "", "[-old-]"},
		{"the quick brown fox", "the slow brown fox", "the [-quick-]{+slow+} brown fox"},
		{"a b c d e", "a x y d e", "a [-b c-]{+x y+} d e"},
		{"one two three", "one three", "one [-two -]three"},
		{"see f(x), then stop", "see f(y), then stop", "see f([-x-]{+y+}), then stop"},
		{"first line\nsecond line\n", "first line\nthird line\n", "first line\n[-second-]{+third+} line\n"},
		{"我们明天去北京", "我们今天去北京", "我们[-明-]{+今+}天去北京"},
		{"nothing here is alike", "apples, pears: 7/8", "[-nothing here is alike-]{+apples, pears: 7/8+}"},
	} {
		if got := marked(words(c.a, c.b)); got != c.want {
			t.Errorf("%q and %q:\ngot  %s\nwant %s", c.a, c.b, got, c.want)
		}
	}
}

// checkEdits checks that edits make both texts, and are in order.
func checkEdits(t *testing.T, a, b string) {
	t.Helper()
	var before, after strings.Builder
	list := words(a, b)
	for i, e := range list {
		if e.Text == "" || i > 0 && (list[i-1].Op == e.Op || list[i-1].Op == insert && e.Op == Delete) {
			t.Fatalf("edit %d of %q and %q: %v", i, a, b, list)
		}
		if e.Op != insert {
			before.WriteString(e.Text)
		}
		if e.Op != Delete {
			after.WriteString(e.Text)
		}
	}
	if before.String() != a || after.String() != b {
		t.Fatalf("%q and %q: %v", a, b, list)
	}
	if a == b && len(list) > 1 {
		t.Fatalf("%q: %v", a, list)
	}
}

func FuzzWords(f *testing.F) {
	f.Add("the quick brown fox", "the slow brown dog", uint16(1))
	f.Add("a\nb\nc\n", "a\nc\nb\n", uint16(900))
	f.Add("é\xff 日本", "\xff é 日", uint16(3))
	f.Fuzz(func(t *testing.T, a, b string, repeat uint16) {
		checkEdits(t, a, b)
		long := strings.Repeat(a, int(repeat%64))
		checkEdits(t, long+b, b+long)
	})
}

// shortest is the length of a shortest script, from the table of all prefixes.
func shortest(a, b []int32) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before := row[0]
		row[0] = i + 1
		for j := range b {
			cost := min(row[j], row[j+1]) + 1
			if a[i] == b[j] {
				cost = before
			}
			before, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// Small scripts are shortest ones, and what is kept is the same on both sides.
func TestScriptIsShortest(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		a, b := make([]int32, random.IntN(30)), make([]int32, random.IntN(30))
		for _, list := range [][]int32{a, b} {
			for i := range list {
				list[i] = int32(random.IntN(1 + random.IntN(8)))
			}
		}
		s := newScript(a, b)
		var keptA, keptB []int32
		for i, x := range a {
			if !s.deleted[i] {
				keptA = append(keptA, x)
			}
		}
		for j, x := range b {
			if !s.inserted[j] {
				keptB = append(keptB, x)
			}
		}
		edits := len(a) + len(b) - len(keptA) - len(keptB)
		if fmt.Sprint(keptA) != fmt.Sprint(keptB) || edits != shortest(a, b) {
			t.Fatalf("%v and %v: kept %v and %v with %d edits, want %d", a, b, keptA, keptB, edits, shortest(a, b))
		}
	}
}

// The steps of a search are bounded by the size of its lists, however little they have in common.
func TestScriptIsBounded(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	a, b := make([]int32, 60_000), make([]int32, 60_000)
	for i := range a {
		a[i], b[i] = int32(random.IntN(50)), int32(random.IntN(50))
	}
	s := newScript(a, b)
	if least := -2 * (len(a) + len(b)); s.steps < least {
		t.Errorf("the search took %d steps too many", least-s.steps)
	}
}

// A long text is compared line by line, and then the lines that differ word by word.
func TestWordsOfLongText(t *testing.T) {
	var a, b strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&a, "This is line %d of the text.\n", i)
		if i%5000 == 100 {
			fmt.Fprintf(&b, "This was line %d of the text.\n", i)
			continue
		}
		fmt.Fprintf(&b, "This is line %d of the text.\n", i)
	}
	checkEdits(t, a.String(), b.String())
	changes := 0
	for _, e := range words(a.String(), b.String()) {
		if e.Op == insert && e.Text == "was" {
			changes++
		}
	}
	if changes != 4 {
		t.Errorf("got %d changed words, want 4", changes)
	}
}
