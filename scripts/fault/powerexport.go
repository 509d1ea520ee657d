//go:build linux

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"clawctl/scripts/fault/disk"
)

// exportRecording traces an export into a new folder.
func (f *fault) exportRecording() (*recording, error) {
	rec, err := f.trace("exports", func(folder string) error {
		return importSessions(f.small.path, filepath.Join(folder, "store.db"), oftenBytes, 0, func(string) {})
	}, f.clawctl, "export", inFolder+"store.db", "-o", inFolder+"out")
	if err != nil {
		return nil, err
	}
	rec.share, rec.check = 10, checkOutput(rec.record, "Exported")
	return rec, nil
}

// replaceRecording traces a report that replaces a file.
func (f *fault) replaceRecording() (*recording, error) {
	rec, err := f.trace("replaced files", func(folder string) error {
		old := bytes.Repeat([]byte("an older report\n"), 1000)
		return errors.Join(os.WriteFile(filepath.Join(folder, "out.json"), old, 0o600),
			importSessions(f.small.path, filepath.Join(folder, "store.db"), oftenBytes, 0, func(string) {}))
	}, f.clawctl, "cat", inFolder+"store.db", "--kind", "all", "--force", "-o", inFolder+"out.json")
	if err != nil {
		return nil, err
	}
	rec.share, rec.check = 10, checkOutput(rec.record, "")
	return rec, nil
}

// checkOutput returns a check of files whose names begin with out. Each is as it was, or as it is in the end. After the
// program has printed done, all of them are as in the end.
func checkOutput(record *disk.Record, done string) func(folder, printed string, number int) error {
	final := record.Final()
	return func(folder, printed string, _ int) error {
		isDone := done != "" && strings.Contains(printed, done)
		for name, want := range final.Files {
			if !strings.HasPrefix(name, "out") {
				continue
			}
			have, err := os.ReadFile(filepath.Join(folder, name))
			before, existed := record.Before[name]
			isOld := err == nil && existed && bytes.Equal(have, record.Content[before])
			if !existed {
				isOld = errors.Is(err, fs.ErrNotExist)
			}
			switch {
			case err == nil && bytes.Equal(have, want):
			case !isOld:
				return fmt.Errorf("%s is torn: %d bytes, want %d: %w", name, len(have), len(want), err)
			case isDone:
				return fmt.Errorf("%s is lost after the program reported success", name)
			}
		}
		return nil
	}
}
