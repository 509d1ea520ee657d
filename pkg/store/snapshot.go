package store

import (
	"context"
	"database/sql"
	"errors"
	"sync"

	"clawctl/pkg/store/dbfile"
)

// connections read a store. Each reader that makes several queries sees one state. With a snapshot, all of them see the
// same state, whatever others write meanwhile. SQLite cannot open an old state a second time, so they share the
// connection. Without, each has a connection and a transaction of its own.
type connections struct {
	querier  // for single queries
	pool     *sql.DB
	snapshot *sql.Conn // in a read transaction; nil without a snapshot

	mu   sync.Mutex
	idle []*prepared
}

// newSnapshot takes a snapshot of the current state.
func newSnapshot(ctx context.Context, pool *sql.DB) (*connections, error) {
	conn, err := pool.Conn(ctx)
	if err != nil {
		return nil, err
	}
	_, err = conn.ExecContext(ctx, "BEGIN")
	if err == nil { // the transaction begins with the first query
		var n int
		err = conn.QueryRowContext(ctx, "SELECT count(*) FROM sqlite_schema").Scan(&n)
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &connections{querier: conn, pool: pool, snapshot: conn}, nil
}

// begin returns what one reader reads with, until it calls release.
func (c *connections) begin(ctx context.Context) (db querier, release func() error, err error) {
	p := c.takeIdle()
	if p == nil {
		p = &prepared{conn: c.snapshot, isShared: c.snapshot != nil}
	}
	if p.conn == nil {
		p.conn, err = c.pool.Conn(ctx)
	}
	if err == nil && c.snapshot == nil {
		_, err = p.conn.ExecContext(ctx, "BEGIN")
	}
	if err != nil {
		return nil, nil, dbfile.Classify(errors.Join(err, p.close()))
	}
	return p, sync.OnceValue(func() error { return c.end(p) }), nil
}

func (c *connections) takeIdle() (p *prepared) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if last := len(c.idle) - 1; last >= 0 {
		p, c.idle = c.idle[last], c.idle[:last]
	}
	return p
}

// end ends what one reader has begun.
func (c *connections) end(p *prepared) error {
	if c.snapshot == nil {
		if _, err := p.conn.ExecContext(context.Background(), "ROLLBACK"); err != nil {
			return p.close() // it has only read
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.idle = append(c.idle, p)
	return nil
}

// close closes the connections. One that is still read with is closed when its reader ends.
func (c *connections) close() error {
	var errs []error
	for p := c.takeIdle(); p != nil; p = c.takeIdle() {
		errs = append(errs, p.close())
	}
	if c.snapshot != nil {
		errs = append(errs, c.snapshot.Close())
	}
	return errors.Join(errs...)
}

// openState returns one state of the store for a reader that makes several queries, and a function that releases it.
func (v *View) openState(ctx context.Context) (db querier, release func() error, err error) {
	if c, ok := v.db.(*connections); ok {
		return c.begin(ctx)
	}
	return v.db, func() error { return nil }, nil // already in a transaction
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
