package session

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"clawctl/internal/atomicfile"
	"clawctl/internal/process"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/migrate"
	"clawctl/pkg/store"
)

// ErrNotEmpty is the error for a folder that has files.
var ErrNotEmpty = errors.New("the folder is not empty")

// WriteFolder writes a session as a state folder of OpenClaw: its transcript, and a sessions.json that registers it.
// The folder must be empty or not exist. Lines that are not records are left out, because OpenClaw's migration drops
// everything after one.
func (k *Keeper) WriteFolder(
	ctx context.Context, v *store.View, o *Origin, asNew, folder string,
) (*Restoration, error) {
	entries, err := os.ReadDir(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	if len(entries) > 0 {
		return nil, ErrNotEmpty
	}
	done := &Restoration{Key: o.Key(), ID: o.ID()}
	if asNew != "" {
		if err := checkKey(asNew); err != nil {
			return nil, err
		}
		stamp := jsonl.Stamp{Random: k.Random}
		if done.ID, err = stamp.SessionID(); err != nil {
			return nil, err
		}
		done.Key = asNew
	}
	if k.DryRun {
		return done, nil
	}
	return done, inNewFolder(folder, func(temp string) error {
		below := filepath.FromSlash(migrate.SessionFile(agentOf(done.Key), done.ID))
		if err := atomicfile.MkdirAll(filepath.Join(temp, filepath.Dir(below))); err != nil {
			return err
		}
		if err := k.writeTranscript(ctx, v, o, asNew != "", done, filepath.Join(temp, below)); err != nil {
			return err
		}
		return k.register(done, filepath.Join(folder, below), filepath.Join(temp, filepath.Dir(below), "sessions.json"))
	})
}

// inNewFolder makes a folder that appears with everything in it, or not at all.
func inNewFolder(folder string, fill func(temp string) error) error {
	parent, err := filepath.Abs(filepath.Dir(filepath.Clean(folder)))
	if err != nil {
		return err
	}
	if err := atomicfile.MkdirAll(parent); err != nil {
		return err
	}
	removeStale(parent)
	temp := filepath.Join(parent, process.TempName(tempPrefix, tempSuffix))
	if err := os.Mkdir(temp, 0o700); err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if err := fill(temp); err != nil {
		return err
	}
	_ = os.Remove(folder) // an empty one, which some systems do not replace
	if err := atomicfile.Rename(temp, folder); err != nil {
		return err
	}
	return atomicfile.SyncFolder(parent)
}

// The names of folders in the making.
const tempPrefix, tempSuffix = ".clawctl-restore-", ".tmp"

// removeStale removes folders that killed processes have left in the making.
func removeStale(parent string) {
	entries, err := os.ReadDir(parent)
	if err != nil {
		return
	}
	for _, entry := range entries {
		if entry.IsDir() && process.IsStale(entry.Name(), tempPrefix, tempSuffix) {
			_ = os.RemoveAll(filepath.Join(parent, entry.Name()))
		}
	}
}

// writeTranscript writes the records of a session to a file.
func (k *Keeper) writeTranscript(
	ctx context.Context, v *store.View, o *Origin, renumber bool, done *Restoration, path string,
) error {
	in, err := o.open(ctx, v)
	if err != nil {
		return err
	}
	defer in.Close()
	file, err := atomicfile.Create(path, atomicfile.Options{})
	if err != nil {
		return err
	}
	defer file.Abandon()
	r := &renumberer{session: done.ID, ids: map[string]string{}, used: map[string]bool{}, keep: !renumber,
		stamp: jsonl.Stamp{Now: k.Now(), Random: k.Random}}
	w := bufio.NewWriter(file)
	if err := r.run(ctx, in, o.ID(), w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	done.Left, done.Records, done.Bytes = r.left, r.written, r.bytes
	return file.Commit()
}

// register writes the index of the folder.
func (k *Keeper) register(done *Restoration, file, path string) error {
	absolute, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(map[string]any{done.Key: map[string]any{
		"sessionId": done.ID, "updatedAt": k.Now().UnixMilli(), "sessionFile": absolute,
	}}, "", "  ")
	if err != nil {
		return err
	}
	return atomicfile.WriteFile(path, append(text, '\n'), atomicfile.Options{})
}
