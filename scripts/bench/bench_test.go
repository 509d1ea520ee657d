package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMedian(t *testing.T) {
	for _, test := range []struct {
		times []time.Duration
		want  time.Duration
	}{
		{[]time.Duration{7}, 7},
		{[]time.Duration{9, 1}, 5},
		{[]time.Duration{9, 1, 2}, 2},
	} {
		if got := median(test.times); got != test.want {
			t.Errorf("median(%v) = %v, want %v", test.times, got, test.want)
		}
	}
}

func TestLastLineEnd(t *testing.T) {
	long := strings.Repeat("x", 200<<10)
	for _, test := range []struct {
		text string
		end  int64
		want int64 // 0 for an error
	}{
		{"ab\ncd\n", 6, 6},
		{"ab\ncd\n", 5, 3},
		{"ab\n" + long, 200 << 10, 3},
		{long, 100, 0},
	} {
		got, err := lastLineEnd(strings.NewReader(test.text), test.end)
		if got != test.want || (err != nil) != (test.want == 0) {
			t.Errorf("lastLineEnd(%.10q, %d) = %d, %v, want %d", test.text, test.end, got, err, test.want)
		}
	}
}

func TestChoose(t *testing.T) {
	for only, want := range map[string]string{
		"": "read cores memory start growth show sessions validate census dialects trees redact tokens import few " +
			"search append doctor parquet bundle",
		"start,read": "start read",
	} {
		chosen, err := choose(only)
		if got := strings.Join(names(chosen), " "); got != want || err != nil {
			t.Errorf("choose(%q) = %s, %v, want %s", only, got, err, want)
		}
	}
	if _, err := choose("reed"); err == nil {
		t.Error("choose accepts an unknown section")
	}
}

func TestCountLines(t *testing.T) {
	path := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(path, []byte("a\n\nb"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := countLines(path); got != 2 || err != nil {
		t.Errorf("got %d, %v, want 2", got, err)
	}
}

func TestCopyRenamed(t *testing.T) {
	folder := t.TempDir()
	from, to := filepath.Join(folder, "from"), filepath.Join(folder, "to")
	header := `{"type":"session","id":"old","x":"` + strings.Repeat("x", 10_000) + `"}`
	if err := os.WriteFile(from, []byte(header+"\nrest\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := copyRenamed(from, to, "new"); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(to)
	first, rest, _ := strings.Cut(string(got), "\n")
	if err != nil || !strings.Contains(first, `"id":"new"`) || rest != "rest\n" {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestWrongFlags(t *testing.T) {
	for _, args := range [][]string{{"-rounds", "0"}, {"-size", "-1"}, {"-grow", "5"}, {"-only", "reed"}, {"-no-flag"}} {
		var stderr strings.Builder
		if code := run(args, io.Discard, &stderr); code != 2 || stderr.Len() == 0 {
			t.Errorf("run(%v) = %d, %q", args, code, stderr.String())
		}
	}
}
