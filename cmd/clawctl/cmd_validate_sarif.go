package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/validate"
)

// sarifPrinter writes one run. Results are written as they come.
type sarifPrinter struct {
	out     *bufio.Writer
	begun   bool
	results int
}

var sarifLevels = [...]string{validate.Info: "note", validate.Warn: "warning", validate.Error: "error"}

type sarifText struct {
	Text string `json:"text"`
}

type sarifRule struct {
	ID               failure.Code `json:"id"`
	ShortDescription sarifText    `json:"shortDescription"`
	FullDescription  sarifText    `json:"fullDescription"`
	Help             sarifText    `json:"help"`
	Configuration    struct {
		Level string `json:"level"`
	} `json:"defaultConfiguration"`
	Properties struct {
		Tags []string `json:"tags"`
	} `json:"properties"`
}

type sarifRegion struct {
	StartLine  int64 `json:"startLine,omitempty"`
	ByteOffset int64 `json:"byteOffset,omitempty"`
}

type sarifLocation struct {
	PhysicalLocation struct {
		ArtifactLocation struct {
			URI string `json:"uri"`
		} `json:"artifactLocation"`
		Region *sarifRegion `json:"region,omitempty"`
	} `json:"physicalLocation"`
}

type sarifResult struct {
	RuleID       failure.Code      `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Properties   map[string]string `json:"properties"`
}

func (p *sarifPrinter) print(c checked) error {
	for i := range c.findings {
		if err := p.result(&c.findings[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *sarifPrinter) result(f *finding) error {
	if err := p.begin(); err != nil {
		return err
	}
	r := sarifResult{
		RuleID: f.Rule.Code, RuleIndex: ruleIndex(f.Rule), Level: sarifLevels[f.Severity],
		Message: sarifText{f.Message()}, Locations: make([]sarifLocation, 1),
		Fingerprints: map[string]string{"clawctl/v1": fingerprint(f)},
		Properties:   map[string]string{"session": f.Session, "entryId": f.Entry, "hint": f.hint()},
	}
	location := &r.Locations[0].PhysicalLocation
	location.ArtifactLocation.URI = fileURI(f.Path)
	if f.Line > 0 {
		location.Region = &sarifRegion{f.Line, f.Offset}
	}
	between := "\n"
	if p.results++; p.results > 1 {
		between = ",\n"
	}
	_, err := p.out.WriteString(between + strings.TrimSuffix(cli.JSONLine(r), "\n"))
	return err
}

// ruleIndex is the place of a rule in the list.
func ruleIndex(r *validate.Rule) int {
	for i := range validate.Rules {
		if &validate.Rules[i] == r {
			return i
		}
	}
	return -1
}

// fileURI is a path as a reference that SARIF takes.
func fileURI(path string) string {
	slashed := filepath.ToSlash(path)
	u := url.URL{Path: slashed}
	if filepath.IsAbs(path) {
		u.Scheme = "file"
		if !strings.HasPrefix(slashed, "/") {
			u.Path = "/" + slashed // a drive of Windows'
		}
	}
	return u.String()
}

// begin writes what stands before the results.
func (p *sarifPrinter) begin() error {
	if p.begun {
		return nil
	}
	p.begun = true
	rules := make([]sarifRule, len(validate.Rules))
	for i, r := range validate.Rules {
		rules[i] = sarifRule{
			ID:               r.Code,
			ShortDescription: sarifText{r.Words},
			FullDescription:  sarifText{r.Words + ". OpenClaw: " + r.Does},
			Help:             sarifText{r.Run},
		}
		rules[i].Configuration.Level = sarifLevels[r.Severity]
		rules[i].Properties.Tags = []string{r.Level}
	}
	data, err := json.Marshal(rules)
	if err != nil {
		return err
	}
	_, err = p.out.WriteString(`{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0",` +
		`"runs":[{"tool":{"driver":{"name":"clawctl","version":` + jsonl.Quote(version()) + `,"rules":` + string(data) +
		`}},"columnKind":"utf16CodeUnits","results":[`)
	return err
}

func (p *sarifPrinter) finish(complete bool) error {
	if err := p.begin(); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(p.out, "\n],\"invocations\":[{\"executionSuccessful\":%t}]}]}\n", complete); err != nil {
		return err
	}
	return p.out.Flush()
}
