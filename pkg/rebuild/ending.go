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
// What lies before can change neither the path through these rows nor whether the model sees them, because each of them
// is a plain row that continues the previous one, the last of them is the leaf, and none of them moves the leaf, is a
// boundary or edits another row. That is checked with the rules of every program. One thing is taken for granted: no
// earlier row has an id or a parent among the ids of the ending. Programs draw ids at random.
type Ending struct {
	marks  []Mark // without line numbers, which only a complete reading knows
	text   []byte // of the rows
	offset int64  // of the first one
}

// The sizes of the ends that are tried: from the first on, each several times as large as the one before.
const (
	firstEnding  = 256 << 10
	endingGrowth = 8
	maxEnding    = 16 << 20
	maxHeader    = 64 << 10
)

// ReadEnding reads the last turns of a transcript. It returns nil if only a complete reading can find them. starts
// reports whether a turn begins with a record.
func ReadEnding(src io.ReaderAt, size int64, turns int, starts func(*jsonl.Record) bool) (*Ending, error) {
	return readEnding(src, size, turns, starts, firstEnding)
}

func readEnding(
	src io.ReaderAt, size int64, turns int, starts func(*jsonl.Record) bool, length int64,
) (*Ending, error) {
	header, err := readHeader(src, size)
	if err != nil || header == nil {
		return nil, err
	}
	for ; length <= maxEnding && length < size-int64(len(header)); length *= endingGrowth {
		text := make([]byte, length)
		if _, err := src.ReadAt(text, size-length); err != nil {
			return nil, err
		}
		e := &Ending{text: text, offset: size - length}
		e.cut(bytes.IndexByte(text, '\n') + 1)
		if found := e.cutTurns(turns, starts); found {
			return e.checked(header)
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

// cutTurns drops what is before the last turns. It reports whether there are as many.
func (e *Ending) cutTurns(turns int, starts func(*jsonl.Record) bool) bool {
	var begins []int64
	for rec := range e.Records() {
		if starts(rec) {
			begins = append(begins, rec.Offset)
		}
	}
	if len(begins) < turns {
		return false
	}
	e.cut(int(begins[len(begins)-turns] - e.offset))
	return true
}

// Records returns the records of the ending. Their line numbers are those of the ending.
func (e *Ending) Records() iter.Seq2[*jsonl.Record, error] {
	return jsonl.Records(bytes.NewReader(e.text), jsonl.Options{BytesBefore: e.offset})
}

// Shown reports for each record whether the model sees it.
func (e *Ending) Shown() []bool {
	shown := make([]bool, len(e.marks))
	for i, m := range e.marks {
		shown[i] = m.Shown
	}
	return shown
}

// checked returns the ending if nothing before it can change it, otherwise nil.
func (e *Ending) checked(header []byte) (*Ending, error) {
	if !bytes.HasSuffix(e.text, []byte("\n")) {
		return nil, nil
	}
	rows := 0
	for rec := range e.Records() {
		if !isPlainRow(rec) {
			return nil, nil
		}
		rows++
	}
	for _, program := range []Program{Pi, OpenClaw} {
		marks, err := e.marksBy(program, header)
		if err != nil || len(marks) != rows || e.marks != nil && !slices.Equal(marks, e.marks) {
			return nil, err
		}
		e.marks = marks
	}
	return e, nil
}

// plainTypes are the records that neither move the leaf nor change what the model sees of others.
var plainTypes = map[string]bool{
	jsonl.TypeMessage: true, jsonl.TypeModelChange: true, jsonl.TypeThinkingLevelChange: true, jsonl.TypeCustom: true,
	jsonl.TypeCustomMessage: true, jsonl.TypeSessionInfo: true,
}

// isPlainRow reports whether a record is intact and of a plain type, with a parent.
func isPlainRow(rec *jsonl.Record) bool {
	return !rec.Blank && rec.Damage == nil && !rec.Repeated && plainTypes[rec.Type()] && !rec.Get("appendMode").Exists() &&
		rec.Get("parentId").IsString()
}

// marksBy returns the marks of the rows by the rules of a program, or nil if they are not all on the path, in order.
func (e *Ending) marksBy(program Program, header []byte) ([]Mark, error) {
	text := io.MultiReader(bytes.NewReader(header), bytes.NewReader(e.text))
	ix, err := ScanBy(Author{Forced: program}, jsonl.NewReader(text, jsonl.Options{}), nil)
	if err != nil {
		return nil, err
	}
	c, err := ix.Context("")
	if err != nil || c.Refusal() != nil {
		return nil, nil
	}
	marks := c.Marks()[1:] // without the header
	lines, ascending := c.PathLines()
	if !ascending || len(lines) != len(marks) {
		return nil, nil
	}
	return marks, nil
}
