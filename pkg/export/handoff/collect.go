package handoff

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/regex"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/fileuse"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/window/summary"
)

// A Source is a session that a prompt is made from.
type Source struct {
	Name    string // as commands take it; "" if they cannot read it again
	ID      string
	Program rebuild.Program // that wrote it; nil if it is not known
	Context *rebuild.Context
	Records iter.Seq2[*jsonl.Record, error] // of the context's transcript
	Masker  *redact.Masker                  // nil: nothing is masked
}

// Material is what a prompt may say about a session.
type Material struct {
	Session, Program, Cwd string
	id                    string // of the session, whose text is the last if there are several
	parts                 []Part // in the order of a prompt
	forgotten             int    // older pieces of turns, which were not kept
}

// ToolLength is how many characters of the arguments of a call, and of a result, agents get to read.
const ToolLength = 1000

// How much is kept of a session.
const (
	maxTurns      = 4 << 20 // bytes of the last turns
	pathLength    = 400
	maxDecisions  = 40
	maxFiles      = 200
	requestLength = 200 // characters of the latest request in the smallest prompt
)

// Collect reads a session and returns what a prompt may say about it.
func Collect(s Source) (*Material, error) {
	c := &collector{source: s, files: map[string]*usedFile{}, named: map[string]*usedFile{}, open: map[string]bool{},
		starts: []start{{1, s.ID}}}
	c.masker = s.Masker
	if c.masker == nil {
		c.masker = &redact.Masker{Raw: true}
	}
	c.maker.Mask = c.masker.Record
	for _, call := range s.Context.Calls() {
		if !call.Answered {
			c.open[call.ID] = true
		}
	}
	if err := c.read(); err != nil {
		return nil, err
	}
	return c.material(), nil
}

// read takes the entries of the conversation, in its order. Without a tree, a message that the model does not see
// although it sees earlier ones was taken back.
func (c *collector) read() error {
	context := c.source.Context
	records := c.watch(c.source.Records)
	if _, sorted := context.PathLines(); !sorted {
		return context.PathRecords(records, c.take)
	}
	marks := context.Marks()
	at, sees := 0, false
	for rec, err := range records {
		if err != nil {
			return err
		}
		for at < len(marks) && marks[at].Offset < rec.Offset {
			at++
		}
		if at == len(marks) || marks[at].Offset != rec.Offset {
			continue
		}
		_, isMessage := rec.Message()
		isTakenBack := isMessage && sees && !marks[at].Shown && !context.HasTree()
		if marks[at].Shown || marks[at].OnPath && !isTakenBack {
			if err := c.take(rec); err != nil {
				return err
			}
		}
		sees = sees || marks[at].Shown && rec.Type() != jsonl.TypeSession
	}
	return nil
}

// A collector reads one session.
type collector struct {
	source Source
	masker *redact.Masker
	maker  parts.Maker
	cwd    string
	starts []start

	prompts   []Part // of the user: the first and the last
	summary   *Part
	decisions []Part
	files     map[string]*usedFile
	uses      int                  // of files so far
	named     map[string]*usedFile // files that only shell commands name
	tasks     taskList
	open      map[string]bool // ids of calls without a result
	calls     []Part          // those calls
	turns     []Part
	size      int // bytes of turns
	forgotten int
}

// A start is the line in which the text of a session begins. A text may begin with that of other sessions.
type start struct {
	line    int64
	session string
}

// A usedFile is a file that a call has read or changed.
type usedFile struct {
	changed bool
	last    int // the number of its last use
	Origin
}

// watch passes records on, and notes what they say about the folder and about the session that they begin.
func (c *collector) watch(records iter.Seq2[*jsonl.Record, error]) iter.Seq2[*jsonl.Record, error] {
	return func(yield func(*jsonl.Record, error) bool) {
		for rec, err := range records {
			if err == nil && rec.Legible() {
				c.cwd = cmp.Or(c.cwd, rec.Origin().Folder)
				if h, ok := rec.Header(); ok && h.ID != "" && (rec.Line == 1 || h.History.Session != "") {
					c.starts = append(c.starts, start{rec.Line, h.ID})
				}
			}
			if !yield(rec, err) {
				return
			}
		}
	}
}

// take takes an entry of the path.
func (c *collector) take(rec *jsonl.Record) error {
	e := c.maker.Entry(rec)
	if e == nil || e.IsMirror() {
		return nil
	}
	at := Origin{Entry: e.ID, Line: e.Line}
	if !e.Time.IsZero() {
		at.Time = new(e.Time.UTC())
	}
	for i := range e.Parts {
		c.takePart(&e.Parts[i], at)
	}
	return nil
}

func (c *collector) takePart(p *parts.Part, at Origin) {
	text := strings.TrimSpace(p.Text())
	switch p.Kind {
	case parts.User:
		if text != "" && !p.Hidden {
			c.takeUser(text, at)
		}
	case parts.Assistant:
		if text != "" {
			c.addTurn(Part{Kind: Turn, Role: roleAssistant, Origin: at, Text: text})
			c.addDecisions(roleAssistant, text, at)
		}
	case parts.Call:
		c.takeCall(p, text, at)
	case parts.Result:
		c.tasks.name(p.Call.String(), text)
		short, cut := clip(text, ToolLength)
		c.addTurn(Part{Kind: Turn, Role: roleResult, Name: p.ToolName(), Origin: at, Text: short, Cut: cut})
	case parts.Failure:
		c.addTurn(Part{Kind: Turn, Role: roleFailure, Origin: at, Text: text})
	case parts.Image:
		text = "[image " + p.ToolName() + ", " + strconv.FormatInt(parts.ImageSize(p.Body), 10) + " bytes]"
		c.addTurn(Part{Kind: Turn, Role: roleUser, Origin: at, Text: text})
	case parts.Compaction, parts.Checkpoint, parts.BranchSummary:
		if text != "" && p.Body.IsString() {
			c.summary = &Part{Kind: Summary, Origin: at, Text: text}
		}
	}
}

// takeUser takes what the user said.
func (c *collector) takeUser(text string, at Origin) {
	c.addTurn(Part{Kind: Turn, Role: roleUser, Origin: at, Text: text})
	c.addDecisions(roleUser, text, at)
	if notice().MatchString(text) {
		return
	}
	prompt := Part{Kind: Request, Role: roleUser, Origin: at, Text: text}
	if len(c.prompts) < 2 {
		c.prompts = append(c.prompts, prompt)
	} else {
		c.prompts[1] = prompt
	}
}

// notice matches a text that a program wrote in the name of the user: one element of XML, or one line in brackets.
var notice = regex.Lazy(`^(?s:<([a-z][\w-]*)>.*</[a-z][\w-]*>)$|^\[[^\]\n]*\]$`)

func (c *collector) addDecisions(role, text string, at Origin) {
	for _, decision := range summary.Decisions(text) {
		same := func(p Part) bool { return p.Text == decision }
		if !slices.ContainsFunc(c.decisions, same) {
			c.decisions = append(c.decisions, Part{Kind: Decision, Role: role, Origin: at, Text: decision})
		}
	}
	c.decisions = slices.Clone(c.decisions[max(0, len(c.decisions)-maxDecisions):])
}

// takeCall takes a tool call: the files that it names, the tasks that it lists, and itself if it has no result.
func (c *collector) takeCall(p *parts.Part, text string, at Origin) {
	call := jsonl.ToolCall{Name: p.ToolName(), Arguments: string(p.Body)}
	for _, use := range fileuse.All(call) {
		c.note(c.files, use, at)
	}
	for _, path := range fileuse.Named(call) {
		c.note(c.named, fileuse.Use{Path: path}, at)
	}
	id := p.Call.String()
	c.tasks.take(call, id, at)
	if c.open[id] && id != "" {
		c.calls = append(c.calls, Part{Kind: OpenCall, Name: call.Name, Origin: at,
			Text: summary.Excerpt(text, summary.LineLength)})
	}
	short, cut := clip(text, ToolLength)
	c.addTurn(Part{Kind: Turn, Role: roleCall, Name: call.Name, Origin: at, Text: short, Cut: cut})
}

func (c *collector) note(files map[string]*usedFile, use fileuse.Use, at Origin) {
	path := summary.Excerpt(use.Path, pathLength)
	if path == "" {
		return
	}
	c.uses++
	changed := use.Modifies || files[path] != nil && files[path].changed
	files[path] = &usedFile{changed, c.uses, at}
}

// addTurn adds a piece of a turn, and forgets old ones if there are too many.
func (c *collector) addTurn(p Part) {
	c.turns = append(c.turns, p)
	for c.size += sizeOf(&p); c.size > maxTurns && len(c.turns) > 1; c.forgotten++ {
		c.size -= sizeOf(&c.turns[0])
		c.turns = c.turns[1:]
	}
}

// sizeOf is about how much memory a part takes.
func sizeOf(p *Part) int { return len(p.Text) + 200 }

// clip cuts a text to so many characters.
func clip(text string, length int) (short string, cut bool) {
	short = summary.Beginning(text, length)
	return short, len(short) < len(text)
}

// material puts everything in the order of a prompt.
func (c *collector) material() *Material {
	m := &Material{
		id: c.starts[len(c.starts)-1].session, Session: c.masker.Text(c.source.Name), Cwd: c.masker.Text(c.cwd),
		forgotten: c.forgotten,
	}
	if c.source.Program != nil {
		m.Program = c.source.Program.Title
	}
	m.parts = c.requests()
	if c.summary != nil {
		m.parts = append(m.parts, *c.summary)
	}
	changed, read := c.fileParts()
	m.parts = slices.Concat(m.parts, c.decisions, c.tasks.parts(), c.calls, changed, read, c.namedParts(), c.turns)
	for i := range m.parts {
		p := &m.parts[i]
		p.Text = c.masker.Text(p.Text) // what was found later is masked in earlier texts too
		c.locate(&p.Origin)
	}
	return m
}

// requests are the first and the latest one. Pieces of the last turns that repeat them refer to them.
func (c *collector) requests() []Part {
	var list []Part
	if len(c.prompts) == 0 {
		for _, p := range c.turns { // only notices
			if p.Role == roleUser {
				p.Kind = Request
				c.prompts = []Part{p}
			}
		}
	}
	for i, p := range c.prompts {
		if i < len(c.prompts)-1 {
			p.Kind = Goal
		}
		list = append(list, p)
	}
	for i := range c.turns {
		for _, p := range list {
			if t := &c.turns[i]; t.Role == roleUser && t.Line == p.Line && t.Text == p.Text {
				t.SeeAbove = true
			}
		}
	}
	return list
}

// latest returns the files that were used last, the last one at the end.
func latest(files map[string]*usedFile) []string {
	paths := slices.Collect(maps.Keys(files))
	slices.SortFunc(paths, func(a, b string) int { return cmp.Compare(files[a].last, files[b].last) })
	return paths[max(0, len(paths)-maxFiles):]
}

// namedParts lists the files that shell commands name and no other call uses.
func (c *collector) namedParts() (named []Part) {
	for _, path := range latest(c.named) {
		if c.files[path] == nil {
			named = append(named, Part{Kind: NamedFile, Origin: c.named[path].Origin, Text: path})
		}
	}
	return named
}

// fileParts lists the files that were used last.
func (c *collector) fileParts() (changed, read []Part) {
	for _, path := range latest(c.files) {
		if f := c.files[path]; f.changed {
			changed = append(changed, Part{Kind: ChangedFile, Origin: f.Origin, Text: path})
		} else {
			read = append(read, Part{Kind: ReadFile, Origin: f.Origin, Text: path})
		}
	}
	return changed, read
}

// locate sets the session of an origin, whose line is that of the whole text until now.
func (c *collector) locate(at *Origin) {
	for _, s := range slices.Backward(c.starts) {
		if at.Line >= s.line {
			at.Session, at.Line = s.session, at.Line-s.line+1
			return
		}
	}
	at.Session = c.source.ID
}
