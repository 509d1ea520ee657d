package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
	"clawctl/pkg/source"
)

// others are texts of other programs in files that are named like transcripts.
var others = map[string]string{
	"log":      `{"ts":"2026-05-01T10:00:00Z","level":"info","msg":"started"}` + "\n" + `{"level":"warn"}` + "\n",
	"examples": `{"messages":[{"role":"user","content":"q1"},{"role":"assistant","content":"a1"}]}` + "\n",
	"audit":    `{"ts":"2026-03-10T15:20:23.342Z","source":"config-io","event":"config.write"}` + "\n",
	"events":   `{"type":"event","id":"e1","parentId":null,"timestamp":"2026-05-01T10:00:00.000Z","data":{}}` + "\n",
	"chat":     `{"type":"message","user":"U1","text":"hello","ts":"1777629601.000100"}` + "\n",
	"harness":  `{"type":"user","parentUuid":null,"message":{"role":"user","content":"hello"}}` + "\n",
	"rollout":  `{"timestamp":"2026-05-01T10:00:00.000Z","type":"session_meta","meta":{"id":"t"}}` + "\n",
	"package":  `{"name":"left-pad","version":"1.3.0","dependencies":{}}` + "\n",
	"lists":    "[1,2,3]\n[\"a\"]\n",
	"numbers":  "1\n2\n3\n",
	"objects":  "{}\n{}\n",
	"prose":    "Dear diary,\nnothing happened.\n",
	"zeros":    strings.Repeat("\x00", 512),
}

const (
	realHeader = `{"type":"session","version":3,"id":"real","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}`
	realEntry  = `{"type":"message","id":"a1","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z",` +
		`"message":{"role":"user","content":"Where is the needle?","timestamp":1777629601000}}`
)

// tornLine is the beginning of a record, by which a transcript is recognized although it has no whole record.
const tornLine = `{"type":"message","id":"a1","parentId":null,` + "\n"

// damagedTranscripts are transcripts, whatever happened to them.
var damagedTranscripts = map[string]string{
	"sound":       realHeader + "\n" + realEntry + "\n",
	"headerless":  realEntry + "\n",
	"empty":       "",
	"blank":       "\n\n",
	"torn":        realHeader + "\n" + realEntry[:len(realEntry)-20],
	"torn header": realHeader[:60],
	"torn lines":  strings.Repeat(tornLine, 3),
	"zeros first": strings.Repeat("\x00", 100_000) + "\n" + realEntry + "\n",
	"glued":       realHeader + realEntry + "\n",
	"noise first": strings.Repeat("\xf0\x9f garbage }\n", 500) + realEntry + "\n",
	"bom":         "\ufeff" + realHeader + "\n" + realEntry + "\n",
	"old":         `{"type":"message","timestamp":"2026-05-01","message":{"role":"user","content":"hi"}}` + "\n",
	"claw0":       `{"type":"user","content":"hi","ts":1777629601.5}` + "\n",
	"others too":  strings.Repeat(others["log"], 20) + realEntry + "\n",
	"null role":   strings.Replace(realEntry, `"user"`, "null", 1) + "\n",
}

// A fileCommand is a command that takes a transcript, with PATH for its file.
type fileCommand struct {
	args    string
	anyText bool // it takes any text
}

// The list of commands is complete.
func TestFileCommands(t *testing.T) {
	known := map[string]bool{"doctor": true, "browse": true} // which needs a terminal
	for _, c := range fileCommands {
		known[strings.Fields(c.args)[0]] = true
	}
	for _, c := range wholeCommands() {
		takesFile := strings.Contains(c.Operands, "SOURCE") || strings.Contains(c.Operands, "SESSION") ||
			strings.Contains(c.Operands, "ARCHIVE") || c.Operands == "A B"
		if takesFile && !known[c.Name] {
			t.Errorf("%s %s is not tested", c.Name, c.Operands)
		}
	}
}

// A recognitionHome is a folder with files of other programs, and maybe a transcript.
type recognitionHome struct {
	folder, out string
}

func newRecognitionHome(t *testing.T) *recognitionHome {
	t.Helper()
	h := &recognitionHome{filepath.Join(t.TempDir(), "files"), t.TempDir()}
	for _, name := range []string{"HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "OPENCLAW_STATE_DIR", "CLAWCTL_DB"} {
		t.Setenv(name, filepath.Join(h.out, "home", name))
	}
	if err := os.Mkdir(h.folder, 0o700); err != nil {
		t.Fatal(err)
	}
	h.write(t, filepath.Join(h.out, "seed.jsonl"), damagedTranscripts["sound"])
	if exit, _, stderr := inProcess("", "import", filepath.Join(h.out, "seed.jsonl"), "--to",
		filepath.Join(h.out, "empty.db")); exit != failure.ExitOK {
		t.Fatal(stderr)
	}
	return h
}

func (h *recognitionHome) write(t *testing.T, path, text string) string {
	t.Helper()
	testkit.Write(t, path, text)
	return path
}

// run runs a command for a path. Every run has a folder of its own to write to.
func (h *recognitionHome) run(t *testing.T, args, path string) (exit int, stdout, stderr string) {
	t.Helper()
	out := t.TempDir()
	words := strings.Fields(args)
	for i, word := range words {
		word = strings.Replace(word, "OUT/empty.db", filepath.Join(h.out, "empty.db"), 1)
		words[i] = strings.NewReplacer("PATH", path, "OUT", out).Replace(word)
	}
	exit, stdout, stderr = inProcess("", words...)
	return exit, strings.ReplaceAll(stdout, out, "OUT"), stderr
}

// A file of another program is refused by every command that takes a transcript, and never changed.
func TestOtherFilesAreRefused(t *testing.T) {
	h := newRecognitionHome(t)
	for name, text := range others {
		path := h.write(t, filepath.Join(h.folder, name+".jsonl"), text)
		for _, c := range fileCommands {
			exit, _, stderr := h.run(t, c.args, path)
			isRefused := exit == failure.ExitNothing && strings.Contains(stderr, "CL903 not a transcript")
			if !isRefused && !c.anyText {
				t.Errorf("%s: %s: exit %d: %s", name, c.args, exit, stderr)
			}
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("%s was changed: %v", name, err)
		}
	}
	if files, _ := os.ReadDir(h.folder); len(files) != len(others) {
		t.Errorf("there are %d files, want %d", len(files), len(others))
	}
}

// A stream of another program is refused, too. A transcript that comes through a pipe is read from its beginning.
func TestOtherStreamsAreRefused(t *testing.T) {
	newRecognitionHome(t)
	for _, args := range []string{"sessions", "validate", "stats", "rebuild", "show", "repair", "search needle"} {
		words := append(strings.Fields(args), "-")
		for name, text := range others {
			if exit, _, stderr := inProcess(text, words...); exit != failure.ExitNothing {
				t.Errorf("%s: %s: exit %d: %s", name, args, exit, stderr)
			}
		}
		if exit, stdout, stderr := inProcess(damagedTranscripts["sound"], words...); exit != failure.ExitOK {
			t.Errorf("%s: exit %d: %s%s", args, exit, stdout, stderr)
		}
	}
	exit, stdout, stderr := inProcess(damagedTranscripts["others too"], "sessions", "--json", "-")
	if exit != failure.ExitOK || !strings.Contains(stdout, `"records":41`) {
		t.Errorf("exit %d: %s%s", exit, stdout, stderr)
	}
}

// In a folder, files of other programs are named and left alone. They change no exit status and no result.
func TestOtherFilesAreSkipped(t *testing.T) {
	h := newRecognitionHome(t)
	h.write(t, filepath.Join(h.folder, "real.jsonl"), damagedTranscripts["sound"])
	for _, c := range append(fileCommands, fileCommand{args: "doctor PATH"}) {
		if strings.HasPrefix(c.args, "restore ") {
			continue // takes one file
		}
		exit, stdout, _ := h.run(t, c.args, h.folder)
		for name, text := range others {
			h.write(t, filepath.Join(h.folder, name+".jsonl"), text)
		}
		exitNow, stdoutNow, stderr := h.run(t, c.args, h.folder)
		command, _, _ := strings.Cut(c.args, " ")
		mayDiffer := slices.Contains([]string{"du", "doctor", "checkpoint"}, command) // other files count, or the time
		if exit != exitNow || stdout != stdoutNow && !mayDiffer {
			t.Errorf("%s: exit %d instead of %d:\n%s\ninstead of\n%s%s", c.args, exitNow, exit, stdoutNow, stdout, stderr)
		}
		if !strings.Contains(stderr, "13 files are not transcripts: 13 .jsonl") {
			t.Errorf("%s does not say what it skipped: %s", c.args, stderr)
		}
		for name, text := range others {
			path := filepath.Join(h.folder, name+".jsonl")
			if got, err := os.ReadFile(path); err != nil || string(got) != text {
				t.Errorf("%s changed %s: %v", c.args, name, err)
			}
			os.Remove(path)
		}
	}
}

// A few files are named, and -v names all.
func TestSkippedFilesAreNamed(t *testing.T) {
	h := newRecognitionHome(t)
	h.write(t, filepath.Join(h.folder, "real.jsonl"), damagedTranscripts["sound"])
	for _, name := range []string{"log", "examples"} {
		h.write(t, filepath.Join(h.folder, name+".jsonl"), others[name])
	}
	const few = ": 2 files are not transcripts: examples.jsonl, log.jsonl; to list them: clawctl sessions "
	if exit, _, stderr := inProcess("", "validate", h.folder); exit != failure.ExitOK || !strings.Contains(stderr, few) {
		t.Errorf("exit %d: %s", exit, stderr)
	}
	for name, text := range others {
		h.write(t, filepath.Join(h.folder, name+".jsonl"), text)
	}
	if _, _, stderr := inProcess("", "validate", "-v", h.folder); !strings.Contains(stderr, "audit.jsonl, chat.jsonl, ") {
		t.Errorf("-v does not name the files: %s", stderr)
	}
	_, _, stderr := inProcess("", "sessions", "--json", h.folder)
	if !strings.Contains(stderr, `"unrecognized":["`) || !strings.Contains(stderr, `zeros.jsonl"]`) {
		t.Errorf("JSON does not name the files: %s", stderr)
	}
}

// A damaged transcript stays one, for every command.
func TestDamagedTranscriptsAreRecognized(t *testing.T) {
	h := newRecognitionHome(t)
	for name, text := range damagedTranscripts {
		folder := t.TempDir()
		h.write(t, filepath.Join(folder, "damaged.jsonl"), text)
		for _, args := range []string{"sessions PATH", "sessions PATH#damaged", "stats PATH", "validate PATH",
			"import PATH --to OUT/new.db", "repair PATH", "du PATH"} {
			exit, _, stderr := h.run(t, args, folder)
			if exit == failure.ExitNothing || strings.Contains(stderr, "not a transcript") {
				t.Errorf("%s: %s: exit %d: %s", name, args, exit, stderr)
			}
		}
		h.write(t, filepath.Join(h.folder, name+".jsonl"), text)
	}
	_, stdout, stderr := inProcess("", "sessions", "--json", h.folder)
	if n := strings.Count(stdout, "\n"); n != len(damagedTranscripts) || strings.Contains(stderr, "skipped") {
		t.Errorf("%d sessions, want %d: %s", n, len(damagedTranscripts), stderr)
	}
}

// A file that is named and has no whole record is a transcript if a record begins in it. Commands that show or mend
// damage do so, and the others say that there is no record.
func TestTornFilesAreShown(t *testing.T) {
	h := newRecognitionHome(t)
	path := h.write(t, filepath.Join(h.folder, "torn.jsonl"), damagedTranscripts["torn header"])
	for _, test := range []struct {
		args string
		exit int
		want string // on stdout or stderr
	}{
		{"validate PATH", failure.ExitFindings, "CL002"}, {"tail PATH", failure.ExitDamaged, "CL002"},
		{"show PATH", failure.ExitNothing, "CL002"}, {"du PATH", failure.ExitOK, "60"},
		{"sessions PATH", failure.ExitNothing, "none of its lines is a record"},
		{"search needle PATH", failure.ExitNothing, "none of its lines is a record"},
		{"repair PATH", failure.ExitFindings, "CL002"},
	} {
		exit, stdout, stderr := h.run(t, test.args, path)
		if exit != test.exit || !strings.Contains(stdout+stderr, test.want) {
			t.Errorf("%s: exit %d, want %d: %s%s", test.args, exit, test.exit, stdout, stderr)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != damagedTranscripts["torn header"] {
		t.Errorf("the file was changed: %v", err)
	}
}

// Every real transcript that has the name of one is recognized as one, except the files of other programs.
func TestSharedTranscriptsAreRecognized(t *testing.T) {
	if _, err := os.Stat(sharedTranscripts); err != nil {
		t.Skip("no real transcripts here")
	}
	paths := func(opts source.Options) map[string]bool {
		place, err := source.Find(t.Context(), sharedTranscripts, opts)
		if err != nil {
			t.Fatal(err)
		}
		defer place.Close()
		found := map[string]bool{}
		for _, s := range place.Sessions {
			found[filepath.ToSlash(s.Place())] = true
		}
		return found
	}
	recognized, named := paths(source.Options{}), paths(source.Options{NamesOnly: true})
	for path := range named {
		if recognized[path] == isOfOthers(path) {
			t.Errorf("%s: recognized %v", path, recognized[path])
		}
	}
	if len(named) < 200 {
		t.Errorf("only %d transcripts", len(named))
	}
}
