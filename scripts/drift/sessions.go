package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/pkg/census"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// planted are unknown on purpose: the shared transcripts and the generators of the oracle have them to test programs.
var planted = []string{
	"type note of record", "field foo of checkpoint record", "field note of replacement", "field big of user message",
	"field e of user message", "field f of user message", "field n of user message",
	"value version: 9 of session record", "type hologram of record", "value role: narrator of message",
	"field systemMessage of message record", "field systemMessage of model_change record",
}

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
	_, err := output(exec.Command(filepath.Join(d.oracle, "run-openclaw"), state, "doctor", "--session-sqlite", "import",
		"--session-sqlite-all-agents", "--json"))
	return err
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
		if !slices.Contains(planted, what) {
			d.note(strings.TrimPrefix(row.Example(), folder+"/"), "%s (%s %s)", what, row.Program, row.Written())
		}
	}
	return nil
}

// count adds a session to a census.
func (d *drift) count(c *census.Census, s *source.Session) error {
	in, err := s.Open()
	if err != nil {
		return err
	}
	defer in.Close()
	result, err := census.Read(jsonl.NewReader(in.Reader, jsonl.Options{}), s)
	if err == nil {
		c.Add(s, rebuild.Author{Folder: s.FolderOwner()}, result)
	}
	return err
}
