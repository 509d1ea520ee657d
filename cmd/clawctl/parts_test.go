package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/failure"
)

// A countedPart is what stats counts of all sessions, or of a group of their records.
type countedPart struct {
	Name                       string
	Records, Messages, Answers int64
	Turns                      int64
	ToolCalls                  int64 `json:"tool_calls"`
	Recorded                   recordedObject
}

func (p *countedPart) add(o *countedPart) {
	p.Records, p.Messages, p.Answers = p.Records+o.Records, p.Messages+o.Messages, p.Answers+o.Answers
	p.Turns, p.ToolCalls = p.Turns+o.Turns, p.ToolCalls+o.ToolCalls
	p.Recorded.Input += o.Recorded.Input
	p.Recorded.Output += o.Recorded.Output
	p.Recorded.CacheRead += o.Recorded.CacheRead
	p.Recorded.CacheWrite += o.Recorded.CacheWrite
	p.Recorded.Total += o.Recorded.Total
}

func (p *countedPart) usage() string {
	u := p.Recorded
	return fmt.Sprint("tokens ", u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Total)
}

func (p *countedPart) String() string {
	return fmt.Sprint("records ", p.Records, " messages ", p.Messages, " answers ", p.Answers, " turns ", p.Turns,
		" calls ",
		p.ToolCalls, " ", p.usage())
}

// countedParts are the answers of stats about a place.
type countedParts struct {
	countedPart
	By map[string][]*countedPart
}

func partsOf(t *testing.T, args ...string) (c countedParts) {
	t.Helper()
	exit, stdout, stderr := inProcess("", append([]string{"stats", "-q", "--json"}, args...)...)
	if exit == failure.ExitOK {
		if err := json.Unmarshal([]byte(stdout), &c); err != nil {
			t.Fatalf("%v: %v %s", args, err, stderr)
		}
	}
	return c
}

// The groups of every dimension add up to the total, and a day counts the same alone and among others.
func TestPartsOfFixturesAddUp(t *testing.T) {
	inUTC(t)
	places := []string{"../../testdata/home", "../../testdata/transcripts", "../../testdata/harness",
		"../../testdata/linked"}
	if _, err := os.Stat(sharedTranscripts); err == nil {
		for _, name := range []string{"claw0", "defects", "defects3", "defects4", "harness", "openclaw-sqlite", "pi", "pi1"} {
			places = append(places, filepath.Join(sharedTranscripts, name))
		}
	}
	whole := "day,week,month,hour,weekday,agent,session,channel,host,family"
	for _, place := range places {
		all := partsOf(t, place, "--by", whole+",model,provider,kind")
		if all.Messages == 0 {
			t.Errorf("%s: nothing was counted", place)
		}
		for name, groups := range all.By {
			var sum countedPart
			for _, g := range groups {
				sum.add(g)
			}
			got, want := sum.String(), all.String()
			if !strings.Contains(whole, name) { // they have only what a model did
				got, want = sum.usage(), all.usage()
			}
			if got != want {
				t.Errorf("%s by %s:\n%s\nin all\n%s", place, name, got, want)
			}
		}
		for i, day := range all.By["day"] {
			if day.Name == "undated" || i > 5 {
				continue
			}
			if alone := partsOf(t, place, "--during", day.Name); alone.String() != day.String() {
				t.Errorf("%s, %s alone:\n%v\namong others\n%v", place, day.Name, &alone.countedPart, day)
			}
		}
	}
}

// What the real programs have copied, forked, resumed and restarted counts once.
func TestCopiedUsage(t *testing.T) {
	folder := filepath.Join(sharedTranscripts, "defects4")
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no defective transcripts here")
	}
	const thread = "rollout-2025-12-25T10-00-00-019b55c1-d022-7061-bbb9-b0c90708472b.jsonl"
	for place, want := range map[string]string{
		"v3-codex-counter/" + thread:             "6 messages, 500 in, 140 out, 1900 read, 2540 tokens, 0 copies",
		"v3-codex-counter/rollout-restart.jsonl": "4 messages, 300 in, 80 out, 1000 read, 1380 tokens, 0 copies",
		"v4-claude-resumed-copy":                 "3 messages, 6 in, 458 out, 45647 read, 48885 tokens, 2 copies",
		"v10-codex-copied-fork":                  "6 messages, 150 in, 0 out, 0 read, 150 tokens, 8 copies",
	} {
		var s statsObject
		_, stdout, stderr := inProcess("", "stats", "--json", filepath.Join(folder, place))
		if err := json.Unmarshal([]byte(stdout), &s); err != nil {
			t.Fatalf("%s: %v %s", place, err, stderr)
		}
		u := s.Recorded
		got := fmt.Sprintf("%d messages, %d in, %d out, %d read, %d tokens, %d copies", s.Messages, u.Input, u.Output,
			u.CacheRead, u.Total, s.Coverage.Copies)
		if got != want {
			t.Errorf("%s: %s, want %s", place, got, want)
		}
	}
	_, stdout, stderr := inProcess("", "search", "Hi.", filepath.Join(folder, "v4-claude-resumed-copy"), "--in", "all")
	if !strings.Contains(stderr, "1 hit in 1 session (not counting 1 copy)") {
		t.Errorf("search: %s%s", stdout, stderr)
	}
}
