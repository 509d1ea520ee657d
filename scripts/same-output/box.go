package main

import (
	"archive/tar"
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"clawctl/pkg/source/packed"
	"clawctl/pkg/store/dbfile"
)

// A box is a folder in which one program runs one script. It has the program's home (home), a copy of the source
// (copy), the inputs (input) and what the script writes (out).
type box struct{ program, folder string }

// An answer is what the commands of a script printed, with the exit status of each, and what they left in the box.
type answer struct{ printed, left string }

// answer runs the script. If the script may not leave anything, the box has nothing but what the program should not
// have written.
func (b box) answer(s script, source string) (answer, error) {
	if err := b.fill(s, source); err != nil {
		return answer{}, err
	}
	var printed strings.Builder
	for line := range strings.SplitSeq(string(s), " ; ") {
		var stdin []byte
		for command := range strings.SplitSeq(line, " | ") {
			command, input, isGiven := strings.Cut(command, " < ")
			if isGiven {
				stdin = []byte(inputs[input])
			}
			stdout, stderr, status := b.run(command, source, stdin)
			fmt.Fprintf(&printed, "%s\n%sexit status %d\n", stdout, stderr, status)
			stdin = stdout
		}
	}
	left, err := b.list()
	return answer{b.plain(printed.String()), left}, err
}

// writes reports whether the script may leave something, or prints what it makes anew.
func (s script) writes() bool {
	return strings.Contains(string(s), "COPY") || strings.Contains(string(s), "OUT/") ||
		strings.HasPrefix(string(s), "new ") || strings.HasPrefix(string(s), "mcp ")
}

// fill makes the folders of the box.
func (b box) fill(s script, source string) error {
	if err := os.MkdirAll(b.folder, 0o700); err != nil || !s.writes() {
		return err
	}
	for _, name := range []string{"home", "input", "out"} {
		if err := os.Mkdir(filepath.Join(b.folder, name), 0o700); err != nil {
			return err
		}
	}
	for name, text := range inputs {
		if err := os.WriteFile(filepath.Join(b.folder, "input", name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if source == "" {
		return nil
	}
	return copyTo(b.copyOf(source), source)
}

// copyOf is the path of the copy. A file keeps its name, which may say what it is.
func (b box) copyOf(source string) string {
	return filepath.Join(b.folder, "copy", filepath.Base(source))
}

// copyTo copies a file or a folder. Times are kept, since clawctl prints ages.
func copyTo(to, from string) error {
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return err
	}
	out, err := exec.Command("cp", "-r", "--preserve=timestamps", "--no-dereference", from, to).CombinedOutput()
	if err == nil {
		out, err = exec.Command("chmod", "-R", "u+w", to).CombinedOutput()
	}
	if err != nil {
		return fmt.Errorf("copying %s: %v: %s", from, err, out)
	}
	return nil
}

// run runs one command with a clean environment.
func (b box) run(command, source string, stdin []byte) (stdout, stderr []byte, status int) {
	args := strings.Fields(command)
	if strings.HasSuffix(command, " ") { // the word that completion is asked about
		args = append(args, "")
	}
	for i, arg := range args {
		switch {
		case arg == "SOURCE":
			args[i] = source
		case arg == "COPY":
			args[i] = b.copyOf(source)
		case strings.HasPrefix(arg, "OUT/"):
			args[i] = filepath.Join(b.folder, "out", arg[len("OUT/"):])
		case strings.HasPrefix(arg, "INPUT/"):
			args[i] = filepath.Join(b.folder, "input", arg[len("INPUT/"):])
		}
	}
	var out, errs bytes.Buffer
	cmd := exec.Command(b.program, args...)
	cmd.Env = []string{"HOME=" + filepath.Join(b.folder, "home"), "TZ=UTC", "PATH=" + os.Getenv("PATH")}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(stdin), &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, []byte(err.Error()), -1
	}
	return out.Bytes(), errs.Bytes(), cmd.ProcessState.ExitCode()
}

// plain removes the path of the box from a text. Both boxes have paths of the same length, so that tables have the same
// columns.
func (b box) plain(text string) string { return strings.ReplaceAll(text, b.folder, "BOX") }

// list describes every file of the box: its path, its permissions and what it says.
func (b box) list() (string, error) {
	var list []string
	err := filepath.WalkDir(b.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasPrefix(path, filepath.Join(b.folder, "input")) {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		said, err := contents(path, info.Mode())
		list = append(list, b.plain(fmt.Sprintf("%s %s\n%s", path, info.Mode(), said)))
		return err
	})
	return strings.Join(list, "\n"), err
}

// contents returns what a file says: the rows of a database, the files of a bundle, and any other file as it is.
func contents(path string, mode fs.FileMode) (string, error) {
	if mode&fs.ModeSymlink != 0 {
		return os.Readlink(path)
	}
	text, err := os.ReadFile(path)
	if err != nil || !mode.IsRegular() {
		return "", err
	}
	if bytes.HasPrefix(text, []byte("SQLite format 3")) {
		said, err := rowsOf(path)
		if err != nil { // a damaged one
			return err.Error() + "\n" + string(text), nil
		}
		return said, nil
	}
	if packed.IsPacked(text) {
		reader, err := packed.NewReader(bytes.NewReader(text), text[:packed.MagicSize])
		if err != nil {
			return "", err
		}
		if text, err = io.ReadAll(reader); err != nil {
			return "", err
		}
	}
	return filesOf(text), nil
}

// filesOf returns the files of a tar archive, or a text that is none as it is.
func filesOf(text []byte) string {
	var said strings.Builder
	archive := tar.NewReader(bytes.NewReader(text))
	for {
		header, err := archive.Next()
		if err == io.EOF && said.Len() > 0 {
			return said.String()
		}
		if err != nil {
			return string(text)
		}
		file, _ := io.ReadAll(archive)
		fmt.Fprintf(&said, "%s %o\n%s\n", header.Name, header.Mode, file)
	}
}

// rowsOf returns the schema and the rows of a database.
func rowsOf(path string) (string, error) {
	db, err := dbfile.OpenReadOnly(context.Background(), path)
	if err != nil {
		return "", err
	}
	defer db.Close()
	tables, err := cells(db.DB, "select name, sql from sqlite_schema order by type, name")
	if err != nil {
		return "", err
	}
	var said strings.Builder
	for _, table := range tables {
		fmt.Fprintln(&said, table)
		if !strings.HasPrefix(strings.ToUpper(table[1]), "CREATE TABLE") {
			continue
		}
		rows, err := cells(db.DB, "select * from "+dbfile.QuoteName(table[0]))
		if err != nil {
			return "", err
		}
		for _, row := range rows {
			fmt.Fprintf(&said, "%q\n", row)
		}
	}
	return said.String(), nil
}

// cells returns the rows of a query as texts.
func cells(db dbfile.Querier, query string) (list [][]string, err error) {
	rows, err := db.QueryContext(context.Background(), query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	columns, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	for rows.Next() {
		row, to := make([]sql.NullString, len(columns)), make([]any, len(columns))
		for i := range row {
			to[i] = &row[i]
		}
		if err := rows.Scan(to...); err != nil {
			return nil, err
		}
		texts := make([]string, len(row))
		for i := range row {
			if texts[i] = row[i].String; columns[i] == "inode" { // each copy has one of its own
				texts[i] = "INODE"
			}
		}
		list = append(list, texts)
	}
	return list, rows.Err()
}
