package store

import (
	"context"
	"database/sql"
	"errors"
)

// A prepared connection prepares each statement once, at its first use: thousands of sessions are read and written with
// the same few. It serves one reader or writer at a time.
type prepared struct {
	conn       *sql.Conn
	isShared   bool // the connection, which close leaves open
	statements map[string]*sql.Stmt
}

func (p *prepared) get(ctx context.Context, query string) (*sql.Stmt, error) {
	if known := p.statements[query]; known != nil {
		return known, nil
	}
	statement, err := p.conn.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if p.statements == nil {
		p.statements = map[string]*sql.Stmt{}
	}
	p.statements[query] = statement
	return statement, nil
}

// QueryContext queries with a prepared statement.
func (p *prepared) QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error) {
	statement, err := p.get(ctx, query)
	if err != nil {
		return nil, err
	}
	return statement.QueryContext(ctx, args...)
}

// QueryRowContext queries one row.
func (p *prepared) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	return p.conn.QueryRowContext(ctx, query, args...)
}

// close closes the statements, and the connection if it is not shared.
func (p *prepared) close() error {
	var errs []error
	for _, statement := range p.statements {
		errs = append(errs, statement.Close())
	}
	if p.conn != nil && !p.isShared {
		errs = append(errs, p.conn.Close())
	}
	return errors.Join(errs...)
}
