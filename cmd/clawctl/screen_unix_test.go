//go:build unix

package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"
	"github.com/creack/pty"
	"github.com/hinshun/vt10x"

	"clawctl/internal/testkit"
)

// updateScreens makes the tests write the golden screens anew.
var updateScreens = os.Getenv("UPDATE_SCREENS") != ""

// A screen is a terminal with clawctl running in it.
type screen struct {
	cols, rows int
	color      bool
	file       *os.File
	exit       int // the program's status, once it is done; -1 if that is not known

	mu       sync.Mutex
	vt       vt10x.Terminal
	text     []byte          // everything that was received
	clusters map[rune]string // characters of several code points, by the code that stands for each
	codes    map[string]rune // the other way round
	pending  []byte          // the beginning of a character
	done     chan struct{}   // closed when the program has ended
	changed  chan struct{}   // receives when the screen has changed
}

// startScreen runs clawctl in a terminal that has room for everything it prints.
func startScreen(t *testing.T, cols int, color bool, cmd *exec.Cmd) *screen {
	t.Helper()
	return startScreenOf(t, cols, 200, color, cmd)
}

// theEnd follows the last output of the program in a screen, with its exit status.
const theEnd = '\x1e'

// inSession runs a program in a terminal and stays until the terminal is closed: when the first process of a session
// ends, Linux throws away what of its output was not received yet.
const inSession = `trap : INT; "$@"; printf '\036%d\n' $?; read closed`

// startScreenOf runs clawctl in a terminal that claims that size, and that shows more rows for the test's sake.
func startScreenOf(t *testing.T, cols, rows int, color bool, cmd *exec.Cmd) *screen {
	t.Helper()
	s := newScreen(cols, color, cmd)
	session := exec.Command("sh", append([]string{"-c", inSession, "sh"}, cmd.Args...)...)
	session.Dir, session.Env = cmd.Dir, cmd.Env
	file, err := pty.StartWithSize(session, &pty.Winsize{Cols: uint16(cols), Rows: uint16(rows)})
	if err != nil {
		t.Skip("no pseudo-terminal here:", err)
	}
	s.file = file
	t.Cleanup(func() {
		file.Close()
		_ = session.Wait()
	})
	go s.receive()
	return s
}

// newScreen returns a terminal for a command, and tells the command about it.
func newScreen(cols int, color bool, cmd *exec.Cmd) *screen {
	s := &screen{
		cols: cols, rows: 200, color: color, clusters: map[rune]string{}, codes: map[string]rune{},
		done: make(chan struct{}), changed: make(chan struct{}, 1),
	}
	s.vt = vt10x.New(vt10x.WithSize(cols, s.rows))
	cmd.Env = append(cmd.Environ(), "TERM=xterm-256color", "CI=", "NO_COLOR="+map[bool]string{false: "1"}[color])
	return s
}

// showScreen is startScreen for a command that runs in the test process and needs no input. It waits for its end.
func showScreen(t *testing.T, cols int, color bool, cmd *exec.Cmd) *screen {
	t.Helper()
	s := newScreen(cols, color, cmd)
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here:", err)
	}
	defer master.Close()
	defer slave.Close()
	if err := pty.Setsize(master, &pty.Winsize{Cols: uint16(cols), Rows: 200}); err != nil {
		t.Fatal(err)
	}
	s.file = master
	go s.receive()
	status, err := runInside(cmp.Or(cmd.Dir, "."), cmd.Env, cmd.Args[1:], slave, slave, slave)
	if err != nil {
		t.Fatal(err)
	}
	fmt.Fprintf(slave, "%c%d\n", theEnd, status)
	s.wait(t)
	return s
}

func (s *screen) receive() {
	defer close(s.done)
	buf := make([]byte, 4096)
	var end []byte // from theEnd on
	for {
		n, err := s.file.Read(buf)
		shown := buf[:n]
		if at := bytes.IndexByte(shown, theEnd); at >= 0 || end != nil {
			at = max(at, 0)
			shown, end = shown[:at], append(end, shown[at:]...)
		}
		s.mu.Lock()
		s.text = append(s.text, shown...)
		s.feed(shown)
		s.mu.Unlock()
		select {
		case s.changed <- struct{}{}:
		default:
		}
		if bytes.HasSuffix(end, []byte("\n")) {
			s.exit, _ = strconv.Atoi(strings.TrimSpace(string(end[1:])))
			return
		}
		if err != nil {
			s.exit = -1
			return
		}
	}
}

// filler stands in the second column of a wide character.
const filler = '\ue000'

// feed gives the emulator one code for each character that people see, and a filler for the second column of a wide
// one: by itself it takes every code point for one column.
func (s *screen) feed(data []byte) {
	data = append(s.pending, data...)
	s.pending = nil
	for len(data) > 0 {
		if data[0] < 0x80 {
			s.vt.Write(data[:1])
			data = data[1:]
			continue
		}
		end := 0
		for end < len(data) && (data[end] >= 0x80) {
			end++
		}
		if end == len(data) && len(data) < 64 {
			s.pending = append([]byte(nil), data...)
			return
		}
		graphemes := displaywidth.StringGraphemes(string(data[:end]))
		for graphemes.Next() {
			s.put(graphemes.Value(), graphemes.Width())
		}
		data = data[end:]
	}
}

func (s *screen) put(cluster string, width int) {
	code, known := s.codes[cluster]
	if !known {
		code = filler + rune(len(s.codes)) + 1
		s.codes[cluster], s.clusters[code] = code, cluster
	}
	s.vt.Write([]byte(string(code)))
	for range width - 1 {
		s.vt.Write([]byte(string(filler)))
	}
}

// wait waits for the program to end and returns its exit status.
func (s *screen) wait(t *testing.T) int {
	t.Helper()
	select {
	case <-s.done:
	case <-time.After(5 * time.Minute):
		t.Fatal("it does not end:\n" + s.String())
	}
	return s.exit
}

// waitFor waits until the screen shows a text.
func (s *screen) waitFor(t *testing.T, text string) string {
	t.Helper()
	limit := time.After(5 * time.Minute)
	for {
		if shown := s.String(); strings.Contains(shown, text) {
			return shown
		}
		select {
		case <-s.changed:
		case <-s.done:
			if shown := s.String(); strings.Contains(shown, text) {
				return shown // by the last output
			}
			t.Fatalf("%q was never shown:\n%s", text, s)
		case <-limit:
			t.Fatalf("%q is not shown:\n%s", text, s)
		}
	}
}

// String is what the screen shows, without empty lines at its end. Coloured text stands in brackets: ⟦red error⟧.
func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.pending) > 0 {
		s.feed([]byte("\x1b[m")) // ends the character
	}
	var b strings.Builder
	for y := range s.rows {
		b.WriteString(strings.TrimRight(s.line(y), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (s *screen) line(y int) string {
	var b strings.Builder
	style := ""
	for x := range s.cols {
		glyph := s.vt.Cell(x, y)
		if glyph.Char == filler {
			continue
		}
		if next := glyphStyle(glyph); next != style {
			if style != "" {
				b.WriteString("⟧")
			}
			if next != "" {
				b.WriteString("⟦" + next + " ")
			}
			style = next
		}
		if cluster, ok := s.clusters[glyph.Char]; ok {
			b.WriteString(cluster)
		} else if glyph.Char == 0 {
			b.WriteByte(' ')
		} else {
			b.WriteRune(glyph.Char)
		}
	}
	if style != "" {
		b.WriteString("⟧")
	}
	return b.String()
}

var colorNames = []string{"black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"}

// glyphStyle names the way a character stands out.
func glyphStyle(g vt10x.Glyph) string {
	const bold = 1 << 2
	if g.Char == ' ' || g.Char == 0 {
		return ""
	}
	if int(g.FG) < 16 {
		return colorNames[g.FG%8]
	}
	if g.Mode&bold != 0 {
		return "bold"
	}
	return ""
}

// clawctl returns the command that runs this test binary as clawctl.
func clawctl(args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Args = append([]string{"clawctl"}, args...)
	cmd.Env = slices.DeleteFunc(append(os.Environ(), "NO_COLOR=1"), func(setting string) bool {
		name, _, _ := strings.Cut(setting, "=")
		return slices.Contains([]string{"CLAWCTL_PAGER", "PAGER", "LESS", "CLICOLOR_FORCE"}, name)
	})
	return cmd
}

// aHome is a folder with the example home in it, and clawctl's own folders beside it, so that screens show short names.
func aHome(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for _, name := range []string{"home", "transcripts"} {
		if err := os.CopyFS(filepath.Join(folder, name), os.DirFS("../../testdata/"+name)); err != nil {
			t.Fatal(err)
		}
	}
	makeOld(t, filepath.Join(folder, "home"), time.Date(2026, 6, 2, 12, 0, 0, 0, time.UTC))
	files := maps.Clone(homeFiles)
	maps.Copy(files, diffFiles)
	for name, text := range files {
		testkit.Write(t, filepath.Join(folder, name), text)
	}
	return folder
}

// makeOld gives the files below a folder times from some moment on, in the order of their names.
func makeOld(t *testing.T, folder string, at time.Time) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		at = at.Add(time.Millisecond)
		return errors.Join(err, os.Chtimes(path, at, at))
	})
	if err != nil {
		t.Fatal(err)
	}
}

// inHome is clawctl as its user runs it: with a state folder, a store and a clock of the test.
func inHome(folder string, args ...string) *exec.Cmd {
	cmd := clawctl(args...)
	cmd.Dir = folder
	cmd.Env = append(cmd.Env, "HOME=/home/ada", "OPENCLAW_STATE_DIR=home", "CLAWCTL_DB=sessions.db", "CLAWCTL_CONFIG=",
		"XDG_CONFIG_HOME=", "XDG_DATA_HOME=", "TZ=UTC", testClock+"=2026-06-05T12:00:00Z")
	return cmd
}

// checkScreen compares a screen with its golden file.
func checkScreen(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("../../testdata/screen", name+".txt")
	if updateScreens {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want := testkit.Read(t, path)
	if got != string(want) {
		t.Errorf("the screen shows\n%s\n%s has\n%s", got, path, want)
	}
}

// What a terminal must never show, whatever runs in it: our own escape codes as text, or a control character.
func checkSafe(t *testing.T, s *screen) {
	t.Helper()
	if shown := s.String(); strings.Contains(shown, `\u001b[`) {
		t.Errorf("escape codes are shown as text:\n%s", shown)
	}
}

// elapsed is how long a command took.
var elapsed = regexp.MustCompile(`\d+\.\d\d s\b`)

// screenWidths are those of a usual terminal and of a wide one.
var screenWidths = []int{80, 160}

// Every screen of the commands that people see first, as a golden file.
func TestScreens(t *testing.T) {
	inUTC(t)
	folder := aHome(t)
	cmd := inHome(folder, "import", "-q", "home")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s%v", out, err)
	}
	for name, args := range everyScreen(t) {
		for _, cols := range screenWidths {
			if !slices.Contains(everyWidth, name) {
				compareScreen(t, folder, fmt.Sprintf("%s-%d", name, cols), cols, false, args)
			}
		}
		if slices.Contains(narrowScreens, name) {
			compareScreen(t, folder, name+"-40", 40, false, args)
		}
		for _, cols := range []int{60, 80, 120, 160} {
			if slices.Contains(everyWidth, name) {
				compareScreen(t, folder, fmt.Sprintf("%s-%d", name, cols), cols, false, args)
				compareScreen(t, folder, fmt.Sprintf("%s-%d-color", name, cols), cols, true, args)
			}
		}
		if slices.Contains(colorScreens, name) && !slices.Contains(everyWidth, name) {
			compareScreen(t, folder, name+"-80-color", 80, true, args)
		}
	}
	t.Setenv("CLAWCTL_ASCII", "1")
	for _, name := range asciiScreens {
		compareScreen(t, folder, name+"-80-ascii", 80, false, screens[name])
	}
}

// compareScreen compares the screen of a command with its golden file.
func compareScreen(t *testing.T, folder, label string, cols int, color bool, args []string) {
	t.Helper()
	t.Run(label, func(t *testing.T) {
		s := showScreen(t, cols, color, inHome(folder, args...))
		if !strings.Contains(label, "control-chars") { // which has escape codes as text
			checkSafe(t, s)
		}
		shown := elapsed.ReplaceAllString(s.String(), "0.00 s")
		prompt := strings.Join(append([]string{"$ clawctl"}, args...), " ")
		checkScreen(t, label, fmt.Sprintf("%s\n%s[exit %d]\n", prompt, shown, s.exit))
	})
}

// Nothing in a transcript, or in the name of a file, drives a terminal; a pipe gets every byte.
func TestTerminalIsSafe(t *testing.T) {
	const transcript = "../../testdata/transcripts/control-chars.jsonl"
	want := testkit.Read(t, transcript)
	for _, args := range [][]string{
		{"cat", transcript}, {"cat", "\x1b]0;evil\x07\u202e.jsonl"}, {"sessions", transcript}, {"validate", "-v", transcript},
		{"show", "--no-pager", transcript}, {"show", "--no-pager", "--all", "--tools", "full", transcript},
		{"show", "--no-pager", "--tree", transcript}, {"show", "--no-pager", "--format", "markdown", transcript},
		{"show", "--no-pager", "--format", "json", transcript},
	} {
		s := showScreen(t, 80, false, clawctl(args...))
		received := strings.NewReplacer("\r\n", "\n", "\r\x1b[K", "").Replace(string(s.text))
		if at := strings.IndexFunc(received, isUnsafeForTests); at >= 0 {
			t.Errorf("%q: a terminal received %q", args, received[at:min(len(received), at+40)])
		}
	}
	if piped, err := clawctl("cat", transcript).Output(); err != nil || string(piped) != string(want) {
		t.Errorf("a pipe received other bytes: %v", err)
	}
}

// A terminal as stdin is not waited for.
func TestTerminalAsInput(t *testing.T) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pseudo-terminal here:", err)
	}
	defer master.Close()
	defer slave.Close()
	cmd := clawctl("cat")
	cmd.Stdin = slave
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "CL900 no transcript given, and stdin is a terminal") {
		t.Errorf("%v: %s", err, out)
	}
}

// An import shows how far it is, on a terminal of its own or beside its output, and leaves no trace of it.
func TestProgressOnScreen(t *testing.T) {
	folder := t.TempDir()
	makeLargeHome(t, filepath.Join(folder, "home"))
	if said, err := inHome(folder, "import", "-q", "home", "--to", "home.db").CombinedOutput(); err != nil {
		t.Fatalf("%s%v", said, err)
	}
	for _, args := range progressCommands {
		for _, cols := range []int{80, 160} {
			if cols != 80 && args[0] != "import" {
				continue // the line is the same everywhere
			}
			t.Run(fmt.Sprintf("%s-%d", args[0], cols), func(t *testing.T) {
				cmd := inHome(folder, args...)
				cmd.Env = append(cmd.Env, testProgress+"=1ms", fmt.Sprintf("CLAWCTL_DB=%s-%d.db", args[0], cols))
				s := startScreen(t, cols, true, cmd)
				s.wait(t)
				shown := s.progress()
				if !slices.ContainsFunc(shown, progressLine.MatchString) {
					t.Errorf("progress was never shown:\n%s", s)
				}
				for _, line := range shown {
					if n := displaywidth.String(line); n >= cols {
						t.Errorf("progress has %d columns: %q", n, line)
					}
				}
				if after := s.String(); strings.Contains(after, " left") || strings.Contains(after, "/s,") {
					t.Errorf("progress is still there:\n%s", after)
				}
				checkSafe(t, s)
			})
		}
	}
}

// progress returns every line that the next line replaced, also those that the screen showed for a moment only.
func (s *screen) progress() (lines []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	const erase = "\r\x1b[K"
	drawn := strings.Split(string(s.text), erase)
	for _, line := range drawn[1:] {
		if line != "" && !strings.Contains(line, "\n") {
			lines = append(lines, line)
		}
	}
	return lines
}

// makeLargeHome writes a home that takes a while to read.
func makeLargeHome(t *testing.T, folder string) {
	t.Helper()
	sessions := filepath.Join(folder, "agents", "main", "sessions")
	if err := os.MkdirAll(sessions, 0o755); err != nil {
		t.Fatal(err)
	}
	source := testkit.Read(t, "../../testdata/home/agents/main/sessions/e062545a-58d4-4c17-a35c-7cb0f9f71a36.jsonl")
	header, rest, _ := strings.Cut(string(source), "\n")
	for n := range 12 {
		name := fmt.Sprintf("e062545a-58d4-4c17-a35c-%012d.jsonl", n)
		file, err := os.Create(filepath.Join(sessions, name))
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(file, strings.Replace(header, "7cb0f9f71a36", fmt.Sprintf("%012d", n), 1))
		for range 100 {
			io.WriteString(file, rest)
		}
		if err := file.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// Ctrl-C ends a command within a second and says how to resume.
func TestInterruptOnScreen(t *testing.T) {
	cmd := inHome(t.TempDir(), "cat", "-")
	s := startScreen(t, 80, false, cmd)
	// The terminal echoes what is typed; clawctl is at work when it has printed it again.
	press(t, s, "{\"type\":\"user\"}\n")
	s.waitFor(t, "{\"type\":\"user\"}\n{\"type\":\"user\"}\n")
	press(t, s, "\x03")
	if exit := s.wait(t); exit != 130 || !strings.Contains(s.String(), "hint: clawctl cat -") {
		t.Errorf("exit %d:\n%s", exit, s)
	}
}
