package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"path"
	"path/filepath"
	"strings"
	"testing"
)

// A command's file uses nothing that another command's file declares, methods included. Code that two commands share
// has its own file, and the shared files use only the constructor of a command.
func TestCommandsAreIsolated(t *testing.T) {
	names, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") || strings.HasSuffix(name, "_windows.go") {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	// The type checker knows nothing about imported packages. It still resolves every name of this one.
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: emptyImporter{}, Error: func(error) {}}
	pkg, _ := config.Check("main", fset, files, info)
	checked := 0
	for id, object := range info.Uses {
		if object.Pkg() != pkg || object.Pos() == token.NoPos {
			continue
		}
		owner, user := commandOf(fset.Position(object.Pos()).Filename), commandOf(fset.Position(id.Pos()).Filename)
		if owner == "" {
			continue
		}
		checked++
		if owner != user && !isConstructor(id.Name) {
			t.Errorf("%s uses %s, which belongs to the command %s", fset.Position(id.Pos()), id.Name, owner)
		}
	}
	if checked < 1000 {
		t.Errorf("only %d uses were checked", checked)
	}
}

func isConstructor(name string) bool {
	return strings.HasPrefix(name, "new") && strings.HasSuffix(name, "Command")
}

// commandOf returns the command that a file belongs to, or "" for a shared file.
func commandOf(file string) string {
	rest, ok := strings.CutPrefix(strings.TrimSuffix(file, ".go"), "cmd_")
	if !ok {
		return ""
	}
	name, _, _ := strings.Cut(rest, "_")
	return name
}

// An emptyImporter resolves every import to an empty package.
type emptyImporter struct{}

func (emptyImporter) Import(name string) (*types.Package, error) {
	base := path.Base(name)
	if base == "v2" {
		base = path.Base(path.Dir(name))
	}
	p := types.NewPackage(name, base)
	p.MarkComplete()
	return p, nil
}
