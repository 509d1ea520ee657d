package main

// How findings are printed:
//
//   - text: FILE:LINE: CODE severity: what is wrong (entry ID). Info is shown with --verbose only.
//   - ndjson: an object a finding, with all there is to know.
//   - sarif: SARIF 2.1.0, as code scanners read it.
//   - github: the annotation commands of GitHub's runner.

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

type textPrinter struct {
	*app
	out *bufio.Writer
}

var severityStyles = [...]string{validate.Info: "", validate.Warn: styleWarn, validate.Error: styleError}

// oneLine escapes what would end a line, and what a terminal would obey.
func oneLine(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`).Replace(escapeControls(text))
}

func (p *textPrinter) print(_ string, _ *source.Session, findings []located) error {
	for _, f := range findings {
		if f.Severity == validate.Info && !p.verbose {
			continue
		}
		place := oneLine(f.path)
		if f.Line > 0 {
			place += fmt.Sprintf(":%d", f.Line)
		}
		text := f.Message()
		if f.Entry != "" {
			text += " [entry " + f.Entry + "]"
		}
		if _, err := fmt.Fprintf(p.out, "%s: %s %s: %s\n", place, f.Rule.Code, p.outTerm.paint(severityStyles[f.Severity], f.Severity.String()), oneLine(text)); err != nil {
			return err
		}
	}
	return nil
}

func (p *textPrinter) finish(bool) error { return p.out.Flush() }

// findingReport is the JSON form of a finding.
type findingReport struct {
	SchemaVersion int    `json:"schema_version"`
	Code          string `json:"code"`
	Severity      string `json:"severity"`
	Level         string `json:"level"`
	Path          string `json:"path"`
	Line          int64  `json:"line,omitempty"`
	Offset        int64  `json:"offset"`
	Session       string `json:"session"`
	EntryID       string `json:"entry_id,omitempty"`
	Message       string `json:"message"`
	Hint          string `json:"hint"`
}

type ndjsonPrinter struct{ out *bufio.Writer }

func (p *ndjsonPrinter) print(_ string, _ *source.Session, findings []located) error {
	for _, f := range findings {
		line := jsonLine(findingReport{1, f.Rule.Code, f.Severity.String(), f.Rule.Level, f.path, f.Line, f.Offset, f.session, f.Entry, f.Message(), f.hint()})
		if _, err := p.out.WriteString(line); err != nil {
			return err
		}
	}
	return nil
}

func (p *ndjsonPrinter) finish(bool) error { return p.out.Flush() }

// summaryReport is the JSON form of a session's summary.
type summaryReport struct {
	SchemaVersion int            `json:"schema_version"`
	Path          string         `json:"path"`
	Session       string         `json:"session"`
	Errors        int            `json:"errors"`
	Warnings      int            `json:"warnings"`
	Notes         int            `json:"notes"`
	Codes         map[string]int `json:"codes"`
}

type summaryPrinter struct {
	*app
	out *bufio.Writer
}

func (p *summaryPrinter) print(path string, s *source.Session, findings []located) error {
	r := summaryReport{SchemaVersion: 1, Path: path, Codes: map[string]int{}}
	if s != nil {
		r.Session = s.Name()
	}
	var counts [3]int
	for _, f := range findings {
		counts[f.Severity]++
		r.Codes[f.Rule.Code]++
	}
	r.Notes, r.Warnings, r.Errors = counts[validate.Info], counts[validate.Warn], counts[validate.Error]
	line := jsonLine(r)
	if p.format != "ndjson" && p.format != "json" {
		line = oneLine(path) + ": " + severityWords(counts)
		if len(r.Codes) > 0 {
			line += " (" + tallyCodes(r.Codes) + ")"
		}
		line += "\n"
	}
	_, err := p.out.WriteString(line)
	return err
}

func (p *summaryPrinter) finish(bool) error { return p.out.Flush() }

// tallyCodes lists codes with their counts, in the order of the rules.
func tallyCodes(codes map[string]int) string {
	var words []string
	for _, r := range validate.Rules {
		if n := codes[r.Code]; n > 0 {
			words = append(words, fmt.Sprintf("%s %d", r.Code, n))
		}
	}
	return strings.Join(words, ", ")
}

// githubPrinter writes workflow commands.
type githubPrinter struct{ out *bufio.Writer }

var githubLevels = [...]string{validate.Info: "notice", validate.Warn: "warning", validate.Error: "error"}

var (
	githubData     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	githubProperty = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

func (p *githubPrinter) print(_ string, _ *source.Session, findings []located) error {
	for _, f := range findings {
		properties := "file=" + githubProperty.Replace(filepath.ToSlash(f.path))
		if f.Line > 0 {
			properties += fmt.Sprintf(",line=%d", f.Line)
		}
		message := f.Message()
		if f.Entry != "" {
			message += " [entry " + f.Entry + "]"
		}
		_, err := fmt.Fprintf(p.out, "::%s %s,title=%s::%s\n", githubLevels[f.Severity], properties, f.Rule.Code, githubData.Replace(oneLine(message)))
		if err != nil {
			return err
		}
	}
	return nil
}

func (p *githubPrinter) finish(bool) error { return p.out.Flush() }

// sarifPrinter writes one run. Results are written as they come.
type sarifPrinter struct {
	out     *bufio.Writer
	version string
	begun   bool
	results int
}

var sarifLevels = [...]string{validate.Info: "note", validate.Warn: "warning", validate.Error: "error"}

type sarifText struct {
	Text string `json:"text"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
	FullDescription  sarifText `json:"fullDescription"`
	Help             sarifText `json:"help"`
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
	RuleID       string            `json:"ruleId"`
	RuleIndex    int               `json:"ruleIndex"`
	Level        string            `json:"level"`
	Message      sarifText         `json:"message"`
	Locations    []sarifLocation   `json:"locations"`
	Fingerprints map[string]string `json:"partialFingerprints"`
	Properties   map[string]string `json:"properties"`
}

func (p *sarifPrinter) print(_ string, _ *source.Session, findings []located) error {
	for i := range findings {
		if err := p.result(&findings[i]); err != nil {
			return err
		}
	}
	return nil
}

func (p *sarifPrinter) result(f *located) error {
	if err := p.begin(); err != nil {
		return err
	}
	r := sarifResult{
		RuleID: f.Rule.Code, RuleIndex: ruleIndex(f.Rule), Level: sarifLevels[f.Severity], Message: sarifText{f.Message()}, Locations: make([]sarifLocation, 1),
		Fingerprints: map[string]string{"clawctl/v1": fingerprint(f)},
		Properties:   map[string]string{"session": f.session, "entryId": f.Entry, "hint": f.hint()},
	}
	location := &r.Locations[0].PhysicalLocation
	location.ArtifactLocation.URI = fileURI(f.path)
	if f.Line > 0 {
		location.Region = &sarifRegion{f.Line, f.Offset}
	}
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	between := "\n"
	if p.results++; p.results > 1 {
		between = ",\n"
	}
	_, err = p.out.WriteString(between + string(data))
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
		rules[i] = sarifRule{ID: r.Code, ShortDescription: sarifText{r.Title}, FullDescription: sarifText{r.Title + ". OpenClaw: " + r.Does}, Help: sarifText{r.Run}}
		rules[i].Configuration.Level = sarifLevels[r.Severity]
		rules[i].Properties.Tags = []string{r.Level}
	}
	data, err := json.Marshal(rules)
	if err != nil {
		return err
	}
	_, err = p.out.WriteString(`{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"tool":{"driver":{"name":"clawctl","version":` +
		jsonText(p.version) + `,"rules":` + string(data) + `}},"columnKind":"utf16CodeUnits","results":[`)
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
