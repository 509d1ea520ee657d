package migrate

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"testing"

	"clawctl/internal/portable"
	"clawctl/pkg/source"
)

// A file keeps a name that every system takes, in whatever order they are listed. Another one gets a free name of the
// same kind, and its archives go with it.
func TestPortableItems(t *testing.T) {
	const reset = ".jsonl.reset.2026-04-30T10-00-00.000Z"
	const checkpoint = ".checkpoint.e062545a-58d4-4c17-a35c-7cb0f9f71a36.jsonl"
	for name, renamed := range map[string]map[string]string{
		"valid":           {"a/b.jsonl": "a/b.jsonl", "a/b" + reset: "a/b" + reset, "a/b.jsonl.2": "a/b.jsonl.2"},
		"free":            {"a/x:y.jsonl": "a/x_y.jsonl", "a/x:y" + reset: "a/x_y" + reset},
		"device":          {"a/_con.jsonl": "a/_con.jsonl", "a/con.jsonl": "a/_con-2.jsonl"},
		"taken":           {"a/a:b.jsonl": "a/a_b-2.jsonl", "a/a_b.jsonl": "a/a_b.jsonl"},
		"number taken":    {"a:b.jsonl": "a_b-3.jsonl", "a_b.jsonl": "a_b.jsonl", "a_b-2.jsonl": "a_b-2.jsonl"},
		"archive":         {"a/a:b" + reset: "a/a_b-2" + reset, "a/a_b" + reset: "a/a_b" + reset},
		"archive only":    {"a:b" + reset: "a_b-2" + reset, "a:b.jsonl": "a_b-2.jsonl", "a_b.jsonl": "a_b.jsonl"},
		"checkpoint":      {"a:b" + checkpoint: "a_b-2" + checkpoint, "a_b.jsonl": "a_b.jsonl"},
		"compressed":      {"a:b.jsonl.zst": "a_b-2.jsonl.zst", "a_b.jsonl": "a_b.jsonl"},
		"bad end":         {"a.jsonl.bak?": "a-2.jsonl.bak_", "a.jsonl.bak_": "a.jsonl.bak_", "a.jsonl": "a.jsonl"},
		"folder":          {"nul/a.jsonl": "_nul-2/a.jsonl", "nul/b.jsonl": "_nul-2/b.jsonl", "_nul/c.jsonl": "_nul/c.jsonl"},
		"by content":      {"a/notes.txt": "a/notes.txt.jsonl", "a/b.jsonl": "a/b.jsonl"},
		"content, taken":  {"notes.txt": "notes.txt-2.jsonl", "notes.txt.jsonl": "notes.txt.jsonl"},
		"several at once": {"nul/x:y.jsonl": "_nul/x_y.jsonl", "nul/x_y.jsonl": "_nul/x_y-2.jsonl"},
	} {
		paths := slices.Sorted(maps.Keys(renamed))
		checkPortable(t, name, paths, renamed)
		if slices.Reverse(paths); name != "several at once" { // none of these had a valid name
			checkPortable(t, name+", reversed", paths, renamed)
		}
	}
}

func checkPortable(t *testing.T, name string, paths []string, renamed map[string]string) {
	t.Helper()
	var items []Item
	for _, path := range paths {
		items = append(items, Item{Path: path})
	}
	for i, got := range PortableItems(items) {
		old := paths[i]
		if got.Path != renamed[old] {
			t.Errorf("%s: %q is renamed to %q, want %q", name, old, got.Path, renamed[old])
		}
		if isRenamed := got.Path != old; isRenamed != (got.RenamedFrom == old) || isRenamed != (got.RenameReason != "") {
			t.Errorf("%s: %q is renamed to %q, noted as from %q: %q", name, old, got.Path, got.RenamedFrom, got.RenameReason)
		}
		was, wasKnown := source.ParseName(path.Base(old))
		is, _ := source.ParseName(path.Base(got.Path))
		if wasKnown && portable.Check(path.Base(old)) == "" && was.Kind != is.Kind {
			t.Errorf("%s: %q is %s, and %q is %s", name, old, was.Kind, got.Path, is.Kind)
		}
	}
}

// In a bundle, a file whose name differs only in case from another stays in its folder, where its session is listed.
// On Windows, files get names that it takes. Elsewhere they keep theirs.
func TestWritableItems(t *testing.T) {
	for system, want := range map[string]string{
		"windows": "agents/_con/sessions/a.jsonl", "linux": "agents/con/sessions/a.jsonl",
	} {
		items := writableItems([]Item{{Path: "agents/con/sessions/a.jsonl"}}, system)
		if it := items[0]; it.Path != want || (it.RenamedFrom != "") != (system == "windows") {
			t.Errorf("%s: %q, renamed from %q", system, it.Path, it.RenamedFrom)
		}
	}
}

func TestPortableCase(t *testing.T) {
	items := PortableItems(uniquePaths([]Item{
		{Path: "a/con-1.jsonl"}, {Path: "a/CON-1.jsonl"}, {Path: "a/e\u0301.jsonl"}, {Path: "a/\u00e9.jsonl"},
		{Path: "A/b.jsonl"},
	}))
	for i, want := range []string{
		"a/con-1.jsonl", "a/CON-1-2.jsonl", "a/e\u0301.jsonl", "a/\u00e9-2.jsonl", "A-2/b.jsonl",
	} {
		if it := items[i]; it.Path != want || it.SameButCase != "" {
			t.Errorf("%q beside %q, want %q", it.Path, it.SameButCase, want)
		}
	}
}

// Registrations lead to files that were renamed. An entry without a path gets one if the id no longer finds the file.
func TestRenamedRegistrations(t *testing.T) {
	for name, c := range map[string]struct{ file, entry, want string }{
		"kept":      {"a.jsonl", `{"sessionId":"a","sessionFile":"/old/a.jsonl"}`, "/old/a.jsonl"},
		"no path":   {"a.jsonl", `{"sessionId":"a"}`, ""},
		"stale":     {"a.jsonl", `{"sessionId":"a","sessionFile":"/old/gone.jsonl"}`, "/old/gone.jsonl"},
		"relative":  {"x:y.jsonl", `{"sessionId":"e0","sessionFile":"x:y.jsonl"}`, "x_y.jsonl"},
		"absolute":  {"x:y.jsonl", `{"sessionId":"e0","sessionFile":"/old/x:y.jsonl"}`, "/old/x_y.jsonl"},
		"Windows":   {"x?y.jsonl", `{"sessionId":"e0","sessionFile":"C:\\old\\x?y.jsonl"}`, `C:\old\x_y.jsonl`},
		"by id":     {"con.jsonl", `{"sessionId":"con"}`, "_con.jsonl"},
		"null":      {"con.jsonl", `{"sessionFile":null,"sessionId":"con"}`, "_con.jsonl"},
		"bare":      {"con.jsonl", `{}`, "_con.jsonl"},
		"id, stale": {"con.jsonl", `{"sessionId":"con","sessionFile":"/old/gone.jsonl"}`, "/old/_con.jsonl"},
		"id inside": {"e0-topic-a:b.jsonl", `{"sessionId":"e0"}`, ""},
		"taken":     {"a:b.jsonl", `{"sessionId":"a:b","sessionFile":"/old/a:b.jsonl"}`, "/old/a_b-2.jsonl"},
		"content":   {"notes.txt", `{"sessionId":"e0","sessionFile":"/old/notes.txt"}`, "/old/notes.txt.jsonl"},
		"database":  {"con.jsonl", `{"sessionId":"con","sessionFile":"sqlite:con"}`, "_con.jsonl"},
	} {
		id, _ := source.SplitName(c.file)
		items := PortableItems([]Item{
			{Path: "s/" + c.file, ID: id, Key: "k", Live: true, Entry: json.RawMessage(c.entry)},
			{Path: "s/a_b.jsonl", ID: "a_b", Live: true},
		})
		list, err := Registrations(items)
		if err != nil || len(list) != 1 || list[0].Path != "s/sessions.json" {
			t.Fatalf("%s: %v, %v", name, list, err)
		}
		var entries map[string]struct{ SessionFile string }
		if err := json.Unmarshal(list[0].Text, &entries); err != nil || entries["k"].SessionFile != c.want {
			t.Errorf("%s: %v: %s, want %q", name, err, list[0].Text, c.want)
		}
	}
}
