package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"

	"clawctl/internal/failure"
)

const megabyte = 1 << 20

// peak runs clawctl on a stream and returns its exit code and its peak memory in bytes. Linux counts the memory of the
// parent at the fork as the child's, so large inputs must be streamed and never held in this process.
func peak(t *testing.T, stdin io.Reader, args ...string) (exit int, bytes int64, stderr string) {
	t.Helper()
	debug.FreeOSMemory()
	cmd := clawctl(args...)
	var errs strings.Builder
	cmd.Stdin, cmd.Stderr = stdin, &errs
	cmd.Env = append(cmd.Environ(), "GOGC=100") // as users run it
	_ = cmd.Run()                               // the exit code is checked by the caller
	usage := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	return cmd.ProcessState.ExitCode(), usage.Maxrss * 1024, errs.String()
}

func skipLarge(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("reads hundreds of megabytes and measures memory")
	}
}

// Ten million nested brackets are reported as one damaged line and need little memory.
func TestNestedBrackets(t *testing.T) {
	skipLarge(t)
	input := io.MultiReader(strings.NewReader(`{"type":"user"}`+"\n"+`{"a":`),
		io.LimitReader(&repeated{text: "["}, 10_000_000))
	exit, rss, stderr := peak(t, input, "cat")
	if exit != failure.ExitDamaged || !strings.Contains(stderr, "CL004 nested too deeply") || rss > 128*megabyte {
		t.Errorf("exit %d, %d MB: %s", exit, rss/megabyte, stderr)
	}
}

// A line of 100 MB needs at most two and a half times its size. A line above the limit is copied in pieces.
func TestLongLines(t *testing.T) {
	skipLarge(t)
	folder := t.TempDir()
	long := filepath.Join(folder, "long.jsonl")
	line := func() io.Reader {
		return io.MultiReader(strings.NewReader(`{"type":"user","content":"`),
			io.LimitReader(&repeated{text: "x"}, 100*megabyte), strings.NewReader(`"}`+"\n"))
	}
	file, err := os.Create(long)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(file, line()); err != nil {
		t.Fatal(err)
	}
	file.Close()
	const limit = 100*megabyte*5/2 + 32*megabyte
	if exit, rss, stderr := peak(t, nil, "cat", long); exit != failure.ExitOK || rss > limit {
		t.Errorf("file: exit %d, %d MB: %s", exit, rss/megabyte, stderr)
	}
	if exit, rss, stderr := peak(t, line(), "cat"); exit != failure.ExitOK || rss > limit {
		t.Errorf("pipe: exit %d, %d MB: %s", exit, rss/megabyte, stderr)
	}

	// A sparse file with one line of 1 GB, all NUL bytes.
	huge := filepath.Join(folder, "huge.jsonl")
	if err := os.WriteFile(huge, []byte(`{"type":"user"}`+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(huge, 1000*megabyte); err != nil {
		t.Fatal(err)
	}
	_, least, _ := peak(t, nil, "version") // what this program needs in any case
	exit, rss, stderr := peak(t, nil, "cat", huge)
	if exit != failure.ExitDamaged || !strings.Contains(stderr, ":2: CL005 line too long") || rss > least+48*megabyte {
		t.Errorf("1 GB: exit %d, %d MB: %s", exit, rss/megabyte, stderr)
	}
}

// Memory does not grow with the input.
func TestMemoryIsFlat(t *testing.T) {
	skipLarge(t)
	peaks := map[string]int64{}
	_, least, _ := peak(t, nil, "version") // what this program needs in any case
	for _, size := range []int64{10 * megabyte, 1000 * megabyte} {
		exit, rss, stderr := peak(t, io.LimitReader(&repeated{text: sampleLine}, size), "cat", "--type", "leaf")
		if exit != failure.ExitOK && exit != failure.ExitDamaged { // the last line is cut off
			t.Fatalf("exit %d: %s", exit, stderr)
		}
		peaks[fmt.Sprint(size/megabyte, " MB")] = rss
		if rss > least+12*megabyte {
			t.Errorf("%d MB of input: %d MB of memory", size/megabyte, rss/megabyte)
		}
	}
	small, large := peaks["10 MB"], peaks["1000 MB"]
	if large > small+8*megabyte { // the garbage of several goroutines
		t.Errorf("memory grows with the input: %v", peaks)
	}
	t.Logf("peaks: %v", peaks)
}

var sampleLine = `{"type":"message","id":"a","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z",` +
	`"message":{"role":"user","content":"` +
	strings.Repeat("a\\n\\tb ", 300) + `"}}` + "\n"

// A repeated is a reader that returns its text without end.
type repeated struct {
	text string
	rest string
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) {
		if r.rest == "" {
			r.rest = r.text
		}
		c := copy(p[n:], r.rest)
		n, r.rest = n+c, r.rest[c:]
	}
	return n, nil
}
