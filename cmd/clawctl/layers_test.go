package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// module begins the paths of our own packages. It ends with a slash, as `make module` looks for it.
const module = "clawctl/"

// layers lists the packages from the bottom up, without the path of the module. A package may import only packages of
// earlier lines.
var layers = [][]string{
	{"pkg/change/secrets/secretstest"},
	{"docs", "internal/process", "internal/longtest", "internal/testkit", "internal/textid",
		"internal/portable", "internal/openfile", "internal/shell", "internal/pairs", "internal/regex"},
	{"internal/failure", "internal/rooted", "internal/rooted/rootedtest"},
	{
		"internal/atomicfile", "internal/parallel", "internal/ui", "internal/spool",
		"pkg/jsontext", "internal/parquet", "internal/parquet/parquettest", "pkg/read/rank", "pkg/mcp",
	},
	{"pkg/dialect/shape", "internal/calendar"},
	{"pkg/dialect/claw0", "pkg/dialect/claudecode", "pkg/dialect/codex", "pkg/models"},
	{"pkg/dialect"},
	{"pkg/jsonl", "pkg/change/secrets", "pkg/store/dbfile", "pkg/config", "pkg/jsontext/json5"},
	{"pkg/export/bundle"},
	{
		"pkg/store", "pkg/read/fileuse", "pkg/read/parts", "pkg/jsontext/javascript", "pkg/change/redact",
		"pkg/read/media", "pkg/rebuild/rebuildtest", "pkg/jsonl/content",
		"pkg/validate/validatetest",
	},
	{"pkg/source/packed"},
	{"pkg/source/openclaw"},
	{
		"pkg/source", "pkg/window/summary", "pkg/read/render",
	},
	{"pkg/tokens", "pkg/change", "pkg/read/diff", "pkg/source/harness", "pkg/source/hold"},
	{
		"pkg/rebuild", "pkg/rebuild/apicheck", "pkg/export/trajectory/atifcheck",
		"pkg/report/stats", "pkg/tokens/gen", "pkg/models/gen",
		"pkg/window/guard",
	},
	{"pkg/window/boundary"},
	{
		"pkg/report/catalog", "pkg/report/census", "pkg/report/du", "pkg/migrate", "pkg/validate", "pkg/window",
		"pkg/read/follow", "pkg/read/search", "pkg/change/slim", "pkg/export/page", "pkg/export/postgres",
		"pkg/export/handoff", "pkg/export/trajectory",
	},
	{
		"pkg/window/compact", "pkg/window/flush", "pkg/change/repair", "pkg/store/session", "pkg/change/prune",
		"pkg/export/dataset",
	},
	{"pkg/store/session/sessiontest", "pkg/report/doctor", "pkg/change/scrub"},
	{"internal/cli"},
	{"internal/reading", "internal/completion"},
	{"internal/writing", "internal/showing"},
	{"internal/shrinking", "internal/browsing", "internal/answering"},
	{"cmd/clawctl"},
}

// homes lists the packages that may import a dependency. Every package may import a dependency that is not listed.
var homes = map[string][]string{
	"github.com/urfave/cli/v2": {"internal/cli"},
	"golang.org/x/sync/":       {"internal/parallel"},
	"golang.org/x/term":        {"internal/ui"},
	"golang.org/x/text/":       {"internal/portable"},
	"github.com/tidwall/gjson": {"pkg/jsontext"},
	"github.com/klauspost/compress/": {
		"pkg/source/packed", "pkg/source/openclaw", "pkg/export/page", "pkg/export/bundle", "internal/parquet",
	},
	"modernc.org/sqlite":     {"pkg/store/dbfile"},
	"github.com/parquet-go/": {"internal/parquet/parquettest"}, // only tests link it
	"github.com/pkoukk/":     {"pkg/tokens/gen", "scripts/bench/rivals/tiktoken"},
	"net":                    {},
	"net/":                   {},
	"crypto/tls":             {},
	"os/exec": {"internal/cli", "internal/shrinking", "pkg/models/gen", "scripts/bench", "scripts/corpus",
		"scripts/drift", "scripts/fleet", "scripts/linear",
		"scripts/notices", "scripts/same-output"},
	"github.com/chromedp/":             {}, // it drives a browser in tests
	"github.com/rogpeppe/go-internal/": {},
}

func TestLayers(t *testing.T) {
	level := map[string]int{}
	for i, line := range layers {
		for _, pkg := range line {
			level[pkg] = i + 1
		}
	}
	for pkg, imports := range importGraph(t) {
		isOurs := strings.HasPrefix(pkg, "pkg/") || strings.HasPrefix(pkg, "internal/")
		if isOurs && level[pkg] == 0 {
			t.Errorf("%s is missing from the layers", pkg)
		}
		for _, imported := range imports {
			own, isOwn := strings.CutPrefix(imported, module)
			isBelow := level[own] > 0 && level[own] < level[pkg]
			if isOwn && level[pkg] > 0 && !isBelow {
				t.Errorf("%s imports %s, which is not below it", pkg, imported)
			}
			for dependency, allowed := range homes {
				if imported == "net/url" {
					continue // it parses text and opens nothing
				}
				matches := imported == dependency ||
					strings.HasSuffix(dependency, "/") && strings.HasPrefix(imported, dependency)
				if matches && !slices.Contains(allowed, pkg) {
					t.Errorf("%s imports %s, which belongs to %v", pkg, imported, allowed)
				}
			}
		}
	}
}

// Every file that is read by its path is opened by internal/openfile, because on Windows whoever opens it otherwise
// keeps others from renaming and deleting it. An os.Root opens files in the same way.
func TestReadersHinderNobody(t *testing.T) {
	const root = "../.."
	opens := regexp.MustCompile(`\bos\.(?:Open|ReadFile)\(|os\.OpenFile\([^)]*O_RDONLY`)
	elsewhere := regexp.MustCompile(
		`_(?:test|linux|unix)\.go$|/(?:gen|openfile|calendar|parquettest|testkit|zone\.go)`)
	read := 0
	for _, folder := range []string{"cmd", "internal", "pkg"} {
		err := filepath.WalkDir(filepath.Join(root, folder), func(file string, entry fs.DirEntry, err error) error {
			if err != nil || !strings.HasSuffix(file, ".go") || elsewhere.MatchString(filepath.ToSlash(file)) {
				return err
			}
			text, err := os.ReadFile(file)
			read++
			if found := opens.Find(text); found != nil {
				t.Errorf("%s has %s: use internal/openfile", file, found)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if read < 100 {
		t.Errorf("only %d files were looked at", read)
	}
}

// importGraph returns the imports of every package of ours, without those of its tests.
func importGraph(t *testing.T) map[string][]string {
	t.Helper()
	const root = "../.."
	graph := map[string][]string{}
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		folder, err := filepath.Rel(root, filepath.Dir(file))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(folder)
		for _, spec := range parsed.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			graph[pkg] = append(graph[pkg], name)
		}
		return nil
	})
	if err != nil || len(graph) < 3 {
		t.Fatal("no import graph", err)
	}
	return graph
}
