package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"clawctl/internal/atomicfile"
	"clawctl/pkg/store/dbfile"
)

// SQLite is the primary SessionStore: one database file. Its tables are described in schema.go.
//
// It has one connection for writing, which serves one transaction at a time. Other connections read, and each of them
// sees the last committed state. Every commit is durable when it returns, because the log is synced (WAL,
// synchronous=FULL). Bulk is the exception.
type SQLite struct {
	path    string
	pool    *sql.DB
	writer  *statements
	writing sync.Mutex // held by the transaction of the writer
	readers *sql.DB
	View    // by the readers

	hasLog bool     // as it should; some file systems cannot share memory
	log    *os.File // that Sync syncs
}

// Options change how a store is opened.
type Options struct {
	// LockTimeout is how long to wait for another process that writes; 0 means DefaultLockTimeout.
	LockTimeout time.Duration
}

// DefaultLockTimeout is how long a store waits for another process.
const DefaultLockTimeout = 30 * time.Second

// Pages of 64 KiB take a sixth less time than pages of 4 KiB (`make bench`) and a tenth less space, because a row that
// does not fit in the rest of a page leaves that empty (`scripts/store-size.sh`). An older store keeps the size of its
// pages. A larger cache only takes more memory.
const (
	pageSize  = 64 << 10
	cacheSize = 2 << 20
)

// Open opens a store and creates it if it does not exist. It refuses a database of another program or of a newer
// clawctl, and does not change it.
func Open(ctx context.Context, path string, opts Options) (*SQLite, error) {
	timeout := cmp.Or(opts.LockTimeout, DefaultLockTimeout)
	waiting, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	for {
		deadline, _ := waiting.Deadline()
		s, err := openOnce(ctx, path, timeout, time.Until(deadline))
		passes := errors.Is(err, dbfile.ErrLocked) || errors.Is(err, dbfile.ErrChanged)
		if !passes || waiting.Err() != nil {
			return s, err
		}
		// Another process is creating or closing the store. SQLite does not wait for that.
		select {
		case <-waiting.Done():
		case <-time.After(retryPause):
		}
	}
}

// retryPause is how long to wait for other processes that open or close the store.
const retryPause = 5 * time.Millisecond

// openOnce opens a store within the time that is left. After that, the store waits for locks for timeout.
func openOnce(ctx context.Context, path string, timeout, left time.Duration) (*SQLite, error) {
	if err := prepare(ctx, path); err != nil {
		return nil, err
	}
	s := &SQLite{path: path}
	err := s.open(ctx, timeout, left)
	if err == nil {
		err = s.migrate(ctx)
	}
	if err == nil {
		_, err = s.writer.ExecContext(ctx, fmt.Sprintf("PRAGMA busy_timeout = %d", timeout.Milliseconds()))
	}
	if err != nil {
		s.Close()
		return nil, dbfile.Classify(err)
	}
	return s, nil
}

// prepare creates the file of a new store. It refuses a file that is not a store before anything is written to it. If
// the header says that it is a store, or that it is empty, migrate checks again: reading a log that others may be
// writing takes more effort.
func prepare(ctx context.Context, path string) error {
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		may, err := mayBeStore(path)
		if may || errors.Is(err, dbfile.ErrForeign) && dbfile.IsUnborn(path) {
			return nil
		}
		if err != nil {
			return err
		}
		file, err := dbfile.OpenReadOnly(ctx, path)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = version(ctx, file.DB)
		return file.Classify(err)
	}
	if err := atomicfile.MkdirAll(filepath.Dir(path)); err != nil {
		return err
	}
	if err := createPrivate(path); err != nil {
		return err
	}
	return atomicfile.SyncFolder(filepath.Dir(path))
}

// mayBeStore reports whether the header of a database allows it to be a store.
func mayBeStore(path string) (bool, error) {
	h, err := dbfile.ReadHeader(path)
	if h.IsNewer {
		return false, dbfile.ErrNewer
	}
	isEmpty := h == dbfile.Header{}
	return err == nil && (isEmpty || h.Application == applicationID && h.Version >= 1 && int(h.Version) <= newest()), err
}

// fullSync makes SQLite wait on macOS until the disk itself has written what it was given, as [os.File.Sync] does. A
// mere fsync leaves it in the cache of the disk there. Other systems ignore the option.
const fullSync = "&_pragma=fullfsync(1)&_pragma=checkpoint_fullfsync(1)"

func (s *SQLite) open(ctx context.Context, timeout, left time.Duration) error {
	const busy = "_pragma=busy_timeout(%d)"
	const options = busy + "&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_pragma=cache_size(-%d)" + fullSync
	var err error
	if s.pool, err = dbfile.OpenOwn(s.path, fmt.Sprintf(options, max(left.Milliseconds(), 1),
		cacheSize>>10)); err != nil {
		return err
	}
	writer, err := s.pool.Conn(ctx)
	if err != nil {
		return err
	}
	s.writer = &statements{Conn: writer}
	// These are not among the options above, because the driver would reorder them, and the first write fixes the page
	// size.
	if _, err = writer.ExecContext(ctx, fmt.Sprintf("PRAGMA page_size = %d", pageSize)); err != nil {
		return err
	}
	mode, err := one[string](ctx, writer, "PRAGMA journal_mode = WAL")
	if err != nil {
		return err
	}
	s.hasLog = mode == "wal"
	s.readers, err = dbfile.OpenOwnReader(s.path, fmt.Sprintf(busy, timeout.Milliseconds()))
	s.View = viewOf(s.readers)
	return err
}

// Bulk prepares the store for many writes, until Close. Only Checkpoint empties the log. A commit is durable only after
// the next Sync, which can run beside the next batch. Foreign keys are off, because looking up the session of every
// record would take a tenth of the time.
func (s *SQLite) Bulk(ctx context.Context) error {
	_, err := s.writer.ExecContext(ctx, "PRAGMA foreign_keys = 0")
	if err == nil && s.hasLog {
		_, err = s.writer.ExecContext(ctx, "PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = NORMAL")
	}
	return dbfile.Classify(err)
}

// Sync makes commits of bulk mode durable. It is not safe for concurrent use.
func (s *SQLite) Sync(ctx context.Context) error {
	var err error
	if !s.hasLog {
		return nil
	}
	if s.log == nil {
		// The log is beside the target if the store is a link. It stays open to catch every disk error. Closing it releases
		// no lock, because SQLite has none on its log.
		if s.log, err = os.OpenFile(storePath(ctx, s.pool)+"-wal", os.O_RDWR, 0); err != nil {
			// The cause is not wrapped, because no file of the user's is missing.
			return fmt.Errorf("cannot sync the log of the store: %v", err)
		}
	}
	return s.log.Sync()
}

// Checkpoint moves committed data from the log to the database while others read and write. With restart, the next
// commit reuses the log from its start, if nobody reads it for a moment. An export may read it for minutes, and then
// the log grows.
func (s *SQLite) Checkpoint(ctx context.Context, restart bool) error {
	statement := "PRAGMA wal_checkpoint(PASSIVE)"
	if restart {
		statement = fmt.Sprintf("PRAGMA busy_timeout = %d; PRAGMA wal_checkpoint(RESTART)",
			checkpointPatience.Milliseconds())
	}
	_, err := s.pool.ExecContext(ctx, statement)
	return dbfile.Classify(err)
}

// checkpointPatience is how long a checkpoint waits for readers.
const checkpointPatience = 2 * time.Second

// Path returns the file of the store.
func (s *SQLite) Path() string { return s.path }

// TotalChanges returns how many rows were written since the store was opened.
func (s *SQLite) TotalChanges(ctx context.Context) (int64, error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	return one[int64](ctx, s.writer, "SELECT total_changes()")
}

// Close closes the store. If nobody else uses it, the log is moved into the database and only one file remains.
func (s *SQLite) Close() error {
	var errs []error
	if s.log != nil {
		errs = append(errs, s.log.Close()) // before SQLite removes it
	}
	if s.readers != nil {
		errs = append(errs, s.readers.Close())
	}
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	if s.pool != nil {
		errs = append(errs, s.pool.Close())
	}
	return errors.Join(errs...)
}

// end commits the transaction of the writer, or rolls it back if err is not nil.
func (s *SQLite) end(err error) error {
	if err == nil {
		// Not interruptible: it must be known whether a commit has happened.
		if _, err = s.writer.ExecContext(context.Background(), "COMMIT"); err == nil {
			return nil
		}
	}
	// SQLite may have ended the transaction by itself; then there is nothing to roll back.
	_, _ = s.writer.ExecContext(context.Background(), "ROLLBACK")
	return dbfile.Classify(err)
}
