package census

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"clawctl/pkg/dialect"
	"clawctl/pkg/dialect/shape"
)

// readers are the packages and files that read fields of records and entries.
var readers = []string{
	"../../jsonl/*.go", "../../rebuild/*.go", "../../read/parts/*.go", "../stats/*.go", "../../dialect/*.go",
	"../../dialect/claw0/*.go", "../../source/openclaw/index*.go", "../../window/*.go", "../../read/media/*.go",
}

// answers is the file that reads the answers of APIs, which are not in transcripts.
const answers = "../../jsonl/api.go"

// elsewhere are keys that readers look for in translations, which no program writes, and in values of any form.
var elsewhere = []string{
	"continues", "history", "session", "bytes", "messages", "turns", "series", "fallback", "answer",
	"lastKeptEntryId", "stated", "suggested", "request", "division", "outputConfig", "isSent", "isUnanswered", "isFinal",
	"spawnedAs", "added", "sentAs", "sent", "apart", "beside", "inSession", "counter", "malformed",
	"refusal", "program", "row", "line", "agent",
	"diff", "openclawSyntheticMissingToolResult", // in details
	"json", // not in records: the tag of a field
}

// Everything that a reader looks for is known.
func TestReadersReadTheKnown(t *testing.T) {
	known := map[string]bool{}
	for _, p := range dialect.Table {
		for name := range shape.Names(p.Known()) {
			known[name] = true
		}
		for _, o := range p.Known() {
			kind, _, _ := strings.Cut(o.Place, " ")
			known[kind] = true
		}
	}
	read := 0
	eachReader(t, func(path string, file *ast.File) {
		for _, key := range keysOf(file) {
			if read++; !known[key] && !slices.Contains(elsewhere, key) {
				t.Errorf("%s reads %q, which is not in the tables of pkg/dialect", path, key)
			}
		}
	})
	if read < 150 {
		t.Errorf("only %d keys found", read)
	}
}

// Every type of a record that clawctl reads is known, and so is every field that its table names.
func TestTypesAreKnown(t *testing.T) {
	for _, kind := range dialect.Types() {
		isKnown := false
		for _, p := range dialect.Table {
			isKnown = isKnown || slices.ContainsFunc(p.Known(), func(o shape.Object) bool { return o.Place == kind+" record" })
		}
		if !isKnown {
			t.Errorf("no table has the type %s", kind)
		}
	}
	for _, p := range append(slices.Clone(dialect.Table), nil) {
		for name, place := range tableOf(p) {
			for key, f := range place.fields {
				if f.holds != "" && f.inside == nil || f.values != nil && f.inside != nil {
					t.Errorf("%s of %s holds %q, which is not in the table", key, name, f.holds)
				}
			}
		}
	}
}

func eachReader(t *testing.T, visit func(path string, file *ast.File)) {
	for _, pattern := range readers {
		paths, _ := filepath.Glob(pattern)
		if len(paths) == 0 {
			t.Errorf("no files %s", pattern)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") || filepath.ToSlash(path) == answers {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			visit(path, file)
		}
	}
}

// keysOf returns the keys that a file looks for: arguments of Get, cases of a switch over a key, and names in the
// tables of the scanner.
func keysOf(file *ast.File) (keys []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			if f, ok := n.Fun.(*ast.SelectorExpr); ok && f.Sel.Name == "Get" && len(n.Args) == 1 {
				keys = append(keys, texts(n.Args)...)
			}
			if isNamed(n.Fun, "newKeyTable") {
				keys = append(keys, wordsIn(n)...)
			}
		case *ast.ValueSpec:
			if isNamed(n.Names[0], "blockNames") {
				keys = append(keys, wordsIn(n)...)
			}
		case *ast.SwitchStmt:
			if isKey(n.Tag) {
				for _, c := range n.Body.List {
					keys = append(keys, texts(c.(*ast.CaseClause).List)...)
				}
			}
		}
		return true
	})
	return keys
}

// wordsIn returns the words of all texts in a part of a file.
func wordsIn(part ast.Node) (words []string) {
	ast.Inspect(part, func(n ast.Node) bool {
		if text, ok := n.(*ast.BasicLit); ok {
			words = append(words, strings.Fields(strings.Trim(text.Value, `"`))...)
		}
		return true
	})
	return words
}

// isKey reports whether an expression is the key of a member, or its text.
func isKey(e ast.Expr) bool {
	if call, ok := e.(*ast.CallExpr); ok && len(call.Args) == 1 {
		return isKey(call.Args[0]) // string(key)
	}
	if call, ok := e.(*ast.CallExpr); ok {
		f, ok := call.Fun.(*ast.SelectorExpr)
		return ok && f.Sel.Name == "Key"
	}
	return isNamed(e, "key") || isNamed(e, "k") || isNamed(e, "name")
}

func isNamed(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// texts returns the literals of a list.
func texts(list []ast.Expr) (found []string) {
	for _, e := range list {
		if literal, ok := e.(*ast.BasicLit); ok && literal.Kind == token.STRING {
			text, _ := strconv.Unquote(literal.Value)
			found = append(found, text)
		}
	}
	return slices.Compact(found)
}
