package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// readers returns clawctl and the rivals that this machine has or can install.
func (b *bench) readers() []*contestant {
	list := []*contestant{{name: "clawctl", args: []string{b.clawctl, "cat", "--type", "leaf", b.corpus.path}}}
	for _, invite := range []func() (*contestant, error){b.cat, b.jq, b.oneThreadDuckDB, b.gjson} {
		c, err := invite()
		if err != nil {
			b.note("skipping a rival: %v", err)
			continue
		}
		list = append(list, c)
	}
	return list
}

const catName = "cat (lower bound)"

// cat is not a rival but the lower bound: the time to copy the bytes without looking at them.
func (b *bench) cat() (*contestant, error) {
	program, err := exec.LookPath("cat")
	return &contestant{name: catName, args: []string{program, b.corpus.path}, repeat: 5, aim: 0.19}, err
}

// jq takes part in two rounds only, because it is slower than all others together.
func (b *bench) jq() (*contestant, error) {
	program, err := exec.LookPath("jq")
	args := []string{program, "-c", `select(.type=="leaf")`, b.corpus.path}
	return &contestant{name: "jq", args: args, rounds: 2, must: 8, aim: 20}, err
}

func (b *bench) gjson() (*contestant, error) {
	program, err := b.build(b.root, "rival-gjson", "./scripts/rival-gjson")
	return &contestant{name: "gjson.Valid + ForEach", args: []string{program, b.corpus.path}, must: 2}, err
}

// The version of DuckDB is fixed, so that runs at different times compare with the same rival.
var duckDBPackage = npmPackage{"duckdb", "@duckdb/node-api", "1.5.6-r.1"}

//go:embed duckdb.mjs
var duckDBScript []byte

// duckDB is installed from npm, which needs no compiler. It measures its own time, because the start of node does not
// count. Zero threads means one per core. The script describes the queries.
func (b *bench) duckDB(threads, query string) (*contestant, error) {
	args, err := b.fromNPM(duckDBPackage, "duckdb.mjs", duckDBScript)
	if err != nil {
		return nil, err
	}
	args = append(args, b.corpus.path, threads, query)
	return &contestant{name: "DuckDB read_json", args: args, ownClock: true}, nil
}

func (b *bench) oneThreadDuckDB() (*contestant, error) {
	c, err := b.duckDB("1", "leaf")
	if err == nil {
		c.name, c.must = "DuckDB read_json, one thread", 1.4
	}
	return c, err
}

// An npmPackage is installed in a folder of the cache, which all scripts that use it share.
type npmPackage struct{ folder, name, version string }

// fromNPM returns the command that runs a script with an npm package, which is installed on first use. Without
// arguments the script only loads the package.
func (b *bench) fromNPM(p npmPackage, script string, text []byte) ([]string, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("%s needs node: %w", p.name, err)
	}
	folder := filepath.Join(b.cache, p.folder+"-"+p.version)
	path := filepath.Join(folder, script)
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(path, text, 0o644)); err != nil {
		return nil, err
	}
	if _, err := output(exec.Command(node, path)); err == nil {
		return []string{node, path}, nil
	}
	b.note("installing %s (only once)", p.name)
	install := exec.Command("npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error",
		p.name+"@"+p.version)
	if _, err := output(install); err != nil {
		return nil, fmt.Errorf("install %s: %w", p.name, err)
	}
	if _, err := output(exec.Command(node, path)); err != nil {
		return nil, fmt.Errorf("load %s: %w", p.name, err)
	}
	return []string{node, path}, nil
}
