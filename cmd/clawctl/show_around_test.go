package main

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A shownPart is a part as show prints it in JSON.
type shownPart struct {
	Entry  string
	Kind   string
	Role   string
	Line   int64
	Marked bool
}

// shownParts runs show and reads the parts that it prints.
func shownParts(t *testing.T, args ...string) (parts []shownPart) {
	t.Helper()
	exit, stdout, stderr := inProcess("", append([]string{"show", "--format", "ndjson"}, args...)...)
	if exit != 0 {
		t.Fatalf("show %q: exit %d: %s", args, exit, stderr)
	}
	for lines := json.NewDecoder(strings.NewReader(stdout)); lines.More(); {
		var p shownPart
		if err := lines.Decode(&p); err != nil {
			t.Fatal(err)
		}
		parts = append(parts, p)
	}
	return parts
}

// around returns what --around must show of a whole conversation: the entry, and as many messages on both sides.
func around(whole []shownPart, line int64, n int) (window []shownPart) {
	var lines []int64
	messages := map[int64]bool{}
	for _, p := range whole {
		if !slices.Contains(lines, p.Line) {
			lines = append(lines, p.Line)
		}
		messages[p.Line] = p.Role != ""
	}
	walk := func(at, step int) int {
		for left := n; left > 0 && at+step >= 0 && at+step < len(lines); {
			if at += step; messages[lines[at]] {
				left--
			}
		}
		return at
	}
	at := slices.Index(lines, line)
	shown := lines[walk(at, -1) : walk(at, 1)+1]
	for _, p := range whole {
		if slices.Contains(shown, p.Line) {
			p.Marked = p.Line == line
			window = append(window, p)
		}
	}
	return window
}

// Whatever the entry and the number of messages, --around shows a section of what show prints without it. A checkpoint
// is not on the path, so that lines of other branches are around it.
func TestShowAroundIsASection(t *testing.T) {
	t.Parallel()
	for _, session := range []string{
		"../../testdata/home#agent:main:main", "../../testdata/every-record.jsonl",
		"../../testdata/transcripts/openclaw-v3.jsonl",
	} {
		whole := shownParts(t, session)
		for i, p := range whole {
			if p.Entry == "" || p.Kind == "checkpoint" || i > 0 && whole[i-1].Line == p.Line {
				continue
			}
			n := 1 + i%4
			got := shownParts(t, session, "--around", p.Entry, "-C", strconv.Itoa(n))
			if want := around(whole, p.Line, n); !slices.Equal(got, want) {
				t.Errorf("%s --around %s -C %d: got %v, want %v", session, p.Entry, n, got, want)
			}
		}
	}
}
