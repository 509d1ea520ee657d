package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// prepare makes what every section needs: the cache, clawctl, the corpus and whether programs can be pinned to cores.
func (b *bench) prepare(size int64) (err error) {
	if b.root, err = moduleRoot(); err != nil {
		return err
	}
	if b.cache, err = filepath.Abs(b.cache); err != nil {
		return err
	}
	if err = os.MkdirAll(b.cache, 0o755); err != nil {
		return err
	}
	b.note("the cache is %s", b.cache)
	if b.clawctl, err = b.build(b.root, "clawctl", "./cmd/clawctl"); err != nil {
		return err
	}
	b.canPin = b.findPin()
	b.corpus, err = b.prepareCorpus(size)
	return err
}

func moduleRoot() (string, error) {
	mod, err := output(exec.Command("go", "env", "GOMOD"))
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return filepath.Dir(mod), nil
}

// build compiles a package of the module in dir into the cache, with the flags of a release, and returns the path of
// the program.
func (b *bench) build(dir, name, pkg string) (string, error) {
	program := filepath.Join(b.cache, "bin", name)
	if runtime.GOOS == "windows" {
		program += ".exe"
	}
	cmd := exec.Command("go", "build", "-tags", "urfave_cli_no_docs", "-trimpath", "-ldflags", "-s -w", "-o", program, pkg)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if _, err := output(cmd); err != nil {
		return "", fmt.Errorf("build %s: %w", name, err)
	}
	return program, nil
}

// findPin reports whether taskset can pin a program to cores. Without it GOMAXPROCS limits the Go programs.
func (b *bench) findPin() bool {
	test := append(pin(1), "taskset", "--version")
	if _, err := output(exec.Command(test[0], test[1:]...)); err != nil {
		b.note("programs are not pinned to one core: %v", err)
		return false
	}
	return true
}

// output returns what a command prints, trimmed. The error of a failed command includes the last line of its stderr.
func output(cmd *exec.Cmd) (string, error) {
	out, err := cmd.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		err = fmt.Errorf("%w: %s", err, lastLine(exit.Stderr))
	}
	return strings.TrimSpace(string(out)), err
}

func lastLine(text []byte) []byte {
	text = bytes.TrimSpace(text)
	return text[bytes.LastIndexByte(text, '\n')+1:]
}
