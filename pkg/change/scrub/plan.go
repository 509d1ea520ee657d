package scrub

import (
	"cmp"
	"context"
	"io"
	"maps"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/jsonl"
)

// A Secret is something that the rules have found, and where.
type Secret struct {
	Value
	Places int
	Files  map[string]bool // or sessions of a store
}

// Survey looks for secrets in everything, by the rules. The most frequent come first.
func Survey(ctx context.Context, o Options) ([]*Secret, error) {
	found := map[string]*Secret{}
	survey := redact.NewSurvey()
	v := &visit{ctx: ctx, options: o, look: func(it *Item, text io.Reader) error {
		if it.Action == Leave && it.Kind != DatabaseSession || it.Kind == StoreRest || it.Kind == StoreBackup {
			return nil
		}
		return survey.Each(text, jsonl.Options{BeforeRead: ctx.Err}, func(rule, secret string) {
			if len(secret) < shortest {
				return
			}
			s := found[secret]
			if s == nil {
				s = &Secret{Value: Value{secret, rule}, Files: map[string]bool{}}
				found[secret] = s
			}
			s.Places++
			s.Files[it.place()] = true
		})
	}}
	if err := v.all(); err != nil {
		return nil, err
	}
	return slices.SortedFunc(maps.Values(found), func(a, b *Secret) int {
		return cmp.Or(cmp.Compare(b.Places, a.Places), cmp.Compare(a.Fingerprint(), b.Fingerprint()))
	}), nil
}

// place names a file, or a session of a database.
func (it *Item) place() string {
	if it.Session == "" {
		return it.Path
	}
	return it.Path + "#" + it.Session
}

// ParseValues reads a text with a value in each line.
func ParseValues(text string) ([]Value, error) {
	if _, err := (&redact.MoreRules{Values: text}).List(); err != nil {
		return nil, err
	}
	var list []Value
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			list = append(list, Value{line, "value"})
		}
	}
	return distinct(list), nil
}

// distinct sorts values by their fingerprints, so that the numbers of placeholders depend on nothing else, and leaves
// out those that are there twice.
func distinct(list []Value) []Value {
	slices.SortFunc(list, func(a, b Value) int { return cmp.Compare(a.Fingerprint(), b.Fingerprint()) })
	return slices.CompactFunc(list, func(a, b Value) bool { return a.Text == b.Text })
}

// A Choice is what somebody wants to be removed.
type Choice struct {
	Values []Value
	known  map[string]bool // where the rules find one of them
}

// Named is the choice of values that the user names.
func Named(values []Value) Choice { return Choice{Values: values} }

// Choose returns the secrets with the given fingerprints, and further values. It also returns the fingerprints that
// nothing has.
func Choose(found []*Secret, fingerprints []string, more []Value) (c Choice, unknown []string) {
	c.known, c.Values = map[string]bool{}, slices.Clone(more)
	for _, print := range fingerprints {
		at := slices.IndexFunc(found, func(s *Secret) bool { return s.Fingerprint() == strings.ToLower(print) })
		if at < 0 {
			unknown = append(unknown, print)
			continue
		}
		c.Values = append(c.Values, found[at].Value)
		maps.Copy(c.known, found[at].Files)
	}
	c.Values = distinct(c.Values)
	return c, unknown
}

// IsFingerprint reports whether a text has the form of a fingerprint.
func IsFingerprint(text string) bool {
	return len(text) == secrets.FingerprintLen && strings.Trim(strings.ToLower(text), "0123456789abcdef") == ""
}

// A Plan is what has to be done to remove values from everything.
type Plan struct {
	Values []Value
	Items  []*Item
	Unread []Unread // could not be searched
	// Elsewhere are the folders outside of the homes that stored sessions with a value were imported from. Nothing is read
	// that the user has not named.
	Elsewhere []string

	running []string
	options Options
}

// NewPlan looks for values in everything.
func NewPlan(ctx context.Context, c Choice, o Options) (*Plan, error) {
	p := &Plan{Values: c.Values, options: o}
	tracer := newTracer(c.Values)
	v := &visit{ctx: ctx, options: o, look: func(it *Item, text io.Reader) (err error) {
		if it.Counts, err = countIn(text, tracer); err != nil || len(it.Counts) == 0 {
			return err
		}
		it.isKnown = c.known[it.place()]
		p.add(it)
		return nil
	}}
	if err := v.all(); err != nil {
		return nil, err
	}
	p.Unread, p.running = v.unread, v.running
	for key, roots := range v.roots {
		if slices.ContainsFunc(p.Items, func(it *Item) bool { return it.Kind == Stored && it.Session == key }) {
			p.Elsewhere = append(p.Elsewhere, roots...)
		}
	}
	slices.Sort(p.Elsewhere)
	p.Elsewhere = slices.Compact(p.Elsewhere)
	if slices.ContainsFunc(p.Items, func(it *Item) bool { return it.Kind == Stored }) {
		p.Items = slices.DeleteFunc(p.Items, func(it *Item) bool { return it.Kind == StoreRest })
	}
	return p, nil
}

// add adds a place that has values. Parts of one session are one place.
func (p *Plan) add(it *Item) {
	if it.Action == Rewrite && (it.Kind == Transcript || it.Kind == Trashed) && !mayWrite(it.Path) {
		it.Action, it.Why = Leave, "clawctl does not write the transcripts of this program"
	}
	at := slices.IndexFunc(p.Items, func(other *Item) bool {
		return other.Kind == it.Kind && other.Path == it.Path && other.Session == it.Session
	})
	if at < 0 {
		p.Items = append(p.Items, it)
		return
	}
	for value, n := range it.Counts {
		p.Items[at].Counts[value] += n
	}
	p.Items[at].isKnown = p.Items[at].isKnown || it.isKnown
}

// A runningError says that a home or the store is in use.
type runningError struct{ Path string }

func (e *runningError) Error() string { return "in use by another process; nothing was changed" }

// FailureAt says what is in use.
func (e *runningError) FailureAt(string) *failure.Error {
	return failure.New(failure.Locked, "%v", e).At(e.Path).WithHint(failure.Command("ls", "-l", e.Path))
}

// MayChange refuses to change anything while a program uses it.
func (p *Plan) MayChange() error {
	if len(p.running) > 0 {
		return &runningError{p.running[0]}
	}
	return nil
}

// fingerprints names the values.
func (p *Plan) fingerprints() (list []string) {
	for _, v := range p.Values {
		list = append(list, v.Fingerprint())
	}
	return list
}

// A Row is the JSON form of a place that has a value.
type Row struct {
	SchemaVersion int    `json:"schema_version"`
	Action        Action `json:"action"`
	Kind          Kind   `json:"kind"`
	Fingerprint   string `json:"fingerprint"`
	Rule          string `json:"rule"`
	Places        int    `json:"places"`
	Path          string `json:"path"`
	Session       string `json:"session,omitempty"`
	Why           string `json:"why,omitempty"`
}

// WhyLeft says why a place has a value after a run.
func (r *Row) WhyLeft() string {
	switch {
	case r.Why != "":
		return r.Why
	case r.Kind == DatabaseSession:
		return "clawctl never writes to OpenClaw's databases; delete the session there after the import"
	}
	return "it could not be changed, or was written meanwhile; run the command again"
}

// Rows returns the places of a plan, a row for each value in each.
func (p *Plan) Rows() []Row {
	var rows []Row
	for _, it := range p.Items {
		for _, value := range slices.Sorted(maps.Keys(it.Counts)) {
			v := p.Values[value]
			rows = append(rows, Row{1, it.Action, it.Kind, v.Fingerprint(), v.Rule, it.Counts[value], p.mask(it.Path),
				p.mask(it.Session), it.Why})
		}
	}
	return rows
}

// mask returns a name without the values in it.
func (p *Plan) mask(name string) string {
	return string(newEditor(p.Values).line([]byte(name)))
}

// A SecretRow is the JSON form of a secret that was found.
type SecretRow struct {
	SchemaVersion int    `json:"schema_version"`
	Fingerprint   string `json:"fingerprint"`
	Rule          string `json:"rule"`
	Places        int    `json:"places"`
	Files         int    `json:"files"`
}

// Row returns the JSON form of a secret, which does not show it.
func (s *Secret) Row() SecretRow {
	return SecretRow{1, s.Fingerprint(), s.Rule, s.Places, len(s.Files)}
}

// A Summary is the JSON form of what was done, or would be.
type Summary struct {
	SchemaVersion int    `json:"schema_version"`
	Values        int    `json:"values"`
	Places        int    `json:"places"`
	Changes       int    `json:"changes"`
	Copies        int    `json:"copies"` // sessions of OpenClaw's databases, which stay there
	Left          int    `json:"left"`
	Written       int    `json:"written"`
	Receipt       string `json:"receipt,omitempty"`
	// Checkpoints of providers that were dropped, and that were kept although they may hold a value.
	Checkpoints     int         `json:"checkpoints_dropped,omitempty"`
	CheckpointsKept int         `json:"checkpoints_kept,omitempty"`
	Rotate          []RotateRow `json:"rotate,omitempty"`
}

// A RotateRow names a value that somebody has to replace by a new one.
type RotateRow struct {
	Fingerprint string `json:"fingerprint"`
	Rule        string `json:"rule"`
	Places      int    `json:"places"`
}

// Summary sums up a plan.
func (p *Plan) Summary() *Summary {
	s := &Summary{SchemaVersion: 1, Values: len(p.Values)}
	for _, it := range p.Items {
		switch it.Action {
		case Copy:
			s.Copies++
			s.Left++
		case Leave:
			s.Left++
		default:
			s.Changes++
		}
	}
	s.Places, _ = p.Places()
	return s
}

// Places counts where the values are, and how many of these places nothing is removed from.
func (p *Plan) Places() (all, left int) {
	for _, it := range p.Items {
		for _, n := range it.Counts {
			all += n
			if it.Action == Leave || it.Action == Copy {
				left += n
			}
		}
	}
	return all, left
}

// Rotate lists the values, whether they were found or not.
func (p *Plan) Rotate() []RotateRow {
	var list []RotateRow
	for i, v := range p.Values {
		row := RotateRow{Fingerprint: v.Fingerprint(), Rule: v.Rule}
		for _, it := range p.Items {
			row.Places += it.Counts[i]
		}
		list = append(list, row)
	}
	return list
}
