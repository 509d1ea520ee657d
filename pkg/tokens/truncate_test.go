package tokens

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

// words is a token counter that counts words and lines, which makes the numbers easy to check by hand.
type words struct{}

func (words) Count(text string) int { return len(strings.Fields(text)) + strings.Count(text, "\n") }

func TestTruncate(t *testing.T) {
	const tail = "\n\n[... truncated (%d chars total, showing first %d) ...]"
	for _, test := range []struct {
		texts []string
		limit int
		want  []string // nil if unchanged
	}{
		{[]string{"a b c"}, 3, nil},
		{nil, 0, nil},
		{[]string{""}, 0, nil},
		{[]string{"a b\nc d\ne f\ng h\ni j\nk l\nm n"}, 18, []string{"a b\nc d" + fmt.Sprintf(tail, 27, 7)}},
		{[]string{"a b\nc d\ne f\ng h\ni j\nk l\nm n"}, 1, []string{"[... truncated (27 chars total, showing first 0) ...]"}},
		{[]string{"ä b c d e f g h i j k l m n o p q r"}, 16, []string{"ä b c d e " + fmt.Sprintf(tail, 35, 10)}},
		{[]string{"a", strings.Repeat("b ", 50), "c"}, 20, []string{"a", strings.Repeat("b ", 8) +
			fmt.Sprintf(tail, 102, 17), ""}},
		{[]string{"a b c", "d", strings.Repeat("e ", 50)}, 10,
			[]string{"[... truncated (106 chars total, showing first 0) ...]", "", ""}},
	} {
		got, cut := Truncate(test.texts, words{}, test.limit)
		want := test.want
		if want == nil {
			want = test.texts
		}
		if cut != (test.want != nil) || strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%q to %d: got\n%q, want\n%q", test.texts, test.limit, got, want)
		}
	}
}

// FuzzTruncate checks that a truncated text fits, keeps its beginning, and ends after a line if possible.
func FuzzTruncate(f *testing.F) {
	f.Add("one\ntwo\nthree\n", "four", uint16(30))
	f.Add(strings.Repeat("a very long line ", 400), "", uint16(100))
	f.Add("\ntwo\nthre", "f\x7fur", uint16(0))
	f.Add("\n\n\r\n"+strings.Repeat("é", 5000)+"\nx", "y", uint16(99))
	f.Fuzz(func(t *testing.T, first, second string, limit uint16) {
		first, second = strings.ToValidUTF8(first, "?"), strings.ToValidUTF8(second, "?")
		for _, c := range []Counter{CL100K, Heuristic{}} {
			short, cut := Truncate([]string{first, second}, c, int(limit))
			used := c.Count(short[0]) + c.Count(short[1])
			if !cut {
				if short[0] != first || short[1] != second || used > int(limit) {
					t.Errorf("%d tokens were not cut to %d", used, limit)
				}
				continue
			}
			if used > int(limit) && limit > 40 {
				t.Errorf("%d tokens, want at most %d: %q", used, limit, short)
			}
			whole := strings.Join(short, "")
			head, rest, found := strings.Cut(whole, "[... truncated (")
			var total, shown int
			if _, err := fmt.Sscanf(rest, "%d chars total, showing first %d) ...]", &total, &shown); err != nil || !found ||
				total != utf8.RuneCountInString(first+second) {
				t.Fatalf("%q: %v", whole, err)
			}
			head = strings.TrimSuffix(head, "\n\n")
			if !strings.HasPrefix(first+second, head) || !utf8.ValidString(head) ||
				!strings.Contains(first+second, "[... truncated") && utf8.RuneCountInString(head) != shown {
				t.Errorf("%q is not the beginning, or not %d characters", head, shown)
			}
		}
	})
}
