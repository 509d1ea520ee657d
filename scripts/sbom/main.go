// Command sbom lists the modules that are linked into a Go binary, in CycloneDX's JSON. The list depends on the binary
// alone, so two builds with the same bytes get the same list.
package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

func main() {
	out := flag.String("o", "clawctl.cdx.json", "the file to write")
	flag.Parse()
	if err := run(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(out string, binaries []string) error {
	if len(binaries) != 1 {
		return errors.New("name one binary")
	}
	info, err := buildinfo.ReadFile(binaries[0])
	if err != nil {
		return err
	}
	list, err := newBill(info)
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(list, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(out, append(text, '\n'), 0o644)
}

// A bill is a CycloneDX document, version 1.5.
type bill struct {
	Format      string      `json:"bomFormat"`
	SpecVersion string      `json:"specVersion"`
	Version     int         `json:"version"`
	Metadata    metadata    `json:"metadata"`
	Components  []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

type component struct {
	Type       string     `json:"type"`
	Ref        string     `json:"bom-ref"`
	Name       string     `json:"name"`
	Version    string     `json:"version,omitempty"`
	URL        string     `json:"purl,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// newBill lists the modules that build information names, and Go's own library.
func newBill(info *debug.BuildInfo) (*bill, error) {
	program := component{Type: "application", Ref: info.Main.Path, Name: info.Main.Path, Version: info.Main.Version}
	for _, s := range info.Settings {
		program.Properties = append(program.Properties, property{"go:build:" + s.Key, s.Value})
	}
	list := &bill{"CycloneDX", "1.5", 1, metadata{program}, []component{library("std", info.GoVersion)}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		c, err := linked(m)
		if err != nil {
			return nil, err
		}
		list.Components = append(list.Components, c)
	}
	return list, nil
}

// library describes a module. Its package URL is its name and its version.
func library(path, version string) component {
	url := "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
	return component{Type: "library", Ref: url, Name: path, Version: version, URL: url}
}

// linked describes a module with its checksum of go.sum. It is a SHA-256 of a list of files, in base64, so it is no
// hash of a component in the sense of CycloneDX.
func linked(m *debug.Module) (component, error) {
	c := library(m.Path, m.Version)
	digest, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(m.Sum, "h1:"))
	if err != nil || len(digest) == 0 {
		return c, fmt.Errorf("%s has no checksum", m.Path)
	}
	c.Properties = []property{{"go:sum:h1", hex.EncodeToString(digest)}}
	return c, nil
}
