package search

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"clawctl/internal/longtest"
	"clawctl/pkg/jsonl"
)

// everywhere searches all parts.
func everywhere() *Scope {
	s := &Scope{Places: map[string]bool{}}
	for _, place := range Places {
		s.Places[place] = true
	}
	return s
}

func query(t *testing.T, pattern string) *Query {
	t.Helper()
	term, err := Literal(pattern, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return &Query{Any: []*Term{term}}
}

// hits returns the hits of a stream, one per line.
func hits(t *testing.T, s *Scan, stream io.Reader) (list []string, tally Tally) {
	t.Helper()
	tally, err := s.Each(context.Background(), stream, func(h Hit) error {
		list = append(list, fmt.Sprintf("%d+%d %s %s/%d %s%v", h.Line, h.Offset, h.Entry, h.Place, h.Part, h.Tool, h.Spans))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, tally
}

func TestScanPlaces(t *testing.T) {
	lines := []string{
		`{"type":"session","version":3,"id":"needle","cwd":"/needle"}`,
		`{"type":"message","id":"u","message":{"role":"user","content":"a needle"}}`,
		`{"type":"message","id":"a","message":{"role":"assistant","content":[{"type":"thinking","thinking":"needle",` +
			`"thinkingSignature":"needle"},{"type":"text","text":"a NEEDLE"},` +
			`{"type":"toolCall","id":"needle","name":"grep","arguments":{"needle":"x","list":["the needle",1]}}]}}`,
		`{"type":"message","id":"r","message":{"role":"toolResult","toolName":"grep","content":[{"type":"image",` +
			`"data":"needle","mimeType":"image/png"},{"type":"text","text":"n\u0065edle"}],"isError":true}}`,
		`{"type":"compaction","id":"c","summary":"needle"}`,
		`{"type":"session_info","id":"t","name":"needle"}`,
		`{"type":"message","id":"b","message":{"role":"user","content":"` + strings.Repeat("QUJD", 64) + "needle" +
			strings.Repeat("QUJD", 64) + `"}}`,
		`{"type":"message","id":"d","message":{"role":"toolResult","toolName":"grep","content":"none",` +
			`"details":{"log":"needle","signature":"needle"}}}`,
		`{"type":"message","id":"s","message":{"role":"assistant","content":[{"type":"thinking","thinking":"no",` +
			`"thinkingSignature":"needle"},{"type":"redacted_thinking","data":"needle"}]}}`,
		`{"type":"message","id":"o","message":{"role":"user","content":[{"type":"odd","image_url":` +
			`{"url":"data:image/png;base64,needle"}}]}}`,
		`{"type":"message","id":"o","message":{"role":"user","content":[{"type":"odd","of":{"media_type":"image/png",` +
			`"data":"needle"}}]}}`,
		`{"type":"message","id":"i","message":{"role":"user","content":"![x](data:image/png;base64,needleQUJD) and"}}`,
		`{"type":"message","id":"j","message":{"role":"user","content":"data:image/png;base64,needle a needle"}}`,
		`{"type":"message","needle`,
	}
	text := strings.NewReader(strings.Join(lines, "\n"))
	got, tally := hits(t, &Scan{Query: query(t, "needle"), Scope: everywhere()}, text)
	want := []string{
		"2+61 u user/0 [{2 8}]", "3+136 a thinking/0 [{0 6}]", "3+136 a assistant/1 [{2 8}]", "3+136 a call/2 grep[{6 12}]",
		"4+409 r result/1 grep[{0 6}]", "5+607 c summary/0 [{0 6}]", "6+657 t title/0 [{0 6}]",
		"7+706 b user/0 [{256 262}]", "8+1291 d result/0 grep[{5 11}]", "13+1985 j user/0 [{31 37}]",
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if tally.Lines != int64(len(lines))-1 || tally.Unread != 1 || tally.Unsearched != 4 {
		t.Errorf("got %+v", tally)
	}
}

// TestParallelScan compares the scan on several goroutines, with streams that are cut anywhere, with the scan on one.
func TestParallelScan(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var b strings.Builder
	for i := range 3000 {
		fill := strings.Repeat("word ", r.IntN(200))
		if r.IntN(10) == 0 {
			fill += "needle"
		}
		if r.IntN(500) == 0 {
			fill = strings.Repeat("long line ", 100_000)
		}
		fmt.Fprintf(&b, `{"type":"message","id":"%d","message":{"role":"user","content":%s}}`+"\n", i, jsonl.Quote(fill))
	}
	text := b.String()
	want, _ := hits(t, &Scan{Query: query(t, "needle"), Scope: everywhere()}, strings.NewReader(text))
	if len(want) < 200 {
		t.Fatalf("only %d hits", len(want))
	}
	for _, jobs := range []int{1, 2, 3, 8} {
		for name, stream := range map[string]io.Reader{
			"whole": strings.NewReader(text), "halves": iotest.HalfReader(strings.NewReader(text)),
		} {
			got, tally := hits(t, &Scan{Query: query(t, "needle"), Scope: everywhere(), Jobs: jobs}, stream)
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("%d jobs, %s: %d hits, want %d", jobs, name, len(got), len(want))
			}
			if tally.Lines != 3000 || tally.Bytes != int64(len(text)) {
				t.Errorf("%d jobs, %s: %+v", jobs, name, tally)
			}
		}
	}
}

func TestScanEnds(t *testing.T) {
	text := strings.Repeat(`{"type":"message","message":{"role":"user","content":"needle"}}`+"\n", 50_000)
	stop := errors.New("stop")
	for _, jobs := range []int{1, 4} {
		s := &Scan{Query: query(t, "needle"), Scope: everywhere(), Jobs: jobs}
		if _, err := s.Each(context.Background(), strings.NewReader(text), func(Hit) error { return stop }); err != stop {
			t.Errorf("%d jobs: emit's error became %v", jobs, err)
		}
		s.BeforeRead = func() error { return stop }
		if _, err := s.Each(context.Background(), strings.NewReader(text), func(Hit) error { return nil }); err != stop {
			t.Errorf("%d jobs: the error before reading became %v", jobs, err)
		}
	}
}

// Without line numbers, a scan finds the same.
func TestUncountedScan(t *testing.T) {
	text := strings.Repeat(`{"type":"user","content":"nothing"}`+"\n"+`{"type":"user","content":"a needle"}`+"\n", 3)
	s := &Scan{Query: query(t, "needle"), Scope: everywhere()}
	want, _ := hits(t, s, strings.NewReader(text))
	s.Uncounted = true
	got, tally := hits(t, s, strings.NewReader(text))
	for i, hit := range got {
		number, rest, _ := strings.Cut(hit, "+")
		if _, wanted, _ := strings.Cut(want[i], "+"); number != "0" || rest != wanted {
			t.Errorf("got %s, want %s without its line", hit, want[i])
		}
	}
	if len(got) != len(want) || tally.Bytes != int64(len(text)) {
		t.Errorf("%d hits in %d bytes, want %d hits", len(got), tally.Bytes, len(want))
	}
	s.Active = true
	if got, _ := hits(t, s, strings.NewReader(text)); !slices.Equal(got, want) {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A zeroFile is a large file of NUL bytes, as a hole on a disk.
type zeroFile struct{}

func (zeroFile) ReadAt(p []byte, _ int64) (int, error) {
	clear(p)
	return len(p), nil
}

// A line that is too long is passed over in little memory.
func TestScanTooLongLine(t *testing.T) {
	longtest.WithoutRaceDetector(t)
	const size = jsonl.DefaultMaxLine + 32<<20
	for _, jobs := range []int{1, 4} {
		scan := &Scan{Query: query(t, "needle"), Scope: everywhere(), Jobs: jobs}
		var tally Tally
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, tally = hits(t, scan, io.NewSectionReader(zeroFile{}, 0, size))
		runtime.ReadMemStats(&after)
		if used := after.TotalAlloc - before.TotalAlloc; used > 32<<20 || tally.Unread != 1 || tally.Bytes != size {
			t.Errorf("%d jobs: allocated %d bytes, %+v", jobs, used, tally)
		}
	}
}
