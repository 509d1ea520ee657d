package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/longtest"
	"clawctl/pkg/source"
)

// inStoreOnly are the commands that change sessions of the store, and refuse those that are elsewhere.
var inStoreOnly = []string{"prune --store", "delete", "append"}

// refusals are the reasons for which a command may refuse a session that it has found.
var refusals = []string{
	"CL904", "in the trash of the store has", "an earlier generation cannot be changed",
	"; name one of them", "is both the source and the target", "cannot write 2 sessions",
}

// namesHome makes a home and a store with all of its sessions, and one in the trash. The home is the state folder.
func namesHome(t *testing.T, from string) (home, db string) {
	t.Helper()
	root := t.TempDir()
	home, db = filepath.Join(root, "home"), filepath.Join(root, "s.db")
	t.Setenv("OPENCLAW_STATE_DIR", home)
	t.Setenv("XDG_DATA_HOME", filepath.Join(root, "data"))
	t.Setenv("CLAWCTL_DB", db)
	t.Setenv("CLAWCTL_CONFIG", "")
	if err := os.CopyFS(home, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"import", "-q"}, {"append", "me", "--role", "user", "hello"}, {"append", "gone", "--role", "user", "hello"},
		{"delete", "gone", "-y"},
	} {
		if status, _, stderr := inProcess("", args...); status != 0 && status != 3 {
			t.Fatalf("%q: exit %d, %s", args, status, stderr)
		}
	}
	return home, db
}

// namesOf returns the forms of the names of a session that commands print.
func namesOf(s *source.Session, short string) []string {
	names := []string{s.Key, s.Name(), s.ID, s.Place(), short}
	if s.Generation != "" {
		names = append(names, s.ID+"@"+s.Generation)
	}
	if !s.InDatabase {
		names = append(names, filepath.Base(s.Path), s.Below)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// isFound reports whether a command knew which session a name means.
func isFound(status int, stderr string) bool {
	isRefusal := func(reason string) bool { return strings.Contains(stderr, reason) }
	return status != failure.ExitNothing && status != failure.ExitUsage && status != failure.ExitDatabase ||
		slices.ContainsFunc(refusals, isRefusal)
}

// Every command that takes a session takes every name that a command prints.
func TestEveryCommandTakesEveryName(t *testing.T) {
	for _, c := range wholeCommands() {
		takes := func(line string) bool { return strings.HasPrefix(line, c.Name+" ") }
		if c.Group != "" && slices.ContainsFunc(naming, takes) == slices.Contains(unnamed, c.Name) {
			t.Errorf("%s must either take a session or not", c.Name)
		}
	}
	home, db := namesHome(t, "../../testdata/home")
	for _, path := range []string{home, db} {
		place := openPlace(t, path)
		short := source.ShortNames(place.Sessions)
		kinds := map[source.Kind]bool{source.Deleted: true, source.Backup: true, source.Reset: path == home}
		for _, s := range place.Sessions {
			if kinds[s.Kind] && !longtest.IsLong() {
				continue
			}
			kinds[s.Kind] = true
			for i, name := range namesOf(s, short[s]) {
				takeName(t, i, name, path == db)
			}
		}
	}
	takeName(t, 0, "trash:1", true)
	takeName(t, 0, "me", true)
}

// takeName gives a name to every command. Except in make long, a form of names is given to every fourth command, and
// the next form to others.
func takeName(t *testing.T, form int, name string, isStored bool) {
	t.Helper()
	folder := t.TempDir()
	for i, line := range naming {
		if (i+form)%4 > 0 && !longtest.IsLong() {
			continue
		}
		isForStore := slices.ContainsFunc(inStoreOnly, func(command string) bool { return strings.HasPrefix(line, command) })
		if isForStore && !isStored || name == "trash:1" && isForStore {
			continue
		}
		var args []string
		for _, word := range strings.Fields(line) {
			word = strings.ReplaceAll(word, "NEW", filepath.Join(folder, string(rune('a'+i))))
			word = strings.ReplaceAll(word, "OTHER", filepath.Join(folder, "other.db"))
			args = append(args, strings.ReplaceAll(word, "NAME", name))
		}
		if status, _, stderr := inProcess("", args...); !isFound(status, stderr) {
			t.Errorf("%q: exit %d, %s", args, status, stderr)
		}
	}
}

// openPlace lists the sessions of a folder or a store.
func openPlace(t *testing.T, path string) *source.Listing {
	t.Helper()
	find := source.Find
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		find = source.FindDatabase
	}
	place, err := find(t.Context(), path, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { place.Close() })
	return place
}

// printing are command lines that print names of sessions as JSON.
var printing = []string{
	"sessions --json", "sessions STORE --json", "search -l --json -e .", "search --json -e . --limit 200",
	"stats --json --by session", "du --json --by session", "tokens HOME --json --by session", "validate --json --all",
	"verify --json", "import --json", "restore --list --json", "prune --json --older 1s", "repair --json",
	"tail HOME -n 1 --format ndjson", "diff HOME STORE --stat --json", "redact HOME --check --json",
	"export HOME --as openclaw -o OUT --dry-run --json",
}

// nameMembers are the members of the JSON of commands that name a session.
var nameMembers = []string{"session", "copy_of", "key", "session_id"}

// Every name that a command prints as JSON leads to a session.
func TestPrintedNamesAreTaken(t *testing.T) {
	homes := []string{"../../testdata/home"}
	for _, name := range []string{"openclaw-jsonl", "openclaw-sqlite", "openclaw-sqlite-24"} {
		if folder := filepath.Join(sharedTranscripts, name); longtest.IsLong() && isFolder(folder) {
			homes = append(homes, folder)
		}
	}
	for _, from := range homes {
		t.Run(filepath.Base(from), func(t *testing.T) {
			home, db := namesHome(t, from)
			printed := map[string]string{}
			for _, line := range printing {
				line = strings.NewReplacer("HOME", home, "STORE", db, "OUT", filepath.Join(t.TempDir(), "out")).Replace(line)
				_, stdout, _ := inProcess("", strings.Fields(line)...)
				for text := range strings.SplitSeq(stdout, "\n") {
					var object any
					if json.Unmarshal([]byte(text), &object) == nil {
						collectNames(object, line, printed)
					}
				}
			}
			if len(printed) < 5 {
				t.Errorf("only %d names were printed", len(printed))
			}
			for name, line := range printed {
				for _, taking := range []string{"cat", "sessions", "prune --older 1d", "restore --dry-run --as-new new"} {
					status, _, stderr := inProcess("", append(strings.Fields(taking), name)...)
					if !isFound(status, stderr) {
						t.Errorf("%s prints %q; %s: exit %d, %s", line, name, taking, status, stderr)
					}
				}
			}
		})
	}
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// collectNames collects the names of sessions in a JSON value.
func collectNames(value any, line string, names map[string]string) {
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			collectNames(item, line, names)
		}
	case map[string]any:
		if v["code"] == string(source.FileMissing) {
			return // it names a session of which only the registration is there
		}
		for member, item := range v {
			if name, ok := item.(string); ok && name != "" && name[0] != '(' && slices.Contains(nameMembers, member) {
				names[name] = line
			}
			collectNames(item, line, names)
		}
	}
}

// A namedRow is a session as sessions prints it in JSON.
type namedRow struct{ Name, Path, Key, ID, Generation string }

// namedRows lists the sessions that a command line prints.
func namedRows(t *testing.T, args ...string) (rows []namedRow) {
	t.Helper()
	exit, stdout, stderr := inProcess("", append([]string{"sessions", "-q", "--json"}, args...)...)
	if exit != 0 && exit != failure.ExitDamaged {
		t.Fatalf("sessions %q: exit %d, %s", args, exit, stderr)
	}
	for lines := json.NewDecoder(strings.NewReader(stdout)); lines.More(); {
		var row namedRow
		if err := lines.Decode(&row); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, row)
	}
	return rows
}

// nameHomes are the homes whose names are tried: those here and, in make long, all shared ones.
func nameHomes() []string {
	homes := []string{"../../testdata/home"}
	for _, name := range []string{
		"openclaw-jsonl", "openclaw-sqlite", "openclaw-sqlite-24", "claw0", "pi", "cases",
	} {
		if folder := filepath.Join(sharedTranscripts, name); longtest.IsLong() && isFolder(folder) {
			homes = append(homes, folder)
		}
	}
	return homes
}

// Every name in the list of sessions is taken literally, and means that very session: in the state folder, and in a
// folder that is named.
func TestListedNamesMeanTheirSession(t *testing.T) {
	t.Setenv("CLAWCTL_DB", filepath.Join(t.TempDir(), "none.db"))
	tried := 0
	for _, home := range nameHomes() {
		t.Setenv("OPENCLAW_STATE_DIR", home)
		for _, row := range namedRows(t) {
			checkName(t, row)
			tried++
		}
		t.Setenv("OPENCLAW_STATE_DIR", t.TempDir())
		for i, row := range namedRows(t, home) {
			if i%3 == 0 || longtest.IsLong() {
				checkName(t, row)
			}
		}
	}
	t.Logf("%d names", tried)
}

// checkName gives a name to commands that read one session and to those that read all generations of one.
func checkName(t *testing.T, row namedRow) {
	t.Helper()
	got := namedRows(t, "--fast", row.Name)
	if len(got) != 1 || got[0].Path != row.Path || got[0].Generation != row.Generation {
		t.Errorf("sessions %s: %v, want %v", row.Name, got, row)
	}
	for _, line := range []string{"cat -q", "show -q --format ndjson --last 1", "search -q -c -e ."} {
		_, byName, _ := inProcess("", append(strings.Fields(line), row.Name)...)
		_, byPath, _ := inProcess("", append(strings.Fields(line), row.Path)...)
		if strings.HasPrefix(line, "search") { // a file alone does not tell its key
			byName, _, _ = strings.Cut(byName, " ")
			byPath, _, _ = strings.Cut(byPath, " ")
		}
		if byName != byPath {
			t.Errorf("%s %s is not %s", line, row.Name, row.Path)
		}
	}
}
