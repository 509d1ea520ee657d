package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers lists the packages from the bottom up. A package may import only packages of earlier lines.
var layers = [][]string{
	{"clawctl/internal/process", "clawctl/internal/lazy", "clawctl/internal/hardtext", "clawctl/internal/longtest"},
	{
		"clawctl/internal/atomicfile", "clawctl/internal/parallel", "clawctl/internal/failure", "clawctl/internal/ui",
		"clawctl/pkg/jsontext", "clawctl/internal/parquet", "clawctl/internal/parquet/parquettest",
	},
	{"clawctl/pkg/jsonl", "clawctl/pkg/secrets", "clawctl/pkg/dbfile", "clawctl/pkg/config", "clawctl/pkg/json5"},
	{
		"clawctl/pkg/store", "clawctl/pkg/fileuse", "clawctl/pkg/parts", "clawctl/pkg/javascript",
		"clawctl/pkg/media", "clawctl/pkg/rebuild/rebuildtest", "clawctl/pkg/content",
		"clawctl/pkg/validate/validatetest", "clawctl/pkg/bundle",
	},
	{
		"clawctl/pkg/source", "clawctl/pkg/store/storetest", "clawctl/pkg/summary", "clawctl/pkg/render",
		"clawctl/pkg/diff",
	},
	{"clawctl/pkg/tokens", "clawctl/pkg/change"},
	{
		"clawctl/pkg/rebuild", "clawctl/pkg/rebuild/apicheck", "clawctl/pkg/trajectory/atifcheck",
		"clawctl/pkg/stats", "clawctl/pkg/tokens/gen",
		"clawctl/pkg/guard", "clawctl/pkg/du",
	},
	{
		"clawctl/pkg/follow", "clawctl/pkg/migrate", "clawctl/pkg/validate", "clawctl/pkg/window", "clawctl/pkg/page",
		"clawctl/pkg/search", "clawctl/pkg/redact", "clawctl/pkg/slim", "clawctl/pkg/postgres",
		"clawctl/pkg/trajectory",
	},
	{
		"clawctl/pkg/compact", "clawctl/pkg/flush", "clawctl/pkg/repair", "clawctl/pkg/session", "clawctl/pkg/prune",
		"clawctl/pkg/dataset",
	},
	{"clawctl/pkg/session/sessiontest", "clawctl/pkg/doctor", "clawctl/pkg/prune/prunetest"},
	{"clawctl/cmd/clawctl"},
}

// homes lists the packages that may import a dependency. Every package may import a dependency that is not listed.
var homes = map[string][]string{
	"github.com/urfave/cli/v2": {"clawctl/cmd/clawctl"},
	"golang.org/x/sync/":       {"clawctl/internal/parallel"},
	"golang.org/x/term":        {"clawctl/internal/ui"},
	"github.com/tidwall/gjson": {"clawctl/pkg/jsonl", "clawctl/scripts/rival-gjson"},
	"github.com/klauspost/compress/": {
		"clawctl/pkg/source", "clawctl/pkg/page", "clawctl/pkg/bundle", "clawctl/internal/parquet",
	},
	"modernc.org/sqlite":     {"clawctl/pkg/dbfile"},
	"github.com/parquet-go/": {"clawctl/internal/parquet/parquettest"}, // only tests link it
	"github.com/pkoukk/":     {"clawctl/pkg/tokens/gen", "clawctl/scripts/rival-tiktoken"},
	"net":                    {},
	"net/":                   {},
	"crypto/tls":             {},
	"os/exec": {"clawctl/cmd/clawctl", "clawctl/scripts/bench", "clawctl/scripts/corpus",
		"clawctl/scripts/difftest", "clawctl/scripts/fault", "clawctl/scripts/fleet", "clawctl/scripts/notices"},
	"github.com/chromedp/":              {}, // it drives a browser in tests
	"github.com/rogpeppe/go-internal/":  {},
	"github.com/olekukonko/tablewriter": {"clawctl/internal/ui"},
}

func TestLayers(t *testing.T) {
	level := map[string]int{}
	for i, line := range layers {
		for _, pkg := range line {
			level[pkg] = i + 1
		}
	}
	for pkg, imports := range importGraph(t) {
		isOurs := strings.HasPrefix(pkg, "clawctl/pkg/") || strings.HasPrefix(pkg, "clawctl/internal/")
		if isOurs && level[pkg] == 0 {
			t.Errorf("%s is missing from the layers", pkg)
		}
		for _, imported := range imports {
			isBelow := level[imported] > 0 && level[imported] < level[pkg]
			if strings.HasPrefix(imported, "clawctl/") && level[pkg] > 0 && !isBelow {
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

// importGraph returns the imports of every package, without those of its tests.
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
		pkg := path.Join("clawctl/", filepath.ToSlash(folder)) // with a slash, as `make module` looks for it
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
