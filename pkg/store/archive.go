package store

import (
	"bufio"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/export/bundle"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/store/dbfile"
)

// The text of a session that nobody has used for long may lie in an archive: a bundle outside the store. Everything
// else about the session stays, so it is listed, and its sources count as imported. Whoever reads its text gets it from
// the archive, and whoever adds to it brings all of it back first. An archive is never written again.

// An Archive is a bundle that has the text of sessions.
type Archive struct {
	ID       int64
	Path     string // absolute
	Size     int64
	Written  time.Time
	Sessions int64 // whose text is there and not in the store
	Bytes    int64 // of their text
}

// Name returns where the archive is: at its path or, if it was moved together with the store, beside the store.
func (a *Archive) Name(storePath string) string {
	if _, err := os.Stat(a.Path); err != nil && storePath != "" {
		beside := filepath.Join(filepath.Dir(storePath), filepath.Base(a.Path))
		if info, err := os.Stat(beside); err == nil && info.Size() == a.Size {
			return beside
		}
	}
	return a.Path
}

// ErrArchiveGone is the error for a session whose archive is not there.
var ErrArchiveGone = errors.New("the text lies in an archive that is not there")

// An ArchiveError says which archive of a session cannot be read.
type ArchiveError struct {
	Path string
	Err  error
}

func (e *ArchiveError) Error() string {
	if errors.Is(e.Err, fs.ErrNotExist) {
		return ErrArchiveGone.Error() + ": " + e.Path
	}
	return "the archive " + e.Path + " cannot be read: " + failure.Reason(e.Err)
}

// Is makes an archive that is not there ErrArchiveGone. No other error is that of its cause, because the cause is about
// another file than the one that is read.
func (e *ArchiveError) Is(target error) bool {
	return target == ErrArchiveGone && errors.Is(e.Err, fs.ErrNotExist)
}

// FailureAt names the archive once, for all sessions in it.
func (e *ArchiveError) FailureAt(place string) *failure.Error {
	if errors.Is(e, ErrArchiveGone) {
		store, _, _ := strings.Cut(place, "#")
		return failure.New(failure.ArchiveGone, "the archive %s is not there, and text of the store lies in it", e.Path).
			At(store).WithHint("clawctl explain " + string(failure.ArchiveGone)).OnlyOnce()
	}
	return failure.New(failure.ArchiveGone, "%v", e).At(place).WithHint("clawctl explain " + string(failure.ArchiveGone))
}

// archiveVersion is the first version of the schema with archives.
const archiveVersion = 5

const (
	archiveColumns  = "id, path, size, written_at"
	archivedColumns = "archive, member, frame, frame_size, skip, sha256, damaged"
)

// hasArchives reports whether a store has the tables of archives.
func hasArchives(ctx context.Context, db querier) (bool, error) {
	return one[bool](ctx, db, "SELECT user_version >= ? FROM pragma_user_version", archiveVersion)
}

// Archives lists the archives of a store.
func (v *View) Archives(ctx context.Context) ([]*Archive, error) {
	if has, err := hasArchives(ctx, v.db); err != nil || !has {
		return nil, err
	}
	const query = "SELECT a.id, a.path, a.size, a.written_at, count(t.bytes), coalesce(sum(t.bytes), 0) FROM archives a " +
		"LEFT JOIN archived m ON m.archive = a.id LEFT JOIN transcripts t ON t.session_key = m.session_key GROUP BY a.id " +
		"ORDER BY a.id"
	return collect(ctx, v.db, query, nil, func(scan scanFunc) (*Archive, error) {
		a, at := &Archive{}, int64(0)
		err := scan(&a.ID, &a.Path, &a.Size, &at, &a.Sessions, &a.Bytes)
		a.Written = time.UnixMilli(at).UTC()
		return a, err
	})
}

// Check is a quick look whether the archive can be read. It returns an [ArchiveError] if it is not there or has another
// size than when it was written.
func (a *Archive) Check(storePath string) error {
	path := a.Name(storePath)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return &ArchiveError{path, err}
	case !info.Mode().IsRegular():
		return &ArchiveError{path, errors.New("it is not a regular file")}
	case info.Size() != a.Size:
		return &ArchiveError{path, fmt.Errorf("it is damaged, because it has %d bytes and not %d", info.Size(), a.Size)}
	}
	return nil
}

// IsArchiveAt reports whether a file has the text of every session that lies in an archive.
func (v *View) IsArchiveAt(ctx context.Context, a *Archive, path string) (is bool, err error) {
	const query = "SELECT m.frame, m.frame_size, m.skip, m.sha256, t.bytes FROM archived m JOIN transcripts t ON " +
		"t.session_key = m.session_key WHERE m.archive = ?"
	is = true
	err = each(ctx, v.db, query, []any{a.ID}, func(scan scanFunc) error {
		var place bundle.Position
		var want string
		if err := scan(&place.Frame, &place.FrameSize, &place.Skip, &want, &place.Size); err != nil || !is {
			return err
		}
		sum, err := bundle.DigestAt(path, place)
		is = err == nil && sum == want
		return nil
	})
	return is, err
}

// A LostArchive is an archive that has text of a store and cannot be read.
type LostArchive struct {
	*Archive
	Err *ArchiveError
}

// LostArchives lists the archives of the store at a path that a quick look finds lost.
func (v *View) LostArchives(ctx context.Context, storePath string) (lost []LostArchive, err error) {
	list, err := v.Archives(ctx)
	for _, a := range list {
		var failed *ArchiveError
		if a.Sessions > 0 && errors.As(a.Check(storePath), &failed) {
			lost = append(lost, LostArchive{a, failed})
		}
	}
	return lost, err
}

// room returns how many bytes of the archive are left, if it was cut off, and 0 if anything else happened to it.
func (a *LostArchive) room() int64 {
	info, err := os.Stat(a.Err.Path)
	if err != nil || !info.Mode().IsRegular() || info.Size() > a.Size {
		return 0
	}
	return info.Size()
}

// LostKeys returns the sessions whose text lies in an archive that a quick look finds lost, apart from those before the
// place where the archive was cut off.
func (v *View) LostKeys(ctx context.Context) (map[string]bool, error) {
	keys := map[string]bool{}
	lost, err := v.LostArchives(ctx, storePath(ctx, v.db))
	for _, archive := range lost {
		const query = "SELECT session_key FROM archived WHERE archive = ? AND frame + frame_size > ?"
		more, failed := v.set(ctx, query, archive.ID, archive.room())
		maps.Copy(keys, more)
		err = errors.Join(err, failed)
	}
	return keys, err
}

// storePath returns the path of the file of a store.
func storePath(ctx context.Context, db querier) string {
	path, _ := one[string](ctx, db, "SELECT file FROM pragma_database_list WHERE name = 'main'")
	return path
}

// ArchivedKeys returns the sessions whose text lies in an archive, with its id.
func (v *View) ArchivedKeys(ctx context.Context) (map[string]int64, error) {
	keys := map[string]int64{}
	if has, err := hasArchives(ctx, v.db); err != nil || !has {
		return keys, err
	}
	err := each(ctx, v.db, "SELECT session_key, archive FROM archived", nil, func(scan scanFunc) error {
		var key string
		var id int64
		err := scan(&key, &id)
		keys[key] = id
		return err
	})
	return keys, err
}

// ArchivedMembers returns the files of an archive that have the text of sessions, by their names in the archive.
func (v *View) ArchivedMembers(ctx context.Context, id int64) (map[string]bool, error) {
	return v.set(ctx, "SELECT member FROM archived WHERE archive = ?", id)
}

// isArchived reports whether the text of a session lies in an archive. db is a state of the store.
func (v *View) isArchived(ctx context.Context, db querier, key string) (bool, error) {
	if v.archived != nil {
		return v.archived.has(ctx, db, key)
	}
	if has, err := hasArchives(ctx, db); err != nil || !has {
		return false, err
	}
	return one[bool](ctx, db, "SELECT EXISTS (SELECT 1 FROM archived WHERE session_key = ?)", key)
}

// archivedKeys are the archived sessions of one state of a store. They are read once, because a query for each session
// would take as long as reading a short one.
type archivedKeys struct {
	mu   sync.Mutex
	keys map[string]int64 // nil until they are known
}

func (a *archivedKeys) has(ctx context.Context, db querier, key string) (is bool, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.keys == nil {
		if a.keys, err = (&View{db: db}).ArchivedKeys(ctx); err != nil {
			a.keys = nil
		}
	}
	_, is = a.keys[key]
	return is, err
}

func (b *Batch) isArchived(key string) (bool, error) { return b.View().isArchived(b.ctx, b.db, key) }

// An archivedText is where the text of a session lies.
type archivedText struct {
	archive Archive
	place   bundle.Position
	sum     string
}

// findArchived returns where the text of an archived session lies.
func findArchived(ctx context.Context, db querier, t *Transcript) (*archivedText, error) {
	const query = "SELECT a.path, a.size, m.frame, m.frame_size, m.skip, m.sha256 FROM archived m JOIN archives a ON " +
		"a.id = m.archive WHERE m.session_key = ?"
	list, err := collect(ctx, db, query, []any{t.Key}, func(scan scanFunc) (*archivedText, error) {
		x := &archivedText{place: bundle.Position{Size: t.Bytes}}
		return x, scan(&x.archive.Path, &x.archive.Size, &x.place.Frame, &x.place.FrameSize, &x.place.Skip, &x.sum)
	})
	if err == nil && list == nil {
		err = fmt.Errorf("%w: the archive of a session is not listed", dbfile.ErrCorrupt)
	}
	return first(list), err
}

// open opens the text. Its end is an error if it does not have its digest.
func (x *archivedText) open(ctx context.Context, db querier) (*archiveReader, error) {
	path := x.archive.Name(storePath(ctx, db))
	in, err := bundle.OpenAt(path, x.place)
	if err != nil {
		return nil, &ArchiveError{path, err}
	}
	r := &archiveReader{in: newCheckedReader(in, x.sum), path: path}
	r.buffer = bufio.NewReaderSize(r.in, 64<<10)
	return r, nil
}

type archiveReader struct {
	buffer *bufio.Reader
	in     *checkedReader
	path   string
}

// failed names the archive in an error.
func (r *archiveReader) failed(err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	return &ArchiveError{r.path, err}
}

// Read reads the text.
func (r *archiveReader) Read(p []byte) (int, error) {
	n, err := r.buffer.Read(p)
	return n, r.failed(err)
}

// nextLine returns the next line with its end.
func (r *archiveReader) nextLine() ([]byte, error) {
	line, err := r.buffer.ReadBytes('\n')
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	return line, r.failed(err)
}

// AddArchive notes an archive.
func (b *Batch) AddArchive(path string, size int64, at time.Time) (*Archive, error) {
	a := &Archive{Path: path, Size: size, Written: at}
	var err error
	if a.ID, err = one[int64](b.ctx, b.db, "SELECT coalesce(max(id), 0) + 1 FROM archives"); err != nil {
		return nil, err
	}
	return a, b.putArchive(a)
}

func (b *Batch) putArchive(a *Archive) error {
	values := []any{a.ID, a.Path, a.Size, a.Written.UnixMilli()}
	return b.exec("INSERT OR REPLACE INTO archives("+archiveColumns+", seal) VALUES (?, ?, ?, ?, ?)",
		append(values, sealOf(values...))...)
}

// MoveArchive notes that an archive is at another path.
func (b *Batch) MoveArchive(a *Archive, path string) error {
	a.Path = path
	return b.putArchive(a)
}

// An ArchivedAbout is what an archive says about one of its files, for a store that does not know the session.
type ArchivedAbout struct {
	Member  string `json:"member"`
	Damaged bool   `json:"damaged,omitempty"` // it has damaged lines
	About
}

// AdoptArchived adds a session whose text lies in an archive. It reports whether it did: a key that is taken stays as
// it is. A source that was compressed has no receipt, because the archive has only its text.
func (b *Batch) AdoptArchived(m ArchivedAbout, digest Digest, a *Archive, at bundle.Position) (bool, error) {
	t := m.Transcript
	if exists, err := b.View().Exists(b.ctx, t.Key); err != nil || exists {
		return false, err
	}
	if err := b.Create(&t, Metadata{}); err != nil {
		return false, err
	}
	b.created = nil
	t.Sum, t.state = digest.Sum, digest.State
	err := b.exec("INSERT INTO transcripts("+transcriptColumns+") VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
		t.values()...)
	if err != nil {
		return false, err
	}
	if err := b.putArchived(t.Key, a, m.Member, at, t.Sum, m.Damaged); err != nil {
		return false, err
	}
	if err := b.describeAs(t.Key, &m.About); err != nil {
		return false, err
	}
	for _, r := range m.Receipts {
		if r.PackedSum != "" {
			continue
		}
		if err := b.untrashReceipt(0, 0, *r); err != nil {
			return false, err
		}
	}
	return true, nil
}

// putArchived notes where the text of a session lies.
func (b *Batch) putArchived(key string, a *Archive, member string, at bundle.Position, sum string, damaged bool) error {
	values := []any{a.ID, member, at.Frame, at.FrameSize, at.Skip, sum, damaged}
	return b.exec("INSERT INTO archived(session_key, "+archivedColumns+", seal) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
		append(append([]any{key}, values...), sealOf(values...))...)
}

// ErrUsed is the error for a session that changed after it was written to an archive.
var ErrUsed = errors.New("the session was used meanwhile")

// MoveToArchive leaves the text of a session to an archive, which has it at a place. t is what was written there. It
// returns ErrUsed if the session has other text now.
func (b *Batch) MoveToArchive(t *Transcript, a *Archive, member string, at bundle.Position) error {
	now, err := b.View().Transcript(b.ctx, t.Key)
	if err != nil {
		return err
	}
	if now == nil || now.Sum != t.Sum || now.Bytes != t.Bytes || now.Incomplete {
		return ErrUsed
	}
	already, err := b.isArchived(t.Key)
	if err != nil {
		return err
	}
	if whole, err := b.IsWhole(now); err != nil || !whole || already {
		return cmp.Or(err, ErrUsed)
	}
	damaged, err := one[bool](b.ctx, b.db, "SELECT EXISTS (SELECT 1 FROM quarantine WHERE session_key = ? AND code <> '')",
		t.Key)
	if err != nil {
		return err
	}
	if err := b.putArchived(t.Key, a, member, at, t.Sum, damaged); err != nil {
		return err
	}
	return b.forEach(t.Key, "DELETE FROM messages WHERE session_key = ?", "DELETE FROM quarantine WHERE session_key = ?",
		"DELETE FROM framing WHERE session_key = ?")
}

// Unarchive brings the text of a session back from its archive. It does nothing if the text is in the store. Rows that
// other programs have added follow the text as before.
func (b *Batch) Unarchive(t *Transcript) error { return b.bringBack(t, nil) }

// ErrOtherText is the error for a text that is not the one of a session.
var ErrOtherText = errors.New("the text is not the one that was archived")

// Reclaim is Unarchive for a session whose archive is lost, with its text from elsewhere. It returns ErrOtherText if
// that is another one.
func (b *Batch) Reclaim(t *Transcript, text io.Reader) error { return b.bringBack(t, text) }

// bringBack stores the text of an archived session: the given one, or that of the archive.
func (b *Batch) bringBack(t *Transcript, text io.Reader) error {
	if is, err := b.isArchived(t.Key); err != nil || !is {
		return err
	}
	if err := b.mustBeFree(t); err != nil {
		return err
	}
	others, err := runsOf(b.ctx, b.db, t.Key, 0)
	if err != nil {
		return err
	}
	if err := b.putBack(t, text); err != nil {
		return err
	}
	return b.moveToEnd(others)
}

// putBack stores the text of an archived session. If the session has no digest, it gets none.
func (b *Batch) putBack(t *Transcript, text io.Reader) error {
	at, err := findArchived(b.ctx, b.db, t)
	if err != nil {
		return err
	}
	wrong := ErrOtherText
	if text == nil {
		archived, err := at.open(b.ctx, b.db)
		if err != nil {
			return err
		}
		defer archived.in.Close()
		text, wrong = archived, fmt.Errorf("%w: the archived text of a session does not have its digest", dbfile.ErrCorrupt)
	}
	updated, err := one[int64](b.ctx, b.db, "SELECT updated_at FROM sessions WHERE key = ?", t.Key)
	if err != nil {
		return err
	}
	if err := b.exec("DELETE FROM archived WHERE session_key = ?", t.Key); err != nil {
		return err
	}
	before := t.Sum
	t.forgetText()
	if err := b.addText(t, text, time.UnixMilli(updated)); err != nil {
		return err
	}
	if t.Sum != at.sum {
		return wrong
	}
	return b.SetSum(t, before)
}

// DropEmptyArchives forgets the archives that have no session any more. It returns their paths.
func (b *Batch) DropEmptyArchives() (paths []string, err error) {
	const empty = "FROM archives WHERE id NOT IN (SELECT archive FROM archived)"
	if paths, err = column[string](b.ctx, b.db, "SELECT path "+empty); err != nil {
		return nil, err
	}
	return paths, b.exec("DELETE " + empty)
}

// addText adds a text to an empty transcript, which gets its length and digest.
func (b *Batch) addText(t *Transcript, text io.Reader, stamp time.Time) error {
	a, err := b.Extend(t, stamp)
	if err != nil {
		return err
	}
	h, liner, lines := sha256.New(), NewLiner(t), joinedLines{appender: a}
	for rec, err := range jsonl.Records(text, jsonl.Options{BeforeRead: b.ctx.Err}) {
		if err != nil {
			return err
		}
		if rec.Damage != nil && rec.Damage.Code == jsonl.TooLong {
			return fmt.Errorf("%w: line %d is too long", ErrNotRecord, rec.Line)
		}
		h.Write(rec.Raw)
		if err := lines.add(liner.Line(rec)); err != nil {
			return err
		}
	}
	if err := lines.flush(); err != nil {
		return err
	}
	return a.Finish(DigestOf(h))
}
