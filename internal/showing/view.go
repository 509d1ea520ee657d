package showing

import (
	"cmp"
	"slices"
	"sort"
	"strings"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/export/page"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/read/render"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// Options say what is shown of a session: they are the flags of show.
type Options struct {
	Last   int    `flag:"last N: only the last N turns" least:"1"`
	From   string `flag:"from ENTRY: begin with this entry"`
	Around string `flag:"around ENTRY: show this entry, and only the messages around it"`

	Nearby int `flag:"context N: with --around: N messages before and after it" least:"1" short:"C" default:"5"`

	Leaf        string       `flag:"leaf ID: end at this entry" default:"the session's last"`
	All         bool         `flag:"all: show every branch, in the order of the file"`
	Tree        bool         `flag:"tree: show the branches and the related sessions instead of the text"`
	Compactions bool         `flag:"compactions: list the compactions and what they dropped instead of the text"`
	Tools       render.Tools `flag:"tools"`
	Thinking    bool         `flag:"thinking: show what the model thought"`
	Subagents   bool         `flag:"subagents: show the conversations of subagents below the calls that started them"`

	Sent  bool `flag:"sent: show what the model was sent, if OpenClaw recorded another text than the user's"`
	Width int  `flag:"width N: wrap to this width" least:"20" default:"that of the terminal"`
	Raw   bool `flag:"raw: do not mask keys and passwords, in Markdown, HTML and CSV or with privacy.mask"`

	Values  cli.ValuesOption
	Harness cli.HarnessOption
	Plain   bool `flag:"plain: make the HTML page work without scripts, for mail; at most 2,000 entries"`
	reading.ProgramOption
	Password cli.PasswordOption
	Span     cli.RangeOptions `usage:"entries"`
	cli.SourceOptions

	Lock  *page.Lock      // nil: the HTML page is not encrypted
	Masks bool            // mask secrets also in what is only read
	Rules []*secrets.Rule // for secrets beside those of the table
}

// A View is one session that is shown. It is read twice: once to learn which entries are on the path to the leaf,
// and again for their text.
type View struct {
	App     *cli.App
	Options *Options
	Span    cli.TimeRange
	Session *source.Session

	observe func(e *parts.Entry, text *render.Text) // is called before an entry is drawn, or nil

	home  string      // the address of the list of sessions that the page belongs to, or ""
	words *page.Words // the index of words that the page belongs to, or nil

	masker     *redact.Masker // nil: nothing is masked
	transcript *reading.Transcript
	Facts      sessionFacts
	context    *rebuild.Context
	marks      []rebuild.Node // of all entries, in the order of lines
	path       []int64        // lines from the root to the leaf
	sorted     bool           // path is in the order of the file
	start      int            // the index in path of the first entry that is shown
	entry      string         // the id of --from or --around
	from       int64          // the line of the entry with that id, 0 if there is none
	window     *window        // of --around
	extra      int64          // the first line that is shown without being an entry, 0 if there is none
	within     []string       // the files of the sessions that it is shown in
	outOfTime  bool           // no entry is from the time of --since and --until
}

// mask begins to mask secrets, if that is asked for. Documents are passed on, and are masked always.
func (s *View) mask(isDocument bool) {
	if !s.Options.Raw && (isDocument || s.Options.Masks) {
		s.masker = &redact.Masker{Rules: s.Options.Rules}
	}
}

// maker returns a maker of entries, which are masked if that is asked for.
func (s *View) maker() (m parts.Maker) {
	if s.masker != nil {
		m.Mask = s.masker.Record
	}
	m.Complete = s.completer()
	return m
}

// maskAhead returns what searches the entries that are shown for secrets where they are checked, nil if nothing is
// masked.
func (s *View) maskAhead() func() func(*jsonl.Record) any {
	if s.masker == nil {
		return nil
	}
	return s.masker.Prepare(func(rec *jsonl.Record) bool {
		at, ok := s.markAt(rec.Offset, 0)
		return ok && s.wants(s.marks[at])
	})
}

// masked returns a text that is not from an entry.
func (s *View) masked(text string) string {
	if s.masker == nil {
		return text
	}
	return s.masker.Text(text)
}

// open reads the session for the first time.
func (s *View) open(visit func(*jsonl.Record)) error {
	s.entry = cmp.Or(s.Options.From, s.Options.Around)
	if s.Options.Around != "" {
		s.window = &window{}
	}
	t, err := reading.OpenPath(s.App, s.Session, s.Options.ProgramOption, func(rec *jsonl.Record) {
		if s.from == 0 && s.entry != "" && rec.Legible() && rec.ID() == s.entry {
			s.from = rec.Line
		}
		s.window.take(rec)
		if s.extra == 0 && isExtra(rec) {
			s.extra = rec.Line
		}
		visit(rec)
	})
	if err != nil {
		return err
	}
	if s.Facts.err != nil {
		return t.Failed(s.Facts.err)
	}
	s.transcript = t
	if s.context, err = s.sureContextAt(s.Options.Leaf); err != nil {
		return err
	}
	if err := s.followBranch(); err != nil {
		return err
	}
	s.marks = s.context.Marks()
	s.path, s.sorted = s.context.PathLines()
	if s.start, err = s.findStart(); err != nil {
		return err
	}
	if s.window != nil {
		s.lookAround()
	}
	return nil
}

// openTurns is open for a form without a head, which needs to know no more than where turns begin.
func (s *View) openTurns() error {
	return s.open(func(rec *jsonl.Record) {
		if s.Options.Last > 0 {
			s.Facts.takeTurn(rec)
		}
	})
}

// followBranch changes to the branch of the first entry, if that is not on the way to the session's last one.
func (s *View) followBranch() error {
	var err error
	s.completeFrom()
	from := s.entry
	if from == "" || s.Options.Leaf != "" || slices.Contains(s.context.Path(), from) {
		return nil
	}
	nodes := s.context.Outline()
	below := make([]bool, len(nodes)) // the entry, or one that follows it
	leaf := ""
	for i, node := range nodes {
		id := s.context.EntryID(int32(i))
		below[i] = id == from || node.Parent >= 0 && below[node.Parent]
		if below[i] && id != "" {
			leaf = id
		}
	}
	if leaf != "" {
		s.context, err = s.sureContextAt(leaf)
	}
	return err
}

// sureContextAt is ContextAt that completes the index if the path depends on it.
func (s *View) sureContextAt(leaf string) (*rebuild.Context, error) {
	c, err := s.transcript.ContextAt(leaf)
	if err != nil || c.IsSure() {
		return c, err
	}
	if err := s.transcript.CompleteIndex(); err != nil {
		return nil, err
	}
	return s.transcript.ContextAt(leaf)
}

// completeFrom completes the id of --from or --around if it is the beginning of one id only, as search prints long ids.
func (s *View) completeFrom() {
	const shortest = 4
	if len(s.entry) < shortest || s.from != 0 {
		return
	}
	whole := ""
	for i := range s.context.Outline() {
		id := s.context.EntryID(int32(i))
		if !strings.HasPrefix(id, s.entry) {
			continue
		}
		if whole != "" {
			return
		}
		whole = id
	}
	if whole != "" {
		s.entry = whole
	}
}

// findStart returns the index in path of the first entry that is shown.
func (s *View) findStart() (int, error) {
	if s.entry != "" {
		at := slices.Index(s.context.Path(), s.entry)
		if at < 0 && s.from > 0 {
			at = slices.Index(s.path, s.from) // programs give the entries of a file without a header other ids
		}
		if at < 0 && s.from > 0 { // no program takes the entry for a part of the conversation
			s.Options.All = true
			return 0, nil
		}
		if at < 0 {
			return 0, failure.New(failure.Nothing, "no entry %s in the conversation", s.entry).At(s.transcript.Name).
				WithHint(failure.Command("clawctl", "show", s.Session.Place(), "--tree"))
		}
		return at, nil
	}
	for at, turns := len(s.path)-1, 0; s.Options.Last > 0 && at >= 0; at-- {
		if s.Facts.startsTurn(s.path[at]) {
			if turns++; turns == s.Options.Last {
				return at, nil
			}
		}
	}
	return 0, nil
}

// firstLine is the line of the first entry that is shown, if the path is in the order of the file.
func (s *View) firstLine() int64 {
	if s.start == 0 || len(s.path) == 0 {
		return 0
	}
	return s.path[s.start]
}

// markAt finds the mark of the entry at an offset. hint is the index where it probably is.
func (s *View) markAt(offset int64, hint int) (at int, ok bool) {
	if hint < len(s.marks) && s.marks[hint].Offset == offset {
		return hint, true
	}
	at = sort.Search(len(s.marks), func(i int) bool { return s.marks[i].Offset >= offset })
	return at, at < len(s.marks) && s.marks[at].Offset == offset
}

// wants reports whether an entry is shown, by its mark.
func (s *View) wants(m rebuild.Node) bool {
	if s.isPast(m.Line) {
		return false
	}
	if s.Options.All {
		return m.Line >= s.from
	}
	return m.OnPath && m.Line >= s.firstLine()
}

// A visitor takes the entries that are shown, in order. branch is what a branch begins after, "" for an entry that
// follows the one before it.
type visitor func(e *parts.Entry, at parts.Position, branch string) error

// each reads the session again and visits what is shown of it. If --since and --until leave nothing, it says so.
func (s *View) each(visit visitor) error {
	visited := false
	noted := func(e *parts.Entry, at parts.Position, branch string) error {
		visited = true
		return visit(e, at, branch)
	}
	visitAll := s.eachOnPath
	if s.sorted || s.Options.All {
		visitAll = s.eachLine
	}
	err := visitAll(noted)
	switch {
	case err == rebuild.ErrChanged:
		return failure.From(s.transcript.Name, err)
	case err == nil && !visited && !s.Span.IsAll():
		s.outOfTime = true
		s.App.Note("no entry of %s is from that time", s.transcript.Name)
	}
	return err
}

// IsOutOfTime reports whether --since and --until have left nothing to show.
func (s *View) IsOutOfTime() bool { return s.outOfTime }

// eachLine visits entries in the order of the file.
func (s *View) eachLine(visit visitor) error {
	m := s.maker()
	var last time.Time
	branches := s.branches()
	start, found := s.beginning()
	at := found
	for rec, err := range s.transcript.AgainFrom(start, s.maskAhead()) {
		if err != nil {
			return s.transcript.Failed(err)
		}
		if rec.Offset >= s.transcript.Size {
			break // it was written since the first reading
		}
		if s.isPast(rec.Line) {
			return nil
		}
		last = laterTime(rec, last)
		i, ok := s.markAt(rec.Offset, at)
		if at = i; ok {
			at = i + 1
		}
		if ok && rec.Offset >= start.Offset {
			found++
		}
		if !s.includes(rec, i, ok) || !s.Span.Contains(last) {
			continue
		}
		if e := s.locate(m.Entry(rec)); e != nil {
			if err := visit(e, s.position(rec.Line, i, ok), branches(i, ok)); err != nil {
				return err
			}
		}
	}
	if found < len(s.marks) {
		return rebuild.ErrChanged
	}
	return nil
}

func laterTime(rec *jsonl.Record, before time.Time) time.Time {
	if !rec.Legible() {
		return before
	}
	if t, ok := rec.Time(); ok {
		return t
	}
	return before
}

// includes reports whether a record is shown: an entry that is wanted, damage, or a checkpoint, which has no place in
// the tree.
func (s *View) includes(rec *jsonl.Record, mark int, isEntry bool) bool {
	switch {
	case rec.Blank || rec.Continued:
		return false
	case isEntry && s.wants(s.marks[mark]):
		return true
	case s.Options.All:
		return isExtra(rec) && (s.window == nil || rec.Line >= s.from)
	}
	return isExtra(rec) && rec.Line >= s.firstLine()
}

// isExtra reports whether a record is shown although it is not an entry.
func isExtra(rec *jsonl.Record) bool {
	return !rec.Legible() && !rec.Blank || rec.Legible() && rec.Type() == jsonl.TypeCheckpoint
}

// beginning returns where the second reading may begin, because nothing before it is shown, and how many entries are
// before it.
func (s *View) beginning() (at rebuild.Place, mark int) {
	if s.Options.All || !s.sorted || !s.Span.IsAll() || len(s.path) == 0 {
		return at, 0
	}
	first := s.path[s.start]
	if s.start == 0 && s.extra > 0 {
		first = min(first, s.extra)
	}
	mark = sort.Search(len(s.marks), func(i int) bool { return s.marks[i].Line > first }) - 1
	if mark <= 0 {
		return at, 0
	}
	return rebuild.Place{Line: s.marks[mark].Line, Offset: s.marks[mark].Offset}, mark
}

// locate gives an entry the place in the file that it comes from, if the session is joined with another one.
func (s *View) locate(e *parts.Entry) *parts.Entry {
	if e == nil || s.Session.JoinedLines() == 0 {
		return e
	}
	at := s.Session.Origin(e.Line, e.Offset)
	e.Line, e.Offset = at.Line, at.Offset
	if e.Harness != "" {
		e.Path = at.Path
	}
	return e
}

// position is the place of an entry in the tree. Damage lies on the path that it is shown in.
func (s *View) position(line int64, mark int, isEntry bool) parts.Position {
	at := parts.Position{OnPath: true, Marked: s.window.isMarked(line)}
	if isEntry {
		at.OnPath, at.InContext = s.marks[mark].OnPath, s.marks[mark].Shown
	}
	return at
}

// branches returns a function that says what a branch begins after. Only --all shows more than one.
func (s *View) branches() func(mark int, isEntry bool) string {
	if !s.Options.All || !s.transcript.Index.HasTree() {
		return func(int, bool) string { return "" }
	}
	context, nodes := s.context, s.context.Outline()
	previous := int32(-1)
	return func(mark int, isEntry bool) string {
		if !isEntry {
			return ""
		}
		before := previous
		previous = int32(mark)
		if parent := nodes[mark].Parent; parent >= 0 && before >= 0 && parent != before {
			return context.EntryID(parent)
		}
		return ""
	}
}

// eachOnPath visits entries in the order of the path, which is not that of the file. Damage has no place in it and
// comes last.
func (s *View) eachOnPath(visit visitor) error {
	m := s.maker()
	var last time.Time
	var damaged []*jsonl.Record
	records := func(yield func(*jsonl.Record, error) bool) {
		for rec, err := range s.transcript.Again() {
			if err == nil && rec.Damage != nil && !rec.Legible() && len(damaged) < cli.DamageShown {
				damaged = append(damaged, rec.Clone())
			}
			if !yield(rec, err) {
				return
			}
		}
	}
	at := -1
	err := s.context.PathRecords(records, func(rec *jsonl.Record) error {
		last = laterTime(rec, last)
		if at++; at < s.start || s.window.isAfter(at) || !s.Span.Contains(last) {
			return nil
		}
		i, ok := s.markAt(rec.Offset, 0)
		return visit(s.locate(m.Entry(rec)), s.position(rec.Line, i, ok), "")
	})
	if err != nil || s.window != nil {
		return err
	}
	for _, rec := range damaged {
		if e := s.locate(m.Entry(rec)); e != nil {
			if err := visit(e, parts.Position{}, ""); err != nil {
				return err
			}
		}
	}
	return nil
}
