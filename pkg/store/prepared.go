package store

import (
	"context"
	"database/sql"
	"sync"
)

// statements prepares each statement once, at its first use: thousands of sessions are read with the same few
// statements.
type statements struct {
	on interface {
		PrepareContext(ctx context.Context, query string) (*sql.Stmt, error)
	}
	mu      sync.Mutex
	byQuery map[string]*sql.Stmt
}

func (s *statements) get(ctx context.Context, query string) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.byQuery[query]; known != nil {
		return known, nil
	}
	statement, err := s.on.PrepareContext(ctx, query)
	if err != nil {
		return statement, err
	}
	if s.byQuery == nil {
		s.byQuery = map[string]*sql.Stmt{}
	}
	s.byQuery[query] = statement
	return statement, nil
}

// close releases the statements.
func (s *statements) close() (errs []error) {
	for _, statement := range s.byQuery {
		errs = append(errs, statement.Close())
	}
	return errs
}

// A preparedPool is a pool of connections that queries with prepared statements.
type preparedPool struct {
	pool       *sql.DB
	statements statements
}

func newPreparedPool(pool *sql.DB) *preparedPool {
	return &preparedPool{pool: pool, statements: statements{on: pool}}
}

// QueryContext queries with a prepared statement.
func (p *preparedPool) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := p.statements.get(ctx, query)
	if err != nil {
		return nil, err
	}
	return statement.QueryContext(ctx, args...)
}

func (p *preparedPool) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return p.pool.QueryRowContext(ctx, query, args...)
}

// A preparedTx queries within a transaction, with the prepared statements of its pool.
type preparedTx struct {
	tx   *sql.Tx
	pool *preparedPool
}

// QueryContext queries with a prepared statement.
func (p *preparedTx) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := p.pool.statements.get(ctx, query)
	if err != nil {
		return nil, err
	}
	return p.tx.StmtContext(ctx, statement).QueryContext(ctx, args...)
}

func (p *preparedTx) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return p.tx.QueryRowContext(ctx, query, args...)
}
