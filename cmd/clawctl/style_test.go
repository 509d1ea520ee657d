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
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
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

// No package makes tables or expressions before main begins. Every command would pay for them.
func TestNothingIsMadeAtStart(t *testing.T) {
	eachGoFile(t, func(path string) {
		if strings.HasSuffix(path, "_test.go") || isNoCommand(path) {
			return
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if d, isVar := d.(*ast.GenDecl); isVar && d.Tok == token.VAR {
				for _, s := range d.Specs {
					if v := s.(*ast.ValueSpec); slices.ContainsFunc(v.Values, isMadeAtStart) {
						t.Errorf("%s: %s should be a lazy.Value or a lazy.Pattern", path, v.Names[0].Name)
					}
				}
			}
		}
	})
}

// isNoCommand reports whether a file is not a part of clawctl: scripts, and packages for tests.
func isNoCommand(path string) bool {
	path = filepath.ToSlash(path)
	return strings.Contains(path, "/scripts/") || strings.HasSuffix(filepath.Dir(path), "test")
}

// isMadeAtStart reports whether the value of a variable is a map, a compiled expression or a function of sync.Once.
func isMadeAtStart(value ast.Expr) bool {
	switch v := value.(type) {
	case *ast.CompositeLit:
		_, isMap := v.Type.(*ast.MapType)
		return isMap
	case *ast.CallExpr:
		f, isOther := v.Fun.(*ast.SelectorExpr)
		return isOther && slices.Contains([]string{"MustCompile", "OnceValue", "OnceFunc"}, f.Sel.Name)
	}
	return false
}

// Functions are short: the median has at most 12 lines, nine in ten have at most 30.
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
	median, ninth := lengths[len(lengths)/2], lengths[len(lengths)*9/10]
	t.Logf("%d functions: median %d lines, nine in ten at most %d", len(lengths), median, ninth)
	if median > 12 || ninth > 30 {
		t.Errorf("median %d lines, nine in ten at most %d", median, ninth)
	}
}
