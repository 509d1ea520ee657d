package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// readers returns clawctl and those of its rivals that this machine has or can get.
func (b *bench) readers() []*contestant {
	list := []*contestant{{name: "clawctl", args: []string{b.clawctl, "cat", "--type", "leaf", b.corpus.path}}}
	for _, invite := range []func() (*contestant, error){b.cat, b.jq, b.duckDB, b.gjson} {
		c, err := invite()
		if err != nil {
			b.note("without a rival: %v", err)
			continue
		}
		list = append(list, c)
	}
	return list
}

// cat is no rival but the floor: what it costs to move the bytes without looking at them.
func (b *bench) cat() (*contestant, error) {
	program, err := exec.LookPath("cat")
	return &contestant{name: "cat (the floor)", args: []string{program, b.corpus.path}, aim: 0.19}, err
}

// jq takes part in two rounds only, for each is longer than all others together.
func (b *bench) jq() (*contestant, error) {
	program, err := exec.LookPath("jq")
	return &contestant{name: "jq", args: []string{program, "-c", `select(.type=="leaf")`, b.corpus.path}, rounds: 2, must: 8, aim: 20}, err
}

func (b *bench) gjson() (*contestant, error) {
	program, err := b.build(b.root, "rival-gjson", "./scripts/rival-gjson")
	return &contestant{name: "gjson.Valid + ForEach", args: []string{program, b.corpus.path}, must: 2}, err
}

// duckDBPackage is a fixed version, so that two runs a month apart have the same rival.
const (
	duckDBPackage = "@duckdb/node-api"
	duckDBVersion = "1.5.6-r.1"
)

//go:embed duckdb.mjs
var duckDBScript []byte

// duckDB comes from npm, which is the way to have it without a compiler. Its clock is its own: what node needs to start
// is not DuckDB's fault.
func (b *bench) duckDB() (*contestant, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("DuckDB needs node: %w", err)
	}
	folder := filepath.Join(b.cache, "duckdb-"+duckDBVersion)
	script := filepath.Join(folder, "duckdb.mjs")
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(script, duckDBScript, 0o644)); err != nil {
		return nil, err
	}
	if err := b.installDuckDB(folder, node, script); err != nil {
		return nil, err
	}
	return &contestant{name: "DuckDB read_json, one thread", args: []string{node, script, b.corpus.path}, must: 1.4, ownClock: true}, nil
}

// installDuckDB downloads the package unless it is there and works: without a file the script only loads it.
func (b *bench) installDuckDB(folder, node, script string) error {
	if _, err := output(exec.Command(node, script)); err == nil {
		return nil
	}
	b.note("installing %s, which happens once", duckDBPackage)
	install := exec.Command("npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", duckDBPackage+"@"+duckDBVersion)
	if _, err := output(install); err != nil {
		return fmt.Errorf("install DuckDB: %w", err)
	}
	if _, err := output(exec.Command(node, script)); err != nil {
		return fmt.Errorf("load DuckDB: %w", err)
	}
	return nil
}
