package redact

import (
	"bytes"
	"sync/atomic"

	"clawctl/pkg/change/secrets"
	"clawctl/pkg/jsonl"
)

// A Masker replaces secrets in what is made to be read or passed on, and counts what it replaced. It finds in a record
// what a Survey finds there. A secret that it has found is replaced in all later texts too. The zero value is ready to
// use, by one goroutine at a time.
type Masker struct {
	Raw   bool            // replace nothing
	Rules []*secrets.Rule // beside those of the table
	// KeepIDs leaves what programs refer to as it is.
	KeepIDs bool
	Count   int

	rules    *secrets.Detector // those that it began with
	redactor *Redactor         // has rules for secrets that were found, too
	known    map[string]bool   // secrets that were found
	found    *secrets.Detector // finds them; nil if there are none
	ahead    *ahead
	parser   jsonl.Parser
}

// An ahead is what records are searched for where they are checked: for the rules, and for the secrets that had been
// found at some time.
type ahead struct {
	detector atomic.Pointer[secrets.Detector]
	known    int // how many secrets it has
	again    int // how many records were searched again because it has not all
}

// mostKnown is how many secrets a Masker remembers.
const mostKnown = 10_000

func (m *Masker) ready() *Redactor {
	if m.redactor == nil {
		m.rules = secrets.NewDetector(m.Rules...)
		m.redactor = newRedactor(m.rules)
		m.redactor.masks, m.redactor.masksIDs = true, !m.KeepIDs
		m.known = map[string]bool{}
		m.ahead = &ahead{}
		m.ahead.detector.Store(m.rules)
	}
	return m.redactor
}

// A clean says which rules find no secret in a record. The zero value says nothing.
type clean struct{ rules *secrets.Detector }

// Prepare searches records where they are checked, for jsonl.Options: jsonl.Record.Prepared is a Clean then. isWanted
// says which of them will be masked.
func (m *Masker) Prepare(isWanted func(*jsonl.Record) bool) func() func(*jsonl.Record) any {
	m.ready()
	return func() func(*jsonl.Record) any {
		return func(rec *jsonl.Record) any {
			if !isWanted(rec) {
				return nil
			}
			return m.look(rec)
		}
	}
}

// look searches a record, for isClean. Several goroutines may look after Prepare.
func (m *Masker) look(rec *jsonl.Record) (c clean) {
	if rules := m.ahead.detector.Load(); rec.Legible() && !hasAny(rules, rec.Value()) {
		c.rules = rules
	}
	return c
}

// isClean reports whether a record has no secret, and none that was found since somebody has looked. It searches few
// records, because later ones are searched for those too where they are checked.
func (m *Masker) isClean(rec *jsonl.Record, c clean) bool {
	isComplete := m.ahead.known == len(m.known)
	switch {
	case c.rules == nil:
		return false
	case m.found == nil, isComplete && c.rules == m.ahead.detector.Load():
		return true
	case hasAny(m.found, rec.Value()):
		return false
	}
	const few, share = 8, 8 // a copy of the rules takes longer the more secrets there are
	if m.ahead.again++; !isComplete && m.ahead.again > few+len(m.known)/share {
		m.ahead.detector.Store(m.redactor.detector.Clone())
		m.ahead.known, m.ahead.again = len(m.known), 0
	}
	return true
}

// hasAny reports whether a JSON text has a secret.
func hasAny(d *secrets.Detector, text []byte) (found bool) {
	d.Strings(text, func(secrets.Leak) bool {
		found = true
		return false
	})
	return found
}

// Record returns a record without its secrets: the same one if there are none. Another is valid until the next call.
func (m *Masker) Record(rec *jsonl.Record) *jsonl.Record {
	if m.Raw || rec.Blank || rec.Continued {
		return rec
	}
	r := m.ready()
	if !rec.Legible() {
		return m.damaged(rec)
	}
	if c, _ := rec.Prepared.(clean); m.isClean(rec, c) {
		return rec
	}
	text := rec.Value()
	findings := m.find(text)
	if len(findings) == 0 {
		return rec
	}
	masked := r.rewrite(text, findings, false)
	m.count()
	return m.parser.Rewrite(rec, masked)
}

// find returns the secrets of a JSON text. What is new is remembered, and looked for in the rest of the text.
func (m *Masker) find(text []byte) []secrets.Leak {
	findings := findIn(m.redactor.detector, text)
	if len(findings) > 0 && m.remember(findings) {
		return findIn(m.redactor.detector, text)
	}
	return findings
}

// remember adds rules for secrets that were found for the first time. It reports whether there are any.
func (m *Masker) remember(findings []secrets.Leak) bool {
	var rules []*secrets.Rule
	for _, f := range findings {
		for _, match := range f.Matches {
			secret := string(f.Text[match.Start:match.End])
			if m.known[secret] || len(m.known) == mostKnown || !isTelling(secret, match.Rule.Name) {
				continue
			}
			m.known[secret] = true
			rules = append(rules, secrets.Literal(match.Rule.Name, secret))
		}
	}
	if len(rules) == 0 {
		return false
	}
	if m.found == nil {
		m.redactor.detector, m.found = m.rules.Clone(), secrets.Only()
	}
	m.redactor.detector.Add(rules...)
	m.found.Add(rules...)
	return true
}

// count adds what the redactor has replaced.
func (m *Masker) count() {
	m.Count += m.redactor.Counts.Total()
	clear(m.redactor.Counts.Places)
}

// damaged returns a line that is no JSON without its secrets, and nothing of one with zeros between its characters.
func (m *Masker) damaged(rec *jsonl.Record) *jsonl.Record {
	findings := findInRecord(m.redactor.detector, rec)
	if len(findings) == 0 {
		return rec
	}
	if bytes.IndexByte(rec.Raw, 0) >= 0 {
		m.Count += len(findings[0].Matches)
		return m.parser.Rewrite(rec, []byte(secrets.Masked))
	}
	return m.parser.Rewrite(rec, []byte(m.Text(string(rec.Text()))))
}

// Text returns a text without its secrets.
func (m *Masker) Text(text string) string {
	if m.Raw {
		return text
	}
	masked := m.ready().Text(text)
	m.count()
	return masked
}

// Value returns a JSON value without its secrets: the same one if there are none.
func (m *Masker) Value(v jsonl.Value) jsonl.Value {
	v = v.UTF8()
	if m.Raw || len(v) == 0 {
		return v
	}
	masked := m.ready().rewrite(v, m.find(v), false)
	m.count()
	return masked
}
