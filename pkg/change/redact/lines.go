package redact

import (
	"bytes"
	"io"
	"iter"
	"maps"
	"slices"
	"strings"

	"clawctl/pkg/change/secrets"
	"clawctl/pkg/jsonl"
)

// A Survey reads transcripts and remembers the secrets in them.
type Survey struct {
	rules    []*secrets.Rule // beside those of the table
	detector *secrets.Detector
	secrets  map[string]string // the rule of every secret
	places   map[string]int    // by rule
}

// NewSurvey returns a survey with the rules of the table and further ones.
func NewSurvey(more ...*secrets.Rule) *Survey {
	return (&Survey{rules: more, detector: secrets.NewDetector(more...)}).Another()
}

// Another returns an empty survey with the same rules, which another goroutine may use at the same time.
func (s *Survey) Another() *Survey {
	return &Survey{rules: s.rules, detector: s.detector, secrets: map[string]string{}, places: map[string]int{}}
}

// Join adds what another survey has found, if there is one, and returns in how many places.
func (s *Survey) Join(other *Survey) (places int) {
	if other == nil {
		return 0
	}
	for rule, n := range other.places {
		s.places[rule] += n
		places += n
	}
	for secret, rule := range other.secrets {
		if s.secrets[secret] == "" {
			s.secrets[secret] = rule
		}
	}
	return places
}

// Places returns how many places have secrets, by rule.
func (s *Survey) Places() map[string]int { return maps.Clone(s.places) }

// Secrets returns how many different secrets of a rule were found.
func (s *Survey) Secrets(rule string) (n int) {
	for _, name := range s.secrets {
		if name == rule {
			n++
		}
	}
	return n
}

// Add surveys a JSON text, such as a sessions.json, and returns how many places in it have secrets.
func (s *Survey) Add(text []byte) int { return s.note(findIn(s.detector, text)) }

// Session surveys a transcript, and returns how many places in it have secrets.
func (s *Survey) Session(in io.Reader, opts jsonl.Options) (places int, err error) {
	opts.Prepare = func() func(*jsonl.Record) any {
		return func(rec *jsonl.Record) any { return findInRecord(s.detector, rec) }
	}
	for rec, err := range jsonl.Records(in, opts) {
		if err != nil {
			return places, err
		}
		places += s.note(rec.Prepared.([]secrets.Leak))
	}
	return places, nil
}

// note remembers findings.
func (s *Survey) note(findings []secrets.Leak) int {
	var places int
	for secret, rule := range placesOf(findings) {
		places++
		s.places[rule]++
		if s.secrets[string(secret)] == "" {
			s.secrets[string(secret)] = rule
		}
	}
	return places
}

// placesOf returns the secrets of findings, each at its place, with the names of their rules.
func placesOf(findings []secrets.Leak) iter.Seq2[[]byte, string] {
	return func(yield func([]byte, string) bool) {
		for _, f := range findings {
			for _, m := range unmarked(f.Text, f.Matches) {
				if !yield(f.Text[m.Start:m.End], m.Rule.Name) {
					return
				}
			}
		}
	}
}

// findIn returns the strings of a JSON text that have secrets.
func findIn(d *secrets.Detector, text []byte) (list []secrets.Leak) {
	d.Strings(text, func(f secrets.Leak) bool {
		list = append(list, f)
		return true
	})
	return list
}

// findInRecord returns the secrets of a record. The findings of a line that is no JSON are in the line itself.
func findInRecord(d *secrets.Detector, rec *jsonl.Record) []secrets.Leak {
	switch {
	case rec.Blank:
		return nil
	case rec.Legible():
		return findIn(d, rec.Text())
	}
	text := bytes.ReplaceAll(rec.Raw, []byte{0}, nil) // of UTF-16, or of a hole in a line
	if matches := d.Find(text); len(matches) > 0 {
		return []secrets.Leak{{Start: 0, End: len(text), Text: text, Matches: matches}}
	}
	return nil
}

// The limits of what a Redactor looks for by itself. A shorter secret stands in other words too, and so many secrets
// are none.
const (
	shortestSecret = 8
	mostSecrets    = 20_000
)

// Redactor returns a redactor that replaces everything that was found, also where nothing gives it away.
func (s *Survey) Redactor() *Redactor {
	rules := slices.Clone(s.rules)
	for _, secret := range slices.Sorted(maps.Keys(s.secrets)) {
		switch rule := s.secrets[secret]; {
		case rule == "user" && isCommonName(secret), len(rules) > mostSecrets:
		case rule == "user":
			rules = append(rules, secrets.Word(rule, secret))
		case isTelling(secret, rule):
			rules = append(rules, secrets.Literal(rule, secret))
		}
	}
	return newRedactor(secrets.NewDetector(rules...))
}

// isTelling reports whether a secret is looked for by itself, without what gave it away.
func isTelling(secret, rule string) bool {
	return len(secret) >= shortestSecret && len(secret) < 4096 && rule != "user" && !isPersonal(rule)
}

// isPersonal reports whether a rule finds what it looks for wherever it stands.
func isPersonal(rule string) bool {
	return slices.Contains([]string{"email", "phone", "ip", "value", "pattern"}, rule)
}

// isCommonName reports whether the name of a user is also a word, which is left alone outside of paths.
func isCommonName(name string) bool {
	return len(name) < 3 || slices.Contains(strings.Fields(`
		root user users home admin node app dev test ubuntu debian runner work git www guest nobody default vscode
		docker agent main project workspace name username`), name)
}

// Session writes a transcript without its secrets.
func (r *Redactor) Session(in io.Reader, out io.Writer, opts jsonl.Options) error {
	opts.Prepare = func() func(*jsonl.Record) any {
		return func(rec *jsonl.Record) any {
			if isTooLong(rec) {
				return []secrets.Leak(nil) // it is left out, whatever it has
			}
			return findInRecord(r.detector, rec)
		}
	}
	w := jsonl.NewWriter(out)
	for rec, err := range jsonl.Records(in, opts) {
		if err != nil {
			return err
		}
		if err = w.WriteRaw(r.record(rec, rec.Prepared.([]secrets.Leak))); err != nil {
			return err
		}
	}
	return w.Flush()
}

// Record returns the bytes of a record without its secrets: the same slice if there are none, and nil for a line that
// cannot be searched.
func (r *Redactor) Record(rec *jsonl.Record) []byte {
	return r.record(rec, findInRecord(r.detector, rec))
}

// record returns the bytes of a record without its secrets.
func (r *Redactor) record(rec *jsonl.Record, findings []secrets.Leak) []byte {
	isChanged := len(findings) > 0
	if rec.Offset == 0 {
		r.replaced = false
	}
	defer func() { r.replaced = r.replaced || isChanged }()
	switch {
	case rec.Legible() && (r.replaced || isChanged) && r.dropsCheckpoint(rec):
		text := withoutCheckpoint(rec.Text())
		return surround(rec.Raw, rec.Text(), r.rewrite(text, findIn(r.detector, text), false))
	case isTooLong(rec):
		if !rec.Continued {
			r.leaveOut(rec)
		}
		return nil // a secret may be between two pieces
	case len(findings) == 0:
		return rec.Raw
	case rec.Legible():
		return surround(rec.Raw, rec.Text(), r.rewrite(rec.Text(), findings, false))
	case len(findings[0].Text) != len(rec.Raw): // it has NUL bytes between the characters
		r.leaveOut(rec)
		return nil
	}
	return []byte(r.Text(string(rec.Raw)))
}

func isTooLong(rec *jsonl.Record) bool { return rec.Damage != nil && rec.Damage.Code == jsonl.TooLong }

// leaveOut counts a line that is left out.
func (r *Redactor) leaveOut(rec *jsonl.Record) {
	r.Counts.Lines++
	if r.LeftOut != nil {
		r.LeftOut(rec)
	}
}

// surround returns the new text with what is around the old one: a byte order mark and the line end.
func surround(raw, old, text []byte) []byte {
	at := bytes.Index(raw, old)
	return slices.Concat(raw[:at], text, raw[at+len(old):])
}

// An Again searches what is written to it for secrets, as the Redactor does.
type Again struct {
	*io.PipeWriter
	done chan result
}

type result struct {
	places int
	err    error
}

// Again returns a writer that searches a copy once more. Finish must be called at its end.
func (r *Redactor) Again(opts jsonl.Options) *Again {
	in, out := io.Pipe()
	a := &Again{out, make(chan result, 1)}
	survey := &Survey{detector: r.detector, secrets: map[string]string{}, places: map[string]int{}}
	go func() {
		places, err := survey.Session(in, opts)
		in.CloseWithError(err)
		a.done <- result{places, err}
	}()
	return a
}

// Finish returns how many places have secrets.
func (a *Again) Finish() (places int, err error) {
	a.Close()
	r := <-a.done
	return r.places, r.err
}
