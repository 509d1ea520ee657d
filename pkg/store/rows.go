package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"

	"clawctl/pkg/store/dbfile"
)

// A querier is a connection, a pool of them, or a transaction.
type querier interface {
	QueryContext(ctx context.Context, query string, args ...any) (*sql.Rows, error)
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// A scanFunc copies the columns of a row.
type scanFunc = func(into ...any) error

// each calls row for every row of a query.
func each(ctx context.Context, db querier, query string, args []any, row func(scan scanFunc) error) error {
	err := dbfile.Each(ctx, db, query, args, func(scan scanFunc) error {
		return row(func(into ...any) error {
			if scan(into...) != nil && ctx.Err() == nil {
				// The original error would repeat the value.
				return fmt.Errorf("%w: a column has an unexpected type", dbfile.ErrCorrupt)
			}
			return ctx.Err()
		})
	})
	return dbfile.Classify(err)
}

// collect returns what read makes of every row of a query.
func collect[T any](
	ctx context.Context, db querier, query string, args []any, read func(scan scanFunc) (T, error),
) (list []T, err error) {
	err = each(ctx, db, query, args, func(scan scanFunc) error {
		value, err := read(scan)
		if err == nil {
			list = append(list, value)
		}
		return err
	})
	return list, err
}

// column returns the values of a query for one column.
func column[T any](ctx context.Context, db querier, query string, args ...any) ([]T, error) {
	return collect(ctx, db, query, args, func(scan scanFunc) (value T, err error) {
		err = scan(&value)
		return value, err
	})
}

// one returns the value of a query for one column of one row.
func one[T any](ctx context.Context, db querier, query string, args ...any) (value T, err error) {
	err = db.QueryRowContext(ctx, query, args...).Scan(&value)
	return value, dbfile.Classify(err)
}

// statements prepares each statement of a connection once, at its first use: thousands of sessions are read and written
// with the same few statements.
type statements struct {
	*sql.Conn
	mu      sync.Mutex
	byQuery map[string]*sql.Stmt
}

func (s *statements) get(ctx context.Context, query string) (*sql.Stmt, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.byQuery[query]; known != nil {
		return known, nil
	}
	statement, err := s.PrepareContext(ctx, query)
	if err != nil {
		return nil, err
	}
	if s.byQuery == nil {
		s.byQuery = map[string]*sql.Stmt{}
	}
	s.byQuery[query] = statement
	return statement, nil
}

// QueryRowContext queries one row with a prepared statement. QueryContext has none, because its rows may still be open
// when the same query comes again.
func (s *statements) QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row {
	statement, err := s.get(ctx, query)
	if err != nil {
		return s.Conn.QueryRowContext(ctx, query, args...) // has the same error
	}
	return statement.QueryRowContext(ctx, args...)
}

// Close releases the statements and the connection.
func (s *statements) Close() error {
	var errs []error
	for _, statement := range s.byQuery {
		errs = append(errs, statement.Close())
	}
	return errors.Join(append(errs, s.Conn.Close())...)
}
