package main

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// A long list looks like a short one.
func TestTableLayoutsAgree(t *testing.T) {
	words := []string{"", "a", "kettle", "日本語", "é", "a  b", " lead", "-5", "👩‍💻 x", "very long text that goes on and on"}
	r := rand.New(rand.NewPCG(5, 6))
	for range 200 {
		rep := &report{columns: []column{{"one", false}, {"two", true}, {"three", false}}}
		rows := [][]string{{"ONE", "TWO", "THREE"}}
		for range 1 + r.IntN(8) {
			rows = append(rows, []string{words[r.IntN(len(words))], words[r.IntN(len(words))], words[r.IntN(len(words))]})
		}
		small, err := rep.layOutSmall(rows)
		if err != nil {
			t.Fatal(err)
		}
		large, err := rep.layOutLarge(rows)
		if err != nil {
			t.Fatal(err)
		}
		if s, l := tidyLines(small, terminal{}), tidyLines(large, terminal{}); s != l {
			t.Fatalf("%q\n%s\n%s", rows, s, l)
		}
	}
}

func TestReportFormats(t *testing.T) {
	r := &report{columns: []column{{"name", false}, {"n", true}}}
	r.add(map[string]any{"a": "=1+1\x1b", "b": -5, "c": map[string]any{"d": nil, "e": 1.5}, "f": []int{1}}, "=1+1|`x`\x1b", "-5")
	if got := r.csv(); got != "a,b,c.d,c.e,f\n'=1+1\x1b,'-5,,1.5,[1]\n" {
		t.Errorf("%q", got)
	}
	if got := r.markdown(); got != "| name | n |\n| --- | ---: |\n| =1+1\\|\\`x\\`\\u001b | -5 |\n" {
		t.Errorf("%q", got)
	}
	if got, err := r.table(terminal{is: true, columns: 12}); err != nil || got != "NAME\n=1+1|`x`\\u…\n" && !strings.HasSuffix(got, "…\n") {
		t.Errorf("%q %v", got, err)
	}
}

func BenchmarkTable(b *testing.B) {
	rep := &report{columns: []column{{"key", false}, {"size", true}, {"title", false}}}
	for i := range 2000 {
		rep.add(nil, fmt.Sprint("agent:main:recovered:", i), "1.2 MB", "A title of some length")
	}
	for b.Loop() {
		if _, err := rep.table(terminal{}); err != nil {
			b.Fatal(err)
		}
	}
}
