package ui

import (
	"encoding/csv"
	"reflect"
	"strings"
	"testing"
	"unicode"
)

func TestNeutralCell(t *testing.T) {
	for _, cell := range []string{
		"=1", "+1", "@x", "-x", "-", "--1", "-1+2", "-1e", "-.5", "-1.", "-1\n", "＝1", "＋1", "－1", "＠x", "﹦1", "−1",
		" =1", "\t", "\tx", "\rx", "\nx", "\n=1", "\u00a0=1", "\u200b=1", "\ufeff\u2060 @x", "\x00+1", "\ufe0f=1",
		"\u3164=1", `"=1"`, `'=1`, `''=1`, "`=1", "“=1”", `" ' =1`, "\"\t", "\xff=1",
	} {
		if got := NeutralCell(cell); got != "'"+cell {
			t.Errorf("%q became %q", cell, got)
		}
	}
	for _, cell := range []string{
		"", "a=1", "１", "\u200ba", "'", "'a", `"a" = b`, "1-1", "-5", "-0.25", "-1e9", "-1.5E-7", "-1e+3", "\ufffd=1",
	} {
		if got := NeutralCell(cell); got != cell {
			t.Errorf("%q became %q", cell, got)
		}
	}
}

// A cell never begins like a formula, is what it was without the apostrophe, and survives a reader of CSV.
func FuzzCSV(f *testing.F) {
	for _, seed := range []string{"", "=1", "'=1", "-5", "\r\n=1", "\"\",\n", "\ufeff＝", "\xff-", `\.`} {
		f.Add(seed, "x")
		f.Add("x", seed)
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		var text strings.Builder
		w := NewCSV(&text)
		if err := w.Row([]string{a, b}); err != nil {
			t.Fatal(err)
		}
		if err := w.Flush(); err != nil {
			t.Fatal(err)
		}
		rows, err := csv.NewReader(strings.NewReader(text.String())).ReadAll()
		want := [][]string{{readBack(a), readBack(b)}}
		if err != nil || !reflect.DeepEqual(rows, want) {
			t.Fatalf("%q: %q, %v, want %q", text.String(), rows, err, want)
		}
		for i, original := range []string{a, b} {
			checkNeutral(t, original, NeutralCell([]string{a, b}[i]))
		}
	})
}

// readBack is what encoding/csv makes of a cell: it turns CR LF into LF.
func readBack(cell string) string { return strings.ReplaceAll(NeutralCell(cell), "\r\n", "\n") }

func checkNeutral(t *testing.T, original, cell string) {
	first := strings.TrimLeftFunc(cell, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) })
	if first != "" && strings.ContainsAny(first[:1], "=+@") || strings.HasPrefix(first, "-") && !isPlainNumber(cell) {
		t.Errorf("%q is still a formula: %q", original, cell)
	}
	undone := cell
	if rest, ok := strings.CutPrefix(cell, "'"); ok && NeutralCell(rest) == cell {
		undone = rest
	}
	if undone != original {
		t.Errorf("%q became %q, which is read as %q", original, cell, undone)
	}
}
