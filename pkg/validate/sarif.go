package validate

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
)

// A SARIF writes findings as one run in SARIF 2.1.0, which code scanners read. Results are written as they come.
type SARIF struct {
	Out     *bufio.Writer
	Version string           // of clawctl
	Here    string           // the current folder
	Line    func(any) string // a value as one line of JSON

	begun   bool
	results int
}

var sarifLevels = [...]string{Info: "note", Warn: "warning", Error: "error"}

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

// Print writes the findings of a session or place.
func (s *SARIF) Print(c *CheckedSession) error {
	for i := range c.Findings {
		if err := s.add(&c.Findings[i]); err != nil {
			return err
		}
	}
	return nil
}

func (s *SARIF) add(f *Finding) error {
	if err := s.begin(); err != nil {
		return err
	}
	between := "\n"
	if s.results++; s.results > 1 {
		between = ",\n"
	}
	_, err := s.Out.WriteString(between + strings.TrimSuffix(s.Line(s.result(f)), "\n"))
	return err
}

func (s *SARIF) result(f *Finding) sarifResult {
	r := sarifResult{
		RuleID: f.Rule.Code, RuleIndex: ruleIndex(f.Rule), Level: sarifLevels[f.Severity],
		Message: sarifText{f.Message()}, Locations: make([]sarifLocation, 1),
		Fingerprints: map[string]string{"clawctl/v1": f.fingerprint(s.Here)},
		Properties:   map[string]string{"session": f.Session, "entryId": f.Entry, "hint": f.hint()},
	}
	location := &r.Locations[0].PhysicalLocation
	location.ArtifactLocation.URI = fileURI(f.Path)
	if f.Line > 0 {
		location.Region = &sarifRegion{f.Line, f.Offset}
	}
	return r
}

// ruleIndex is the place of a rule in the list.
func ruleIndex(r *Rule) int {
	for i := range Rules() {
		if &Rules()[i] == r {
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

// begin writes what comes before the results.
func (s *SARIF) begin() error {
	if s.begun {
		return nil
	}
	s.begun = true
	data, err := json.Marshal(sarifRules())
	if err != nil {
		return err
	}
	_, err = s.Out.WriteString(`{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0",` +
		`"runs":[{"tool":{"driver":{"name":"clawctl","version":` + jsonl.Quote(s.Version) + `,"rules":` + string(data) +
		`}},"columnKind":"utf16CodeUnits","results":[`)
	return err
}

func sarifRules() []sarifRule {
	rules := make([]sarifRule, len(Rules()))
	for i, r := range Rules() {
		rules[i] = sarifRule{
			ID:               r.Code,
			ShortDescription: sarifText{r.Words},
			FullDescription:  sarifText{r.Words + ". OpenClaw: " + r.Does},
			Help:             sarifText{r.Run},
		}
		rules[i].Configuration.Level = sarifLevels[r.Severity]
		rules[i].Properties.Tags = []string{r.Level}
	}
	return rules
}

// Finish ends the run.
func (s *SARIF) Finish(complete bool) error {
	if err := s.begin(); err != nil {
		return err
	}
	if _, err := fmt.Fprintf(s.Out, "\n],\"invocations\":[{\"executionSuccessful\":%t}]}]}\n", complete); err != nil {
		return err
	}
	return s.Out.Flush()
}
