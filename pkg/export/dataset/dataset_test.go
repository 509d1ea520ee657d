package dataset

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/internal/parquet/parquettest"
	"clawctl/internal/testkit"
	"clawctl/pkg/source"
)

const exampleHome = "../../../testdata/home"

func sessionsOf(t testing.TB, folder string) []*source.Session {
	t.Helper()
	place, err := source.Find(context.Background(), folder, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { place.Close() })
	return place.Sessions
}

// testOptions are the options of most tests.
func testOptions() Options {
	return Options{Now: time.Unix(1e9, 0), Describe: func(_ *source.Session, err error) (string, string) {
		return "CL905", err.Error()
	}}
}

// export writes a dataset.
func export(t testing.TB, folder string, sessions []*source.Session, opts Options) *Result {
	t.Helper()
	result, err := Run(context.Background(), folder, sessions, opts)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// rowsOf reads a table with another implementation of Parquet. The columns in the names of folders are added.
func rowsOf(t testing.TB, folder, table string) (rows []parquettest.Row) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, table, "agent=*", "month=*", "*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data := testkit.Read(t, name)
		list, err := parquettest.Rows(data)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, row := range list {
			row["month"] = strings.TrimPrefix(filepath.Base(filepath.Dir(name)), "month=")
			row["agent"] = strings.TrimPrefix(filepath.Base(filepath.Dir(filepath.Dir(name))), "agent=")
		}
		rows = append(rows, list...)
	}
	return rows
}

// copyHome copies a folder, so that a test can change it.
func copyHome(t testing.TB, from string) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	if err := os.CopyFS(home, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return home
}

// filesIn lists the data files of a dataset, relative to it.
func filesIn(t testing.TB, folder string) (names []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*", "agent=*", "month=*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range found {
		relative, err := filepath.Rel(folder, name)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.ToSlash(relative))
	}
	return names
}

// Names of agents are safe in paths, and different names stay different on every file system.
func TestEscape(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"main", "Main", "..", ".", "a/b", "a\\b", "a=b", "a%2Fb", "é", "con:1", "x y", "*"} {
		got := escape(name)
		if strings.ContainsAny(got, "/\\=:* ") || strings.Trim(got, ".") == "" || seen[strings.ToLower(got)] != "" {
			t.Errorf("%q is written as %q", name, got)
		}
		seen[strings.ToLower(got)] = name
	}
}

func TestValidHost(t *testing.T) {
	for name, want := range map[string]bool{
		"web1": true, "a.b-c_d": true, "": false, "Web": false, "a/b": false, "..": false, "-x": false, "é": false,
		strings.Repeat("x", 65): false,
	} {
		if ValidHost(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// Every table and column is documented, and no table has two columns with one name.
func TestTablesAreDocumented(t *testing.T) {
	for _, table := range Tables() {
		names := map[string]bool{"agent": true, "month": true}
		for _, c := range table.Columns {
			if names[c.Name] || c.About == "" || c.Type == "" {
				t.Errorf("%s.%s", table.Name, c.Name)
			}
			names[c.Name] = true
		}
		if table.About == "" || len(slices.Collect(maps.Keys(names))) < 6 {
			t.Errorf("%s is not documented", table.Name)
		}
	}
}
