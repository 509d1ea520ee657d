// Command notices collects the licences of the modules that are linked into a program, from the module cache, that of
// Go itself, and the notices of our own packages about what they embed. It fails if a module has no licence.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"clawctl/internal/atomicfile"
)

func main() {
	out := flag.String("o", "THIRD_PARTY_NOTICES", "the file to write")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "notices:", err)
		os.Exit(1)
	}
}

func run(out string, packages []string) error {
	modules, err := linked(packages)
	if err != nil {
		return err
	}
	own, err := embedding(packages)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, m := range append(modules, own...) {
		if err := m.write(&b); err != nil {
			return err
		}
	}
	if err := atomicfile.MkdirAll(filepath.Dir(out)); err != nil {
		return err
	}
	return atomicfile.WriteFile(out, b.Bytes(), atomicfile.Options{})
}

// A module is something that is linked into the program.
type module struct{ path, version, folder string }

// linked returns the modules of the packages and of everything they import, on any platform that is released.
func linked(packages []string) ([]module, error) {
	const format = "{{with .Module}}{{if not .Main}}{{.Path}}\t{{.Version}}\t{{.Dir}}{{end}}{{end}}"
	modules := []module{{"Go", runtime.Version(), ""}}
	for _, system := range []string{"linux", "darwin", "windows"} {
		list := exec.Command("go", append([]string{"list", "-deps", "-f", format}, packages...)...)
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		list.Stderr = os.Stderr
		lines, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list: %w", err)
		}
		for line := range strings.Lines(string(lines)) {
			if fields := strings.Split(strings.TrimSpace(line), "\t"); len(fields) == 3 {
				modules = append(modules, module{fields[0], fields[1], fields[2]})
			}
		}
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	modules[0].folder = strings.TrimSpace(string(root))
	slices.SortFunc(modules, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return slices.Compact(modules), err
}

// embedding returns our own packages that embed something with a licence: they have a NOTICE file.
func embedding(packages []string) (own []module, err error) {
	const format = "{{with .Module}}{{if .Main}}{{$.ImportPath}}\t{{$.Dir}}{{end}}{{end}}"
	list := exec.Command("go", append([]string{"list", "-deps", "-f", format}, packages...)...)
	list.Stderr = os.Stderr
	lines, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	for line := range strings.Lines(string(lines)) {
		path, folder, _ := strings.Cut(strings.TrimSpace(line), "\t")
		if _, err := os.Stat(filepath.Join(folder, "NOTICE")); path != "" && err == nil {
			own = append(own, module{path, "(embedded)", folder})
		}
	}
	return own, nil
}

// licenceName matches the files that have to be passed on.
var licenceName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents|unlicense)([-._].*)?$`)

// write writes the licences of a module.
func (m module) write(b *bytes.Buffer) error {
	entries, err := os.ReadDir(m.folder)
	if err != nil {
		return err
	}
	found := false
	for _, entry := range entries {
		if !entry.Type().IsRegular() || !licenceName.MatchString(entry.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.folder, entry.Name()))
		if err != nil {
			return err
		}
		found = true
		fmt.Fprintf(b, "%s\n%s %s: %s\n\n%s\n\n", strings.Repeat("=", 80), m.path, m.version, entry.Name(),
			strings.TrimSpace(string(text)))
	}
	if !found {
		return errors.New(m.path + " has no licence in " + m.folder)
	}
	return nil
}
