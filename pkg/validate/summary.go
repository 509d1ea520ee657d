package validate

import (
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/rebuild"
)

// A Summary counts what was found in sessions and places. The zero Summary is ready to use.
type Summary struct {
	Sessions int
	Unread   int // sessions that could not be read to their end
	// LeftSecrets says that nobody looked for keys and passwords.
	LeftSecrets bool

	counts severityCounts
	tally  Tally
	states [4]int   // sessions by their verdicts
	apis   APINames // of sessions with something to send
	only   Verdict
}

// Add counts one session or place.
func (s *Summary) Add(c *CheckedSession) {
	if c.Session != nil {
		s.Sessions++
		s.states[c.Verdict.State]++
		s.only = c.Verdict
		if c.Verdict.State != Empty {
			s.apis.Add(c.Verdict.API)
		}
	}
	for i := range c.Findings {
		s.counts.add(&c.Findings[i])
	}
	s.tally.Add(c.Path, c.Findings)
}

// Stuck is the number of sessions that cannot be continued.
func (s *Summary) Stuck() int { return s.states[Stuck] }

// Reaches reports whether a finding is at least so severe.
func (s *Summary) Reaches(least Severity) bool {
	return slices.ContainsFunc(s.counts[least:], func(n int) bool { return n > 0 })
}

// Words sum up everything: "2 sessions: 1 error, 2 warnings, 3 notes. 1 can be continued, 1 cannot (API:
// anthropic-messages)."
func (s *Summary) Words() string {
	text := ui.Count(s.Sessions, "session") + ": "
	if s.Unread > 0 {
		text += ui.Thousands(int64(s.Unread)) + " not read to the end; otherwise "
	}
	text += s.counts.String()
	if verdict := s.verdictWords(); verdict != "" {
		text += ". " + verdict + "."
	}
	if s.LeftSecrets {
		text = strings.TrimSuffix(text, ".") + ". Secrets were not looked for (--secrets)."
	}
	return text
}

func (s *Summary) verdictWords() string {
	continues, corrected, stuck := s.states[Continues], s.states[Corrected], s.states[Stuck]
	switch {
	case s.Unread == s.Sessions:
		return ""
	case s.Sessions == 1:
		return s.only.Sentence()
	case continues+corrected+stuck == 0:
		return ""
	}
	text := ui.Thousands(int64(continues+corrected)) + " can be continued"
	if stuck == 0 && s.states[Empty] == 0 {
		text = "All can be continued"
	}
	if corrected > 0 {
		text += ", " + ui.Thousands(int64(corrected)) + " of them after corrections that their program makes"
	}
	if stuck > 0 {
		text += "; " + ui.Thousands(int64(stuck)) + " cannot"
	}
	if empty := s.states[Empty]; empty > 0 {
		text += "; " + ui.Count(empty, "session") + " without messages"
	}
	return text + s.apis.Remark()
}

// WorstCode is the code of the worst finding, the most frequent of those. It is "" if there are only notes.
func (s *Summary) WorstCode() failure.Code {
	if rows := s.tally.Rows(); len(rows) > 0 && rows[0].Severity > Info {
		return rows[0].Rule.Code
	}
	return ""
}

// severityCounts are the numbers of findings by severity.
type severityCounts [3]int

func (n *severityCounts) add(f *Finding) { n[f.Severity] += 1 + f.More }

// String is "1 error, 2 warnings, 3 notes".
func (n severityCounts) String() string {
	if n == (severityCounts{}) {
		return "no problems"
	}
	return ui.Count(n[Error], "error") + ", " + ui.Count(n[Warn], "warning") + ", " + ui.Count(n[Info], "note")
}

// APINames are the APIs that conversations were judged by, each once, in the order in which they came up.
type APINames []string

// Add notes an API.
func (n *APINames) Add(api rebuild.API) {
	if name := api.String(); name != "" && !slices.Contains(*n, name) {
		*n = append(*n, name)
	}
}

// Remark names the APIs after what was judged by them.
func (n APINames) Remark() string {
	switch len(n) {
	case 0:
		return ""
	case 1:
		return " (API: " + n[0] + ")"
	}
	return " (APIs: " + strings.Join(n, ", ") + ")"
}
