//go:build unix

package main

import (
	"archive/tar"
	"bytes"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"clawctl/internal/cli"
	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"

	"github.com/creack/pty"
	"github.com/klauspost/compress/zstd"
)

// evil drives a terminal in every way that a text can: with escape sequences, in the 8-bit form too, with other control
// characters, and with characters that change the direction of text or hide in it. It is a valid name of a file.
const evil = "\x1b]0;evil\x07\x1b]52;c;aGk=\x1b\\\x1b]8;;http:\x1b\\\x1b[2J\x1b[7m\u009b7m\u009d0;x\u009c" +
	"\a\b\r\x7f\u202e\u2066\u2069\u200f\u061c\u200b\ufeff\u2028\nnext"

// rawEvil also has bytes that are not UTF-8, which a terminal may take for control characters.
const rawEvil = evil + "\x90q\x9b7m\x9d0;x\x9c\x00"

// ownCodes are the colors that clawctl uses, and how it erases the line of progress.
var ownCodes = regexp.MustCompile(`\x1b\[(0|[12349]|3[1-6]|1;3[1-6]|2;3)m|\r\x1b\[K|\r\n`)

// hostilePart returns the first part of a text that drives a terminal. It shares no code with the filter.
func hostilePart(text string) string {
	text = ownCodes.ReplaceAllString(text, "\n")
	for at, r := range text {
		_, size := utf8.DecodeRuneInString(text[at:])
		isControl := r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r <= 0x9f
		isHidden := r == 0x61c || r >= 0x200b && r <= 0x200f && r != 0x200c && r != 0x200d || r >= 0x2028 && r <= 0x202e ||
			r >= 0x2066 && r <= 0x2069 || r == 0xfeff
		if isControl || isHidden || r == utf8.RuneError && size == 1 {
			return text[max(0, at-60):min(len(text), at+40)]
		}
	}
	return ""
}

// A hostileHome is a state folder, a store and files whose every text drives terminals. Tests run in its folder.
type hostileHome struct {
	*testing.T
	names   *strings.Replacer // of the words in calls
	records string            // of every type, such as a result without a call
}

// newHostileHome makes a hostile home, and makes it the working folder.
func newHostileHome(t *testing.T) *hostileHome {
	t.Helper()
	testdata, err := filepath.Abs("../../testdata")
	if err != nil {
		t.Fatal(err)
	}
	records := testkit.Read(t, filepath.Join(testdata, "every-record.jsonl"))
	t.Chdir(t.TempDir())
	for name, value := range map[string]string{
		"HOME": "/home/ada" + evil, "OPENCLAW_STATE_DIR": "home", "CLAWCTL_DB": "sessions.db",
		"CLAWCTL_CONFIG": "config.json", "XDG_CONFIG_HOME": "",
		"XDG_DATA_HOME": filepath.Join(t.TempDir(), "data"), "TERM": "xterm", "TZ": "UTC",
		"PAGER": "cat", "CLAWCTL_PAGER": "cat", "CI": "", "CLICOLOR_FORCE": "",
	} {
		t.Setenv(name, value)
	}
	h := &hostileHome{T: t, records: string(records), names: strings.NewReplacer(
		"EVIL", evil, "KEY", "agent:main:main"+evil, "ORPHAN", hostileSessions+"orphan"+evil+".jsonl",
		"LIVE", hostileSessions+"e062545a-58d4-4c17-a35c-7cb0f9f71a36"+evil+".jsonl",
		"RESET", hostileSessions+"65a77cfd-0b15-4e27-af8c-e14f85830664"+evil+".jsonl.reset.2026-05-04T14-58-56.795Z",
		"BROKEN", hostileSessions+"broken"+evil+".jsonl", "VAULT", "home/agents/vault/agent/openclaw-agent.sqlite")}
	h.addFiles(testdata)
	h.addVault()
	h.addBundles()
	inProcess("", "import", "-q")
	inProcess("", "export", "--as", "bundle", "plain.jsonl", "-o", "home.tar.zst")
	for _, name := range []string{"sessions.db", "home.tar.zst"} {
		if _, err := os.Stat(name); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// hostileSessions is the folder with most of the transcripts.
const hostileSessions = "home/agents/main/sessions/"

func (h *hostileHome) addFiles(testdata string) {
	h.poisonFolder(filepath.Join(testdata, "home/agents/main"), "home/agents/main", ".jsonl", "sessions.json")
	h.poisonFolder(filepath.Join(testdata, "home/agents/research"), "home/agents/evil"+evil, "sessions.json")
	h.poisonFolder(filepath.Join(testdata, "transcripts"), hostileSessions, "claw", "unknown-types", "damaged")
	h.write(h.names.Replace("ORPHAN"), h.poisonText(h.records, false)+"{\"torn"+rawEvil+"\n"+rawEvil+"\n")
	h.write(h.names.Replace("BROKEN"), h.poisonText(h.records, true))
	h.write(hostileSessions+"raw\x9b7m"+evil+".jsonl", h.poisonText(h.records, false))
	h.write(hostileSessions+"other"+evil, rawEvil)
	h.write(hostileSessions+"locked"+evil+".jsonl.lock", h.poisonText(`{"pid":1,"createdAt":"x"}`, true))
	h.write("home/media/inbound/cat"+evil+".png", "\x89PNG")
	h.write("plain.jsonl", h.poisonText(h.records, false))
	h.write("evil.json", h.poisonText(`{"a":{"b":["c"]},"model":{"input":"x"}}`, true))
	h.write("evil.txt", rawEvil)
	h.write("config.json", "{}")
	h.write("request.json", h.poisonText(`{"model":"m","messages":[{"role":"user","content":"hi"},`+
		`{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"n","input":{"a":"b"}}]}]}`, false))
}

func (h *hostileHome) write(path, text string) {
	h.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		h.Fatal(err)
	}
}

// poisonFolder copies the files of a folder whose names contain one of some words. The names of transcripts become
// hostile, and so does everything in them.
func (h *hostileHome) poisonFolder(from, to string, wanted ...string) {
	h.Helper()
	err := filepath.WalkDir(from, func(path string, entry os.DirEntry, err error) error {
		isWanted := slices.ContainsFunc(wanted, func(word string) bool { return strings.Contains(entry.Name(), word) })
		if err != nil || entry.IsDir() || !isWanted {
			return err
		}
		text, err := os.ReadFile(path)
		below, _ := filepath.Rel(from, path)
		name := strings.Replace(filepath.Base(below), ".jsonl", evil+".jsonl", 1)
		h.write(filepath.Join(to, filepath.Dir(below), name), h.poisonText(string(text), false))
		return err
	})
	if err != nil {
		h.Fatal(err)
	}
}

// poisonText makes every string in lines of JSON hostile, or in a whole JSON text. Other lines get hostile bytes.
func (h *hostileHome) poisonText(text string, all bool) string {
	if json.Valid([]byte(text)) {
		return poisonJSON(text, all)
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		if json.Valid([]byte(line)) {
			b.WriteString(poisonJSON(line, all) + "\n")
			continue
		}
		b.WriteString(strings.TrimRight(line, "\n") + rawEvil + "\n")
	}
	return b.String()
}

func poisonJSON(text string, all bool) string {
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return text
	}
	poisoned, err := json.Marshal(poison("", v, all))
	if err != nil {
		return text
	}
	return string(poisoned)
}

// structural are the members that say what a record is. With a hostile value it would be another record.
var structural = []string{"type", "role", "timestamp", "createdAt", "updatedAt", "data", "format", "stopReason"}

// poison adds evil to the strings and the keys of a value. Equal strings stay equal, so links stay links.
func poison(key string, v any, all bool) any {
	switch v := v.(type) {
	case string:
		if !all && slices.Contains(structural, key) {
			return v
		}
		return v + evil
	case []any:
		for i := range v {
			v[i] = poison(key, v[i], all)
		}
	case map[string]any:
		for name, member := range v {
			delete(v, name)
			if strings.HasPrefix(name, "agent:") {
				name += evil // a key of an index
			}
			v[name] = poison(name, member, all)
		}
		v["x"+evil] = evil
	}
	return v
}

// addVault makes a database of OpenClaw's with hostile rows.
func (h *hostileHome) addVault() {
	h.Helper()
	path := h.names.Replace("VAULT")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		h.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		h.Fatal(err)
	}
	defer db.Close()
	exec := func(query string, args ...any) {
		if _, err := db.Exec(query, args...); err != nil {
			h.Fatal(err)
		}
	}
	exec(plantedSchema)
	exec("INSERT INTO session_nodes VALUES(?, ?, ?, ?)", "agent:vault:x"+evil, "orphan"+evil,
		poisonJSON(`{"sessionId":"orphan","label":"l","sessionFile":"/x/y.jsonl"}`, false), evil)
	exec("INSERT INTO session_windows VALUES(?, ?, ?, ?)", "orphan"+evil, "agent:vault:x"+evil, evil, evil)
	seq := 0
	for line := range strings.Lines(h.records) {
		exec("INSERT INTO transcript_events(session_id, seq, event_json) VALUES(?, ?, ?)", "orphan"+evil, seq,
			poisonJSON(line, false))
		seq++
	}
	exec("INSERT INTO transcript_events(session_id, seq, event_json) VALUES(?, ?, ?)", "orphan"+evil, seq, rawEvil)
	exec("INSERT INTO session_transcript_cold_archives VALUES(?, ?, ?, 4, ?)", "ice"+evil, "a"+evil, evil, []byte(evil))
	h.write("broken.sqlite", "SQLite format 3\x00"+strings.Repeat(rawEvil, 99))
}

// addBundles makes bundles that are refused because of a hostile name, and because of a hostile manifest.
func (h *hostileHome) addBundles() {
	for name, manifest := range map[string]string{
		"name.tar.zst": `{"format":"clawctl-bundle","version":1,"files":[{"path":` + jsonl.Quote(evil) +
			`,"kind":"transcript","size":0,"sha256":""}]}`,
		"manifest.tar.zst": `{"format":"clawctl-bundle","version":1,` + jsonl.Quote(evil) + `:1}`,
	} {
		var archive bytes.Buffer
		w := tar.NewWriter(&archive)
		header := tar.Header{Name: "clawctl-bundle.json", Size: int64(len(manifest)), Mode: 0o600}
		if err := w.WriteHeader(&header); err != nil {
			h.Fatal(err)
		}
		fmt.Fprint(w, manifest)
		encoder, err := zstd.NewWriter(nil)
		if err != nil || w.Close() != nil {
			h.Fatal(err)
		}
		h.write(name, string(encoder.EncodeAll(archive.Bytes(), nil)))
	}
}

// onTerminal runs clawctl in this process, with a terminal as stdout and stderr, and checks what the terminal receives.
func (h *hostileHome) onTerminal(stdin string, args ...string) {
	h.Helper()
	master, slave, err := pty.Open()
	if err != nil {
		h.Skip("no pseudo-terminal here:", err)
	}
	defer master.Close()
	defer slave.Close()
	received := make(chan string)
	go func() { received <- readUntil(master, string(theEnd)) }()
	leaks := &leakLog{}
	runWith(append([]string{"clawctl"}, args...), cli.Setup{
		Stdin: strings.NewReader(stdin), Stdout: slave, Stderr: slave, Unsafe: leaks.add,
		Now:    func() time.Time { return time.Date(2026, 6, 5, 12, 0, 0, 0, time.UTC) },
		Timing: ui.Timing{Every: time.Millisecond, Now: time.Now},
	})
	fmt.Fprint(slave, string(theEnd))
	h.check(args, <-received, leaks)
}

// check reports what must not have reached a terminal, and what only its filter has stopped.
func (h *hostileHome) check(args []string, received string, leaks *leakLog) {
	h.Helper()
	if part := hostilePart(received); part != "" {
		h.Errorf("clawctl %q: a terminal received %q", args, part)
	}
	for _, text := range leaks.texts {
		h.Errorf("clawctl %q prints text that is not escaped where it is laid out: %q", args, hostilePart(text))
	}
}

// A leakLog collects text that the filter had to escape.
type leakLog struct {
	mu    sync.Mutex
	texts []string
}

func (l *leakLog) add(text string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.texts = append(l.texts, text)
}

// readUntil reads from a terminal until a text was received, and returns what came before it.
func readUntil(in *os.File, end string) string {
	var text []byte
	buf := make([]byte, 64<<10)
	for {
		n, err := in.Read(buf)
		from := max(0, len(text)-len(end))
		text = append(text, buf[:n]...)
		if at := bytes.Index(text[from:], []byte(end)); at >= 0 {
			return string(text[:from+at])
		}
		if err != nil {
			return string(text)
		}
	}
}

// endless are the flags that make a command run until Ctrl-C. TestFollowedTextIsSafe has them.
var endless = []string{"follow"}

// No text of a transcript, a name, a database, a file or an argument drives a terminal, whatever the command. Only the
// first call of each command is made in color and in every form, and in make long every call.
func TestNothingDrivesTheTerminal(t *testing.T) {
	for _, noColor := range []string{"1", ""} {
		t.Run("NO_COLOR="+noColor, func(t *testing.T) {
			h := newHostileHome(t)
			t.Setenv("NO_COLOR", noColor)
			for _, c := range append(wholeCommands(), wholeHidden()...) {
				calls := hostileCalls[strings.TrimLeft(c.Name, "_")]
				if len(calls) == 0 {
					t.Errorf("nothing is known about clawctl %s: add it to hostileCalls", c.Name)
				}
				for i, call := range calls {
					isFirst := i == 0 || longtest.IsLong()
					if noColor != "" || isFirst {
						h.onTerminal(h.poisonText(h.records, false), h.words(call)...)
					}
					if noColor != "" && isFirst {
						h.callInEveryForm(c, h.words(call))
					}
				}
				if noColor != "" {
					h.callWithEveryFlag(c)
				}
			}
			h.onTerminal("", evil)
			h.onTerminal("", "--"+evil)
		})
	}
}

// words turns a call into arguments.
func (h *hostileHome) words(call string) (args []string) {
	const says = `printf 'sum\033[2Jmary\233'; printf '\033]0;x\007\n' >&2`
	for _, word := range strings.Fields(call) {
		args = append(args, h.names.Replace(strings.NewReplacer("SAYS", says, "FAILS", says+"; exit 3").Replace(word)))
	}
	return args
}

// callInEveryForm makes a call with every value of --format but the default.
func (h *hostileHome) callInEveryForm(c *cli.Command, args []string) {
	for _, form := range c.Formats[min(1, len(c.Formats)):] {
		h.onTerminal(h.poisonText(h.records, false), append(args, "--format="+form)...)
	}
}

// callWithEveryFlag gives hostile values to every flag that takes one.
func (h *hostileHome) callWithEveryFlag(c *cli.Command) {
	flags := c.OwnFlags()
	if c.Name == "sessions" {
		flags = c.AllFlags() // those of every command are the same everywhere
	}
	for i, f := range flags {
		if slices.Contains(endless, f.Name) || i%longtest.Step(5) != 0 {
			continue
		}
		arg := "--" + f.Name
		if f.Value != "" {
			arg += "=" + evil
		}
		h.onTerminal("", c.Name, arg, h.names.Replace("ORPHAN"))
	}
}

// What tail -f and cat -f print is as safe as everything else.
func TestFollowedTextIsSafe(t *testing.T) {
	h := newHostileHome(t)
	t.Setenv("NO_COLOR", "1")
	path := h.names.Replace("ORPHAN")
	for _, command := range []string{"tail", "cat"} {
		master, slave, err := pty.Open()
		if err != nil {
			t.Skip("no pseudo-terminal here:", err)
		}
		h.write(path, h.poisonText(h.records, false))
		leaks, done := &leakLog{}, make(chan int)
		args := []string{"clawctl", command, "-f", path}
		go func() {
			done <- runWith(args, cli.Setup{Stdin: strings.NewReader(""), Stdout: slave, Stderr: slave, Now: time.Now,
				Timing: ui.DefaultTiming(time.Now), Poll: time.Millisecond, Unsafe: leaks.add})
		}()
		shown := readUntil(master, "once")
		h.write(path, h.poisonText(strings.ReplaceAll(h.records, "once", "afterwards"), false))
		shown += readUntil(master, "afterwards")
		master.Close() // which ends it
		<-done
		slave.Close()
		h.check(args, shown, leaks)
	}
}

// Nothing but a pager stands between a stream and its destination, and nobody else has the process's own streams.
func TestStreamsHaveOneOwner(t *testing.T) {
	wayAround := regexp.MustCompile(`os\.Std(out|err)\b|\.Through\(|"/dev/(tty|stdout|stderr)"`)
	allowed := map[string]string{
		"main.go": "os.Std", "pager.go": ".Through(", "output.go": ".Through(", "shell_unix.go": `"/dev/tty"`,
	}
	for _, folder := range []string{".", "../../pkg", "../../internal"} {
		err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") ||
				strings.Contains(path, "/gen/") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, found := range wayAround.FindAllString(string(text), -1) {
				if way := allowed[filepath.Base(path)]; way == "" || !strings.HasPrefix(found, way) {
					t.Errorf("%s has %s: text for a terminal goes through an app's console or output", path, found)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
