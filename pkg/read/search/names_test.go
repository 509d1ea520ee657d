package search

import (
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/source"
)

// A session has its name before its first hit is passed on, wherever the name and the hits are. It is the name that
// reading the session again finds.
func TestSessionsAreNamed(t *testing.T) {
	named := func(name string) string { return `{"type":"session_info","id":"i","name":"` + name + `"}` + "\n" }
	header := `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n"
	hit := `{"type":"message","id":"m","message":{"role":"user","content":"the needle"}}` + "\n"
	quoted := `{"type":"message","id":"q","message":{"role":"user","content":"{\"type\":\"session_info\"}"}}` + "\n"
	much := strings.Repeat(quoted, 20_000) // several batches
	for name, test := range map[string]struct {
		text, want string
		waiting    int
	}{
		"no name":             {text: header + hit},
		"before":              {text: header + named("before") + hit, want: "before"},
		"after":               {text: header + hit + quoted + named("after"), want: "after"},
		"the last":            {text: header + named("first") + hit + named("last"), want: "last"},
		"taken away":          {text: header + named("first") + hit + named("")},
		"far before":          {text: header + named("far") + much + hit + much, want: "far"},
		"far after":           {text: header + much + hit + much + named("far"), want: "far"},
		"far before and away": {text: header + named("far") + much + hit + much + named("")},
		"far and near":        {text: header + named("far") + much + named("near") + hit + much, want: "near"},
		"in several batches":  {text: header + strings.Repeat(hit+much, 3) + named("end") + hit, want: "end"},
		"too many hits":       {text: header + named("x") + strings.Repeat(hit+much, 3) + named("y"), want: "y", waiting: 1},
	} {
		for _, jobs := range []int{1, 4} {
			if got := nameAtFirstHit(t, test.text, jobs, test.waiting); got != test.want {
				t.Errorf("%s, %d jobs: %q instead of %q", name, jobs, got, test.want)
			}
		}
	}
}

// nameAtFirstHit searches a session and returns its title when its first hit is passed on. If waiting is set, so many
// bytes of hits wait for the name.
func nameAtFirstHit(t *testing.T, text string, jobs, waiting int) (title string) {
	t.Helper()
	if usual := maxWaiting; waiting > 0 {
		maxWaiting = waiting
		defer func() { maxWaiting = usual }()
	}
	folder := t.TempDir()
	testkit.Write(t, filepath.Join(folder, "a.jsonl"), text)
	place, err := source.Find(t.Context(), folder, source.Options{})
	if err != nil || len(place.Sessions) != 1 {
		t.Fatal(err)
	}
	defer place.Close()
	scan := &Scan{Query: query(t, "needle"), Scope: everywhere(), Jobs: jobs, Named: true}
	isFirst := true
	err = scan.Sessions(t.Context(), place.Sessions, Results{
		Hit: func(int, Hit) error {
			if isFirst {
				title, isFirst = place.Sessions[0].ReadTitle(t.Context()), false
			}
			return nil
		},
		End: func(_ int, _ Tally, err error) error { return err },
	})
	if err != nil || isFirst {
		t.Fatalf("no hit: %v, %v", isFirst, err)
	}
	return title
}
