package rebuild

import (
	"bytes"

	"clawctl/internal/failure"
	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext/javascript"
)

// Scan reads a transcript into an index. If visit is not nil, it is called with every record.
func Scan(r *jsonl.Reader, visit func(rec *jsonl.Record)) (*Index, error) {
	return ScanBy(Author{}, r, visit)
}

// ScanBy is Scan for a transcript whose author may be known.
func ScanBy(author Author, r *jsonl.Reader, visit func(rec *jsonl.Record)) (*Index, error) {
	return newInspector(r).scan(author, visit)
}

// ScanPath is ScanBy for a caller that only asks for the path and the marks of a context. It takes less time, because
// it does not look into messages. See Context.IsSure.
func ScanPath(author Author, r *jsonl.Reader, visit func(rec *jsonl.Record)) (*Index, error) {
	i := newInspector(r)
	i.ix.onlyPath = true
	return i.scan(author, visit)
}

// Inspect is ScanBy that also looks for fields and texts that were blanked out. This takes time, and only Index.Check
// tells of them.
func Inspect(author Author, r *jsonl.Reader, visit func(rec *jsonl.Record)) (*Index, error) {
	return NewInspector(r).scan(author, visit)
}

// An Inspector builds an index from the sketches of records. It is for a caller that reads the transcript itself.
type Inspector struct {
	ix       *Index
	reader   *jsonl.Reader
	inspects bool   // fields and texts that were blanked out are looked for
	before   moment // of the last record with one

	innerBlocks blockList // of messages inside compactions

	runs    map[sym]bool // that have written a message
	lastRun sym          // that has

	previous     sym // the id of the previous record
	previousHash uint32
}

// NewInspector returns what does for the text that a reader is about to read what Inspect does.
func NewInspector(r *jsonl.Reader) *Inspector {
	i := newInspector(r)
	i.inspects = true
	return i
}

func newInspector(r *jsonl.Reader) *Inspector {
	ix := &Index{names: newSymbols(), answers: map[int32]sym{}, faults: map[failure.Code][]int32{}, header: -1, version: 1}
	return &Inspector{ix: ix, reader: r}
}

func (s *Inspector) scan(author Author, visit func(rec *jsonl.Record)) (*Index, error) {
	s.reader.Prepare(s.Prepare)
	for rec, err := range s.reader.All() {
		if err != nil {
			return nil, err
		}
		s.Take(rec, rec.Prepared)
		if visit != nil {
			visit(rec)
		}
	}
	return s.Index(author), nil
}

// Prepare is for Options.Prepare of the reader. It returns a function that makes the sketches of legible records.
func (s *Inspector) Prepare() func(*jsonl.Record) any {
	sketcher := newSketcher(s.ix.names.seed, s.inspects, s.ix.onlyPath)
	var left []sketch
	return func(rec *jsonl.Record) any {
		if !rec.Legible() {
			return nil
		}
		if len(left) == 0 {
			left = slabs.Get().(*slab).sketches[:]
		}
		sk := &left[0]
		left = left[1:]
		sketcher.draw(sk, rec)
		return sk
	}
}

// Place is where the last record is that Take added.
func (s *Inspector) Place() Place { return s.ix.placeOf(int32(s.ix.count - 1)) }

// Index completes the index after the last record.
func (s *Inspector) Index(author Author) *Index {
	s.ix.Dialect = s.reader.Dialect()
	s.ix.addInner(s.innerBlocks)
	s.ix.setRules(author)
	s.ix.rules.settle(s.ix)
	s.ix.upgrade()
	s.ix.names.rest()
	return s.ix
}

// byteOrderMark is the byte order mark of UTF-8.
const byteOrderMark = "\xef\xbb\xbf"

// Take adds a record to the index, with what Prepare made of it. Lines that are not JSON are not rows to OpenClaw
// either. Lines that are not objects count as rows, which matters in version 1.
func (s *Inspector) Take(rec *jsonl.Record, prepared any) {
	s.ix.bytes += int64(len(rec.Raw))
	s.ix.hasMark = s.ix.hasMark || rec.Offset == 0 && bytes.HasPrefix(rec.Raw, []byte(byteOrderMark))
	if rec.Blank || !rec.Legible() && (rec.Damage.Code != jsonl.NotObject || rec.Continued) {
		return
	}
	e := s.ix.add()
	e.offset, e.line, e.blocks = rec.Offset, uint32(rec.Line), s.ix.blocks.end()
	if !rec.Legible() {
		e.id, e.parent, e.ref, e.ref2, e.flags = missing, missing, missing, missing, timeFits
		return
	}
	sk := prepared.(*sketch)
	if sk.entry.kind != kindSession && isForeign(rec, s.reader.Dialect()) {
		newSketcher(s.ix.names.seed, false, false).begin(sk, rec)
		sk.written = moment{}
	}
	s.takeSketch(e, sk)
	s.takeSession(sk)
	for at, inner := range sk.inner {
		s.takeInner(e, inner, at)
	}
	switch {
	case e.kind == kindSession:
		s.session(e, rec)
	case e.kind <= kindKnown && rec.Type() == jsonl.TypeCheckpoint:
		s.ix.checkpoints = append(s.ix.checkpoints, int32(s.ix.count-1))
	}
	if sk.release(); sk.last != nil {
		slabs.Put(sk.last)
	}
}

// takeSession notes where the rows of another session begin.
func (s *Inspector) takeSession(sk *sketch) {
	if n := len(s.ix.sessions); len(sk.session) > 0 && (n == 0 || string(sk.session) != s.ix.sessions[n-1].id) {
		s.ix.sessions = append(s.ix.sessions, sessionRun{int32(s.ix.count - 1), string(sk.session)})
	}
}

// isForeign reports whether a record is in another dialect than its transcript, which then ignores it.
func isForeign(rec *jsonl.Record, d jsonl.Dialect) bool {
	return rec.Translator() != d.Translated() && !rec.Translator().IsJoined()
}

// takeSketch completes an entry with what its sketch says.
func (s *Inspector) takeSketch(e *entry, sk *sketch) {
	e.kind, e.role, e.flags, e.digest = sk.entry.kind, sk.entry.role, sk.entry.flags, sk.entry.digest
	e.api = sk.entry.api
	e.parent, e.id = s.parentSymbol(&sk.parent), s.symbol(&sk.id)
	s.previous, s.previousHash = e.id, sk.id.hash
	e.ref, e.ref2 = s.symbol(&sk.ref), s.symbol(&sk.ref2)
	if answer := s.symbol(&sk.answer); answer.isName() {
		s.ix.answers[int32(s.ix.count-1)] = answer
	}
	e.blocks = s.takeBlocks(sk)
	s.takeRun(e, sk)
	s.takeFaults(sk)
	if sk.total > 0 {
		s.ix.lastTotal = sk.total
	}
	s.ix.imageBytes += sk.imageBytes
	s.ix.evidence |= sk.evidence
}

// takeRun compares the run that wrote a compaction with those of the messages before it. A run that has written none
// may begin with a compaction, so only one that another run has followed is late.
func (s *Inspector) takeRun(e *entry, sk *sketch) {
	run := s.symbol(&sk.run)
	switch {
	case !run.isName():
	case e.kind != kindCompaction:
		if s.runs == nil {
			s.runs = map[sym]bool{}
		}
		s.runs[run], s.lastRun = true, run
	case s.runs[run] && run != s.lastRun:
		sk.fault(LateSummary)
	}
}

// takeInner adds a message inside a compaction. Its entry is put behind those of the records at the end.
func (s *Inspector) takeInner(compaction *entry, sk *sketch, at int) {
	m := innerMessage{row: int32(s.ix.count - 1), at: at}
	m.entry.offset, m.entry.line = compaction.offset, compaction.line
	blocks, previous, hash := s.ix.blocks, s.previous, s.previousHash
	s.ix.blocks = s.innerBlocks
	sk.written = moment{} // its neighbours in the file are other records
	s.takeSketch(&m.entry, sk)
	s.innerBlocks, s.ix.blocks, s.previous, s.previousHash = s.ix.blocks, blocks, previous, hash
	s.ix.inner = append(s.ix.inner, m)
}

func (s *Inspector) takeBlocks(sk *sketch) uint32 {
	names := sk.names
	resolve := func(symbol sym) sym {
		if symbol != nameFollows {
			return symbol
		}
		symbol, names = s.symbol(&names[0]), names[1:]
		return symbol
	}
	for i := range sk.blocks {
		b := &sk.blocks[i]
		b.id, b.name = resolve(b.id), resolve(b.name)
	}
	return s.ix.blocks.add(sk.blocks)
}

// parentSymbol is symbol for a parent, which nearly always is the previous record.
func (s *Inspector) parentSymbol(n *name) sym {
	if n.hash == s.previousHash && len(n.text) > 0 && string(n.text) == string(s.ix.names.bytes(s.previous)) {
		return s.previous
	}
	return s.symbol(n)
}

func (s *Inspector) symbol(n *name) sym {
	if len(n.text) == 0 {
		return n.sym
	}
	return s.ix.names.ofHashed(n.text, n.hash)
}

// session reads a header.
func (s *Inspector) session(e *entry, rec *jsonl.Record) {
	if rec.Get("systemMessage").IsObject() {
		e.role = roleSystem
	}
	if s.ix.header < 0 && e.id >= emptyName {
		s.ix.header = s.ix.len() - 1
		if rec.Translator() != nil {
			s.ix.Refusal = rec.Get("refusal").String()
		}
		s.ix.version = javascript.VersionNumber(rec.Get("version"))
		s.ix.evidence |= byOpenClaw.when(s.ix.version > 3) | byGoClaw.when(dialect.IsGoClawKey(rec.Get("key")))
	}
}
