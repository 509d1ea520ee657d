// Package dbfile opens SQLite database files: those of other programs without changing anything in their folders
// ([OpenReadOnly]), and clawctl's own ([OpenOwn]). It classifies errors by the reasons below.
package dbfile

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"clawctl/internal/failure"
)

// Reasons why a database cannot be used.
var (
	ErrCorrupt error = &failure.Sentinel{Code: failure.Corrupt, Text: "the database is corrupt"}
	ErrForeign error = &failure.Sentinel{
		Code: failure.Unrecognized, Text: "not a clawctl store or an OpenClaw database",
	}
	// ErrUnfinished is a store without a schema: its first import has made the file, and nothing in it.
	ErrUnfinished error = unfinishedError{}
	ErrNewer      error = &failure.Sentinel{
		Code: failure.Newer, Text: "the database was written by a newer version", Hint: "clawctl version",
	}
	ErrLocked  error = &failure.Sentinel{Code: failure.Locked, Text: "the database is locked"}
	ErrChanged error = &failure.Sentinel{Code: failure.Changed, Text: "the database changed while it was being read"}
	// ErrReadOnly is a database that cannot be written, and ErrReadOnlyFolder one beside which nothing can be created.
	ErrReadOnly       = errors.New("the database is read-only")
	ErrReadOnlyFolder = errors.New("nothing can be created beside the database")
)

type unfinishedError struct{}

func (unfinishedError) Error() string {
	return "the store is still empty: its first import is running, or was interrupted"
}

// FailureAt says how to complete the store at a path.
func (e unfinishedError) FailureAt(path string) *failure.Error {
	return failure.New(failure.Nothing, "%v", e).At(path).WithHint(failure.Command("clawctl", "import", "--to", path))
}

// magic is the beginning of every SQLite database.
var magic = []byte("SQLite format 3\x00")

// Is reports whether a file is an SQLite database, or one whose first page is not written yet.
func Is(path string) bool {
	head := make([]byte, len(magic))
	n, err := readHead(path, head)
	switch {
	case n == 0 && err == io.EOF:
		return isNamedDatabase(path)
	case err != nil:
		return false
	}
	return bytes.Equal(head, magic) || len(bytes.Trim(head, "\x00")) == 0 && IsUnborn(path)
}

// isNamedDatabase reports whether an empty file will be a database, by its name and the files beside it.
func isNamedDatabase(path string) bool {
	for _, suffix := range []string{"-journal", "-wal"} {
		if info, err := os.Lstat(path + suffix); err == nil && info.Mode().IsRegular() {
			return true
		}
	}
	return slices.Contains([]string{".db", ".sqlite"}, filepath.Ext(path))
}

// A Header holds values from the first bytes of a database. They do not include changes that are still in its log.
type Header struct {
	SchemaCookie, Version, Application uint32
	// IsNewer is set for a format that this SQLite can read but not write.
	IsNewer bool
}

// ReadHeader reads the header of a file. It returns ErrForeign if the file is not a database.
func ReadHeader(path string) (h Header, err error) {
	head := make([]byte, 100)
	n, err := readHead(path, head)
	switch {
	case err != nil && err != io.EOF && err != io.ErrUnexpectedEOF:
		return h, err
	case n < len(magic) || !bytes.HasPrefix(head, magic):
		return h, ErrForeign
	case err == io.ErrUnexpectedEOF:
		return h, ErrCorrupt
	case err == nil:
		word := func(at int) uint32 { return binary.BigEndian.Uint32(head[at:]) }
		h = Header{SchemaCookie: word(40), Version: word(60), Application: word(68), IsNewer: head[18] > 2}
	}
	return h, err
}

// IsUnborn reports whether the power was cut while the first page of a database was written: its file has nothing but
// zeros, and the journal beside it says that it was empty before. SQLite empties such a file when it opens it.
func IsUnborn(path string) bool {
	const mostZeros = 1 << 20
	page := make([]byte, mostZeros)
	n, err := readHead(path, page)
	if n == 0 || err != io.ErrUnexpectedEOF || len(bytes.Trim(page[:n], "\x00")) > 0 {
		return false
	}
	journal := make([]byte, len(journalMagic)+12) // the number of records, a nonce, and how many pages there were
	if _, err := readHead(path+"-journal", journal); err != nil {
		return false
	}
	return bytes.HasPrefix(journal, journalMagic) && binary.BigEndian.Uint32(journal[len(journal)-4:]) == 0
}

// journalMagic is the beginning of every journal with which SQLite rolls a database back.
var journalMagic = []byte{0xd9, 0xd5, 0x05, 0xf9, 0x20, 0xa1, 0x63, 0xd7}

// isClassified reports whether an error has its reason already.
func isClassified(err error) bool {
	return errors.Is(err, ErrCorrupt) || errors.Is(err, ErrForeign) || errors.Is(err, ErrNewer) ||
		errors.Is(err, context.Canceled)
}

// Classify returns the reason above that matches an error of SQLite, or the error itself.
func Classify(err error) error {
	var failed *sqlite.Error
	switch {
	case err == nil || isClassified(err):
		return err
	case errors.Is(err, sql.ErrNoRows):
		return fmt.Errorf("%w: a row is missing", ErrCorrupt) // another row refers to it
	case !errors.As(err, &failed):
		return err
	}
	switch failed.Code() & 0xff {
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL:
		return ErrLocked
	case sqlite3.SQLITE_INTERRUPT:
		return context.Canceled
	case sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_PERM, sqlite3.SQLITE_FULL:
		return err
	case sqlite3.SQLITE_READONLY:
		if failed.Code() == sqlite3.SQLITE_READONLY_DIRECTORY {
			return ErrReadOnlyFolder
		}
		return ErrReadOnly
	}
	return fmt.Errorf("%w: %v", ErrCorrupt, err)
}

// safety prevents a hostile schema from running code, and checks pages before they are used.
const safety = "&_pragma=trusted_schema(0)&_pragma=cell_size_check(1)"

// dsn returns the data source name of a database file.
func dsn(path, options string) (string, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	slashed := filepath.ToSlash(absolute)
	if !strings.HasPrefix(slashed, "/") {
		slashed = "/" + slashed // C:/...
	}
	return "file:" + (&url.URL{Path: slashed}).EscapedPath() + "?" + options + safety, nil
}

// reading keeps a connection from writing, and from evaluating CHECK constraints when the database is checked.
const reading = "&_pragma=query_only(1)&_pragma=ignore_check_constraints(1)"

// OpenOwnReader opens a database for reading, with further options of the driver and with SQLite's own locks.
func OpenOwnReader(path, options string) (*sql.DB, error) { return OpenOwn(path, options+reading) }

// OpenOwn opens a database for writing, with further options of the driver.
func OpenOwn(path, options string) (*sql.DB, error) {
	source, err := dsn(path, options)
	if err != nil {
		return nil, err
	}
	return open(path, source), nil
}
