package dbfile

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
)

// The schema of a database is written by whoever made the file. A view, a virtual table, a generated column or a
// default value can run for ever or produce any amount of data from a few bytes. So nothing of the kind is evaluated:
// only ordinary tables are read, and of these only the columns whose values are in the file.

// A Querier is a database or a connection to one.
type Querier interface {
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
}

// A Table is an ordinary table.
type Table struct {
	Columns []string // those whose values are in the file
	// Computed are the other ones: generated columns, and columns with a long default value. That value is in the file
	// once, but stands for the value of any number of rows.
	Computed []string
}

// maxDefault is the maximum length of a default value, as it is written in the schema.
const maxDefault = 1024

// Conditions on a row m of sqlite_schema. SQLite itself checks that the type and the name of a row match its SQL, but
// not that a table with a root page is an ordinary one. Only of those the columns are asked for: SQLite would resolve a
// view for that, and start a virtual table.
const (
	isPlain     = "m.type = 'table' AND m.rootpage > 0 AND m.sql LIKE 'CREATE TABLE%'"
	isGenerated = "CASE WHEN " + isPlain + " THEN EXISTS (SELECT 1 FROM pragma_table_xinfo(m.name) WHERE hidden > 0) " +
		"ELSE 0 END"
)

// ReadTable returns the columns of an ordinary table. It has none if there is no such table.
func ReadTable(ctx context.Context, db Querier, name string) (t Table, err error) {
	query := fmt.Sprintf("SELECT c.name, c.hidden > 0 OR coalesce(octet_length(c.dflt_value), 0) > %d "+
		"FROM sqlite_schema m JOIN pragma_table_xinfo(m.name) c WHERE %s AND m.name = ? COLLATE NOCASE", maxDefault, isPlain)
	err = Each(ctx, db, query, []any{name}, func(scan func(...any) error) error {
		var column string
		var isComputed bool
		err := scan(&column, &isComputed)
		if isComputed {
			t.Computed = append(t.Computed, column)
		} else {
			t.Columns = append(t.Columns, column)
		}
		return err
	})
	return t, err
}

// QuickCheck checks a database for corruption. It reads all of it, except the tables with generated columns, which
// SQLite would compute. If there are views, only ordinary tables are checked, one by one: otherwise SQLite checks
// full-text indexes too, and those may read a view.
func QuickCheck(ctx context.Context, db Querier) error {
	targets, err := checkTargets(ctx, db)
	for _, target := range targets {
		if err != nil {
			return err
		}
		err = quickCheck(ctx, db, target)
	}
	return err
}

// checkTargets returns the arguments for PRAGMA quick_check: 1, which is the number of errors to look for in the whole
// database, or the names of tables. A name that begins like a number would be taken for one.
func checkTargets(ctx context.Context, db Querier) (list []string, err error) {
	const query = "SELECT m.type = 'view' OR " + isGenerated + ", m.name, " +
		isPlain + " AND m.name GLOB '[A-Za-z_]*' FROM sqlite_schema m"
	list = []string{"sqlite_schema"}
	isSafe := true
	err = Each(ctx, db, query, nil, func(scan func(...any) error) error {
		var isComputed, isTable bool
		var name string
		err := scan(&isComputed, &name, &isTable)
		isSafe = isSafe && !isComputed
		if isTable && !isComputed {
			list = append(list, QuoteName(name))
		}
		return err
	})
	if isSafe {
		list = []string{"1"}
	}
	return list, err
}

func quickCheck(ctx context.Context, db Querier, target string) error {
	return Each(ctx, db, "PRAGMA quick_check("+target+")", nil, func(scan func(...any) error) error {
		var result string
		if err := scan(&result); err != nil {
			return err
		}
		if result != "ok" {
			return ErrCorrupt
		}
		return nil
	})
}

// QuoteName returns a name of a table or column as SQL, whatever characters it has.
func QuoteName(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }

// Each calls row for every row of a query.
func Each(ctx context.Context, db Querier, query string, args []any, row func(scan func(...any) error) error) error {
	rows, err := db.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}
