package dbfile

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/openfile"
	"clawctl/internal/process"
)

// ErrInUse is the error for opening a database that is open as such as if it were another file.
var ErrInUse = errors.New("is a database that this command has open")

// A ReadOnlyDB is a database that is read without creating or changing anything in its folder.
type ReadOnlyDB struct {
	DB          *sql.DB
	path        string
	copy        string // the folder of a private copy, or ""
	fingerprint string // when it was opened without a writer; "" otherwise
	hasWriter   bool   // it was opened while a writer was active
}

// OpenReadOnly opens a database for reading.
func OpenReadOnly(ctx context.Context, path string) (*ReadOnlyDB, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, err
	}
	u := &ReadOnlyDB{path: path}
	source, err := u.dataSource(ctx, real)
	if err != nil {
		return nil, err
	}
	if u.DB, err = sql.Open("sqlite", source); err != nil {
		return nil, errors.Join(err, u.DiscardCopy())
	}
	u.DB.SetMaxIdleConns(0) // no file stays open between two queries
	openFiles.Lock()
	defer openFiles.Unlock()
	openFiles.reading = append(openFiles.reading, u)
	return u, nil
}

// Close closes the database and removes its private copy.
func (u *ReadOnlyDB) Close() error {
	openFiles.Lock()
	openFiles.reading = slices.DeleteFunc(openFiles.reading, func(other *ReadOnlyDB) bool { return other == u })
	openFiles.Unlock()
	return errors.Join(u.DB.Close(), u.DiscardCopy())
}

// DiscardCopy removes a private copy, even while it is still being read.
func (u *ReadOnlyDB) DiscardCopy() error {
	if u.copy == "" {
		return nil
	}
	return os.RemoveAll(u.copy)
}

// Changed reports whether the database is no longer in the state in which it was opened: it had no writer and was
// written, or its writer has removed the log.
func (u *ReadOnlyDB) Changed() bool {
	if u.hasWriter {
		wal, shm, _, err := siblings(u.path)
		return err != nil || wal < 0 || shm < 0
	}
	return u.fingerprint != "" && u.fingerprint != Fingerprint(u.path)
}

// Classify returns the reason for an error from reading.
func (u *ReadOnlyDB) Classify(err error) error {
	if err != nil && !isClassified(err) && u.Changed() {
		return ErrChanged
	}
	return Classify(err)
}

// Each calls row for every row of a query.
func (u *ReadOnlyDB) Each(ctx context.Context, query string, args []any,
	row func(scan func(...any) error) error) error {
	return Each(ctx, u.DB, query, args, row)
}

// dataSource decides how to open the database without changing its folder. Without a -shm file it has no writer and is
// read directly. If a live writer has a -wal and a -shm file, it is read like any reader would, but without write
// access to either. A -wal file alone, or one that its -shm file does not know, was left by a crashed writer, and a
// -journal file by an unfinished transaction. Reading those in place would create and change files, so a copy is read.
func (u *ReadOnlyDB) dataSource(ctx context.Context, path string) (string, error) {
	wal, shm, journal, err := siblings(path)
	if err != nil {
		return "", err
	}
	options := "mode=ro&immutable=1"
	switch {
	case wal >= 0 && shm >= 0 && !isAbortedLog(path):
		options, u.hasWriter = "mode=ro&readonly_shm=1", true
	case wal > 0 || journal > 0:
		if u.copy, err = copyDatabase(ctx, path); err != nil {
			return "", err
		}
		path, options = filepath.Join(u.copy, copyName), "mode=rw"
	default:
		u.fingerprint = Fingerprint(u.path)
	}
	return dsn(path, options+reading+"&_pragma=busy_timeout(5000)")
}

// siblings returns the sizes of the files that belong to a database, or -1 for a file that does not exist. It refuses
// links and pipes, which SQLite would follow or wait for.
func siblings(path string) (wal, shm, journal int64, err error) {
	sizes := [4]int64{}
	for i, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		info, err := os.Lstat(path + suffix)
		switch {
		case errors.Is(err, fs.ErrNotExist) && i > 0:
			sizes[i] = -1
		case err != nil:
			return 0, 0, 0, err
		case !info.Mode().IsRegular():
			return 0, 0, 0, &fs.PathError{Op: "open", Path: path + suffix, Err: openfile.ErrNotRegular}
		default:
			sizes[i] = info.Size()
		}
	}
	return sizes[1], sizes[2], sizes[3], nil
}

// copyName is the name of a database in its private folder, whose own name begins with copyPrefix.
const copyName, copyPrefix = "copy.sqlite", "clawctl-db-"

// RemoveStaleCopies removes the private copies that killed processes have left.
func RemoveStaleCopies() {
	process.RemoveStale(os.TempDir(), copyPrefix, "", copyName, copyName+"-wal", copyName+"-shm", copyName+"-journal")
}

// copyDatabase copies a database with its log or journal into a private folder. It tries again if they change
// meanwhile.
func copyDatabase(ctx context.Context, path string) (folder string, err error) {
	folder = filepath.Join(os.TempDir(), process.TempName(copyPrefix, ""))
	if err = os.Mkdir(folder, 0o700); err != nil {
		return "", &process.TempFolderError{Folder: os.TempDir(), Err: err}
	}
	for range 5 {
		before := Fingerprint(path)
		if err = copyFiles(ctx, path, filepath.Join(folder, copyName)); err == nil && Fingerprint(path) == before {
			return folder, nil
		}
		if ctx.Err() != nil {
			break
		}
	}
	os.RemoveAll(folder)
	if err != nil {
		return "", err
	}
	return "", ErrChanged
}

func copyFiles(ctx context.Context, from, to string) error {
	for _, suffix := range []string{"", "-wal", "-journal"} {
		err := copyFile(ctx, from+suffix, to+suffix)
		if err != nil && !(suffix != "" && errors.Is(err, fs.ErrNotExist)) {
			return err
		}
	}
	return nil
}

// Fingerprint returns a text that changes when a database or its log is written. An empty log counts as none, because
// readers create one too.
func Fingerprint(path string) string {
	return describe(path, func(info fs.FileInfo) string { return fmt.Sprintf("%d ", ChangeTime(info)) })
}

// WriteStamp returns a text that changes with every commit that can be seen. It is Fingerprint without the times of
// changes, which a reader that runs as root changes by itself, because SQLite sets the owner of a log that it opens. A
// commit can be seen some time after its files were written, when the shared memory of the log says so.
func WriteStamp(path string) string {
	stamp := describe(path, func(fs.FileInfo) string { return "" })
	head, _ := logHead(path)
	return stamp + head
}

// describe returns the sizes and times of a database and its log, and what more says about each.
func describe(path string, more func(fs.FileInfo) string) string {
	var b strings.Builder
	for _, name := range []string{path, path + "-wal", path + "-journal"} {
		if info, err := os.Stat(name); err == nil && (info.Size() > 0 || name == path) {
			fmt.Fprintf(&b, "%d %d %s", info.Size(), info.ModTime().UnixNano(), more(info))
		}
	}
	return b.String()
}

// IsStampSure reports whether the stamp changes with every commit. Where the shared memory of a log cannot be read,
// nobody knows whether the last commit can be seen yet.
func IsStampSure(path string) bool {
	info, err := os.Stat(path + "-wal")
	if err != nil || info.Size() == 0 {
		return true
	}
	_, ok := logHead(path)
	return ok
}

func copyFile(ctx context.Context, from, to string) error {
	src, err := openfile.Regular(from)
	if err != nil {
		return err
	}
	defer src.Close()
	dst, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	for err == nil {
		if err = ctx.Err(); err == nil {
			_, err = io.CopyN(dst, src, 16<<20)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return errors.Join(err, dst.Close())
}
