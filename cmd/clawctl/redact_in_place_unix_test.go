//go:build unix

package main

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"clawctl/internal/testkit"
)

// leakedKey is the value that has to go. It is made here, so that no source file has a key in it.
var leakedKey = "ghp_" + strings.Repeat("aB3dE6gH9", 4)

// leakedForms writes the key in the ways in which a transcript has it. They share no code with what looks for them.
func leakedForms(i int) string {
	quote := func(s string) string {
		data, _ := json.Marshal(s)
		return string(data)
	}
	switch i % 6 {
	case 0:
		return leakedKey
	case 1:
		return quote(leakedKey)
	case 2:
		return quote(quote(`{"token":"` + leakedKey + `"}`))
	case 3:
		return base64.StdEncoding.EncodeToString([]byte("user:" + leakedKey))
	case 4:
		return strings.ReplaceAll(leakedKey, "B", "%42")
	}
	return base64.URLEncoding.EncodeToString([]byte(leakedKey + "/x"))
}

// leakedText is a transcript that has the key in every record but the first.
func leakedText(id string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, `{"type":"session","version":3,"id":"%s","timestamp":"2026-01-01T10:00:00.000Z","cwd":"/"}`+"\n", id)
	parent := "null"
	for i := range 12 {
		text, _ := json.Marshal("the key is " + leakedForms(i))
		fmt.Fprintf(&b, `{"type":"message","id":"%.4s-%d","parentId":%s,"timestamp":"2026-01-01T10:00:%02d.000Z",`+
			`"message":{"role":"user","content":%s}}`+"\n", id, i, parent, i, text)
		parent = fmt.Sprintf(`"%.4s-%d"`, id, i)
	}
	fmt.Fprintf(&b, "a damaged line with %s\n", leakedKey)
	return b.Bytes()
}

// A leakyHome is a folder with a home and with clawctl's data that have the key wherever it can be.
type leakyHome struct {
	t      *testing.T
	folder string
}

func (h *leakyHome) path(name string) string { return filepath.Join(h.folder, name) }

// run runs clawctl, and returns what it prints.
func (h *leakyHome) run(exits string, args ...string) string {
	h.t.Helper()
	cmd := exec.Command("clawctl", args...)
	out, _ := cmd.CombinedOutput()
	if exit := strconv.Itoa(cmd.ProcessState.ExitCode()); !strings.Contains(exits, exit) {
		h.t.Fatalf("clawctl %s: exit %s\n%s", strings.Join(args, " "), exit, out)
	}
	return string(out)
}

func (h *leakyHome) write(name string, data []byte) {
	h.t.Helper()
	path := h.path("home/agents/main/sessions/" + name)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		h.t.Fatal(err)
	}
}

func newLeakyHome(t *testing.T) *leakyHome {
	h := &leakyHome{t, t.TempDir()}
	t.Setenv("XDG_DATA_HOME", h.path("data"))
	t.Setenv("XDG_CONFIG_HOME", h.path("config"))
	t.Setenv("OPENCLAW_STATE_DIR", h.path("home"))
	id := func(n int) string { return fmt.Sprintf("%d1111111-1111-4111-8111-111111111111", n) }
	h.write(id(1)+".jsonl", leakedText(id(1)))
	h.write(id(2)+".jsonl", leakedText(id(2)))
	h.write(id(3)+".jsonl.reset.2026-01-01T00-00-00.000Z", leakedText(id(3)))
	h.write(id(4)+".jsonl.deleted.2026-01-01T00-00-00.000Z", leakedText(id(4)))
	h.write(id(1)+".checkpoint."+id(9)+".jsonl", bytes.Join(bytes.SplitAfter(leakedText(id(1)), []byte("\n"))[:8], nil))
	h.write(id(1)+".jsonl.bak", leakedText(id(5)))
	h.write(id(6)+".jsonl.gz", compressLeaked(t, gzip.NewWriter, leakedText(id(6))))
	h.write(id(7)+".jsonl.zst", compressLeaked(t, newZstd, leakedText(id(7))))
	h.write("sessions.json", fmt.Appendf(nil, `{"agent:main:main":{"sessionId":"%s","label":"%s"},`+
		`"agent:main:two":{"sessionId":"%s"}}`, id(1), leakedKey, id(2)))
	testkit.Write(t, h.path("leaked.txt"), leakedKey+"\n")
	h.run("3", "import", "-q")
	h.run("01", "repair", "-q", "--write", "-y")
	h.run("03", "import", "-q")
	h.run("01", "prune", "-q", "--write", "-y", "--older", "2099-01-01", "--kind", "reset")
	h.run("0", "delete", "-q", "-y", "agent:main:two")
	return h
}

func newZstd(w io.Writer) *zstd.Encoder {
	e, err := zstd.NewWriter(w)
	if err != nil {
		panic(err)
	}
	return e
}

func compressLeaked[W io.WriteCloser](t *testing.T, pack func(io.Writer) W, text []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := pack(&b)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// leaks returns the files below the home and the data folder that have the key in any of its forms, as it is on the
// disk or after decompression.
func (h *leakyHome) leaks() (list []string) {
	h.t.Helper()
	needles := []string{leakedKey}
	for shift := range 3 {
		code := base64.RawStdEncoding.EncodeToString([]byte("???"[:shift] + leakedKey))
		needles = append(needles, code[4:len(code)-4])
	}
	for _, root := range []string{"home", "data"} {
		err := filepath.WalkDir(h.path(root), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			text := string(data) + string(unpacked(data))
			text += strings.ReplaceAll(text, "%42", "B")
			for _, needle := range needles {
				if strings.Contains(text, needle) {
					list = append(list, path)
					break
				}
			}
			return err
		})
		if err != nil {
			h.t.Fatal(err)
		}
	}
	return list
}

// unpacked decompresses what is compressed.
func unpacked(data []byte) []byte {
	if in, err := gzip.NewReader(bytes.NewReader(data)); err == nil {
		text, _ := io.ReadAll(in)
		return text
	}
	if in, err := zstd.NewReader(bytes.NewReader(data)); err == nil {
		text, _ := io.ReadAll(in)
		in.Close()
		return text
	}
	return nil
}

// mustBeClean checks that nothing has the key any more, and that everything else is as it should be.
func (h *leakyHome) mustBeClean() {
	h.t.Helper()
	if leaks := h.leaks(); len(leaks) > 0 {
		h.t.Fatalf("the key is left in %q", leaks)
	}
	h.run("0", "verify", h.path("data/clawctl/sessions.db"))
	if out := h.run("01", "verify"); strings.Contains(out, "conflict") || strings.Contains(out, "differs") {
		h.t.Errorf("the store differs from its files:\n%s", out)
	}
}

// answerQuestion removes the key on a terminal, where clawctl asks, because nothing brings it back. Other answers than
// yes change nothing.
func (h *leakyHome) answerQuestion() {
	h.t.Helper()
	before := len(h.leaks())
	for _, test := range []struct {
		answer string
		exit   int
		want   string
	}{
		{"n\n", 1, "nothing was changed"}, {"\n", 1, "nothing was changed"}, {"\x03", 130, "CL907"},
		{"y\n", 0, "Removed 1 value from"},
	} {
		if now := len(h.leaks()); now != before {
			h.t.Fatalf("%d files have the key, and %d before", now, before)
		}
		s := startScreen(h.t, 80, false, exec.Command("clawctl", "redact", "--in-place", "--values", h.path("leaked.txt"),
			"--write"))
		s.waitFor(h.t, "[y/N]")
		press(h.t, s, test.answer)
		exit := s.wait(h.t)
		checkSafe(h.t, s)
		text := strings.Join(strings.Fields(s.String()), " ")
		if exit != test.exit || !strings.Contains(text, test.want) || strings.Contains(text, leakedKey) {
			h.t.Errorf("%q: exit %d\n%s", test.answer, exit, s)
		}
	}
}

// After a run, no file of the home and of clawctl's data has the key, in any form.
func TestRedactInPlaceLeavesNothing(t *testing.T) {
	h := newLeakyHome(t)
	if leaks := h.leaks(); len(leaks) < 10 {
		t.Fatalf("only %d files have the key", len(leaks))
	}
	h.answerQuestion()
	h.mustBeClean()
	h.run("0", "restore", "-q", "agent:main:two")
	for _, run := range []string{"repair", "prune"} { // whose text was removed, and whose file was moved
		id := ""
		for line := range strings.Lines(h.run("0", "undo", "--list", "--json")) {
			var row struct{ Command, Run string }
			if err := json.Unmarshal([]byte(line), &row); err == nil && row.Command == run {
				id = row.Run
			}
		}
		want := map[string]string{"repair": "removed a value from the text of this repair for good", "prune": "undone"}
		if out := h.run("01", "undo", "-y", id); !strings.Contains(out, want[run]) {
			t.Errorf("undo of a %s: %s", run, out)
		}
	}
	h.mustBeClean()
}

// Whatever moment a run is killed at, the next one completes it, also if only the fingerprint of the key is known.
// R8 of scripts/fault kills it at each of its calls.
func TestKilledRedactInPlace(t *testing.T) {
	h := newLeakyHome(t)
	saved := filepath.Join(t.TempDir(), "saved")
	if err := os.CopyFS(saved, os.DirFS(h.folder)); err != nil {
		t.Fatal(err)
	}
	kills := 4
	if text := os.Getenv("CLAWCTL_KILLS"); text != "" {
		kills, _ = strconv.Atoi(text)
	}
	list := h.run("1", "redact", "--in-place", "--json")
	var row struct{ Fingerprint string }
	if err := json.Unmarshal([]byte(list[:strings.Index(list, "\n")]), &row); err != nil {
		t.Fatal(err)
	}
	ways := [][]string{{"--values", h.path("leaked.txt")}, {"--only", row.Fingerprint}}
	whole, killed := 400*time.Millisecond, 0
	for i := range kills {
		for _, name := range []string{"home", "data"} {
			if err := os.RemoveAll(h.path(name)); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.CopyFS(h.folder, skipExisting(saved)); err != nil {
			t.Fatal(err)
		}
		args := append([]string{"redact", "--in-place", "--write", "-y"}, ways[i%2]...)
		was, took, err := runKilled(time.Duration(rand.Int64N(int64(whole))), args...)
		if err != nil {
			t.Fatal(err)
		}
		if was {
			killed++
			h.run("04", args...) // 4: nothing has the fingerprint any more
		} else {
			whole = took
		}
		h.mustBeClean()
	}
	t.Logf("%d kills in %d runs", killed, kills)
}

// skipExisting is a folder without the file that is never removed.
func skipExisting(folder string) fs.FS {
	_ = os.Remove(filepath.Join(folder, "leaked.txt"))
	return os.DirFS(folder)
}
