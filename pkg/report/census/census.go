// Package census lists what clawctl has never seen in transcripts: types of records, fields, and values of
// enumerations. The tables of package dialect say what is known. Nobody looks into arguments, details, results and
// other values of any form, and a name that may be content is only measured.
package census

import (
	"cmp"
	"maps"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// A Census adds up what is unknown in several sessions. The zero Census is empty.
type Census struct {
	rows map[rowKey]*Row
	// More is how many sightings are left out because there are too many different ones.
	More int64
	// Sessions, Records and Damaged are what was looked at, and how many records could not be read.
	Sessions         int
	Records, Damaged int64
}

// rowKey is what a row counts.
type rowKey struct {
	Author
	Sighting
}

// An Author is the program and the version that wrote something.
type Author struct {
	Program string `json:"program"`           // its name
	Form    string `json:"dialect"`           // of a transcript, or "index"
	Version string `json:"version,omitempty"` // of the program, if it is recorded
}

// A Row is something unknown, how often it occurs, and where it is for the first time. Fields are added, never renamed.
type Row struct {
	SchemaVersion int    `json:"schema_version"`
	Kind          string `json:"kind"` // that of the sighting
	Author
	Sighting
	Count    int64  `json:"count"`
	Sessions int    `json:"sessions"`
	Session  string `json:"session"` // the name of the first session
	Path     string `json:"path"`
	Line     int64  `json:"line,omitempty"` // 0 for the entry of an index
}

// A Result is what is unknown in one session.
type Result struct {
	author           rebuild.Witness
	lines, entry     tally
	records, damaged int64
	dialect          jsonl.Dialect
}

// A tally counts sightings in the order in which they occur for the first time.
type tally struct {
	order []*count
	by    map[Sighting]*count
	more  int64
}

type count struct {
	Sighting
	n, line int64
}

// addAll adds what is unknown in a line.
func (t *tally) addAll(l *line, number int64) {
	if l == nil {
		return
	}
	t.more += l.more
	for _, s := range l.found {
		t.add(s, number)
	}
}

func (t *tally) add(s *Sighting, line int64) {
	c := t.by[*s]
	switch {
	case c != nil:
		c.n++
		return
	case len(t.order) >= mostNames:
		t.more++
		return
	case t.by == nil:
		t.by = map[Sighting]*count{}
	}
	c = &count{*s, 1, line}
	t.by[*s] = c
	t.order = append(t.order, c)
}

// Read looks at all records of a session and at its entry in an index.
func Read(r *jsonl.Reader, s *source.Session) (*Result, error) {
	result := &Result{}
	r.Prepare(result.author.Prepare(func() func(*jsonl.Record) any {
		w := newWalker()
		return func(rec *jsonl.Record) any { return lineOf(w.line(rec)) }
	}))
	for rec, err := range r.All() {
		if err != nil {
			return result, err
		}
		result.take(rec)
	}
	result.dialect = r.Dialect()
	result.entry.addAll(lineOf(newWalker().entry(s.Entry.Raw)), 0)
	return result, nil
}

// take counts what is unknown in a record.
func (r *Result) take(rec *jsonl.Record) {
	switch {
	case rec.Blank || rec.Continued:
		return
	case !rec.Legible():
		r.damaged++
		return
	}
	r.records++
	r.author.Take(rec)
	found, _ := rec.Prepared.(*line)
	r.lines.addAll(found, rec.Line)
}

// A line is what is unknown in one.
type line struct {
	found []*Sighting
	more  int64
}

// lineOf keeps what a walker returns. It is nil if there is nothing unknown, as in most lines.
func lineOf(found []*Sighting, more int64) *line {
	if len(found) == 0 {
		return nil
	}
	return &line{slices.Clone(found), more}
}

// Add adds a session.
func (c *Census) Add(s *source.Session, known rebuild.Author, r *Result) {
	c.Sessions++
	c.Records += r.records
	c.Damaged += r.damaged
	by := Author{r.author.Writer(known, r.dialect), r.dialect.String(), ""}
	if isShown([]byte(s.AppVersion)) {
		by.Version = s.AppVersion
	}
	c.addAll(by, &r.lines, s)
	by.Form = "index"
	c.addAll(by, &r.entry, s)
}

func (c *Census) addAll(author Author, t *tally, s *source.Session) {
	c.More += t.more
	for _, seen := range t.order {
		key := rowKey{author, seen.Sighting}
		row := c.rows[key]
		switch {
		case row == nil && len(c.rows) >= mostNames:
			c.More += seen.n
			continue
		case row == nil:
			row = &Row{
				SchemaVersion: 1, Kind: seen.Kind.String(), Author: author, Sighting: seen.Sighting, Session: s.Name(),
				Path: s.Place(), Line: seen.line,
			}
			if c.rows == nil {
				c.rows = map[rowKey]*Row{}
			}
			c.rows[key] = row
		}
		row.Count += seen.n
		row.Sessions++
	}
}

// Rows returns everything unknown, by author, kind and name.
func (c *Census) Rows() []*Row {
	return slices.SortedFunc(maps.Values(c.rows), func(a, b *Row) int {
		return cmp.Or(cmp.Compare(a.Program, b.Program), cmp.Compare(a.Form, b.Form), cmp.Compare(a.Version, b.Version),
			cmp.Compare(a.Sighting.Kind, b.Sighting.Kind), cmp.Compare(a.Place, b.Place), cmp.Compare(a.Field, b.Field),
			cmp.Compare(a.Name, b.Name), cmp.Compare(a.Bytes, b.Bytes))
	})
}
