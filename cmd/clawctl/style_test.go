package main

import (
	"bufio"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"clawctl/internal/testkit"
)

// eachGoFile calls do for every Go file of the repository.
func eachGoFile(t *testing.T, do func(path string)) {
	t.Helper()
	if files := eachFile(t, ".go", do); files < 100 {
		t.Fatalf("%d files", files)
	}
}

// eachFile calls do for every file of the repository whose name ends so, and counts them.
func eachFile(t *testing.T, suffix string, do func(path string)) (files int) {
	t.Helper()
	err := filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() && strings.HasSuffix(path, suffix) {
			files++
			do(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The instructions for vector registers of amd64 all have the new encoding, whose names begin with V. An old one after
// a new one took 130 ns on one processor.
func TestVectorInstructions(t *testing.T) {
	vector := regexp.MustCompile(`^\s+([A-Z0-9]+)\s.*(\b[XY][0-9]+\b|, [xy]\b)`)
	files := eachFile(t, "_amd64.s", func(path string) {
		text := testkit.Read(t, path)
		for n, line := range strings.Split(string(text), "\n") {
			if m := vector.FindStringSubmatch(line); m != nil && m[1][0] != 'V' {
				t.Errorf("%s:%d: %s has the old encoding", path, n+1, m[1])
			}
		}
	})
	if files == 0 {
		t.Error("no files")
	}
}

// A line has at most 120 characters.
func TestLineLengths(t *testing.T) {
	eachGoFile(t, func(path string) {
		file, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		lines := bufio.NewScanner(file)
		for n := 1; lines.Scan(); n++ {
			if length := utf8.RuneCountInString(lines.Text()); length > 120 {
				t.Errorf("%s:%d has %d characters", path, n, length)
			}
		}
	})
}

// Functions are short: nine in ten have at most 40 lines, and none has more than 120.
func TestFunctionLengths(t *testing.T) {
	var lengths []int
	eachGoFile(t, func(path string) {
		if strings.HasSuffix(path, "_test.go") {
			return
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, decl := range file.Decls {
			if f, ok := decl.(*ast.FuncDecl); ok && f.Body != nil {
				lengths = append(lengths, fset.Position(f.End()).Line-fset.Position(f.Pos()).Line+1)
			}
		}
	})
	slices.Sort(lengths)
	ninth, longest := lengths[len(lengths)*9/10], lengths[len(lengths)-1]
	t.Logf("%d functions: nine in ten have at most %d lines, the longest has %d", len(lengths), ninth, longest)
	if ninth > 40 || longest > 120 {
		t.Errorf("nine in ten functions have at most %d lines, the longest has %d", ninth, longest)
	}
}
