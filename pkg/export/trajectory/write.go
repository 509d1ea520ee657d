package trajectory

import (
	"bufio"
	"bytes"
	"encoding/json"
	"io"

	"clawctl/internal/failure"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/jsonl"
)

// ErrNoSteps means that nothing of a session is a step. A trajectory has at least one.
var ErrNoSteps error = &failure.Sentinel{Code: failure.NoSteps, Text: "the session has no steps"}

// An input is what a trajectory is made from.
type input struct {
	ID       string // of the session
	Document string // of this trajectory, unique among those that are written together
	Agent    Agent
	// Path calls emit with the records from the root to the leaf. It is called twice.
	Path func(emit func(*jsonl.Record) error) error
	// Loose calls emit with the records that have usage and are in no branch. It is nil if there are none.
	Loose func(emit func(*jsonl.Record) error) error
	// Subagents are the sessions that this one started.
	Subagents []subagent
	// Continued is the file of the trajectory in which the session goes on, or "".
	Continued string
	// LeftOut counts what the transcript has besides its path, by name.
	LeftOut map[string]int
	// Extra are further facts about the session.
	Extra map[string]any
}

// A subagent is a session that another one started.
type subagent struct {
	Key, ID string
	File    string // its trajectory, relative to that of the session
}

// Options change what is written. The zero value masks keys, leaves out images and writes a single line.
type Options struct {
	Raw bool // do not mask what looks like a key
	// Rules are for secrets beside those of the table.
	Rules []*secrets.Rule
	Lines bool // write every step on a line of its own
	// Image stores an image and returns its address, or "" if it is left out.
	Image func(mime string, data jsonl.Value) (address string, err error)
}

// A summary says what was written.
type summary struct {
	Masked  int
	LeftOut map[string]int // what could not be expressed, by name
	Final   finalMetrics
}

// Write writes the trajectory of a session, without a line end.
func Write(w io.Writer, s *input, o Options) (*summary, error) {
	plan, err := survey(s)
	if err != nil {
		return nil, err
	}
	d := &document{out: bufio.NewWriterSize(w, 256<<10), lines: o.Lines}
	b := newBuilder(s, &o, plan)
	b.write = d.step
	if err := d.head(b, plan.model); err != nil {
		return nil, err
	}
	if err := b.readPath(); err != nil {
		return nil, err
	}
	if err := b.finish(); err != nil {
		return nil, err
	}
	if err := b.countLoose(); err != nil {
		return nil, err
	}
	final := b.totals.final(b.steps)
	if err := d.tail(b, final); err != nil {
		return nil, err
	}
	return &summary{Masked: b.masker.Count, LeftOut: b.leftOut, Final: final}, d.out.Flush()
}

// A plan is what the first reading of a path finds out.
type plan struct {
	results map[int]int     // how many results a step gets, by its number
	kept    map[string]bool // the ids of the entries that compactions keep first
	model   string          // the first that answered
}

// survey reads a path for the first time.
func survey(s *input) (*plan, error) {
	p := &plan{results: map[int]int{}, kept: map[string]bool{}}
	b := newBuilder(s, &Options{Raw: true}, p)
	b.surveys = true
	if err := b.readPath(); err != nil {
		return nil, err
	}
	if b.steps == 0 {
		return nil, ErrNoSteps
	}
	return p, nil
}

// A document is a trajectory that is being written.
type document struct {
	out    *bufio.Writer
	lines  bool
	buffer bytes.Buffer
	begun  bool // a step was written
}

// head writes what comes before the steps.
func (d *document) head(b *builder, model string) error {
	s, agent := b.session, b.session.Agent
	agent.Model, agent.Tools = model, nil
	for _, tool := range s.Agent.Tools {
		agent.Tools = append(agent.Tools, b.value(b.masker.Value(jsonl.Value(tool))))
	}
	head := struct {
		Version   string `json:"schema_version"`
		Session   string `json:"session_id,omitempty"`
		Document  string `json:"trajectory_id,omitempty"`
		Agent     Agent  `json:"agent"`
		Continued string `json:"continued_trajectory_ref,omitempty"`
	}{schemaVersion, s.ID, s.Document, agent, s.Continued}
	text, err := d.json(head)
	if err != nil {
		return err
	}
	d.out.Write(bytes.TrimSuffix(text, []byte("}")))
	_, err = d.out.WriteString(`,"steps":[`)
	return err
}

func (d *document) step(s *step) error {
	text, err := d.json(s)
	if err != nil {
		return err
	}
	if d.begun {
		d.out.WriteByte(',')
	}
	d.begun = true
	d.breakLine()
	_, err = d.out.Write(text)
	return err
}

// tail writes what comes after the steps.
func (d *document) tail(b *builder, final finalMetrics) error {
	tail := struct {
		Notes string       `json:"notes"`
		Final finalMetrics `json:"final_metrics"`
		Extra extra        `json:"extra,omitempty"`
	}{b.notes(), final, b.rootExtra()}
	text, err := d.json(tail)
	if err != nil {
		return err
	}
	d.breakLine()
	d.out.WriteString("],")
	_, err = d.out.Write(bytes.TrimPrefix(text, []byte("{")))
	return err
}

// breakLine ends a line, if the document has several.
func (d *document) breakLine() {
	if d.lines {
		d.out.WriteByte('\n')
	}
}

// json returns a value as JSON on one line. It is valid until the next call.
func (d *document) json(value any) ([]byte, error) {
	d.buffer.Reset()
	encoder := json.NewEncoder(&d.buffer)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(d.buffer.Bytes(), []byte("\n")), nil
}

// rootExtra returns what the trajectory as a whole has besides its fields.
func (b *builder) rootExtra() extra {
	var x extra
	for name, value := range b.session.Extra {
		if text, ok := value.(string); ok {
			value = b.masker.Text(text)
		}
		x.set(name, value)
	}
	if len(b.leftOut) > 0 {
		x.set("left_out", b.leftOut)
	}
	if len(b.records) > 0 {
		x.set("records", b.records)
	}
	if b.masker.Count > 0 {
		x.set("masked_secrets", b.masker.Count)
	}
	return x
}

// notes explains what readers may not expect.
func (b *builder) notes() string {
	text := "Written by clawctl export --as atif from the active path of the session."
	if len(b.leftOut) > 0 {
		text += " extra.left_out counts what is not in the trajectory."
	}
	if b.totals.outside.Total != 0 {
		text += " The totals include paid work outside of the agent's steps, such as summaries. " +
			"final_metrics.extra.outside_steps has its share."
	}
	return text
}

// newBuilder returns a builder for one reading of a path.
func newBuilder(s *input, o *Options, p *plan) *builder {
	b := &builder{
		session: s, options: o, plan: p, masker: redact.Masker{Raw: o.Raw, Rules: o.Rules, KeepIDs: true},
		calls: map[string][]*call{}, firstKept: map[string]int{}, leftOut: map[string]int{},
		write: func(*step) error { return nil }, totals: newTotals(),
	}
	b.maker.Mask = b.masker.Record
	b.subagents = append(b.subagents, s.Subagents...)
	for name, n := range s.LeftOut {
		b.leftOut[name] = n
	}
	return b
}
