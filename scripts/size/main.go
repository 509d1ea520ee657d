// Command size prints how large the code of a checkout is, by folder and as sums:
//
//	go run ./scripts/size [-total] [CHECKOUT]
//
// Size is counted in tokens: in Go those of go/scanner, without comments and line breaks, so that neither comments nor
// packed lines make a difference. Generated files and other modules count. Other languages, and the tables of scripts,
// count by their words and punctuation. Files of testdata and data files do not count.
package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/scanner"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

func main() {
	totalOnly := flag.Bool("total", false, "print only the sums, in one line")
	flag.Parse()
	t := tree{}
	if err := t.measure(cmp.Or(flag.Arg(0), ".")); err != nil {
		fmt.Fprintln(os.Stderr, "size:", err)
		os.Exit(1)
	}
	if *totalOnly {
		fmt.Println("size:", strings.Join(t.sums(), ", "))
		return
	}
	fmt.Println("   tokens     tests")
	for _, folder := range slices.SortedFunc(maps.Keys(t), t.largestFirst) {
		s := t[folder]
		fmt.Printf("%9d %9d  %s\n", s.code+s.others, s.tests, folder)
	}
	fmt.Println(strings.Join(t.sums(), "\n"))
}

// A tree is a checkout: what its folders have, by path.
type tree map[string]*size

// A size is what a folder has.
type size struct {
	code, others, tests int  // tokens of Go without tests, of other languages, and of tests
	exported            int  // exported names
	isApp               bool // whether it belongs to the program above the packages of pkg
}

// measure counts everything below a folder.
func (t tree) measure(root string) error {
	return filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && slices.Contains([]string{".git", "bin", "dist", "node_modules", "testdata"}, entry.Name()) {
			return filepath.SkipDir
		}
		below, err := filepath.Rel(root, name)
		if err != nil || !entry.Type().IsRegular() {
			return err
		}
		return t.add(name, filepath.ToSlash(below))
	})
}

// add counts a file.
func (t tree) add(name, below string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	folder := path.Dir(below)
	s := cmp.Or(t[folder], &size{})
	switch {
	case strings.HasSuffix(below, "_test.go"):
		s.tests += goTokens(text)
	case strings.HasSuffix(below, ".go"):
		s.code += goTokens(text)
		err = s.addNames(text, folder)
	case isCode(below, text):
		s.others += words(below, text)
	default:
		return nil
	}
	t[folder] = s
	return err
}

// goTokens counts the tokens of a Go file.
func goTokens(text []byte) (n int) {
	var s scanner.Scanner
	s.Init(token.NewFileSet().AddFile("", -1, len(text)), text, nil, 0)
	for {
		switch _, tok, literal := s.Scan(); {
		case tok == token.EOF:
			return n
		case tok != token.SEMICOLON || literal != "\n":
			n++
		}
	}
}

// otherLanguages are the endings of files that count besides Go: those with comments like C's, and the others.
var otherLanguages = [2][]string{
	{".s", ".c", ".cpp", ".mjs", ".js", ".css"}, {".py", ".sh", ".sql", ".bash", ".fish", ".powershell", ".zsh"},
}

// isCode reports whether a file is a program in another language. A table of a script is one, too.
func isCode(below string, text []byte) bool {
	return slices.Contains(slices.Concat(otherLanguages[:]...), path.Ext(below)) || path.Base(below) == "Makefile" ||
		bytes.HasPrefix(text, []byte("#!")) || path.Ext(below) == ".txt" && strings.HasPrefix(below, "scripts/")
}

var (
	word         = regexp.MustCompile(`\w+|[^\w\s]`)
	slashComment = regexp.MustCompile(`(?s:/\*.*?\*/)|(?m:^\s*//.*$)`)
	hashComment  = regexp.MustCompile(`(?m)^\s*(#|--).*$`)
)

// words counts the words and the punctuation of a file in another language, without the comments that begin a line.
func words(name string, text []byte) int {
	comment := hashComment
	if slices.Contains(otherLanguages[0], path.Ext(name)) {
		comment = slashComment
	}
	return len(word.FindAllIndex(comment.ReplaceAll(text, nil), -1))
}

// addNames counts the exported functions, methods, types, constants and variables of a file, and looks at its imports.
func (s *size) addNames(text []byte, folder string) error {
	file, err := parser.ParseFile(token.NewFileSet(), folder, text, parser.SkipObjectResolution)
	if err != nil {
		return err
	}
	s.isApp = s.isApp || isApp("/"+folder)
	for _, spec := range file.Imports {
		s.isApp = s.isApp || isApp(strings.Trim(spec.Path.Value, `"`))
	}
	var names []*ast.Ident
	for _, decl := range file.Decls {
		if function, ok := decl.(*ast.FuncDecl); ok {
			names = append(names, function.Name)
			continue
		}
		for _, spec := range decl.(*ast.GenDecl).Specs {
			switch spec := spec.(type) {
			case *ast.TypeSpec:
				names = append(names, spec.Name)
			case *ast.ValueSpec:
				names = append(names, spec.Names...)
			}
		}
	}
	for _, name := range names {
		if name.IsExported() {
			s.exported++
		}
	}
	return nil
}

// isApp reports whether a package is the program, or what its commands are made of.
func isApp(name string) bool {
	return strings.HasSuffix(name, "/internal/cli") || strings.Contains(name+"/", "/internal/app/") ||
		strings.Contains(name+"/", "/cmd/")
}

func (t tree) largestFirst(a, b string) int {
	all := func(folder string) int { return t[folder].code + t[folder].others + t[folder].tests }
	return cmp.Or(all(b)-all(a), strings.Compare(a, b))
}

// sums adds up what a tree is judged by.
func (t tree) sums() []string {
	var all, app size
	exported := 0
	for folder, s := range t {
		all.code, all.others, all.tests = all.code+s.code, all.others+s.others, all.tests+s.tests
		if s.isApp {
			app.code += s.code
		}
		if strings.HasPrefix(folder, "pkg/") {
			exported += s.exported
		}
	}
	return []string{
		fmt.Sprint(all.code, " Go tokens without tests"), fmt.Sprint(all.others, " tokens in other languages"),
		fmt.Sprint(all.tests, " tokens of tests"), fmt.Sprint(app.code, " tokens of the commands"),
		fmt.Sprint(exported, " exported names of pkg"),
	}
}
