package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"clawctl/pkg/dialect"
)

// dialectHomes are where code may ask which program wrote a line: the table with the folders below it, and the rules of
// the programs.
var dialectHomes = []string{
	"pkg/dialect/", "pkg/rebuild/program.go", "pkg/rebuild/rules_",
}

// dialectTexts are where code may compare with the name of a program: the prefix of session keys, --like, and providers
// that are named like programs.
var dialectTexts = []string{
	"pkg/source/keys.go", "pkg/report/stats/dimensions.go", "cmd/clawctl/cmd_compact.go", "pkg/models/makers.go",
}

// dialectNames returns what code elsewhere must not compare anything with: dialects, rows of the table, and what the
// folders of dialects export.
func dialectNames(t *testing.T) []string {
	t.Helper()
	names := []string{"rebuild.OpenClaw", "rebuild.Pi"}
	paths, err := filepath.Glob("../../pkg/dialect/*/*.go")
	if err != nil || len(paths) == 0 {
		t.Fatal("no dialects", err)
	}
	for _, path := range append(paths, "../../pkg/dialect/table.go") {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range file.Decls {
			group, ok := declaration.(*ast.GenDecl)
			for i := 0; ok && i < len(group.Specs); i++ {
				if values, ok := group.Specs[i].(*ast.ValueSpec); ok {
					for _, name := range values.Names {
						names = append(names, file.Name.Name+"."+name.Name)
					}
				}
			}
		}
	}
	return names
}

// programTexts returns the names of programs and dialects as they are written in code.
func programTexts() (texts []string) {
	for _, p := range dialect.Table {
		texts = append(texts, strconv.Quote(p.Name))
		for _, d := range p.Dialects {
			texts = append(texts, strconv.Quote(d.String()))
		}
	}
	return texts
}

// No code outside the homes of dialects compares a dialect, or the program that wrote a transcript, to decide anything.
func TestDialectsStayAtHome(t *testing.T) {
	names := dialectNames(t)
	for _, root := range []string{"pkg", "internal", "cmd"} {
		err := filepath.WalkDir(filepath.Join("..", "..", root), func(path string, entry fs.DirEntry, err error) error {
			if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			name := strings.TrimPrefix(filepath.ToSlash(path), "../../")
			isHome := func(home string) bool { return strings.HasPrefix(name, home) }
			if !slices.ContainsFunc(dialectHomes, isHome) {
				forbidden := names
				if !slices.Contains(dialectTexts, name) {
					forbidden = append(programTexts(), names...)
				}
				checkComparisons(t, path, forbidden)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// checkComparisons reports what a file compares with the name of a dialect.
func checkComparisons(t *testing.T, path string, names []string) {
	t.Helper()
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	compared := func(e ast.Expr) {
		if name := qualifiedName(file, e); slices.Contains(names, name) {
			t.Errorf("%s compares with %s; ask the row of the program or its rules instead", files.Position(e.Pos()), name)
		}
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op.Precedence() == token.EQL.Precedence() { // a comparison
				compared(n.X)
				compared(n.Y)
			}
		case *ast.CaseClause:
			for _, e := range n.List {
				compared(e)
			}
		case *ast.IndexExpr:
			compared(n.Index)
		case *ast.KeyValueExpr:
			compared(n.Key) // a map or a list by dialect
		}
		return true
	})
}

// qualifiedName returns the name that an expression refers to, with its package.
func qualifiedName(file *ast.File, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return qualifiedName(file, e.X)
	case *ast.BasicLit:
		return e.Value
	case *ast.Ident:
		return file.Name.Name + "." + e.Name
	case *ast.SelectorExpr:
		if left, ok := e.X.(*ast.Ident); ok {
			return left.Name + "." + e.Sel.Name
		}
	}
	return ""
}
