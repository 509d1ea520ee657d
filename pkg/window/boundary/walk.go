package boundary

import (
	"path"
	"strings"
	"unicode/utf8"

	"clawctl/internal/textid"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/fileuse"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/window/summary"
)

// mostNames is how many names of files and tools a boundary lists.
const mostNames = 20

// A walk adds up what left the context at each boundary.
type walk struct {
	opts      Options
	ids       stats.Identifier
	list      []Boundary
	qualities []summary.Quality
	pending   []backlog
	size      int64          // of the context, as the last answer tells it
	open      map[string]int // at which boundary the calls without a result leave, by their ids
	last      int            // the boundary that was visited last, or 0
}

// backlog is what leaves the context at a boundary that has not been visited yet.
type backlog struct {
	files   map[textid.ID]fileFact // by path
	calls   map[string]string      // the tools of calls without a result, by the ids of the calls
	prompts map[textKey]int        // what the user said, as often as he did
}

func newBacklog() backlog {
	return backlog{map[textid.ID]fileFact{}, map[string]string{}, map[textKey]int{}}
}

// A fileFact is what is known about a dropped file.
type fileFact struct {
	word     textid.ID // that names it in a summary
	name     string    // "" if too many have names already
	modifies bool
}

// A textKey tells the texts of messages apart.
type textKey = textid.ID

func newWalk(found *rebuild.Boundaries, opts Options) *walk {
	n := len(found.List)
	w := &walk{opts: opts, list: make([]Boundary, n), qualities: make([]summary.Quality, n), open: map[string]int{}}
	w.pending = make([]backlog, n+1)
	for i := range w.pending {
		w.pending[i] = newBacklog()
	}
	for i, b := range found.List {
		w.list[i] = Boundary{Number: i + 1, Kind: Compaction, Entry: b.Entry, Line: b.Line, Late: b.Late,
			Summary: &Summary{}}
		if b.IsReset {
			w.list[i].Kind, w.list[i].Summary = Reset, nil
		}
		w.qualities[i] = summary.Empty
		w.list[i].Dropped.Files.Unmentioned, w.list[i].Dropped.OpenCalls.Tools = []string{}, []string{}
	}
	return w
}

// visit takes an entry of the path.
func (w *walk) visit(v rebuild.Visit) error {
	if v.Boundary > 0 {
		w.takeBoundary(&w.list[v.Boundary-1], v.Record)
		return nil
	}
	m, ok := v.Record.Message()
	if !ok {
		if v.Left > 0 {
			w.list[v.Left-1].Dropped.Messages++
		}
		return nil
	}
	w.takeSize(m)
	if v.Left > 0 {
		w.drop(v.Record, m, v.Left)
	}
	w.answerCalls(m)
	return nil
}

// takeSize takes the size of the context from an answer. The request of the first one after a boundary is what the
// context was made to.
func (w *walk) takeSize(m jsonl.Message) {
	u, ok := m.Usage()
	if !ok || u.Series != "" || m.Role() != jsonl.RoleAssistant || m.IsMirror() || u.Total <= 0 {
		return
	}
	w.size = u.Total
	if w.last == 0 {
		return
	}
	b := &w.list[w.last-1]
	if size := u.Input + u.CacheRead + u.CacheWrite; size > 0 && b.TokensAfter == nil {
		b.TokensAfter, b.AfterFrom = &size, "next_answer"
	}
}

// drop adds a message that leaves the context at a boundary.
func (w *walk) drop(rec *jsonl.Record, m jsonl.Message, number int) {
	d, p := &w.list[number-1].Dropped, &w.pending[number]
	d.Messages++
	switch {
	case m.Role() == jsonl.RoleToolResult:
		d.ToolResults++
	case parts.StartsTurn(rec):
		d.Turns++
		p.prompts[keyOf(rec)]++
	}
	for use := range fileuse.OfMessage(m) {
		p.addFile(use, w.opts.Mask)
	}
	if m.Role() != jsonl.RoleAssistant {
		return
	}
	for b := range m.Blocks() {
		if call, isCall := b.ToolCall(); isCall {
			d.ToolCalls++
			w.open[call.ID] = number
			p.addCall(call, w.opts.Mask)
		}
	}
}

// addCall notes a call that has no result yet, and the files that it changes.
func (p *backlog) addCall(call jsonl.ToolCall, mask func(string) string) {
	p.calls[call.ID] = mask(call.Name)
	if !fileuse.Writes(call.Name) {
		return
	}
	for _, path := range fileuse.Paths(call.Arguments) {
		p.addFile(fileuse.Use{Path: path, Modifies: true}, mask)
	}
}

// addFile notes a file that was used.
func (p *backlog) addFile(use fileuse.Use, mask func(string) string) {
	id := textid.Of([]byte(use.Path))
	f, known := p.files[id]
	if !known {
		f.word = wordKey(lastWord(path.Base(strings.ReplaceAll(use.Path, `\`, "/"))))
		if len(p.files) < mostKeptNames {
			f.name = mask(use.Path)
		}
	}
	f.modifies = f.modifies || use.Modifies
	p.files[id] = f
}

// mostKeptNames is how many paths are kept to list those that a summary does not name.
const mostKeptNames = 1000

// answerCalls forgets the calls that a message answers.
func (w *walk) answerCalls(m jsonl.Message) {
	switch m.Role() {
	case jsonl.RoleToolResult:
		w.answerCall(m.ToolCallID())
	case jsonl.RoleUser:
		for b := range m.Blocks() {
			if b.Kind == jsonl.BlockToolResult {
				w.answerCall(b.CallID().String())
			}
		}
	}
}

func (w *walk) answerCall(id string) {
	if number, isOpen := w.open[id]; isOpen {
		delete(w.pending[number].calls, id)
		delete(w.open, id)
	}
}

// takeBoundary takes a record of a boundary: that of the boundary, or that of its summary, which may be another one.
func (w *walk) takeBoundary(b *Boundary, rec *jsonl.Record) {
	if at, ok := rec.Time(); ok && b.Time == nil {
		at = at.UTC()
		b.Time = &at
	}
	if reason := rec.Get("reason"); reason.IsString() {
		b.Reason = w.opts.Mask(reason.String())
	} else if rec.Get("details").Get("latestUnresolvedUserRequest").IsString() {
		b.Reason = "overflow" // OpenClaw notes the request only if it interrupted a run
	}
	b.takeSizes(rec, w.size)
	w.size = 0
	if b.ID == (stats.RecordID{}) {
		b.ID = w.ids.ID(rec)
	}
	w.last = b.Number
	if c, ok := rec.Compaction(); ok {
		b.FromHook, b.FromCheckpoint = c.FromHook, c.FromCheckpoint
		w.takeSummary(b, c.Summary, rec)
	}
	if b.Kind == Reset {
		w.close(b, nil)
	}
}

// takeSizes takes the sizes that a record states. Without one, the context before was as large as the last answer and
// its request.
func (b *Boundary) takeSizes(rec *jsonl.Record, last int64) {
	if n := rec.Get("tokensBefore").Int(); n > 0 {
		b.TokensBefore, b.BeforeFrom = &n, "record"
	} else if b.TokensBefore == nil && last > 0 {
		b.TokensBefore, b.BeforeFrom = &last, "last_answer"
	}
	if n := rec.Get("tokensAfter").Int(); n > 0 {
		b.TokensAfter, b.AfterFrom = &n, "record"
	}
}

// takeSummary looks at a summary, and at what it says of the files and calls.
func (w *walk) takeSummary(b *Boundary, text string, rec *jsonl.Record) {
	w.qualities[b.Number-1] = summary.Judge(text)
	b.Summary.Tokens, b.Summary.Characters = w.opts.Counter.Count(text), utf8.RuneCountInString(text)
	b.kept = repeated(rec)
	b.Summary.Sealed = len(b.kept) > 0 && strings.TrimSpace(text) == ""
	words := map[textid.ID]bool{}
	for word := range strings.FieldsFuncSeq(text, isNotInWord) {
		words[wordKey(lastWord(path.Base(word)))] = true
	}
	w.close(b, words)
}

// repeated returns the messages of the user that a compaction repeats.
func repeated(rec *jsonl.Record) map[textKey]bool {
	var kept map[textKey]bool
	for message := range rec.Get("messages").Elements() {
		if kept == nil {
			kept = map[textKey]bool{}
		}
		if message.Get("role").Is(jsonl.RoleUser) {
			kept[contentKey(message.Get("content"))] = true
		}
	}
	return kept
}

// close completes a boundary with what left at it.
func (w *walk) close(b *Boundary, words map[textid.ID]bool) {
	p, d := &w.pending[b.Number], &b.Dropped
	for key, times := range p.prompts {
		if b.kept[key] {
			d.Turns -= times
			d.Messages -= times
		}
	}
	var names []string
	for _, f := range p.files {
		d.Files.Count++
		if f.modifies {
			d.Files.Modified++
		}
		if words[f.word] {
			d.Files.Mentioned++
		} else if f.name != "" {
			names = append(names, f.name)
		}
	}
	d.Files.Unmentioned = firstNames(names)
	var tools []string
	for id, tool := range p.calls {
		delete(w.open, id)
		d.OpenCalls.Count++
		if words[wordKey(lastWord(tool))] {
			d.OpenCalls.Mentioned++
		}
		tools = append(tools, tool)
	}
	d.OpenCalls.Tools = firstNames(tools)
	*p = newBacklog()
}
