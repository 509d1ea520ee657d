package source

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

// storeDatabases returns databases that say which agent they belong to, by agent.
func storeDatabases(t *testing.T, agents ...string) map[string][]byte {
	t.Helper()
	texts := map[string][]byte{}
	for _, agent := range agents {
		path := filepath.Join(t.TempDir(), "x.sqlite")
		db := newDatabase(t, path, schemaNodes)
		must(t, db, `UPDATE session_nodes SET session_key = replace(session_key, ':main:', ?);
			CREATE TABLE schema_meta(meta_key TEXT PRIMARY KEY, role TEXT, schema_version INTEGER, agent_id TEXT,
			app_version TEXT)`, ":"+agent+":")
		must(t, db, "INSERT INTO schema_meta VALUES('primary', 'agent', 26, ?, '2026.10.2')", agent)
		db.Close()
		text := testkit.Read(t, path)
		texts[agent] = text
	}
	return texts
}

// place writes a file, and the folders above it.
func place(t *testing.T, path string, text []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	testkit.Write(t, path, text)
}

// storesBelow lists the databases below a folder, each with the agent of its sessions, and the problems.
func storesBelow(t *testing.T, folder, home string) (found []string) {
	t.Helper()
	p, err := Find(context.Background(), folder, Options{Home: home})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	for _, path := range p.Databases {
		below, _ := filepath.Rel(folder, path)
		for _, s := range p.Sessions {
			if s.Path == path && s.ID == "s2" {
				found = append(found, filepath.ToSlash(below)+" "+s.Agent+" "+s.AppVersion+" "+string(s.Kind))
			}
		}
	}
	for _, problem := range p.Problems {
		found = append(found, fmt.Sprintf("%s %s", problem.Code, problem.Detail))
	}
	slices.Sort(found)
	return found
}

// Databases of a configured store are found by the name in the configuration, and those in a folder that the user named
// by their content.
func TestStoreDatabases(t *testing.T) {
	const version = " 2026.10.2 live"
	files := map[string]string{
		"team.sqlite": "main", "team.ops.sqlite": "ops", "team.ops.2.sqlite": "ops", "team-copy.sqlite": "main",
		"team.ops.two.sqlite": "ops",
	}
	family := []string{"team.ops.2.sqlite ops" + version, "team.ops.sqlite ops" + version, "team.sqlite main" + version}
	below := func(folder string, list []string) (all []string) {
		for _, line := range list {
			all = append(all, folder+line)
		}
		return all
	}
	texts := storeDatabases(t, "main", "ops")
	all := append([]string{"team-copy.sqlite main" + version, "team.ops.two.sqlite ops" + version}, family...)
	slices.Sort(all)
	for name, test := range map[string]struct {
		folder, config string
		want           []string
	}{
		"no configuration":  {".", "", all},
		"named":             {"stores", `{session: {store: "ROOT/stores/team.json"}}`, below("stores/", family)},
		"a database":        {"x/y", `{session: {store: "~/x/y/team.sqlite"}}`, []string{"x/y/team.sqlite main" + version}},
		"below an archive":  {"old/stores", `{session: {store: "ROOT/old/stores/team.json"}}`, below("old/stores/", family)},
		"not the one named": {"stores", `{session: {store: "ROOT/stores/other.json"}}`, nil},
		"elsewhere":         {"stores", `{session: {store: "/elsewhere/team.json"}}`, []string{"CL521 session.store"}},
		"each agent": {"stores/ops", `{session: {store: "ROOT/stores/{agentId}/team.json"}}`,
			below("stores/ops/", all)},
		"unknown": {"stores", `{session: {store: "${HOME}/team.json"}}`, append([]string{
			`CL523 session.store "${HOME}/team.json"`}, below("stores/", all)...)},
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			for base, agent := range files {
				place(t, filepath.Join(root, filepath.FromSlash(test.folder), base), texts[agent])
			}
			if test.config != "" {
				config := strings.ReplaceAll(test.config, "ROOT", filepath.ToSlash(root))
				place(t, filepath.Join(root, "openclaw.json"), []byte(config))
			}
			if got := storesBelow(t, root, root); !slices.Equal(got, test.want) {
				t.Errorf("%s\nwant %s", strings.Join(got, "\n"), strings.Join(test.want, "\n"))
			}
		})
	}
}

// In OpenClaw's own layout only its own name counts, and beside it only the databases of other agents.
func TestCopiesOfDatabases(t *testing.T) {
	root, texts := t.TempDir(), storeDatabases(t, "main", "ops")
	for path, agent := range map[string]string{
		"agents/main/agent/openclaw-agent.sqlite": "main", "agents/main/agent/copy.sqlite": "main",
		"agents/main/agent/openclaw-agent.ops.sqlite": "ops", "store/openclaw-agent.sqlite": "main",
		"store/openclaw-agent.ops.sqlite": "ops", "store/copy.sqlite": "main",
	} {
		place(t, filepath.Join(root, filepath.FromSlash(path)), texts[agent])
	}
	want := []string{"agents/main/agent/openclaw-agent.sqlite main 2026.10.2 live"}
	if got := storesBelow(t, root, root); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	want = []string{"openclaw-agent.ops.sqlite ops 2026.10.2 live", "openclaw-agent.sqlite main 2026.10.2 live"}
	if got := storesBelow(t, filepath.Join(root, "store"), root); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// A database of another program is not opened as one of OpenClaw's, and leaves no trace.
func TestForeignDatabases(t *testing.T) {
	root := t.TempDir()
	db := newDatabase(t, filepath.Join(root, "notes.sqlite"), schemaNodes)
	must(t, db, "DROP TABLE transcript_events")
	db.Close()
	before := listing(t, root)
	if got := storesBelow(t, root, root); len(got) > 0 {
		t.Errorf("%q", got)
	}
	if after := listing(t, root); after != before {
		t.Errorf("%s, before %s", after, before)
	}
}

func listing(t *testing.T, folder string) string {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return strings.Join(names, " ")
}
