package store

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
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
}

// maxSnapshotConns is the maximum number of connections of a snapshot. More readers than that share them.
const maxSnapshotConns = 4

// A snapshotConn is one connection of a snapshot. It queries with prepared statements, so it serves one reader.
type snapshotConn struct {
	statements
	users int
}

// QueryContext queries with a prepared statement.
func (c *snapshotConn) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := c.get(ctx, query)
	if err != nil {
		return nil, err
	}
	return statement.QueryContext(ctx, args...)
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
	return s, nil
}

// dataVersion returns a number that changes when another connection commits.
func dataVersion(ctx context.Context, conn *sql.Conn) (int64, error) {
	return one[int64](ctx, conn, "PRAGMA data_version")
}

// join adds a connection in a read transaction.
func (s *snapshot) join(ctx context.Context) error {
	conn, err := s.pool.Conn(ctx)
	if err != nil {
		return err
	}
	c := &snapshotConn{statements: statements{Conn: conn}}
	_, err = conn.ExecContext(ctx, "BEGIN")
	if err == nil { // the transaction begins with the first query
		_, err = one[int](ctx, conn, "SELECT count(*) FROM sqlite_schema")
	}
	if err != nil {
		return errors.Join(err, c.close())
	}
	s.conns = append(s.conns, c)
	return nil
}

// lease returns a connection for one reader, until it calls release.
func (s *snapshot) lease(ctx context.Context) (db querier, release func() error, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	best := slices.MinFunc(s.conns, func(a, b *snapshotConn) int { return cmp.Compare(a.users, b.users) })
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
		return best.Conn, release, nil // a prepared statement serves one reader at a time
	}
	return best, release, nil
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

// close ends the snapshot.
func (s *snapshot) close() error {
	errs := []error{s.watch.Close()}
	for _, c := range s.conns {
		errs = append(errs, c.close())
	}
	return errors.Join(errs...)
}

func (c *snapshotConn) close() error {
	_, _ = c.ExecContext(context.Background(), "ROLLBACK") // closing the connection ends the transaction too
	return c.statements.Close()
}

// viewOf returns a view of a pool of connections, which reads every state in a transaction.
func viewOf(pool *sql.DB) View {
	return View{db: pool, lease: func(ctx context.Context) (querier, func() error, error) {
		tx, err := pool.BeginTx(ctx, nil)
		return tx, func() error { return rollback(tx) }, dbfile.Classify(err)
	}}
}

// openState returns one state of the store for a reader that makes several queries, and a function that releases it.
func (v *View) openState(ctx context.Context) (db querier, release func() error, err error) {
	if v.lease == nil { // already in a transaction
		return v.db, func() error { return nil }, nil
	}
	return v.lease(ctx)
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
	return errors.Join(read(&View{db: db, archived: v.archived}), release())
}
