package store

import (
	"context"
	"database/sql"
	"sync"
)

// preparing is a pool of connections on which every question is prepared once: a session is read with a handful of them,
// and sessions are read by the thousand.
type preparing struct {
	*sql.DB
	mu    sync.Mutex
	known map[string]*sql.Stmt
}

func newPreparing(pool *sql.DB) *preparing {
	return &preparing{DB: pool, known: map[string]*sql.Stmt{}}
}

func (p *preparing) statement(ctx context.Context, query string) (*sql.Stmt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if known := p.known[query]; known != nil {
		return known, nil
	}
	statement, err := p.DB.PrepareContext(ctx, query)
	if err == nil {
		p.known[query] = statement
	}
	return statement, err
}

// QueryContext asks with a prepared statement.
func (p *preparing) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := p.statement(ctx, query)
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
	statement, err := p.pool.statement(ctx, query)
	if err != nil {
		return nil, err
	}
	return p.Tx.StmtContext(ctx, statement).QueryContext(ctx, args...)
}
