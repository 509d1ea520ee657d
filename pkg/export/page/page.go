package page

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"iter"
	"sync"
	"time"

	"clawctl/internal/calendar"
	"clawctl/internal/ui"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// maxPlain is the largest number of entries of a plain page.
const maxPlain = 2000

// A Document is what a page shows.
type Document struct {
	Name  string // its key or id
	Title string // "" if the transcript should say it
	Agent string
	// Nodes are the places of the entries in the tree, in the order of their lines.
	Nodes []rebuild.Node
	// Records reads the transcript from its beginning. It is called twice.
	Records func() iter.Seq2[*jsonl.Record, error]
	// Source is what the records come from. It is nil if they can be read only in this way.
	Source *source.Session
}

// Options change a page. The zero value makes one with a script that masks keys.
type Options struct {
	Plain bool // no script
	Raw   bool // show what looks like a key
	// Rules are for secrets beside those of the table.
	Rules []*secrets.Rule
	// Home is the address of the list of sessions that the page belongs to, or "".
	Home string
	// Words, if set, gets the words of the page, for the search of the list. Plain pages have none.
	Words *Words
	// Lock, if set, encrypts the page. A plain page cannot be encrypted.
	Lock *Lock
	// Zone is that of the times of a plain page. A script shows times in the zone of the reader.
	Zone calendar.Zone
}

// Totals are what a page says about all its entries. The numbers of messages, tokens and dollars are those of package
// stats.
type Totals struct {
	Title   string          `json:"title"`
	Entries int             `json:"entries"`
	Prompts int64           `json:"prompts"` // turns
	Answers int64           `json:"answers"`
	Calls   int64           `json:"calls"`
	Errors  int             `json:"errors"` // entries that report one, of any kind
	Images  int             `json:"images"`
	Input   int64           `json:"input"` // tokens, with those that were read from and written to a cache
	Output  int64           `json:"output"`
	Cost    float64         `json:"cost"`
	HasCost bool            `json:"has_cost"`
	Models  []string        `json:"models"`
	known   map[string]bool // the models
	First   time.Time       `json:"first,omitzero"`
	Last    time.Time       `json:"last,omitzero"`
	Masked  int             `json:"masked"`

	Messages      int64 `json:"messages"`
	ToolErrors    int64 `json:"tool_errors"`
	FailedAnswers int64 `json:"failed_answers"`
	Tokens        int64 `json:"tokens"`
	UsageKnown    bool  `json:"usage_known"` // false if no answer has recorded tokens
	CostKnown     bool  `json:"cost_known"`  // false if no answer has a recorded price

	// The script shows these, so that every place writes a number in the same way. They are "" if it is not known.

	TokenWords string `json:"token_words"`
	CostWords  string `json:"cost_words"`
}

// count sets the numbers of package stats.
func (t *Totals) count(s *stats.Tally) {
	t.Messages, t.Prompts, t.Answers, t.FailedAnswers = s.Messages, s.Turns, s.Answers, s.Failed
	t.Calls, t.ToolErrors = s.ToolCalls, s.ToolErrors
	t.Input, t.Output, t.Tokens, t.UsageKnown = s.Prompt(), s.Recorded.Output, s.Recorded.Total, s.UsageKnown()
	t.Cost, t.HasCost, t.CostKnown = s.Recorded.Cost, s.Recorded.HasCost, s.CostKnown()
	if t.UsageKnown {
		t.TokenWords = ui.Short(t.Input) + " in, " + ui.Short(t.Output) + " out"
	}
	if t.CostKnown {
		t.CostWords = ui.Dollars(t.Cost)
	}
}

// A TooManyEntriesError says that a session is too large for a plain page.
type TooManyEntriesError struct{ Entries int }

func (e *TooManyEntriesError) Error() string {
	return fmt.Sprintf("a plain page has at most %d entries, got %d", maxPlain, e.Entries)
}

// buffers are used again by one page after another.
var buffers = sync.Pool{New: func() any { return bufio.NewWriterSize(io.Discard, 256<<10) }}

// Write writes the page of a session.
func Write(ctx context.Context, w io.Writer, s *Document, o Options) (Totals, error) {
	m := &redact.Masker{Raw: o.Raw, Rules: o.Rules}
	sv, err := takeSurvey(ctx, s, m)
	if err != nil {
		return Totals{}, err
	}
	out := buffers.Get().(*bufio.Writer)
	out.Reset(w)
	defer func() {
		out.Reset(io.Discard) // and forgets where it wrote to
		buffers.Put(out)
	}()
	switch {
	case o.Plain:
		err = writePlain(out, s, sv, m, o)
	case o.Lock != nil:
		err = writeLocked(ctx, out, s, sv, m, o)
	default:
		err = writeScripted(ctx, out, s, sv, m, o)
	}
	if err != nil {
		return Totals{}, err
	}
	totals := sv.totals
	totals.Masked = m.Count
	return totals, out.Flush()
}

// writeScripted writes a page whose script shows the entries.
func writeScripted(ctx context.Context, out *bufio.Writer, s *Document, sv *survey, m *redact.Masker, o Options) error {
	writeHead(out, sessionPage, sv.totals.Title)
	if err := writeData(ctx, out, s, sv, m, o, sessionPage.scriptElement()); err != nil {
		return err
	}
	_, err := out.WriteString("</body>\n</html>\n")
	return err
}

// writeData writes the index and the bodies. The script comes after the first of them.
func writeData(
	ctx context.Context, out *bufio.Writer, s *Document, sv *survey, m *redact.Masker, o Options, script string,
) error {
	first, whole, err := sv.indexes(s, o)
	if err != nil {
		return err
	}
	if whole != nil {
		first.write(out, "start")
	} else {
		first.write(out, "index")
	}
	sv.columns = columns{Chunks: sv.columns.Chunks} // the others are in the indexes
	m.Count = 0                                     // the second reading sees every text once
	w := &bodyWriter{ctx: ctx, out: out, batch: make([][]byte, chunksPerBatch), script: script, index: whole,
		words: o.Words}
	if err := w.writeBodies(s, sv, m); err != nil {
		return err
	}
	data(out, "application/json", "tail", fmt.Appendf(nil, `{"masked":%d}`, m.Count))
	return nil
}

// data writes a script element that holds data. The data must not contain "<".
func data(out *bufio.Writer, kind, id string, content []byte) {
	fmt.Fprintf(out, `<script type="%s" id="%s">`, kind, id)
	out.Write(content)
	out.WriteString("</script>\n")
}

// addModel adds a model to the list if it is new.
func (t *Totals) addModel(model string) {
	if model == "" || t.known[model] {
		return
	}
	if t.known == nil {
		t.known = map[string]bool{}
	}
	t.known[model] = true
	t.Models = append(t.Models, model)
}
