package main

import (
	"bytes"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// byString are the functions that open, describe, list or follow what a string names. A string may come from data, so
// only the packages of pathCallers call them. Everybody else reads a rooted.Path.
var byString = []string{
	"os.Open", "os.OpenFile", "os.Stat", "os.Lstat", "os.ReadFile", "os.ReadDir", "os.Readlink", "os.DirFS", "os.CopyFS",
	"path/filepath.Walk", "path/filepath.WalkDir", "path/filepath.Glob", "path/filepath.EvalSymlinks",
	"syscall.Open", "syscall.Stat", "golang.org/x/sys/unix.Open", "golang.org/x/sys/unix.Stat",
	"golang.org/x/sys/windows.CreateFile",
	"clawctl/internal/openfile.Named", "clawctl/internal/openfile.Regular", "clawctl/internal/openfile.Content",
	"clawctl/internal/openfile.NamedContent", "clawctl/internal/openfile.IsSame", "clawctl/internal/openfile.IsFolder",
	"clawctl/pkg/source.Open", "clawctl/pkg/source.OpenRegular", "clawctl/pkg/source.File",
}

// rootsByString are the functions that make a root of a string: a folder that nothing leads out of.
var rootsByString = []string{"os.OpenRoot", "os.OpenInRoot", "clawctl/internal/rooted.Of", "clawctl/pkg/source.FileIn",
	"clawctl/pkg/source.TrashedFile"}

// pathCallers are the packages that may call the functions of byString, with whose paths they are.
var pathCallers = map[string]string{
	"cmd/clawctl":         "what the user has named, and outputs",
	"internal/atomicfile": "outputs, and what is in their place",
	"internal/calendar":   "the time zones of the system",
	"internal/cli":        "what the user has named, the configuration, and the system's time zone and terminal",
	"internal/completion": "the words of a command line",
	"internal/failure":    "the working directory",
	"internal/openfile":   "opens them for the others",
	"internal/process":    "the processes of the system",
	"internal/reading":    "what the user has named",
	"internal/showing":    "what is in the place of an output, and whether two sessions are one file",
	"internal/spool":      "private temporary files",
	"internal/writing":    "what the user has named, and clawctl's store",
	"pkg/change":          "receipts and what they name, and files to change, which must be what was read",
	"pkg/change/prune":    "the places of receipts, and archives that the user has named",
	"pkg/change/repair":   "whether there is an index, a database, or the file of a registration; opens none",
	"pkg/change/scrub":    "own files, and files that were found in a folder that the user has named",
	"pkg/export/bundle":   "bundles that the user has named, and archives of the store",
	"pkg/migrate":         "stores and targets that the user has named",
	"pkg/models":          "the catalogue that a flag or the configuration names",
	"pkg/read/follow":     "sessions that were found, and their folders",
	"pkg/report/doctor":   "the home that is looked at, and own files",
	"pkg/report/du":       "what the user has named, and sizes of files that were found",
	"pkg/source":          "what the user has named: a file, a folder, a database",
	"pkg/source/hold":     "links of files that were found, to know what they lead to; opens none",
	"pkg/source/openclaw": "homes by their usual names, locks and indexes beside files to change",
	"pkg/store":           "clawctl's own files",
	"pkg/store/dbfile":    "databases that the user has named or that were found, and the files beside them",
	"pkg/store/session":   "folders that the user has named for an output",
	"pkg/validate":        "whether the path of a finding is that of a folder, for its hint",
}

// rootCallers are the packages that may call those of rootsByString, with what the folders are.
var rootCallers = map[string]string{
	"cmd/clawctl":         "folders of outputs",
	"internal/rooted":     "opens them for the others",
	"internal/writing":    "folders of outputs",
	"pkg/change/prune":    "places in the trash, from receipts",
	"pkg/change/repair":   "the folder of an index that was found",
	"pkg/change/scrub":    "the trash of a home that the user has named",
	"pkg/export/dataset":  "the folder of an output",
	"pkg/source":          "what the user has named, for a file its folder",
	"pkg/source/harness":  "the home around a session, and homes of programs",
	"pkg/source/openclaw": "the state folder that is searched",
}

// No path that comes from data is opened as it is.
func TestPathsAreRooted(t *testing.T) {
	callers := callersOf(t, slices.Concat(byString, rootsByString))
	for _, rule := range []struct {
		functions []string
		allowed   map[string]string
	}{{byString, pathCallers}, {rootsByString, rootCallers}} {
		calls := map[string][]string{}
		for _, function := range rule.functions {
			for _, pkg := range callers[function] {
				calls[pkg] = append(calls[pkg], function)
			}
		}
		for _, pkg := range slices.Sorted(maps.Keys(calls)) {
			if rule.allowed[pkg] == "" {
				t.Errorf("%s calls %s with a string: use a rooted.Path", pkg, strings.Join(calls[pkg], ", "))
			}
		}
		for pkg := range rule.allowed {
			if len(calls[pkg]) == 0 {
				t.Errorf("%s calls none of %s: take it from the list", pkg, rule.functions[0])
			}
		}
	}
}

// callersOf returns the packages of the program that use functions, by the full names of these.
func callersOf(t *testing.T, functions []string) map[string][]string {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-f",
		"{{.ImportPath}}\t{{.Export}}\t{{.Dir}}\t{{range .GoFiles}}{{.}} {{end}}", ".")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		t.Fatal(err)
	}
	exports, own := map[string]string{}, map[string][]string{}
	for line := range bytes.Lines(out) {
		fields := strings.Split(strings.TrimSuffix(string(line), "\n"), "\t")
		exports[fields[0]] = fields[1]
		if strings.HasPrefix(fields[0], module) {
			for _, name := range strings.Fields(fields[3]) {
				own[fields[0]] = append(own[fields[0]], filepath.Join(fields[2], name))
			}
		}
	}
	files := token.NewFileSet()
	imports := importer.ForCompiler(files, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	callers := map[string][]string{}
	for _, pkg := range slices.Sorted(maps.Keys(own)) {
		var parsed []*ast.File
		for _, path := range own[pkg] {
			file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			parsed = append(parsed, file)
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: imports, FakeImportC: true}
		if _, err := config.Check(pkg, files, parsed, info); err != nil {
			t.Fatal(err)
		}
		used := map[string]bool{}
		for _, object := range info.Uses {
			if function, ok := object.(*types.Func); ok && function.Pkg() != nil && function.Pkg().Path() != pkg {
				used[function.FullName()] = true
			}
		}
		for _, function := range functions {
			if used[function] {
				callers[function] = append(callers[function], strings.TrimPrefix(pkg, module))
			}
		}
	}
	return callers
}
