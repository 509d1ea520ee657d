package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"clawctl/internal/failure"
	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
)

const megabyte = 1 << 20

// peak runs clawctl on a stream and returns its exit code and its peak memory in bytes. The run says so
// itself: what wait4 reports counts the memory of the parent at the fork as the child's.
func peak(t *testing.T, stdin io.Reader, args ...string) (exit int, bytes int64, stderr string) {
	t.Helper()
	cmd := clawctl(args...)
	var errs strings.Builder
	cmd.Stdin, cmd.Stderr = stdin, &errs
	status := filepath.Join(t.TempDir(), "status")
	cmd.Env = append(cmd.Environ(), "GOGC=100", testPeak+"="+status) // GOGC as users run it
	_ = cmd.Run()                                                    // the exit code is checked by the caller
	text := testkit.Read(t, status)
	_, after, _ := strings.Cut(string(text), "VmHWM:")
	kilobytes, err := strconv.ParseInt(strings.Fields(after)[0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), kilobytes * 1024, errs.String()
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

// A line of 30 MB, or of 100 MB in make long, needs at most two and a half times its size. A line above the limit is
// copied in pieces.
func TestLongLines(t *testing.T) {
	skipLarge(t)
	size := megabyte * int64(longtest.Rounds(t, "CLAWCTL_LINE", 15, 100))
	folder := t.TempDir()
	long := filepath.Join(folder, "long.jsonl")
	line := func() io.Reader {
		return io.MultiReader(strings.NewReader(`{"type":"user","content":"`),
			io.LimitReader(&repeated{text: "x"}, size), strings.NewReader(`"}`+"\n"))
	}
	file, err := os.Create(long)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(file, line()); err != nil {
		t.Fatal(err)
	}
	file.Close()
	limit := size*5/2 + 32*megabyte
	if exit, rss, stderr := peak(t, nil, "cat", long); exit != failure.ExitOK || rss > limit {
		t.Errorf("file: exit %d, %d MB: %s", exit, rss/megabyte, stderr)
	}
	if exit, rss, stderr := peak(t, line(), "cat"); exit != failure.ExitOK || rss > limit {
		t.Errorf("pipe: exit %d, %d MB: %s", exit, rss/megabyte, stderr)
	}

	// A sparse file with one line of 1 GB, all NUL bytes.
	huge := filepath.Join(folder, "huge.jsonl")
	testkit.Write(t, huge, `{"type":"user"}`+"\n")
	if err := os.Truncate(huge, 1000*megabyte); err != nil {
		t.Fatal(err)
	}
	_, least, _ := peak(t, nil, "version") // what this program needs in any case
	exit, rss, stderr := peak(t, nil, "cat", huge)
	if exit != failure.ExitDamaged || !strings.Contains(stderr, ":2: CL005 line too long") || rss > least+48*megabyte {
		t.Errorf("1 GB: exit %d, %d MB: %s", exit, rss/megabyte, stderr)
	}
}

// hostileLimit is the most memory that any command takes for an input that is made to exhaust it.
const hostileLimit = 300 * 1000 * 1000

// hostileCommands are the ways to read a transcript. FILE is the input, also as stdin, OTHER a small transcript, and
// OUT a new path.
var hostileCommands = []string{
	"sessions FILE", "show FILE", "show --all FILE", "show --tree FILE", "show --tree --json FILE", "show --json FILE",
	"show --last 5 FILE", "search x FILE", "search --jobs 1 x FILE", "search --json --jobs 8 x FILE", "cat FILE",
	"cat --jobs 8 FILE", "cat --json FILE", "tail FILE", "stats FILE", "stats --jobs 8 --json FILE", "tokens FILE",
	"tokens --by role FILE", "context FILE", "du FILE", "validate FILE", "validate --all --json FILE",
	"validate --unknown FILE", "verify FILE",
	"diff FILE OTHER", "diff OTHER FILE", "diff FILE FILE", "import FILE --to OUT", "export FILE -o OUT",
	"export --as openclaw FILE -o OUT", "export --as html FILE -o OUT", "export --as atif FILE -o OUT",
	"export --as parquet FILE -o OUT", "export --as postgres FILE -o OUT", "export --as bundle FILE -o OUT",
	"redact FILE -o OUT", "redact --check FILE", "slim FILE -o OUT", "repair FILE", "repair --json FILE",
	"repair FILE -o OUT", "rebuild FILE", "rebuild --as native FILE", "compact FILE --plan",
	"checkpoint FILE --offline", "flush FILE", "prune FILE", "cat < FILE",
	"tokens < FILE", "append KEY --role user - < FILE",
}

// No command takes much memory for an input that is made to exhaust it.
func TestHostileMemory(t *testing.T) {
	if !longtest.IsLong() {
		t.Skip("takes minutes (make long)")
	}
	skipLarge(t)
	folder := t.TempDir()
	t.Setenv("HOME", folder)
	other := filepath.Join(folder, "other.jsonl")
	writeText(t, other, strings.NewReader(sampleLine))
	if exit, _, stderr := peak(t, nil, "import", other); exit != failure.ExitOK { // for verify and append
		t.Fatal(stderr)
	}
	for name, file := range hostileFiles(t, folder) {
		for i, command := range hostileCommands {
			out := filepath.Join(folder, fmt.Sprint(name, i))
			exit, rss, stderr := peakOf(t, command, strings.NewReplacer("FILE", file, "OTHER", other, "OUT", out))
			t.Logf("%4d MB  exit %d  %-12s %s", rss/1_000_000, exit, name, command)
			if rss > hostileLimit || exit == failure.ExitUsage && strings.Contains(stderr, "clawctl help") || exit < 0 {
				t.Errorf("%s: clawctl %s: exit %d, %d MB: %s", name, command, exit, rss/1_000_000, stderr)
			}
			os.RemoveAll(out)
		}
	}
}

// A message with millions of blocks takes little more memory than its line.
func TestHostileBlocks(t *testing.T) {
	if !longtest.IsLong() {
		t.Skip("takes a minute (make long)")
	}
	skipLarge(t)
	for _, block := range []string{`{"type":"toolCall"}`, `{"type":"text","text":"a"}`} {
		file := filepath.Join(t.TempDir(), "blocks.jsonl")
		writeText(t, file, strings.NewReader(sampleLine+`{"type":"message","id":"a","parentId":null,"timestamp":`+
			`"2026-05-01T10:00:01.000Z","message":{"role":"assistant","content":[`+
			strings.Repeat(block+",", 60*megabyte/(len(block)+1))+block+`]}}`+"\n"))
		exit, rss, stderr := peak(t, nil, "validate", file)
		t.Logf("%4d MB  exit %d  validate %s", rss/1_000_000, exit, block)
		if rss > hostileLimit || exit != failure.ExitOK && exit != failure.ExitFindings {
			t.Errorf("%s: exit %d, %d MB: %s", block, exit, rss/1_000_000, stderr)
		}
	}
}

// peakOf runs one of hostileCommands like peak.
func peakOf(t *testing.T, command string, names *strings.Replacer) (exit int, bytes int64, stderr string) {
	t.Helper()
	command, stdin, _ := strings.Cut(names.Replace(command), " < ")
	if stdin == "" {
		return peak(t, nil, strings.Fields(command)...)
	}
	file, err := os.Open(stdin)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	return peak(t, file, strings.Fields(command)...)
}

// hostileFiles makes the inputs: 6 GB in 200 kB, a line of 1 GB as text and as a hole, and a million empty records.
func hostileFiles(t *testing.T, folder string) map[string]string {
	t.Helper()
	frame, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for name, text := range map[string]io.Reader{
		"bomb.zst": strings.NewReader(strings.Repeat(string(frame.EncodeAll(make([]byte, 64*megabyte), nil)), 94)),
		"line": io.MultiReader(strings.NewReader(sampleLine+`{"type":"user","content":"`),
			io.LimitReader(&repeated{text: "ab c\\n"}, 1_000_000_000), strings.NewReader(`"}`+"\n")),
		"first-line": io.LimitReader(&repeated{text: "ab c"}, 1_000_000_000),
		"empty":      strings.NewReader(strings.Repeat("{}\n", 1_000_000)),
		"hole":       strings.NewReader(sampleLine),
	} {
		base, suffix, _ := strings.Cut(name, ".")
		files[base] = filepath.Join(folder, strings.TrimSuffix(base+".jsonl."+suffix, "."))
		writeText(t, files[base], text)
	}
	if err := os.Truncate(files["hole"], 1000*megabyte); err != nil {
		t.Fatal(err)
	}
	return files
}

func writeText(t *testing.T, path string, text io.Reader) {
	t.Helper()
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := io.Copy(file, text); err != nil {
		t.Fatal(err)
	}
}

// Memory does not grow with the input.
func TestMemoryIsFlat(t *testing.T) {
	skipLarge(t)
	peaks := map[string]int64{}
	_, least, _ := peak(t, nil, "version") // what this program needs in any case
	most := megabyte * int64(longtest.Rounds(t, "CLAWCTL_INPUT", 200, 1000))
	for _, size := range []int64{10 * megabyte, most} {
		exit, rss, stderr := peak(t, io.LimitReader(&repeated{text: sampleLine}, size), "cat", "--type", "leaf")
		if exit != failure.ExitOK && exit != failure.ExitDamaged { // the last line is cut off
			t.Fatalf("exit %d: %s", exit, stderr)
		}
		peaks[fmt.Sprint(size/megabyte, " MB")] = rss
		if rss > least+12*megabyte {
			t.Errorf("%d MB of input: %d MB of memory", size/megabyte, rss/megabyte)
		}
	}
	small, large := peaks["10 MB"], peaks[fmt.Sprint(most/megabyte, " MB")]
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
