// Gen makes the table that package models embeds, from the npm package pi-ai. `make catalogue` runs it with the newest
// release. The same packages give the same bytes.
//
//	gen [-o FILE] [-date DATE] [PACKAGE.tgz...]
//
// The first package has the models of today. Models that only later packages have were retired: they are kept because
// old sessions name them. Without packages, npm is asked for them.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// source is the npm package.
const source = "@earendil-works/pi-ai"

// older are the releases that retired models are taken from, the newest first.
var older = []string{"1.0.3", "0.84.0", "0.74.0"}

func main() {
	out := flag.String("o", "catalogue.tsv", "the file to write")
	date := flag.String("date", "", "when the first package was published")
	flag.Parse()
	if err := run(*out, *date, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}

func run(out, date string, packages []string) error {
	if len(packages) == 0 {
		folder, err := os.MkdirTemp("", "catalogue")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		if packages, date, err = download(folder); err != nil {
			return err
		}
	}
	text, err := generate(packages, date)
	if err != nil {
		return err
	}
	return os.WriteFile(out, text, 0o644)
}

// download fetches the newest release and the older ones, and returns when the newest was published.
func download(folder string) (packages []string, date string, err error) {
	var about struct {
		Version string
		Time    map[string]string
	}
	text, err := npm("view", source, "version", "time", "--json")
	if err != nil {
		return nil, "", err
	}
	if err := json.Unmarshal(text, &about); err != nil {
		return nil, "", fmt.Errorf("npm view: %w", err)
	}
	for _, version := range append([]string{about.Version}, older...) {
		name, err := npm("pack", source+"@"+version, "--silent", "--pack-destination", folder)
		if err != nil {
			return nil, "", err
		}
		packages = append(packages, filepath.Join(folder, strings.TrimSpace(string(name))))
	}
	date, _, _ = strings.Cut(about.Time[about.Version], "T")
	return packages, date, nil
}

// npm runs npm, whose messages go to stderr.
func npm(arguments ...string) ([]byte, error) {
	command := exec.Command("npm", arguments...)
	command.Stderr = os.Stderr
	text, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("npm %s: %w", arguments[0], err)
	}
	return text, nil
}
