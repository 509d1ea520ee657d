//go:build linux

package fault

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"clawctl/pkg/store"
)

// archiveArgs move all sessions of a scene to an archive.
var archiveArgs = []string{"prune", "--store", inFolder + storeName, "--older", "2099-01-01", "--archive",
	inFolder + archiveName, "--write", "-y"}

// checkArchived checks the store and its archive after an interruption: the text of every session can be read, from
// wherever it is. Then the command is run again and taken back, and the text is still there.
func (f *fault) checkArchived(s *scene, at interruption) error {
	if err := f.readsAll(at.folder); err != nil {
		return err
	}
	archived, err := f.archivedSessions(at.folder)
	if err != nil {
		return err
	}
	isArchive := s.writer.args[0] == archiveArgs[0]
	if isDone := archived == 0; at.isDone && isDone == isArchive {
		return errors.New("a change is lost that was reported as done")
	}
	steps := [][]string{{"undo", "--finish"}, archiveArgs, undoArgs}
	if !isArchive {
		steps = [][]string{{"undo", "--finish"}, undoArgs, archiveArgs}
	}
	for _, args := range steps {
		// Nothing is left to do if the interrupted run did it.
		if ended := f.runAt(at.folder, args...); ended.code != 4 && ended.code != 0 {
			return fmt.Errorf("%s again: %w", args[0], ended.failure())
		}
		if err := f.readsAll(at.folder); err != nil {
			return fmt.Errorf("after %s: %w", args[0], err)
		}
	}
	return nil
}

// importArgs import the home of a scene.
var importArgs = []string{"import", inFolder + "home", "--to", inFolder + storeName}

// The names of an archive, where the store looks for it and where it does not.
const archiveName, lostName = "cold.tar.zst", "elsewhere"

// inHomeWithoutArchive moves all sessions of a home to an archive and takes that away. The sources have all its text.
func inHomeWithoutArchive(f *fault, folder string) error {
	return errors.Join(inHome(archiveArgs)(f, folder),
		os.Rename(filepath.Join(folder, archiveName), filepath.Join(folder, lostName)),
		os.WriteFile(filepath.Join(folder, damagedFile), sceneText(damagedID), 0o600))
}

// checkHealed checks a store whose archive is lost after an interruption: with the archive nothing is missing, and
// without it, the next import brings everything back.
func (f *fault) checkHealed(_ *scene, at interruption) error {
	archived, err := f.archivedSessions(at.folder)
	if err != nil {
		return err
	}
	if at.isDone && archived > 0 {
		return errors.New("a change is lost that was reported as done")
	}
	there, away := filepath.Join(at.folder, archiveName), filepath.Join(at.folder, lostName)
	if err := errors.Join(os.Rename(away, there), f.readsAll(at.folder), os.Rename(there, away)); err != nil {
		return fmt.Errorf("with the archive: %w", err)
	}
	if err := f.mustRun(at.folder, importArgs...); err != nil {
		return err
	}
	return f.readsAll(at.folder)
}

// readsAll checks that the store has every session of a scene, with its text.
func (f *fault) readsAll(folder string) error {
	if err := f.mustRun(folder, "verify", inFolder+storeName); err != nil {
		return err
	}
	for _, name := range []string{damagedFile, firstArchive, secondArchive} {
		id, _, _ := strings.Cut(path.Base(name), ".")
		ended := f.runAt(folder, "cat", inFolder+storeName+"#"+id)
		if ended.code != 0 || ended.stdout != string(sceneText(id)) {
			return fmt.Errorf("%s has lost its text: %v", id, ended)
		}
	}
	return nil
}

// archivedSessions counts the sessions whose text is in an archive.
func (f *fault) archivedSessions(folder string) (n int, err error) {
	ctx := context.Background()
	r, err := store.OpenReader(ctx, filepath.Join(folder, storeName))
	if err != nil {
		return 0, err
	}
	defer r.Close()
	keys, err := r.ArchivedKeys(ctx)
	return len(keys), err
}
