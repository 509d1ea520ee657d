package repair

import (
	"context"
	"io"
	"slices"
	"sync"
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/change"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

// Options say what to repair, and what is known about a session besides its text.
type Options struct {
	Selection validate.Selection
	Session   *source.Session
	// Now dates a header if no record has a date.
	Now time.Time
}

// A Plan is everything that a repair would change.
type Plan struct {
	Edits      change.Edits
	Mends      []Row // in the order of lines
	Left       []Row
	Notes      []Row       // that do no harm in OpenClaw, although an API refuses them
	Quarantine []byte      // lines that are taken out, as they were
	API        rebuild.API // whose rules the conversation was judged by
	// After says whether the repaired session can be continued.
	After validate.Verdict

	gone map[string]bool // ids that are no longer there
}

// maxRounds is how often a text is changed. The problems of real transcripts take at most ten rounds. What is left then
// is reported as left alone.
const maxRounds = 24

// maxProblems is the maximum number of problems that are repaired at once. Each takes half a kilobyte, and a line of
// two bytes can have one. Tests make it smaller.
var maxProblems = 100_000

// readers are reused, because allocating their buffers takes longer than reading a small transcript.
var readers = sync.Pool{New: func() any { return &jsonl.Reader{} }}

// New reads a transcript and plans its repair.
func New(ctx context.Context, text io.ReaderAt, size int64, o Options) (*Plan, error) {
	d := &draft{
		ctx: ctx, opts: o, text: text, size: size, plan: &Plan{gone: map[string]bool{}}, tried: map[attempt]int{},
		reader: readers.Get().(*jsonl.Reader),
	}
	defer readers.Put(d.reader)
	d.origin = d.edits.Origins()
	for range maxRounds {
		s, err := d.survey()
		if err != nil {
			return nil, err
		}
		if d.last = s; s.problems > maxProblems {
			break
		}
		sh, err := d.round(s)
		if err != nil {
			return nil, err
		}
		if len(sh.edits) == 0 {
			break
		}
		d.apply(sh)
	}
	d.plan.Edits = d.edits
	slices.SortStableFunc(d.plan.Mends, Row.compareLines)
	return d.plan, d.listRest()
}

// round makes the first kind of change that something needs.
func (d *draft) round(s *survey) (*sheet, error) {
	stages := []func(*survey) (*sheet, error){
		d.mendLines, d.mendRecords, d.mendLinks, d.mendConversation, d.mendOpening,
	}
	for _, stage := range stages {
		sh, err := stage(s)
		if err != nil || len(sh.edits) > 0 {
			return sh, err
		}
	}
	return &sheet{}, nil
}

// A draft is a text that is being repaired.
type draft struct {
	ctx    context.Context
	opts   Options
	text   io.ReaderAt // the original
	size   int64
	edits  change.Edits // so far
	origin func(at int64) int64
	starts []int64 // offsets of the lines of the original
	plan   *Plan
	tried  map[attempt]int
	reader *jsonl.Reader
	ids    map[string]bool // of the original, once they are needed
	last   *survey         // of the last round
}

// An attempt is a mend of one line. What does not help is not tried again and again.
type attempt struct {
	code  failure.Code
	line  int64
	entry string
}

// isWorthTrying reports whether a mend was tried at most once, since what was done meanwhile may have undone it: a link
// leads forward again after its target was moved. It notes that the mend was tried.
func (d *draft) isWorthTrying(code failure.Code, rec *jsonl.Record) bool {
	key := attempt{code, d.lineOf(d.origin(rec.Offset)), rec.ID()}
	d.tried[key]++
	return d.tried[key] <= 2
}

// takes reports whether problems with a code are mended.
func (d *draft) takes(code failure.Code) bool {
	rule, ok := validate.Lookup(code)
	return ok && d.opts.Selection.Takes(rule)
}

// current returns the text as it is now.
func (d *draft) current() io.Reader { return d.edits.Reader(d.text, d.size) }

// lineOf returns the number of the original's line at an offset.
func (d *draft) lineOf(offset int64) int64 {
	at, found := slices.BinarySearch(d.starts, offset)
	if found {
		at++
	}
	return int64(max(1, at))
}

// linesOf returns the numbers of the original's lines at some offsets of the current text, except one.
func (d *draft) linesOf(offsets []int64, except int64) []int64 {
	var lines []int64
	for _, offset := range offsets {
		if line := d.lineOf(d.origin(offset)); line != except {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return slices.Compact(lines)
}

// apply makes the changes of a round.
func (d *draft) apply(sh *sheet) {
	for _, m := range sh.mends {
		m.Line = d.lineOf(d.origin(m.offset))
		m.AlsoLines = d.linesOf(sh.followers[m.offset], m.Line)
		delete(sh.followers, m.offset) // the first change of a line has them
		d.plan.Mends = append(d.plan.Mends, m)
	}
	for _, raw := range sh.quarantined {
		d.plan.Quarantine = append(d.plan.Quarantine, raw...)
		if raw[len(raw)-1] != '\n' {
			d.plan.Quarantine = append(d.plan.Quarantine, '\n')
		}
	}
	sh.edits.Sort()
	d.edits = d.edits.Then(sh.edits, d.size)
	d.origin = d.edits.Origins()
}

// A survey is what one reading of the current text found.
type survey struct {
	ix       *rebuild.Index
	context  *rebuild.Context          // nil if there is none
	damaged  bool                      // some lines are damaged
	isUTF16  bool                      //
	hasMark  bool                      // it begins with a byte order mark
	counted  bool                      // a compaction counts the records before it
	entries  int                       // records besides headers
	linked   int                       // entries that have an id and a parent
	firstAt  time.Time                 // of the first record with a date
	dangling bool                      // the last line has no end
	size     int64                     // of the text
	problems int                       // damaged lines, faults and fixes; beyond maxProblems they are only counted
	faults   map[int64][]rebuild.Fault // by line
	fixes    map[int64][]rebuild.Fix   // by line
	codes    map[failure.Code]bool     // of all faults and fixes
}

// has reports whether any of the codes was found.
func (s *survey) has(codes ...failure.Code) bool {
	return slices.ContainsFunc(codes, func(c failure.Code) bool { return s.codes[c] })
}

// isChained reports whether the order of the lines is all that links the records.
func (s *survey) isChained() bool { return s.ix.HasMadeUpIDs() }

// isNumbered reports whether records cannot be added, moved or removed, because compactions refer to their numbers.
func (s *survey) isNumbered() bool { return s.isChained() && s.counted }

// survey reads the current text.
func (d *draft) survey() (*survey, error) {
	s := &survey{faults: map[int64][]rebuild.Fault{}, fixes: map[int64][]rebuild.Fix{}, codes: map[failure.Code]bool{}}
	isOriginal := d.starts == nil
	author := rebuild.Author{Forced: d.opts.Selection.Program, Folder: d.opts.Session.FolderOwner()}
	ix, err := rebuild.Inspect(author, d.newReader(), func(rec *jsonl.Record) {
		if isOriginal && !rec.Continued {
			d.starts = append(d.starts, rec.Offset)
		}
		s.take(rec)
	})
	if err != nil {
		return nil, err
	}
	if err := ix.Dialect.CheckOwner(); err != nil {
		return nil, err
	}
	s.ix = ix
	ix.Check(s.addFault)
	if s.context, err = ix.Context(""); err != nil {
		return s, nil // without a conversation, only the records can be mended
	}
	s.context.JudgeBy(d.opts.Selection.API)
	d.plan.API = s.context.API()
	s.context.EachFix(func(f rebuild.Fix) {
		if s.codes[f.Code] = true; s.counts() {
			s.fixes[f.Line] = append(s.fixes[f.Line], f)
		}
	})
	s.context.Check(func(f rebuild.Fault) {
		if f.Code == rebuild.RefusedDate || f.Code == rebuild.Unmetered || f.Code == rebuild.NoKept {
			s.addFault(f)
		}
	})
	return s, nil
}

// newReader returns a reader of the current text. There is one at a time.
func (d *draft) newReader() *jsonl.Reader {
	d.reader.Reset(d.current(), jsonl.Options{BeforeRead: d.ctx.Err})
	return d.reader
}

func (s *survey) addFault(f rebuild.Fault) {
	if f.Old {
		return
	}
	if s.codes[f.Code] = true; s.counts() {
		s.faults[f.Line] = append(s.faults[f.Line], f)
	}
}

// counts counts a problem, and reports whether it may be repaired.
func (s *survey) counts() bool {
	s.problems++
	return s.problems <= maxProblems
}

// take notes what a record says about the text.
func (s *survey) take(rec *jsonl.Record) {
	if rec.Damage != nil && !rec.Continued {
		s.damaged = true
		s.problems++
	}
	s.isUTF16 = s.isUTF16 || rec.Damage != nil && rec.Damage.Code == jsonl.WrongCoded
	s.hasMark = s.hasMark || rec.Offset == 0 && hasMark(rec.Raw)
	s.dangling = rec.Raw[len(rec.Raw)-1] != '\n'
	s.size = rec.Offset + int64(len(rec.Raw))
	if !rec.Legible() || rec.Type() == jsonl.TypeSession {
		return
	}
	s.entries++
	s.counted = s.counted || rec.Type() == jsonl.TypeCompaction && rec.Get("firstKeptEntryIndex").Exists()
	if _, ok := rec.ParentID(); ok && rec.ID() != "" {
		s.linked++
	}
	if at, ok := rec.Time(); ok && s.firstAt.IsZero() {
		s.firstAt = at
	}
}

// A sheet collects the changes of one round.
type sheet struct {
	edits       change.Edits
	mends       []Row
	quarantined [][]byte
	followers   map[int64][]int64 // where lines begin that change because of another one, by the offset of that one
}

// note adds a line to the plan.
func (sh *sheet) note(code failure.Code, rec *jsonl.Record, change, cost string) {
	m := Row{State: Planned, Code: code, Change: change, Cost: cost, offset: rec.Offset}
	if rec.Legible() {
		m.EntryID = rec.ID()
	}
	sh.mends = append(sh.mends, m)
}

// follow notes that the line at an offset changes because of the one at another offset.
func (sh *sheet) follow(cause, offset int64) {
	if sh.followers == nil {
		sh.followers = map[int64][]int64{}
	}
	sh.followers[cause] = append(sh.followers[cause], offset)
}

// replace replaces the JSON text of a record.
func (sh *sheet) replace(rec *jsonl.Record, text []byte) {
	sh.edits = append(sh.edits, cloned(change.Replace(textOffset(rec), rec.Text(), text)))
}

// textOffset is where the JSON text of a record begins.
func textOffset(rec *jsonl.Record) int64 {
	return rec.Offset + int64(len(rec.Raw)-len(rec.Text())-len(rec.LineEnd()))
}

// remove removes the line of a record.
func (sh *sheet) remove(rec *jsonl.Record) {
	sh.edits = append(sh.edits, change.Edit{From: rec.Offset, To: rec.Offset + int64(len(rec.Raw))})
}

// quarantine removes the line of a record and keeps it elsewhere.
func (sh *sheet) quarantine(rec *jsonl.Record) {
	sh.remove(rec)
	sh.quarantined = append(sh.quarantined, slices.Clone(rec.Raw))
}

// insert inserts a line at an offset.
func (sh *sheet) insert(offset int64, text []byte) {
	sh.edits = append(sh.edits, change.Edit{From: offset, To: offset, New: slices.Concat(text, []byte("\n"))})
}

func cloned(e change.Edit) change.Edit {
	e.New = slices.Clone(e.New)
	return e
}

// eachRecord reads the records of the current text.
func (d *draft) eachRecord(do func(rec *jsonl.Record)) error {
	for rec, err := range d.newReader().All() {
		if err != nil {
			return err
		}
		do(rec)
	}
	return nil
}
