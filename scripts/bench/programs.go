package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// A program is how to call something that the table names.
type program struct {
	args     []string
	ownClock bool // it prints the seconds that its work took, without its start
	err      error
}

// goPrograms are built from packages of this module.
var goPrograms = map[string]string{
	"clawctl":     "./cmd/clawctl",
	"corpus":      "./scripts/corpus",
	"empty":       "./scripts/bench/rivals/empty",
	"tiktoken-go": "./scripts/bench/rivals/tiktoken",
}

// compiled are built from files in the folder of the rivals: the compiler and its flags.
var compiled = map[string]struct {
	compiler, source string
	libraries        []string
}{
	"simdjson": {"g++", "simdjson.cpp", []string{"-lsimdjson"}},
	"c-import": {"gcc", "import.c", []string{"-lsqlite3"}},
}

// The package of DuckDB for node. The version is fixed, so that runs at different times compare with the same rival.
const duckdbPackage, duckdbVersion = "@duckdb/node-api", "1.5.6-r.1"

// program returns a program by its name in the table, and builds or installs it on first use.
func (b *bench) program(name string) (*program, error) {
	if p := b.programs[name]; p != nil {
		return p, p.err
	}
	args, err := b.find(name)
	if err != nil {
		err = &skipError{fmt.Errorf("%s: %w", name, err)}
	}
	b.programs[name] = &program{args, name == "duckdb" || name == "tiktoken-go", err}
	return b.programs[name], err
}

func (b *bench) find(name string) ([]string, error) {
	switch {
	case name == "generate":
		return b.generator()
	case goPrograms[name] != "":
		return b.build(b.root, name, goPrograms[name])
	case compiled[name].source != "":
		return b.compile(name)
	case name == "duckdb":
		return b.installDuckDB()
	}
	path, err := exec.LookPath(name)
	return []string{path}, err
}

func moduleRoot() (string, error) {
	mod, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(mod))), nil
}

// build compiles a package of the module in dir into the cache, with the flags of a release.
func (b *bench) build(dir, name, pkg string) ([]string, error) {
	path := filepath.Join(b.cache, "bin", name)
	if runtime.GOOS == "windows" {
		path += ".exe"
	}
	cmd := exec.Command("go", "build", "-tags", "urfave_cli_no_docs", "-trimpath", "-ldflags", "-s -w", "-o", path, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	return []string{path}, errors.Join(runQuietly(cmd), rewrite(path))
}

// rewrite writes a program again, as an installation does. The linker leaves its pages in the cache one by one, and a
// start of clawctl takes a tenth longer until they are read from the disk again. It copies in pieces, because programs
// inherit the peak memory of this one.
func rewrite(path string) error {
	from := path + ".linked"
	if err := os.Rename(path, from); err != nil {
		return err
	}
	linked, err := os.Open(from)
	if err != nil {
		return err
	}
	program, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		return errors.Join(err, linked.Close())
	}
	_, err = io.Copy(program, struct{ io.Reader }{linked}) // not as a copy that shares pages with the linked file
	return errors.Join(err, program.Close(), linked.Close(), os.Remove(from))
}

// compile compiles a rival in C or C++.
func (b *bench) compile(name string) ([]string, error) {
	c, path := compiled[name], filepath.Join(b.cache, "bin", name)
	rivals, err := b.folder("rivals")
	if err != nil {
		return nil, err
	}
	args := append([]string{"-O3", "-o", path, filepath.Join(rivals, c.source)}, c.libraries...)
	return []string{path}, runQuietly(exec.Command(c.compiler, args...))
}

// installDuckDB copies its script to a folder with its package. Without arguments the script only loads the package.
func (b *bench) installDuckDB() ([]string, error) {
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, err
	}
	rivals, err := b.folder("rivals")
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(rivals, "duckdb.mjs"))
	if err != nil {
		return nil, err
	}
	folder := filepath.Join(b.cache, "duckdb-"+duckdbVersion)
	path := filepath.Join(folder, "duckdb.mjs")
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(path, text, 0o644)); err != nil {
		return nil, err
	}
	if exec.Command(node, path).Run() == nil {
		return []string{node, path}, nil
	}
	b.note("installing %s", duckdbPackage)
	if err := runQuietly(exec.Command("npm", "install", "--prefix", folder, "--no-audit", "--no-fund",
		"--loglevel=error", duckdbPackage+"@"+duckdbVersion)); err != nil {
		return nil, err
	}
	return []string{node, path}, runQuietly(exec.Command(node, path))
}

// generator returns the shared generator of transcripts if this machine has it, and our own otherwise. The results of
// the two are not comparable.
func (b *bench) generator() ([]string, error) {
	if b.generatorKind() == "own" {
		return b.find("corpus")
	}
	folder := filepath.Join(b.cache, "generator") // the shared folder may be read-only
	if err := errors.Join(os.RemoveAll(folder), os.CopyFS(folder, os.DirFS(b.sharedGenerator()))); err != nil {
		return nil, err
	}
	return b.build(folder, "generate", ".")
}

// texts is the npm package whose documentation, programs and dependencies the shared generator makes transcripts of.
const texts = "openclaw@2026.9.6"

// installTexts installs the texts of the shared generator and tells it where they are, unless TEXT_DIR does. Without
// them, everything is source code in Go.
func (b *bench) installTexts() error {
	if os.Getenv("TEXT_DIR") != "" {
		return nil
	}
	folder := filepath.Join(b.cache, texts)
	modules := filepath.Join(folder, "node_modules")
	if _, err := os.Stat(modules); err != nil {
		b.note("installing %s", texts)
		err := runQuietly(exec.Command("npm", "install", "--prefix", folder, "--ignore-scripts", "--no-audit", "--no-fund",
			"--loglevel=error", texts))
		if err != nil {
			return err
		}
	}
	return errors.Join(os.Setenv("NPM_DIR", modules), os.Setenv("TEXT_DIR", filepath.Join(modules, "openclaw")))
}

func (b *bench) sharedGenerator() string {
	return filepath.Join(b.root, "..", "shared", "bench", "gen")
}

// generatorKind returns the name of what transcripts are made with.
func (b *bench) generatorKind() string {
	if _, err := os.Stat(b.sharedGenerator()); err != nil {
		return "own"
	}
	if err := b.installTexts(); err != nil {
		b.note("no prose: %v", err)
		return "shared-without-texts"
	}
	return "shared"
}

// runQuietly runs a command. The error of a failed one has the last line of its output.
func runQuietly(cmd *exec.Cmd) error {
	out, err := cmd.CombinedOutput()
	return withLastLine(err, out)
}

func withLastLine(err error, text []byte) error {
	if err == nil {
		return nil
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return fmt.Errorf("%w: %s", err, lines[len(lines)-1])
}
