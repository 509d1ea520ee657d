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

	counts severityCounts
	codes  map[failure.Code]int // of errors and warnings
	states [3]int               // sessions by what the API would say
	apis   APINames             // of sessions with something to send
	only   Verdict
}

// Add counts one session or place.
func (s *Summary) Add(c *Checked) {
	if s.codes == nil {
		s.codes = map[failure.Code]int{}
	}
	if c.Session != nil {
		s.Sessions++
		s.states[c.Verdict.State]++
		s.only = c.Verdict
		if c.Verdict.State != Empty {
			s.apis.Add(c.Verdict.API)
		}
	}
	for i := range c.Findings {
		f := &c.Findings[i]
		s.counts.add(f)
		if f.Severity > Info {
			s.codes[f.Rule.Code] += 1 + f.More
		}
	}
}

// Refused is the number of sessions that the API would refuse.
func (s *Summary) Refused() int { return s.states[Refused] }

// Reaches reports whether a finding is at least so severe.
func (s *Summary) Reaches(least Severity) bool {
	return slices.ContainsFunc(s.counts[least:], func(n int) bool { return n > 0 })
}

// Words sum up everything: "2 sessions: 1 error, 2 warnings, 3 notes. The Anthropic Messages API would accept 1
// conversation and refuse 1."
func (s *Summary) Words() string {
	text := ui.Count(s.Sessions, "session") + ": "
	if s.Unread > 0 {
		text += ui.Thousands(int64(s.Unread)) + " not read to the end; otherwise "
	}
	text += s.counts.String()
	if verdict := s.verdictWords(); verdict != "" {
		text += ". " + verdict + "."
	}
	return text
}

func (s *Summary) verdictWords() string {
	accepted, refused := s.states[Accepted], s.states[Refused]
	switch {
	case s.Unread == s.Sessions:
		return ""
	case s.Sessions == 1:
		return s.only.Sentence()
	case accepted+refused == 0:
		return ""
	case refused == 0:
		return s.apis.Subject() + " would accept every conversation"
	}
	text := s.apis.Subject() + " would accept " + ui.Count(accepted, "conversation") + " and refuse " +
		ui.Thousands(int64(refused))
	if empty := s.states[Empty]; empty > 0 {
		text += "; " + ui.Count(empty, "session") + " without messages"
	}
	return text
}

// WorstCode is the code of the worst finding, the most frequent of those. It is "" if there are only notes.
func (s *Summary) WorstCode() (code failure.Code) {
	for i := range Rules {
		r := &Rules[i]
		if s.codes[r.Code] == 0 || r.Severity == Info {
			continue
		}
		best, ok := Lookup(code)
		if !ok || r.Severity > best.Severity || r.Severity == best.Severity && s.codes[r.Code] > s.codes[code] {
			code = r.Code
		}
	}
	return code
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

// Sentence says what the API would do with one conversation, without the full stop.
func (v *Verdict) Sentence() string {
	switch v.State {
	case Accepted:
		return "The " + v.API.Title() + " would accept this conversation"
	case Refused:
		text := "The " + v.API.Title() + " would refuse this conversation, because of " + string(v.Code)
		if v.Code == rebuild.RefusedDate {
			text = "OpenClaw would refuse this session, because of " + string(v.Code)
		}
		if v.Line > 0 {
			text += " on line " + ui.Thousands(v.Line)
		}
		return text + ": " + v.Words
	}
	return "There are no messages to send"
}

// APINames are the APIs that conversations were judged by, each once, in the order in which they came up.
type APINames []string

// Add notes an API.
func (n *APINames) Add(api rebuild.API) {
	if name := api.String(); name != "" && !slices.Contains(*n, name) {
		*n = append(*n, name)
	}
}

// Subject names the APIs at the beginning of a sentence.
func (n APINames) Subject() string {
	if len(n) == 1 {
		return "The " + rebuild.APINamed(n[0]).Title()
	}
	return "Their APIs (" + strings.Join(n, ", ") + ")"
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
