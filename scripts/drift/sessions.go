package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/report/census"
	"clawctl/pkg/source"
)

// planted are unknown on purpose, with the reason: the shared transcripts and the generators of the oracle have them to
// test programs.
var planted = map[string]string{
	"type note of record":                        "cases: a type that no program writes",
	"field foo of checkpoint record":             "cases: a checkpoint of GoClaw without its content",
	"field big of user message":                  "cases/bignum: a number that JavaScript cannot hold",
	"field f of user message":                    "cases/bignum: 1.0, which JavaScript writes as 1",
	"field e of user message":                    "cases/bignum: 1e3, which JavaScript writes as 1000",
	"field n of user message":                    "defects/05-numbers: a number that an import changes",
	"value version: 9 of session record":         "cases: a version that OpenClaw refuses",
	"field note of replacement":                  "pi1/raw-context-edit: pi keeps unknown members of an edit",
	"type hologram of record":                    "pi1-random.mjs, unknown_type",
	"value role: narrator of message":            "pi1-random.mjs, unknown_role",
	"field systemMessage of message record":      "pi1-random.mjs, checkpoint_elsewhere: a prompt outside of a compaction",
	"field systemMessage of model_change record": "pi1-random.mjs, checkpoint_elsewhere",
}

// strangers are folders of sessions of programs that clawctl does not know, although some look like pi's.
var strangers = []string{"relatives/"}

// checkWritten lets the programs of the oracle write sessions, and looks at them.
func (d *drift) checkWritten() error {
	folder, err := os.MkdirTemp("", "drift-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for _, args := range [][]string{
		{"pi1-fixtures.mjs", filepath.Join(folder, "pi1-fixtures")},
		{"pi1-random.mjs", filepath.Join(folder, "pi1-random"), "300", "drift"},
	} {
		args[0] = filepath.Join(d.oracle, args[0])
		if _, err := output(exec.Command("node", args...)); err != nil {
			return err
		}
	}
	if d.shared != "" {
		if err := d.migrate(filepath.Join(folder, "openclaw")); err != nil {
			return err
		}
	}
	return d.checkFolder(folder)
}

// migrate lets OpenClaw move real transcripts into its databases.
func (d *drift) migrate(state string) error {
	if err := os.CopyFS(state, os.DirFS(filepath.Join(d.shared, "openclaw-jsonl"))); err != nil {
		return err
	}
	c := exec.Command(filepath.Join(d.oracle, "run-openclaw"), state, "doctor", "--session-sqlite", "import",
		"--session-sqlite-all-agents", "--json")
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil && !isImported(text) {
		return fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, text[max(0, len(text)-2000):])
	}
	return nil
}

// isImported reports whether an import has all sessions, whatever its exit status is. OpenClaw compacts the databases
// afterwards, and on a busy machine it gives up waiting for its own worker after 5 seconds (sqlite_compact_failed).
func isImported(report []byte) bool {
	var r struct {
		Totals struct{ ImportedEntries, LegacyEntries int }
	}
	err := json.Unmarshal(report, &r)
	return err == nil && r.Totals.LegacyEntries > 0 && r.Totals.ImportedEntries == r.Totals.LegacyEntries
}

// checkFolder takes the census of all sessions below a folder.
func (d *drift) checkFolder(folder string) error {
	ctx := context.Background()
	place, err := source.Find(ctx, folder, source.Options{})
	if err != nil {
		return err
	}
	defer place.Close()
	c := &census.Census{}
	for _, s := range place.Sessions {
		below := strings.TrimPrefix(s.Place(), folder+string(filepath.Separator))
		if slices.ContainsFunc(strangers, func(f string) bool { return strings.HasPrefix(filepath.ToSlash(below), f) }) {
			continue
		}
		if err := d.count(c, s); err != nil {
			return fmt.Errorf("%s: %w", s.Place(), err)
		}
	}
	d.say("%s: %s", filepath.Base(folder), c.Words())
	if c.Sessions == 0 {
		return fmt.Errorf("%s has no sessions", folder)
	}
	for _, row := range c.Rows() {
		what := fmt.Sprintf("%s %s of %s", row.Kind, row.Label(), row.Place)
		if planted[what] == "" {
			d.note(strings.TrimPrefix(row.Example(), folder+"/"), "%s (%s %s)", what, row.Program, row.Written())
		}
	}
	return nil
}

func (d *drift) count(c *census.Census, s *source.Session) error {
	in, err := s.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	result, err := census.Read(jsonl.NewReader(in.Reader, jsonl.Options{}), s)
	if err != nil {
		return err
	}
	c.Add(s, rebuild.Author{Folder: s.FolderOwner()}, result)
	return nil
}
