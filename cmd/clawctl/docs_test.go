package main

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"clawctl/internal/failure"
	"clawctl/internal/testkit"
)

const root = "../.."

// readDoc returns the text of a document, which is named relative to the root of the repository.
func readDoc(t *testing.T, name string) string {
	t.Helper()
	text := testkit.Read(t, filepath.Join(root, name))
	return string(text)
}

// documents lists every Markdown file of the repository, relative to its root.
func documents(t *testing.T) (names []string) {
	t.Helper()
	err := fs.WalkDir(os.DirFS(root), ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".md" {
			names = append(names, name)
		}
		return err
	})
	if err != nil || len(names) < 10 {
		t.Fatalf("%q, %v", names, err)
	}
	return names
}

// userDocs lists the README and the files of docs, except those that are generated from the help texts.
func userDocs(t *testing.T) []string {
	return slices.DeleteFunc(documents(t), func(name string) bool {
		return name != "README.md" && path.Dir(name) != "docs" || name == "docs/commands.md"
	})
}

// fences matches the fenced blocks of a document: their language and their text.
var fences = regexp.MustCompile("(?ms)^```([a-z]*)\n(.*?)^```$")

// blocks returns the text of the fenced blocks in a language.
func blocks(text, language string) (list []string) {
	for _, m := range fences.FindAllStringSubmatch(text, -1) {
		if m[1] == language {
			list = append(list, m[2])
		}
	}
	return list
}

// The console examples of every document print what the document says. Those of one document run in one shell, in a
// fresh folder with a copy of testdata. UPDATE_DOCS=1 writes what they print into the documents.
func TestDocExamples(t *testing.T) {
	t.Parallel()
	needShell(t)
	for _, name := range userDocs(t) {
		t.Run(name, func(t *testing.T) {
			text := readDoc(t, name)
			printed := withOutputs(text, runExamples(t, text))
			switch {
			case plainTimes(printed) == plainTimes(text):
			case os.Getenv("UPDATE_DOCS") != "":
				if err := os.WriteFile(filepath.Join(root, name), []byte(printed), 0o644); err != nil {
					t.Fatal(err)
				}
			default:
				t.Errorf("%s does not show what its examples print: %s", name, firstDifference(text, printed))
			}
		})
	}
}

func needShell(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("sh"); err != nil {
		t.Skip("no shell here")
	}
}

var (
	duration = regexp.MustCompile(`\b\d+\.\d+ s\b`)
	bundled  = regexp.MustCompile(`\.tar\.zst \(\d+\.\d kB\)`) // the times of files take more or less space in it
	build    = regexp.MustCompile(`\bclawctl \S+ (linux|darwin|windows)/\w+`)
)

// plainTimes replaces what differs between two runs or two machines: durations, the size of a bundle, the version and
// the platform.
func plainTimes(text string) string {
	text = bundled.ReplaceAllString(text, ".tar.zst (SIZE)")
	return build.ReplaceAllString(duration.ReplaceAllString(text, "0.00 s"), "clawctl VERSION")
}

// firstDifference describes the first line in which two texts differ.
func firstDifference(want, got string) string {
	a, b := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range min(len(a), len(b)) {
		if plainTimes(a[i]) != plainTimes(b[i]) {
			return fmt.Sprintf("line %d\nhas    %s\nprints %s", i+1, a[i], b[i])
		}
	}
	return fmt.Sprintf("%d lines instead of %d", len(b), len(a))
}

// withOutputs returns a document whose console examples show these outputs.
func withOutputs(text string, outputs []string) string {
	return fences.ReplaceAllStringFunc(text, func(block string) string {
		if !strings.HasPrefix(block, "```console\n") {
			return block
		}
		var b strings.Builder
		b.WriteString("```console\n")
		for _, line := range commandLines(block) {
			b.WriteString(line + outputs[0])
			outputs = outputs[1:]
		}
		return b.String() + "```"
	})
}

// commandLines returns the lines of a block that begin with a prompt.
func commandLines(block string) (lines []string) {
	for line := range strings.Lines(block) {
		if strings.HasPrefix(line, "$ ") {
			lines = append(lines, line)
		}
	}
	return lines
}

// runExamples runs the console examples of a document and returns what each command prints.
func runExamples(t *testing.T, text string) []string {
	t.Helper()
	script := "exec 2>&1\n"
	for _, block := range blocks(text, "console") {
		if len(commandLines(block)) == 0 {
			t.Fatalf("an example has no line that begins with a prompt:\n%s", block)
		}
		for _, line := range commandLines(block) {
			script += strings.TrimPrefix(line, "$ ") + "printf '\\036'\n"
		}
	}
	printed, err := inFreshFolder(t, script).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(string(printed), "\x1e")
}

// inFreshFolder returns a command that runs a script in a new folder. The folder is also HOME. It has a copy of what
// documents use of testdata, and the example home as the state folder.
func inFreshFolder(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	folder := t.TempDir()
	for from, to := range map[string]string{
		"testdata/home": "testdata/home", "testdata/transcripts": "testdata/transcripts", "testdata/home/": ".openclaw",
	} {
		if err := os.CopyFS(filepath.Join(folder, to), os.DirFS(filepath.Join(root, from))); err != nil {
			t.Fatal(err)
		}
	}
	config, err := os.ReadFile(filepath.Join(root, "testdata/config.json"))
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, "testdata/config.json"), config, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "HOME="+folder, "XDG_DATA_HOME=", "XDG_CONFIG_HOME=", "CLAWCTL_DB=",
		"CLAWCTL_CONFIG=", "OPENCLAW_STATE_DIR=", "TZ=UTC")
	return cmd
}

// The tasks of every document, whose output is not shown, run without an error.
func TestDocTasks(t *testing.T) {
	needShell(t)
	for _, name := range userDocs(t) {
		for _, task := range blocks(readDoc(t, name), "bash") {
			out, err := inFreshFolder(t, task).CombinedOutput()
			if strings.Contains(string(out), string(failure.UsageCode)) || strings.Contains(string(out), "not found") {
				t.Errorf("%s: %s%s%v", name, task, out, err)
			}
		}
	}
}

// sqlite3Main stands in for SQLite's shell, so that the SQL of the documents runs on every machine. It takes a file and
// one query, and prints rows as the shell does.
func sqlite3Main() {
	if err := query(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "Error:", err)
		os.Exit(1)
	}
}

func query(file, text string) error {
	db, err := sql.Open("sqlite", file)
	if err != nil {
		return err
	}
	defer db.Close()
	rows, err := db.Query(text)
	if err != nil {
		return err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return err
	}
	values, fields := make([]any, len(columns)), make([]string, len(columns))
	for i := range values {
		values[i] = new(sql.NullString)
	}
	for rows.Next() {
		if err := rows.Scan(values...); err != nil {
			return err
		}
		for i, v := range values {
			fields[i] = v.(*sql.NullString).String
		}
		fmt.Println(strings.Join(fields, "|"))
	}
	return rows.Err()
}

// The README is a front page.
func TestReadmeIsShort(t *testing.T) {
	if n := strings.Count(readDoc(t, "README.md"), "\n"); n > 150 {
		t.Errorf("the README has %d lines", n)
	}
}

// The two commands at the top of the README work with Go alone, and leave nothing in HOME but Go's own files.
func TestReadmeCommands(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("builds clawctl anew")
	}
	needShell(t)
	commands := blocks(readDoc(t, "README.md"), "sh")
	if len(commands) != 2 || commands[1] != "go test ./...\n" {
		t.Fatalf("the README's commands are %q", commands)
	}
	home := t.TempDir()
	cmd := exec.Command("sh", "-c", commands[0])
	cmd.Dir = root
	cmd.Env = append(append(os.Environ(), goFolders(t)...), "HOME="+home, "TMPDIR="+t.TempDir(), "XDG_DATA_HOME=",
		"XDG_CONFIG_HOME=", "CLAWCTL_DB=", "CLAWCTL_CONFIG=")
	if text, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(text), "Imported 12 transcripts: 8 new") {
		t.Fatalf("%s%v", text, err)
	}
	if left := entries(home, ".config"); len(left) > 0 {
		t.Errorf("left in HOME: %q", left)
	}
	if left := entries(filepath.Join(home, ".config"), "go"); len(left) > 0 { // Go counts how it is used
		t.Errorf("left in HOME/.config: %q", left)
	}
}

// entries lists what a folder holds, except for one name.
func entries(folder, except string) (names []string) {
	list, _ := os.ReadDir(folder)
	for _, entry := range list {
		if entry.Name() != except {
			names = append(names, entry.Name())
		}
	}
	return names
}

// goFolders are the settings that let Go find its caches in another HOME.
func goFolders(t *testing.T) []string {
	t.Helper()
	var settings []string
	for _, name := range []string{"GOPATH", "GOCACHE", "GOMODCACHE"} {
		value, err := exec.Command("go", "env", name).Output()
		if err != nil {
			t.Fatal(err)
		}
		settings = append(settings, name+"="+strings.TrimSpace(string(value)))
	}
	return settings
}

// links matches the inline links of Markdown, without pictures.
var links = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// Every relative link leads to a file, and every anchor to a heading.
func TestDocLinks(t *testing.T) {
	for _, name := range documents(t) {
		for _, m := range links.FindAllStringSubmatch(withoutCode(readDoc(t, name)), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			_, err := os.Stat(filepath.Join(root, target))
			switch {
			case err != nil && target == "docs/commands.md":
				t.Log("docs/commands.md is not generated yet")
			case err != nil:
				t.Errorf("%s links to %s, which does not exist", name, m[1])
			case anchor != "" && !slices.Contains(anchors(readDoc(t, target)), anchor):
				t.Errorf("%s links to %s, which has no such heading", name, m[1])
			}
		}
	}
}

var inlineCode = regexp.MustCompile("`[^`\n]*`")

// withoutCode returns a document without its blocks and spans of code.
func withoutCode(text string) string {
	return inlineCode.ReplaceAllString(fences.ReplaceAllString(text, ""), "")
}

var (
	heading     = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// anchors returns the anchors that GitHub gives to the headings of a document.
func anchors(text string) (list []string) {
	for _, m := range heading.FindAllStringSubmatch(fences.ReplaceAllString(text, ""), -1) {
		plain := notInAnchor.ReplaceAllString(strings.ToLower(m[1]), "")
		list = append(list, strings.ReplaceAll(strings.TrimSpace(plain), " ", "-"))
	}
	return list
}

// The prose of the documents has lines of at most 120 characters.
func TestDocLineLengths(t *testing.T) {
	for _, name := range documents(t) {
		if strings.HasPrefix(name, "testdata/") {
			continue
		}
		for line := range strings.Lines(fences.ReplaceAllString(readDoc(t, name), "")) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 120 && line[0] != '|' {
				t.Errorf("%s has a line of %d characters: %s", name, n, line)
			}
		}
	}
}

var (
	goFile     = regexp.MustCompile(`[\w/]+\.go\b`)
	identifier = regexp.MustCompile("`([a-z]+)\\.([A-Z]\\w*)")
)

// longestMap is how many lines the page may have that everybody reads first.
const longestMap = 200

// Every file, package and identifier that the pages about the code name exists, and the map names every package.
func TestArchitectureNames(t *testing.T) {
	architecture := readDoc(t, "ARCHITECTURE.md")
	text := architecture + readDoc(t, "docs/flows.md") + readDoc(t, "docs/decisions.md")
	var files []string
	eachGoFile(t, func(name string) { files = append(files, filepath.ToSlash(name)) })
	for _, name := range goFile.FindAllString(text, -1) {
		if !slices.ContainsFunc(files, func(file string) bool { return strings.HasSuffix(file, "/"+name) }) {
			t.Errorf("there is no file %s", name)
		}
	}
	for _, m := range identifier.FindAllStringSubmatch(text, -1) {
		isOurs := !slices.Contains([]string{"os", "gjson"}, m[1])
		if isOurs && !declares(t, m[1], m[2]) {
			t.Errorf("there is no %s.%s", m[1], m[2])
		}
	}
	for _, layer := range layers {
		for _, pkg := range layer {
			if !strings.Contains(architecture, pkg) {
				t.Errorf("ARCHITECTURE.md does not name %s", pkg)
			}
		}
	}
	if lines := strings.Count(architecture, "\n"); lines > longestMap {
		t.Errorf("ARCHITECTURE.md has %d lines, more than %d", lines, longestMap)
	}
}

// declares reports whether a package of ours, or one of its types, has a name.
func declares(t *testing.T, pkg, name string) bool {
	t.Helper()
	for _, parent := range []string{"pkg", "pkg/*", "internal"} {
		files, _ := filepath.Glob(filepath.Join(root, parent, pkg, "*.go"))
		for _, file := range files {
			text := testkit.Read(t, file)
			if regexp.MustCompile(`(?m)^(func (\(.*?\) )?|type |var |const |\t)` + name + `\b`).Match(text) {
				return true
			}
		}
	}
	return false
}
