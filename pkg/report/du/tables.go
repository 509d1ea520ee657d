package du

import (
	"context"

	"clawctl/pkg/store/dbfile"
)

// addTables divides every database by table. An index counts for its table.
func (c *collector) addTables(ctx context.Context) error {
	for _, f := range c.files {
		if f.storage != inDatabase {
			continue
		}
		if err := c.addDatabase(ctx, f); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			c.unread(f.path, err)
		}
	}
	return nil
}

const tableQuery = `SELECT coalesce(m.tbl_name, s.name), sum(s.pgsize), count(*) FROM dbstat s
	LEFT JOIN sqlite_schema m ON m.name = s.name GROUP BY 1`

// addDatabase adds the tables and the free pages of a database. Pages that are still in its log make the sums larger
// than the file, and shrink with them.
func (c *collector) addDatabase(ctx context.Context, f *file) error {
	tables := ledger{}
	defer func() { c.ledger.divide(Table, f.bytes, tables[Table], "(other pages)") }()
	db, err := dbfile.OpenReadOnly(ctx, f.path)
	if err != nil {
		return err
	}
	defer db.Close()
	err = db.Each(ctx, tableQuery, nil, func(scan func(...any) error) error {
		var name string
		var bytes, pages int64
		if err := scan(&name, &bytes, &pages); err != nil {
			return err
		}
		tables.add(Table, name, bytes, pages)
		return nil
	})
	if err != nil {
		return db.Classify(err)
	}
	var free, size int64
	if err := db.DB.QueryRowContext(ctx, "SELECT (SELECT freelist_count FROM pragma_freelist_count), "+
		"(SELECT page_size FROM pragma_page_size)").Scan(&free, &size); err != nil {
		return db.Classify(err)
	}
	if free > 0 {
		tables.add(Table, FreePages, free*size, free)
	}
	return nil
}

// FreePages is the share of pages that a database no longer uses.
const FreePages = "(free pages)"
