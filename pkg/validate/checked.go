package validate

import (
	"cmp"
	"os"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"clawctl/internal/failure"
	"clawctl/internal/shell"
	"clawctl/internal/ui"
	"clawctl/pkg/source"
)

// A CheckedSession is a session, or a place, with what was found in it.
type CheckedSession struct {
	Path     string
	Session  *source.Session // nil for a place
	Findings []Finding       // each with its path and session
	Verdict  Verdict
}

// NewChecked adds the path and the session to the findings that do not state their own. s is nil for a place.
func NewChecked(s *source.Session, path string, result Result) CheckedSession {
	c := CheckedSession{Path: path, Session: s, Findings: result.Findings, Verdict: result.Verdict}
	for i := range c.Findings {
		f := &c.Findings[i]
		f.Path = cmp.Or(f.Path, path)
		if s != nil {
			f.Session = s.Name()
		}
	}
	return c
}

// judgeOf returns the API that a finding was judged by, "" if it is not about what is sent.
func (c *CheckedSession) judgeOf(f *Finding) string {
	if f.Rule.Level != failure.LevelPairing && f.Rule.Level != failure.LevelAPI {
		return ""
	}
	return c.Verdict.API.String()
}

// A findingRow is the JSON form of a finding.
type findingRow struct {
	SchemaVersion int          `json:"schema_version"`
	Code          failure.Code `json:"code"`
	Severity      string       `json:"severity"`
	Level         string       `json:"level"`
	Path          string       `json:"path"`
	Line          int64        `json:"line,omitempty"`
	Offset        int64        `json:"offset"`
	Session       string       `json:"session"`
	EntryID       string       `json:"entry_id,omitempty"`
	Message       string       `json:"message"`
	Hint          string       `json:"hint"`
	More          int          `json:"more,omitempty"`
	JudgedBy      string       `json:"judged_by,omitempty"` // the API whose rules decide, for levels pairing and api
	CorrectedBy   string       `json:"corrected_by,omitempty"`
}

// RowLines returns the JSON forms of the findings. line returns a value as one line of JSON.
func (c *CheckedSession) RowLines(line func(any) string) string {
	return c.join(func(f *Finding) string { return line(c.row(f)) })
}

func (c *CheckedSession) row(f *Finding) findingRow {
	return findingRow{
		1, f.Rule.Code, f.Severity.String(), f.Rule.Level, f.Path, f.Line, f.Offset, f.Session, f.Entry,
		f.Message(), f.hint(), f.More, c.judgeOf(f), f.CorrectedBy,
	}
}

// A BriefRow is the JSON form of a session in brief.
type BriefRow struct {
	SchemaVersion int                  `json:"schema_version"`
	Path          string               `json:"path"`
	Session       string               `json:"session"`
	Errors        int                  `json:"errors"`
	Warnings      int                  `json:"warnings"`
	Notes         int                  `json:"notes"`
	Codes         map[failure.Code]int `json:"codes"`
	API           string               `json:"api,omitempty"` // accepted, refused, or empty: there is nothing to send
	APICode       failure.Code         `json:"api_code,omitempty"`
	APILine       int64                `json:"api_line,omitempty"`
	JudgedBy      string               `json:"judged_by,omitempty"` // the API whose rules decide
	Verdict       string               `json:"verdict,omitempty"`   // continues, corrected, stuck or empty
	VerdictCode   failure.Code         `json:"verdict_code,omitempty"`
	VerdictLine   int64                `json:"verdict_line,omitempty"`
	Program       string               `json:"program,omitempty"`     // that continues the session
	Corrections   int                  `json:"corrections,omitempty"` // that the program makes before it sends
}

// Brief sums up a session or place.
func (c *CheckedSession) Brief() BriefRow {
	r := BriefRow{SchemaVersion: 1, Path: c.Path, Codes: map[failure.Code]int{}}
	if c.Session != nil {
		v := c.Verdict
		r.Session, r.API, r.APICode, r.APILine = c.Session.Name(), v.Answer(), v.Refusal.Code, v.Refusal.Line
		r.JudgedBy = v.API.String()
		r.Verdict, r.VerdictCode, r.VerdictLine = v.State.String(), v.Reason.Code, v.Reason.Line
		r.Program, r.Corrections = v.Program, v.Corrections
	}
	var counts severityCounts
	for i := range c.Findings {
		f := &c.Findings[i]
		r.Codes[f.Rule.Code] += 1 + f.More
		counts.add(f)
	}
	r.Errors, r.Warnings, r.Notes = counts[Error], counts[Warn], counts[Info]
	return r
}

// BriefLine sums up a session or place on one line for people.
func (c *CheckedSession) BriefLine() string {
	r := c.Brief()
	line := ui.EscapeLine(c.Path) + ": " + severityCounts{Info: r.Notes, Warn: r.Warnings, Error: r.Errors}.String()
	if len(r.Codes) > 0 {
		line += " (" + TallyCodes(r.Codes) + ")"
	}
	if c.Session != nil && c.Verdict.State != Empty {
		line += "; " + c.Verdict.brief()
	}
	return line + "\n"
}

// plainID is an id that can stand in a command as it is.
var plainID = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)
})

// hint is the rule's command with the names of this finding in it, for the shell in use.
func (f *Finding) hint() string {
	run := f.Rule.Run
	needsID := strings.Contains(run, "ID") && !plainID().MatchString(f.Entry)
	if f.Path == failure.Stdin || needsID || strings.Contains(run, "LINE") && f.Line == 0 {
		return "clawctl explain " + string(f.Rule.Code)
	}
	folder := ""
	if strings.Contains(run, "FOLDER") { // other commands may be about a path that must not be touched
		folder = failure.Quote(folderOf(f.Path))
	}
	return shell.Current().Local(strings.NewReplacer(
		"FOLDER", folder, "FILE", failure.Quote(f.Path),
		"LINE", strconv.FormatInt(f.Line, 10), "ID", f.Entry,
	).Replace(run))
}

// folderOf is the folder that a path lies in, or the path itself if it is one.
func folderOf(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return strings.TrimSuffix(path, "/")
	}
	folder := path[:strings.LastIndexAny(path, `/\`)+1]
	if folder == "" {
		return "."
	}
	return strings.TrimSuffix(folder, "/")
}
