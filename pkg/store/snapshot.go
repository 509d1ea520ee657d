package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"clawctl/pkg/store/dbfile"
)

// A snapshot reads one state of a store, whatever others write meanwhile. All of its connections are in a read
// transaction of that state. SQLite cannot open an old state a second time. So a connection joins later only if nothing
// was committed since, and otherwise the readers share the connections that there are.
type snapshot struct {
	pool  *sql.DB
	watch *sql.Conn // is in no transaction, and notices commits
	state int64     // the data version of watch before the first transaction began

	mu    sync.Mutex // guards conns and their users
	conns []*snapshotConn
	first *snapshotConn
}

// maxSnapshotConns is the maximum number of connections of a snapshot. More readers than that share them.
const maxSnapshotConns = 4

// A snapshotConn is one connection of a snapshot.
type snapshotConn struct {
	conn       *sql.Conn
	statements statements
	users      int
}

// newSnapshot takes a snapshot of the current state.
func newSnapshot(ctx context.Context, pool *sql.DB) (s *snapshot, err error) {
	s = &snapshot{pool: pool}
	if s.watch, err = pool.Conn(ctx); err != nil {
		return nil, err
	}
	if s.state, err = dataVersion(ctx, s.watch); err == nil {
		err = s.join(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, s.close())
	}
	s.first = s.conns[0]
	return s, nil
}

// dataVersion returns a number that changes when another connection commits.
func dataVersion(ctx context.Context, conn *sql.Conn) (n int64, err error) {
	err = conn.QueryRowContext(ctx, "PRAGMA data_version").Scan(&n)
	return n, err
}

// join adds a connection in a read transaction.
func (s *snapshot) join(ctx context.Context) error {
	conn, err := s.pool.Conn(ctx)
	if err != nil {
		return err
	}
	c := &snapshotConn{conn: conn, statements: statements{on: conn}}
	_, err = conn.ExecContext(ctx, "BEGIN")
	if err == nil { // the transaction begins with the first query
		var n int
		err = conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n)
	}
	if err != nil {
		return errors.Join(err, c.close())
	}
	s.conns = append(s.conns, c)
	return nil
}

// lease returns a connection for one reader, until it calls release.
func (s *snapshot) lease(ctx context.Context) (db querier, release func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	best := s.leastUsed()
	if best.users > 0 && len(s.conns) < maxSnapshotConns && s.grow(ctx) {
		best = s.conns[len(s.conns)-1]
	}
	best.users++
	release = sync.OnceValue(func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		best.users--
		return nil
	})
	if best.users > 1 {
		return best.conn, release // a prepared statement serves one reader at a time
	}
	return best, release
}

func (s *snapshot) leastUsed() *snapshotConn {
	best := s.conns[0]
	for _, c := range s.conns {
		if c.users < best.users {
			best = c
		}
	}
	return best
}

// grow adds a connection if it sees the same state. It reports whether it did.
func (s *snapshot) grow(ctx context.Context) bool {
	if s.join(ctx) != nil {
		return false
	}
	if now, err := dataVersion(ctx, s.watch); err == nil && now == s.state {
		return true
	}
	last := len(s.conns) - 1
	_ = s.conns[last].close() // nothing was read with it
	s.conns = s.conns[:last]
	return false
}

// QueryContext queries without a prepared statement, because the rows may still be open when the next query comes.
func (s *snapshot) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	return s.first.conn.QueryContext(ctx, query, args...)
}

// QueryRowContext queries one row.
func (s *snapshot) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return s.first.conn.QueryRowContext(ctx, query, args...)
}

// QueryContext queries with a prepared statement.
func (c *snapshotConn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := c.statements.get(ctx, query)
	if err != nil {
		return nil, err
	}
	return statement.QueryContext(ctx, args...)
}

func (c *snapshotConn) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return c.conn.QueryRowContext(ctx, query, args...)
}

// close ends the snapshot.
func (s *snapshot) close() error {
	errs := []error{s.watch.Close()}
	for _, c := range s.conns {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}

func (c *snapshotConn) close() error {
	errs := c.statements.close()
	_, _ = c.conn.ExecContext(context.Background(), "ROLLBACK") // closing the connection ends the transaction too
	return errors.Join(append(errs, c.conn.Close())...)
}

// openState returns one state of the store for a reader that makes several queries, and a function that releases it.
func (v *View) openState(ctx context.Context) (db querier, release func() error, err error) {
	switch db := v.db.(type) {
	case *snapshot:
		q, release := db.lease(ctx)
		return q, release, nil
	case *preparedPool:
		tx, err := db.pool.BeginTx(ctx, nil)
		if err != nil {
			return nil, nil, dbfile.Classify(err)
		}
		return &preparedTx{tx, db}, func() error { return rollback(tx) }, nil
	}
	return v.db, func() error { return nil }, nil // already in a transaction
}

// rollback ends a transaction that has only read. A canceled one has already ended.
func rollback(tx *sql.Tx) error {
	if err := tx.Rollback(); err != nil && !errors.Is(err, sql.ErrTxDone) {
		return err
	}
	return nil
}

// InOneState calls read with a view of one state of the store. Whoever compares two readings must make both in it,
// because others may write between them.
func (v *View) InOneState(ctx context.Context, read func(*View) error) error {
	db, release, err := v.openState(ctx)
	if err != nil {
		return err
	}
	return errors.Join(read(&View{db, v.archived}), release())
}
