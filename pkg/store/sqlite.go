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

	"clawctl/pkg/dbfile"
)

// SQLite is the primary SessionStore: one database file. The contract of its tables is in schema.go.
//
// It has one connection for writing, which serves one transaction at a time, and others for reading, each of which sees
// the last committed state. Every commit is durable when it returns: the log is synced (WAL, synchronous=FULL). Bulk is
// the exception.
type SQLite struct {
	path    string
	pool    *sql.DB
	writer  *sql.Conn
	writing sync.Mutex // held by the transaction of the writer
	readers *sql.DB
	View    // by the readers

	statements statements // of the writer

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

// Pages of 32 KiB take a sixth less time and space than those of 4 KiB (`make bench`); a larger cache takes memory
// alone.
const (
	pageSize  = 32 << 10
	cacheSize = 2 << 20
)

// Open opens a store, and makes it where there is none. A database of another program, or of a newer clawctl, is
// refused untouched.
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
		// Others make the store, or close it, at this moment. SQLite does not wait for that.
		select {
		case <-waiting.Done():
		case <-time.After(retryPause):
		}
	}
}

// retryPause is how long to wait for others that open or close the store.
const retryPause = 5 * time.Millisecond

// openOnce opens a store in the time that is left for that; afterwards it waits for locks as long as timeout says.
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

// prepare makes the file of a new store, and refuses what is no store before anything is written to it. What its first
// bytes tell to be a store, or to have no content yet, is left to migrate, which looks again: a log beside it, which
// others may be writing, takes more to be read untouched.
func prepare(ctx context.Context, path string) error {
	if info, err := os.Stat(path); err == nil && info.Size() > 0 {
		if may, err := mayBeStore(path); may || err != nil {
			return err
		}
		file, err := dbfile.OpenReadOnly(ctx, path)
		if err != nil {
			return err
		}
		defer file.Close()
		_, err = version(ctx, file)
		return file.Classify(err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return createPrivate(path)
}

// mayBeStore reads what the header of a database says.
func mayBeStore(path string) (bool, error) {
	h, err := dbfile.ReadHeader(path)
	if h.IsNewer {
		return false, dbfile.ErrNewer
	}
	isEmpty := h == dbfile.Header{}
	return err == nil && (isEmpty || h.Application == applicationID && h.Version >= 1 && int(h.Version) <= newest), err
}

func (s *SQLite) open(ctx context.Context, timeout, left time.Duration) error {
	const busy = "_pragma=busy_timeout(%d)"
	var err error
	if s.pool, err = dbfile.OpenOwn(s.path, fmt.Sprintf(busy+
		"&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)&_pragma=cache_size(-%d)", max(left.Milliseconds(), 1),
		cacheSize>>10)); err != nil {
		return err
	}
	if s.writer, err = s.pool.Conn(ctx); err != nil {
		return err
	}
	s.statements.on = s.writer
	// Not among the options above: the driver would put them in another order, and the first write fixes the page size.
	if _, err = s.writer.ExecContext(ctx, fmt.Sprintf("PRAGMA page_size = %d", pageSize)); err != nil {
		return err
	}
	var mode string
	if err = s.writer.QueryRowContext(ctx, "PRAGMA journal_mode = WAL").Scan(&mode); err != nil {
		return err
	}
	s.hasLog = mode == "wal"
	s.readers, err = dbfile.OpenOwn(s.path, fmt.Sprintf(busy, timeout.Milliseconds())+"&_pragma=query_only(1)")
	s.db = newPreparedPool(s.readers)
	return err
}

// Bulk turns the store over to somebody who writes much, until Close. The log is emptied by Checkpoint alone. A commit
// is durable only behind the next Sync, which can run beside the next batch. And SQLite looks up no foreign keys: to
// find the session of every record again takes a tenth of the time.
func (s *SQLite) Bulk(ctx context.Context) error {
	_, err := s.writer.ExecContext(ctx, "PRAGMA foreign_keys = 0")
	if err == nil && s.hasLog {
		_, err = s.writer.ExecContext(ctx, "PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = NORMAL")
	}
	return dbfile.Classify(err)
}

// Sync makes durable what was committed in bulk. One at a time may call it.
func (s *SQLite) Sync(ctx context.Context) (err error) {
	if !s.hasLog {
		return nil
	}
	if s.log == nil {
		if s.log, err = s.openLog(ctx); err != nil {
			// it is no file of the user's that is missing
			return fmt.Errorf("the log of the store cannot be synced: %v", err)
		}
	}
	return s.log.Sync()
}

// openLog opens the log, which lies beside the file itself where the store is a link. It stays open, so that no error
// of the disk goes by unseen. Closing it gives no lock away: SQLite has none on its log.
func (s *SQLite) openLog(ctx context.Context) (*os.File, error) {
	var path string
	row := s.pool.QueryRowContext(ctx, "SELECT file FROM pragma_database_list WHERE name = 'main'")
	if err := row.Scan(&path); err != nil {
		return nil, err
	}
	return os.OpenFile(path+"-wal", os.O_RDWR, 0)
}

// Checkpoint puts what was committed from the log into the database, beside whoever reads and writes. With restart it
// also lets the next commit begin the log anew, for which nobody must be reading.
func (s *SQLite) Checkpoint(ctx context.Context, restart bool) error {
	mode := "PASSIVE"
	if restart {
		mode = "RESTART"
	}
	_, err := s.pool.ExecContext(ctx, "PRAGMA wal_checkpoint("+mode+")")
	return dbfile.Classify(err)
}

// Path is the file of the store.
func (s *SQLite) Path() string { return s.path }

// TotalChanges is how many rows were written since the store was opened.
func (s *SQLite) TotalChanges(ctx context.Context) (n int64, err error) {
	s.writing.Lock()
	defer s.writing.Unlock()
	err = s.writer.QueryRowContext(ctx, "SELECT total_changes()").Scan(&n)
	return n, dbfile.Classify(err)
}

// Close releases the store, and leaves one file behind: the log is put into the database where nobody else uses it.
func (s *SQLite) Close() error {
	var errs []error
	if s.log != nil {
		errs = append(errs, s.log.Close()) // before SQLite removes it
	}
	if s.readers != nil {
		errs = append(errs, s.readers.Close())
	}
	errs = append(errs, s.statements.close()...)
	if s.writer != nil {
		errs = append(errs, s.writer.Close())
	}
	if s.pool != nil {
		errs = append(errs, s.pool.Close())
	}
	return errors.Join(errs...)
}

// end commits the writer's transaction, or rolls it back where err says so.
func (s *SQLite) end(err error) error {
	if err == nil {
		// Not interruptible: a commit that was begun must be known to have happened or not.
		if _, err = s.writer.ExecContext(context.Background(), "COMMIT"); err == nil {
			return nil
		}
	}
	// SQLite may have ended the transaction by itself; then there is nothing to roll back.
	_, _ = s.writer.ExecContext(context.Background(), "ROLLBACK")
	return dbfile.Classify(err)
}
