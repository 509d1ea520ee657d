package store

import (
	"context"
	"database/sql"
	"sync"
)

// statements are prepared when they are first wanted, and once: a session is read with a handful of them, and sessions are
// read by the thousand.
type statements struct {
	on interface {
		PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	}
	mu    sync.Mutex
	known map[string]*sql.Stmt
}

func (s *statements) get(ctx context.Context, query string) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.known[query]; known != nil {
		return known, nil
	}
	statement, err := s.on.PrepareContext(ctx, query)
	if err == nil {
		if s.known == nil {
			s.known = map[string]*sql.Stmt{}
		}
		s.known[query] = statement
	}
	return statement, err
}

// close releases the statements.
func (s *statements) close() (errs []error) {
	for _, statement := range s.known {
		errs = append(errs, statement.Close())
	}
	return errs
}

// preparing is a pool of connections that asks with prepared statements.
type preparing struct {
	*sql.DB
	statements statements
}

func newPreparing(pool *sql.DB) *preparing {
	return &preparing{DB: pool, statements: statements{on: pool}}
}

// QueryContext asks with a prepared statement.
func (p *preparing) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := p.statements.get(ctx, query)
	if err != nil {
		return nil, err
	}
	return statement.QueryContext(ctx, args...)
}

// A preparedTx asks within a transaction, with the statements of its pool.
type preparedTx struct {
	*sql.Tx
	pool *preparing
}

// QueryContext asks with a prepared statement.
func (p *preparedTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := p.pool.statements.get(ctx, query)
	if err != nil {
		return nil, err
	}
	return p.Tx.StmtContext(ctx, statement).QueryContext(ctx, args...)
}
