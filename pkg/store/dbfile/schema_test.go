package dbfile

import (
	"context"
	"database/sql"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

// fails is an expression that cannot be evaluated.
const fails = "abs(-9223372036854775807 - 1)"

// newDatabase makes a database by SQL that may change the schema by hand.
func newDatabase(t *testing.T, statements string) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "x.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	db.SetMaxOpenConns(1)
	const loose = "PRAGMA writable_schema = 1; PRAGMA ignore_check_constraints = 1; "
	if _, err := db.Exec(loose + statements); err != nil {
		t.Fatal(err)
	}
	return path
}

// endlessContent is a full-text index that reads a view without an end.
const endlessContent = `CREATE VIRTUAL TABLE x USING fts5(a); INSERT INTO x VALUES ('q'); DROP TABLE x_content;
CREATE VIEW x_content AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
SELECT i AS id, 'a' AS c0 FROM n`

// Checking a database evaluates nothing that its schema says, however it is opened.
func TestQuickCheckEvaluatesNothing(t *testing.T) {
	ctx := context.Background()
	for name, statements := range map[string]string{
		"generated": "CREATE TABLE t(a); INSERT INTO t VALUES (1); ALTER TABLE t ADD COLUMN b TEXT AS (" + fails + ")",
		"like a number": `CREATE TABLE "1"(a); INSERT INTO "1" VALUES (1); CREATE TABLE "2"(a); ` +
			`ALTER TABLE "1" ADD COLUMN b TEXT AS (` + fails + `)`,
		"quoted":  `CREATE TABLE "t""(1"(a); CREATE VIEW v AS SELECT 1`,
		"check":   "CREATE TABLE t(a CHECK (a <> 1)); INSERT INTO t VALUES (1)",
		"index":   "CREATE TABLE t(a); CREATE INDEX i ON t(" + fails + ")",
		"content": endlessContent,
		"view":    "CREATE VIEW v AS SELECT " + fails + " AS a",
	} {
		t.Run(name, func(t *testing.T) {
			path := newDatabase(t, statements)
			own, err := OpenOwnReader(path, "mode=rw")
			if err != nil {
				t.Fatal(err)
			}
			defer own.Close()
			if err := QuickCheck(ctx, own); err != nil {
				t.Error("as our own:", err)
			}
			other, err := OpenReadOnly(ctx, path)
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			if err := QuickCheck(ctx, other.DB); err != nil {
				t.Error("as a foreign one:", err)
			}
		})
	}
}

// A corrupt table is found even if the database cannot be checked as a whole.
func TestQuickCheckOfTables(t *testing.T) {
	for _, more := range []string{"", "CREATE VIEW v AS SELECT 1", "CREATE TABLE g(a, b AS (1))"} {
		path := newDatabase(t, "CREATE TABLE t(a); INSERT INTO t VALUES ('"+strings.Repeat("x", 3000)+"'); "+more)
		data := testkit.Read(t, path)
		copy(data[4096:], strings.Repeat("\xff", 100)) // the root page of t
		testkit.Write(t, path, data)
		db, err := OpenReadOnly(context.Background(), path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		if err := Classify(QuickCheck(context.Background(), db.DB)); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%q: %v", more, err)
		}
	}
}

// Only columns whose values are in the file count.
func TestReadTable(t *testing.T) {
	for name, test := range map[string]struct {
		statements string
		want       Table
	}{
		"plain":      {"CREATE TABLE t(a, b INTEGER DEFAULT 0)", Table{Columns: []string{"a", "b"}}},
		"other case": {"CREATE TABLE T(a)", Table{Columns: []string{"a"}}},
		"generated":  {"CREATE TABLE t(a, b AS (a), c AS (a) STORED)", Table{[]string{"a"}, []string{"b", "c"}}},
		"default": {"CREATE TABLE t(a, b DEFAULT '" + strings.Repeat("x", 2*maxDefault) + "')",
			Table{[]string{"a"}, []string{"b"}}},
		"view":    {"CREATE VIEW t AS SELECT 1 AS a", Table{}},
		"virtual": {"CREATE VIRTUAL TABLE t USING fts5(a)", Table{}},
		"disguised": {"CREATE VIRTUAL TABLE t USING fts5(a); UPDATE sqlite_schema SET rootpage = 2 WHERE name = 't'",
			Table{}},
		"none": {"CREATE TABLE u(a)", Table{}},
	} {
		t.Run(name, func(t *testing.T) {
			db, err := OpenReadOnly(context.Background(), newDatabase(t, test.statements))
			if err != nil {
				t.Fatal(err)
			}
			defer db.Close()
			got, err := ReadTable(context.Background(), db.DB, "t")
			if err != nil || !slices.Equal(got.Columns, test.want.Columns) || !slices.Equal(got.Computed, test.want.Computed) {
				t.Errorf("%+v, %v", got, err)
			}
		})
	}
}
