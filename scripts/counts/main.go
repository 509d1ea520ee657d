// Command counts prints what a reader of the code has to cope with, for one checkout or for several side by side:
//
//	git worktree add /tmp/before COMMIT
//	go run ./scripts/counts /tmp/before .
package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// The counts, in the order in which they are printed.
const (
	lines = iota
	testLines
	folders
	shortFiles
	types
	doing
	checks
	ladders
	named
	repeating
	counted
)

var words = [counted]string{
	lines:      "lines of Go, without tests",
	testLines:  "lines of tests",
	folders:    "folders of pkg",
	shortFiles: "files of less than 40 lines",
	types:      "types",
	doing:      "types named after an activity",
	checks:     "comparisons of an error with nil",
	ladders:    "of them, err == nil",
	named:      "functions with named results",
	repeating:  "comments that only repeat a name",
}

func main() {
	roots := os.Args[1:]
	if len(roots) == 0 {
		roots = []string{"."}
	}
	var columns [][counted]int
	for _, root := range roots {
		column, err := count(root)
		if err != nil {
			fmt.Fprintln(os.Stderr, "counts:", err)
			os.Exit(1)
		}
		columns = append(columns, column)
	}
	for i, word := range words {
		fmt.Printf("%-34s", word)
		for _, column := range columns {
			fmt.Printf(" %8d", column[i])
		}
		fmt.Println()
	}
}

// count counts a checkout.
func count(root string) (n [counted]int, err error) {
	entries, err := os.ReadDir(filepath.Join(root, "pkg"))
	if err != nil {
		return n, err
	}
	n[folders] = len(entries)
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		size := strings.Count(string(text), "\n")
		if strings.HasSuffix(path, "_test.go") {
			n[testLines] += size
			return nil
		}
		n[lines] += size
		if size < 40 {
			n[shortFiles]++
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		countNodes(file, &n)
		return nil
	})
	return n, err
}

// activity matches names that end like a verb, and nouns those among them that are none.
var (
	activity = regexp.MustCompile(`[a-z](ing|ed)$`)
	nouns    = regexp.MustCompile(`(?i)(string|setting|finding|ending|encoding|meaning|reading|writing|beginning|` +
		`drawing|listing|ranking|binding|spelling|pairing|mapping|naming|timing|sighting|crossing|posting|briefing|feed|` +
		`recording|scaling)$`)
)

func countNodes(file *ast.File, n *[counted]int) {
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.TypeSpec:
			n[types]++
			if activity.MatchString(node.Name.Name) && !nouns.MatchString(node.Name.Name) {
				n[doing]++
			}
		case *ast.BinaryExpr:
			countCheck(node, n)
		case *ast.FuncDecl:
			if results := node.Type.Results; results != nil && len(results.List) > 0 && results.List[0].Names != nil {
				n[named]++
			}
			if repeats(node.Name.Name, node.Doc.Text()) {
				n[repeating]++
			}
		}
		return true
	})
}

// countCheck counts a comparison of an error with nil.
func countCheck(e *ast.BinaryExpr, n *[counted]int) {
	left, isName := e.X.(*ast.Ident)
	right, isNil := e.Y.(*ast.Ident)
	if !isName || !isNil || right.Name != "nil" || !strings.HasSuffix(strings.ToLower(left.Name), "err") {
		return
	}
	switch e.Op {
	case token.EQL:
		n[checks]++
		n[ladders]++
	case token.NEQ:
		n[checks]++
	}
}

var (
	word  = regexp.MustCompile(`[A-Za-z][a-z]*`)
	empty = regexp.MustCompile(`^(a|an|the|of|in|to|and|is|are|returns?|reports?|whether|it|its|for|that|this|as|if)$`)
)

// repeats reports whether a comment has no word that the name of its function does not have.
func repeats(name, comment string) bool {
	if comment == "" {
		return false
	}
	known := strings.ToLower(name)
	for _, w := range word.FindAllString(strings.TrimPrefix(comment, name), -1) {
		w = strings.ToLower(w)
		if !empty.MatchString(w) && !strings.Contains(known, strings.TrimSuffix(w, "s")) {
			return false
		}
	}
	return true
}
