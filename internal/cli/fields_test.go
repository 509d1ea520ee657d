package cli

import (
	"fmt"
	"slices"
	"testing"
)

// The flags come in the order of the fields, with what the tags say about them, and fill the fields.
func TestFlagsOf(t *testing.T) {
	var o struct {
		Strict bool         `flag:"strict: stop at damage" short:"s"`
		Made   []string     `flag:"made"`
		Old    bool         `flag:"old"`
		Limit  int          `flag:"limit N: list the first N" least:"1" default:"all"`
		Title  string       `flag:"title TITLE: what: it is"`
		Size   int64        `flag:"size SIZE: how large"`
		Budget *int64       `flag:"budget N: how many tokens" least:"1"`
		Names  []string     `flag:"name NAME: a name"`
		Range  RangeOptions `usage:"records"`
		SourceOptions

		Later bool
		own   bool
	}
	o.own = true
	flags := FlagsOf(&o, ListFlag(&o.Made, "made", "A,B", "made by code", true), SwitchFlag(&o.Later, "later", "last"))
	var got []string
	for _, f := range flags {
		got = append(got, fmt.Sprintf("%s|%s|%s|%s|%s|%t", f.Name, f.short, f.Value, f.Usage, f.Fallback, f.Hidden))
	}
	want := []string{
		"strict|s||stop at damage||false", "made||A,B|made by code||false", "old|||||true",
		"limit||N|list the first N|all|false", "title||TITLE|what: it is||false", "size||SIZE|how large||false",
		"budget||N|how many tokens||false", "name||NAME|a name||false",
	}
	if !slices.Equal(got[:len(want)], want) {
		t.Errorf("got  %q\nwant %q", got[:len(want)], want)
	}
	var rest []string
	for _, f := range flags[len(want):] {
		rest = append(rest, f.Name)
	}
	if !slices.Equal(rest, []string{"since", "until", "during", "session", "agent", "kind", "later"}) {
		t.Errorf("then %q", rest)
	}
	for i, text := range []string{"true", "x,y", "true", "3", "T", "1k", "200k", "n"} {
		if err := flags[i].Set(text); err != nil {
			t.Errorf("%s %s: %v", flags[i].Name, text, err)
		}
	}
	filled := fmt.Sprintln(o.Strict, o.Made, o.Old, o.Limit, o.Title, o.Size, *o.Budget, o.Names)
	if filled != "true [x y] true 3 T 1000 200000 [n]\n" {
		t.Error(filled)
	}
	for i, text := range map[int]string{3: "0", 4: "", 6: "0"} {
		if flags[i].Set(text) == nil {
			t.Errorf("--%s takes %q", flags[i].Name, text)
		}
	}
}
