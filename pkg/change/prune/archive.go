package prune

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/internal/openfile"
	"clawctl/pkg/change"
	"clawctl/pkg/export/bundle"
	"clawctl/pkg/migrate"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// An Archiver moves the text of sessions from a store to an archive, which is a new file every time. The text leaves
// the store only after the archive was written, synced and read back, in one transaction. Whoever stops it before has
// an archive that nobody needs.
type Archiver struct {
	Store   *store.SQLite
	Path    string // of the store
	Journal *change.Journal
	Now     time.Time
}

// An ArchiveResult is what became of an archive.
type ArchiveResult struct {
	Path    string
	Size    int64
	Receipt *change.Receipt
	Left    map[string]error // the sessions that were not moved
}

// VolumePath returns a free path for an archive of a store: the one that is asked for or, if it is taken, one with a
// number. The path of an archive that is missing is taken, because somebody may put it back. The folder must exist.
func VolumePath(ctx context.Context, view *store.View, path string) (string, error) {
	folder, err := os.Stat(filepath.Dir(path))
	if err != nil {
		return "", err
	}
	if !folder.IsDir() { // to Windows, that is a path that does not exist
		return "", &fs.PathError{Op: "open", Path: filepath.Dir(path), Err: change.ErrNotFolder}
	}
	archives, err := view.Archives(ctx)
	if err != nil {
		return "", err
	}
	isMissing := func(path string) bool {
		path, err := filepath.Abs(path)
		isIt := func(a *store.Archive) bool { return a.Path == path && a.Sessions > 0 }
		return err == nil && slices.ContainsFunc(archives, isIt)
	}
	base := strings.TrimSuffix(path, bundle.Suffix)
	for n := 2; ; n++ {
		_, err := os.Lstat(path)
		if errors.Is(err, os.ErrNotExist) && !isMissing(path) {
			return path, nil
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		path = fmt.Sprintf("%s-%d%s", base, n, bundle.Suffix)
	}
}

// Archive moves sessions to a new archive at a path that is free.
func (a *Archiver) Archive(ctx context.Context, path string, keys []string) (*ArchiveResult, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	v := &volume{archiver: a, ctx: ctx, done: &ArchiveResult{Path: path, Left: map[string]error{}}}
	if err := v.collect(keys); err != nil {
		return nil, err
	}
	if len(v.sessions) == 0 {
		return v.done, nil
	}
	if err := v.write(); err != nil {
		return nil, err
	}
	if err := v.check(); err != nil {
		return v.done, errors.Join(err, a.Journal.Undo(v.done.Receipt))
	}
	moved, err := v.move()
	if err != nil && v.isUnused() {
		err = errors.Join(err, a.Journal.Undo(v.done.Receipt))
	}
	if err != nil {
		return v.done, err
	}
	if moved == 0 { // others were faster
		return v.done, a.Journal.Undo(v.done.Receipt)
	}
	return v.done, nil
}

// A volume is an archive that is being written.
type volume struct {
	archiver *Archiver
	ctx      context.Context
	sessions []*store.Transcript
	items    []migrate.Item
	packer   migrate.Packer
	manifest *bundle.Manifest
	places   map[string]bundle.Position // by the paths in the archive
	done     *ArchiveResult
}

// errNoDigest is why a session stays whose text differs from its digest, or has none.
var errNoDigest = errors.New("its text is not the one that was stored")

// collect measures the sessions. One whose text does not have its digest stays.
func (v *volume) collect(keys []string) error {
	view := &v.archiver.Store.View
	archived, err := view.ArchivedKeys(v.ctx)
	if err != nil {
		return err
	}
	keys = slices.DeleteFunc(slices.Clone(keys), func(key string) bool { return archived[key] != 0 }) // meanwhile
	items, err := migrate.ArchiveItems(v.ctx, view, keys)
	if err != nil {
		return err
	}
	for i := range items {
		t, err := view.Transcript(v.ctx, items[i].Session)
		if err != nil {
			return err
		}
		if !v.hasDigest(t, &items[i]) {
			v.done.Left[items[i].Session] = errNoDigest
			continue
		}
		v.sessions, v.items = append(v.sessions, t), append(v.items, items[i])
	}
	indexes, err := migrate.Registrations(v.items)
	if err != nil {
		return err
	}
	for i := range v.items {
		v.packer.AddTranscript(&v.items[i])
	}
	for _, index := range indexes {
		v.packer.AddIndex(index)
	}
	v.packer.Sort()
	return nil
}

// hasDigest reports whether the text of a session is the one that was stored, and nobody has added to it.
func (v *volume) hasDigest(t *store.Transcript, item *migrate.Item) bool {
	if t == nil || t.Sum == "" || t.Incomplete || t.Bytes == 0 {
		return false
	}
	n, err := item.WriteTo(v.ctx, io.Discard)
	return err == nil && n == t.Bytes
}

// write writes the archive.
func (v *volume) write() error {
	var err error
	if v.manifest, err = bundle.Measure(v.ctx, v.packer.Sources, false); err != nil {
		return err
	}
	v.manifest.Group(bundle.LargeFile)
	if v.manifest.Stored, err = v.describe(); err != nil {
		return err
	}
	in, out := io.Pipe()
	var places []bundle.Position
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		var err error
		places, err = bundle.Write(v.ctx, out, v.manifest, v.packer.Sources)
		_ = out.CloseWithError(err)
	}()
	v.done.Receipt, err = v.archiver.Journal.Create(change.Creation{
		Path: v.done.Path, Command: command, Text: in, Store: v.archiver.Path,
	})
	_ = in.CloseWithError(context.Canceled) // if it was not read to its end
	<-ended
	if err != nil {
		return err
	}
	v.places = map[string]bundle.Position{}
	for i, place := range places {
		v.places[v.manifest.Files[i].Path] = place
	}
	return nil
}

// describe returns what the store knows about the sessions besides their text, for a store that has lost it.
func (v *volume) describe() (json.RawMessage, error) {
	damaged, err := v.archiver.Store.View.DamagedKeys(v.ctx)
	if err != nil {
		return nil, err
	}
	var list []store.ArchivedAbout
	for i, t := range v.sessions {
		about, err := v.archiver.Store.View.About(v.ctx, t.Key)
		if err != nil {
			return nil, err
		}
		list = append(list, store.ArchivedAbout{Member: v.items[i].Path, Damaged: damaged[t.Key], About: *about})
	}
	return json.Marshal(list)
}

// check reads the archive back: all of it, and every session once more from its place.
func (v *volume) check() error {
	r, err := bundle.Open(v.ctx, v.done.Path)
	if err != nil {
		return err
	}
	defer r.Close()
	info, err := os.Stat(v.done.Path)
	if err != nil {
		return err
	}
	v.done.Size = info.Size()
	for i, t := range v.sessions {
		if err := v.ctx.Err(); err != nil {
			return err
		}
		sum, err := bundle.DigestAt(v.done.Path, v.places[v.items[i].Path])
		if err != nil {
			return err
		}
		if sum != t.Sum {
			return fmt.Errorf("%w: %s", bundle.ErrChanged, t.Key)
		}
	}
	return nil
}

// move takes the text of the sessions from the store. It returns how many went.
func (v *volume) move() (moved int, err error) {
	batch, err := v.archiver.Store.Begin(v.ctx)
	if err != nil {
		return 0, err
	}
	_, err = batch.DropEmptyArchives()
	var archive *store.Archive
	if err == nil {
		archive, err = batch.AddArchive(v.done.Path, v.done.Size, v.archiver.Now)
	}
	for i, t := range v.sessions {
		if err != nil {
			break
		}
		path := v.items[i].Path
		err = batch.MoveToArchive(t, archive, path, v.places[path])
		switch {
		case errors.Is(err, store.ErrUsed):
			v.done.Left[t.Key], err = err, nil
		case err == nil:
			moved++
		}
	}
	if err == nil && moved == 0 {
		_, err = batch.DropEmptyArchives()
	}
	if err != nil {
		batch.Rollback()
		return 0, err
	}
	return moved, batch.Commit()
}

// isUnused reports whether the store knows for sure that it has nothing in the archive.
func (v *volume) isUnused() bool {
	found, err := v.archiver.Find(v.ctx, v.done.Receipt)
	return err == nil && len(found) == 0
}

// Find returns the archives of the store that are the file of a receipt. It may have been moved since, alone or with
// the store. There is none if the store has nothing in the file.
func (a *Archiver) Find(ctx context.Context, r *change.Receipt) (found []*store.Archive, err error) {
	archives, err := a.Store.View.Archives(ctx)
	for _, archive := range archives {
		name := archive.Name(a.Path)
		isOther := archive.Sessions == 0 || archive.Size != r.SizeAfter // one of another time may have had the same path
		if !isOther && (archive.Path == r.Path || openfile.IsSame(name, r.Path) || r.IsCopy(name)) {
			found = append(found, archive)
		}
	}
	return found, err
}

// Unarchive brings the text of all sessions in archives back to the store. It returns their keys. What came back before
// an error stays there, and the rest comes with the next try.
func (a *Archiver) Unarchive(ctx context.Context, archives []*store.Archive) (keys []string, err error) {
	archived, err := a.Store.View.ArchivedKeys(ctx)
	if err != nil {
		return nil, err
	}
	for key, id := range archived {
		if slices.ContainsFunc(archives, func(archive *store.Archive) bool { return archive.ID == id }) {
			keys = append(keys, key)
		}
	}
	slices.Sort(keys)
	for i, key := range keys {
		if err := a.unarchive(ctx, key); err != nil {
			return keys[:i], fmt.Errorf("%s: %w", key, err)
		}
	}
	return keys, nil
}

func (a *Archiver) unarchive(ctx context.Context, key string) error {
	batch, err := a.Store.Begin(ctx)
	if err != nil {
		return err
	}
	t, err := batch.Transcript(key)
	if err == nil && t != nil {
		err = batch.Unarchive(t)
	}
	if err == nil {
		_, err = batch.DropEmptyArchives()
	}
	if err != nil {
		batch.Rollback()
		return dbfile.Classify(err)
	}
	return batch.Commit()
}

// Lacks returns the sessions of an archive whose text the store does not have itself, because it is another store now,
// or they were deleted. Such an archive may be the last copy.
func (a *Archiver) Lacks(ctx context.Context, path string) (keys []string, err error) {
	list, err := sessionsIn(ctx, path)
	if err != nil {
		return nil, err
	}
	present, err := a.present(ctx)
	if err != nil {
		return nil, err
	}
	for i := range list {
		has, err := a.hasAny(ctx, present, &list[i].Transcript)
		if err != nil {
			return nil, err
		}
		if !has {
			keys = append(keys, list[i].Transcript.Key)
		}
	}
	return keys, nil
}

// present returns the sessions whose text is in the store itself.
func (a *Archiver) present(ctx context.Context) ([]*store.Transcript, error) {
	archived, err := a.Store.View.ArchivedKeys(ctx)
	if err != nil {
		return nil, err
	}
	list, err := a.Store.View.Transcripts(ctx)
	return slices.DeleteFunc(list, func(t *store.Transcript) bool { return archived[t.Key] != 0 }), err
}

// sessionsIn lists the sessions of an archive.
func sessionsIn(ctx context.Context, path string) (list []store.ArchivedAbout, err error) {
	r, err := bundle.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return list, json.Unmarshal(r.Stored, &list)
}

// Keys returns the sessions that the archives of the store have: those whose text lies there, and those whose text has
// come back or was deleted since.
func (a *Archiver) Keys(ctx context.Context) (map[string]bool, error) {
	keys := map[string]bool{}
	archived, err := a.Store.View.ArchivedKeys(ctx)
	if err != nil {
		return nil, err
	}
	for key := range archived {
		keys[key] = true
	}
	archives, err := a.Store.View.Archives(ctx)
	if err != nil {
		return nil, err
	}
	for _, archive := range archives {
		list, err := sessionsIn(ctx, archive.Name(a.Path))
		if err != nil {
			continue // nobody knows more than the store
		}
		for i := range list {
			keys[list[i].Transcript.Key] = true
		}
	}
	return keys, nil
}

// hasAny reports whether a session of the store has the text of an archive. It may have another key by now, because the
// session was reset or restored.
func (a *Archiver) hasAny(ctx context.Context, present []*store.Transcript, archived *store.Transcript) (bool, error) {
	for _, t := range present {
		if t.Key != archived.Key && t.SessionID != archived.SessionID && t.Sum != archived.Sum {
			continue
		}
		if has, err := a.has(ctx, t, archived); err != nil || has {
			return has, err
		}
	}
	return false, nil
}

// has reports whether a session of the store begins with the text that an archive has.
func (a *Archiver) has(ctx context.Context, t, archived *store.Transcript) (bool, error) {
	if t.Bytes < archived.Bytes {
		return false, nil
	}
	text, err := a.Store.View.Text(ctx, t, store.Whole)
	if err != nil {
		return false, err
	}
	defer text.Close()
	h := sha256.New()
	if _, err := io.CopyN(h, text, archived.Bytes); err != nil {
		return false, err
	}
	return hex.EncodeToString(h.Sum(nil)) == archived.Sum, nil
}
