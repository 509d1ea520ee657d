package rebuild

import (
	"bytes"
	"io"
	"iter"
	"slices"

	"clawctl/pkg/jsonl"
)

// An Ending is the last turns of a large transcript, read from its end.
//
// What lies before can change neither the path through these rows nor whether the model sees them. All rows that are
// read are plain: none of them moves the leaf or edits another one. The path through them begins with the first, every
// other row continues one of them, and the last compaction keeps nothing from before. So the tree of these rows is part
// of the tree of the whole transcript. That is checked with the rules of every program. After a reset, OpenClaw takes a
// row that does not continue one after it for one that continues the leaf. An entry always follows the last reset then,
// and so does what continues it, but an opaque row need not: with one of them, a fork needs a complete reading.
//
// Programs draw ids at random, so it is taken for granted that no earlier row has an id or a parent among the ids of
// the ending, and that none repeats an id after a reset. Nor is a reset a side row, which would not move the leaf.
type Ending struct {
	marks  []Node // without line numbers, which only a complete reading knows
	forked bool   // not every row is on the path
	text   []byte // of the rows
	offset int64  // of the first one
}

// The longest ending and the longest header that are read.
const (
	maxEnding = 16 << 20
	maxHeader = 64 << 10
)

// ReadEnding reads the last turns of a transcript. It returns nil if only a complete reading can find them. starts
// reports whether a turn begins with a record.
func ReadEnding(src io.ReaderAt, size int64, turns int, starts func(*jsonl.Record) bool) (*Ending, error) {
	header, err := readHeader(src, size)
	if err != nil || header == nil {
		return nil, err
	}
	for start, err := range jsonl.Ends(src, size) {
		if err != nil || start <= int64(len(header)) || size-start > maxEnding {
			return nil, err
		}
		e := &Ending{text: make([]byte, size-start), offset: start}
		if n, err := src.ReadAt(e.text, start); n < len(e.text) {
			return nil, err
		}
		if from, begin, found := e.find(turns, starts); found {
			return e.checked(header, from, begin)
		}
	}
	return nil, nil
}

// readHeader returns the first line, or nil if it is not the header of a version with ids.
func readHeader(src io.ReaderAt, size int64) ([]byte, error) {
	text := make([]byte, min(size, maxHeader))
	if _, err := src.ReadAt(text, 0); err != nil && err != io.EOF {
		return nil, err
	}
	end := bytes.IndexByte(text, '\n') + 1
	if end == 0 {
		return nil, nil
	}
	ix, err := Scan(jsonl.NewReader(bytes.NewReader(text[:end]), jsonl.Options{}), nil)
	if err != nil || ix.header < 0 || !(ix.version >= 3) {
		return nil, err
	}
	return text[:end], nil
}

// cut drops bytes from the beginning.
func (e *Ending) cut(n int) { e.text, e.offset = e.text[n:], e.offset+int64(n) }

// An endingRow is what is needed of a row to find the last turns.
type endingRow struct {
	parent int // the index of the row that it continues, or -1
	offset int64
	starts bool // a turn begins with it
	kept   int  // of a compaction: the index of the first row that it keeps; -1 if it is not there, or of another row
	cuts   bool // it is a compaction
}

// find returns where to begin reading and where the last turns begin, if the text has enough.
func (e *Ending) find(turns int, starts func(*jsonl.Record) bool) (from, begin int64, ok bool) {
	rows := e.rows(starts)
	head := len(rows) - 1
	if head < 0 {
		return 0, 0, false
	}
	path := []int{head}
	for rows[head].parent >= 0 {
		head = rows[head].parent
		path = append(path, head)
	}
	if slices.ContainsFunc(rows[head+1:], func(r endingRow) bool { return r.parent < head }) {
		return 0, 0, false
	}
	e.forked = len(path) < len(rows)-head
	at := slices.IndexFunc(path, func(i int) bool {
		if rows[i].starts {
			turns--
		}
		return turns == 0
	})
	if at < 0 {
		return 0, 0, false
	}
	last := slices.IndexFunc(path, func(i int) bool { return rows[i].cuts })
	if last >= 0 && last <= at && rows[path[last]].kept < head {
		return 0, 0, false
	}
	return rows[head].offset, rows[path[at]].offset, true
}

// rows reads the plain rows at the end of the text.
func (e *Ending) rows(starts func(*jsonl.Record) bool) []endingRow {
	var rows []endingRow
	index := map[string]int{}
	find := func(id string) int {
		if i, ok := index[id]; ok {
			return i
		}
		return -1
	}
	for rec := range e.Records() {
		if !isPlainRow(rec) {
			rows = rows[:0]
			clear(index)
			continue
		}
		parent, _ := rec.ParentID()
		row := endingRow{parent: find(parent), offset: rec.Offset, starts: starts(rec), kept: -1}
		index[rec.ID()] = len(rows)
		if c, isCompaction := rec.Compaction(); isCompaction {
			row.cuts, row.kept = true, find(c.FirstKeptEntryID)
		}
		rows = append(rows, row)
	}
	return rows
}

// Records returns the records of the ending. Their line numbers are those of the ending.
func (e *Ending) Records() iter.Seq2[*jsonl.Record, error] {
	return jsonl.Records(bytes.NewReader(e.text), jsonl.Options{BytesBefore: e.offset})
}

// Marks returns the marks of the records, without line numbers. A record that is not on the path is not part of the
// last turns.
func (e *Ending) Marks() []Node { return e.marks }

// checked returns the rows from begin on if nothing before from can change them, otherwise nil.
func (e *Ending) checked(header []byte, from, begin int64) (*Ending, error) {
	e.cut(int(from - e.offset))
	if !bytes.HasSuffix(e.text, []byte("\n")) {
		return nil, nil
	}
	rows, before := 0, 0
	for rec := range e.Records() {
		if !isPlainRow(rec) {
			return nil, nil
		}
		if rows++; rec.Offset < begin {
			before++
		}
	}
	for _, program := range choices {
		marks, err := e.marksBy(program, header)
		if err != nil || len(marks) != rows || e.marks != nil && !slices.Equal(marks, e.marks) {
			return nil, err
		}
		e.marks = marks
	}
	e.marks = e.marks[before:]
	e.cut(int(begin - e.offset))
	return e, nil
}

// plainTypes are the records that neither move the leaf nor, compactions aside, change what the model sees of others.
var plainTypes = map[string]bool{
	jsonl.TypeMessage: true, jsonl.TypeModelChange: true, jsonl.TypeThinkingLevelChange: true, jsonl.TypeCustom: true,
	jsonl.TypeCustomMessage: true, jsonl.TypeSessionInfo: true, jsonl.TypeCompaction: true,
}

// isPlainRow reports whether a record is intact and of a plain type, with a parent.
func isPlainRow(rec *jsonl.Record) bool {
	return !rec.Blank && rec.Damage == nil && !rec.Repeated && rec.Translator() == nil && plainTypes[rec.Type()] &&
		!rec.Get("appendMode").Exists() && rec.Get("parentId").IsString()
}

// marksBy returns the marks of the rows by the rules of a program, or nil if the path does not begin with the first
// one, end with the last one and follow their order.
func (e *Ending) marksBy(program Program, header []byte) ([]Node, error) {
	text := io.MultiReader(bytes.NewReader(header), bytes.NewReader(e.text))
	ix, err := ScanPath(Author{Forced: program}, jsonl.NewReader(text, jsonl.Options{}), nil)
	if err != nil {
		return nil, err
	}
	c, err := ix.Context("")
	if err != nil || !c.IsSure() || c.Refusal() != nil || e.forked && !ix.hasOnlyEntries() {
		return nil, nil
	}
	marks := c.Marks()[1:] // without the header
	lines, ascending := c.PathLines()
	if !ascending || len(lines) == 0 || lines[0] != 2 || lines[len(lines)-1] != int64(len(marks))+1 {
		return nil, nil
	}
	return marks, nil
}

// hasOnlyEntries reports whether OpenClaw takes every row after the header for an entry.
func (ix *Index) hasOnlyEntries() bool {
	for _, e := range ix.all() {
		if e.kind != kindSession && !e.isIndexed() {
			return false
		}
	}
	return true
}
