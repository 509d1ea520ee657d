package tokens

import (
	_ "embed"
	"encoding/binary"
	"sync"
	"unicode/utf8"
	"unsafe"
)

//go:generate go run ./gen

//go:embed cl100k_base.bin
var cl100kTable []byte

//go:embed o200k_base.bin
var o200kTable []byte

// An Encoding counts tokens exactly as OpenAI's tokenizer of the same name does. Special tokens count as ordinary text.
// It is safe for concurrent use.
type Encoding struct {
	name    string
	table   func() *table
	split   func(text string, i int) int
	machine func() *machine
	workers sync.Pool // of *worker
}

// A worker has the memory of one goroutine that counts.
type worker struct {
	merger  merger
	machine *machine
	words   wordCache
	ends    [batch]int // of the pieces that are counted next
}

// The encodings. cl100k_base is the default: an estimate for Claude, whose own tokenizer is not public.
var (
	CL100K = &Encoding{name: "cl100k_base", table: sync.OnceValue(func() *table { return open(cl100kTable) }),
		split: splitCL100K, machine: sync.OnceValue(func() *machine { return newMachine(false) })}
	O200K = &Encoding{name: "o200k_base", table: sync.OnceValue(func() *table { return open(o200kTable) }),
		split: splitO200K, machine: sync.OnceValue(func() *machine { return newMachine(true) })}
)

// Name returns the encoding's name.
func (e *Encoding) Name() string { return e.name }

// words returns the vocabulary in the order of the ranks.
func (e *Encoding) words() []string {
	t := e.table()
	words := make([]string, len(t.entries)/4)
	for rank := range words {
		at := t.entry(int32(rank))
		words[rank] = string(t.text[at.offset():][:at.size()])
	}
	return words
}

// Count returns the number of tokens in a text. A byte that is not UTF-8 counts as U+FFFD.
func (e *Encoding) Count(text string) int {
	w := e.worker()
	defer e.workers.Put(w)
	var tokens int
	text = validText(text)
	for start := 0; start < len(text); {
		n := e.splitBatch(w.machine, text, start, &w.ends)
		tokens += w.pieces(bytesOf(text), start, w.ends[:n])
		start = w.ends[n-1]
	}
	return tokens
}

// splitBatch finds the ends of some pieces of a text from start on, and returns how many there are.
func (e *Encoding) splitBatch(m *machine, text string, start int, found *[batch]int) int {
	var n int
	if asciiAhead(text, start) {
		if n = m.split(text, start, found); n > 0 {
			return n
		}
	}
	for n < batch && start < len(text) {
		start = e.split(text, start)
		found[n] = start
		if n++; asciiAhead(text, start) {
			break
		}
	}
	return n
}

// asciiAhead reports whether the next eight bytes of a text are ASCII. For less, a machine is not worth its start.
func asciiAhead(text string, i int) bool {
	return i+8 <= len(text) && binary.LittleEndian.Uint64(bytesOf(text)[i:])&0x8080808080808080 == 0
}

// bytesOf returns the bytes of a text without copying them.
func bytesOf(text string) []byte { return unsafe.Slice(unsafe.StringData(text), len(text)) }

// validText replaces each byte that is not UTF-8 with U+FFFD.
func validText(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	valid := make([]byte, 0, utf8.RuneLen(utf8.RuneError)*len(text))
	for _, r := range text {
		valid = utf8.AppendRune(valid, r)
	}
	return unsafe.String(unsafe.SliceData(valid), len(valid))
}

// worker returns the memory of a worker.
func (e *Encoding) worker() *worker {
	if w, ok := e.workers.Get().(*worker); ok {
		return w
	}
	return &worker{merger: merger{table: e.table()}, machine: e.machine()}
}

// pieces counts the pieces of a text from start on. Most are in the cache.
func (w *worker) pieces(text []byte, start int, ends []int) int {
	var tokens int
	for _, end := range ends {
		n, at := end-start, start
		start = end
		if n > longestWord {
			tokens += w.unknown(text[at:end])
			continue
		}
		piece := wordAt(text, at, n)
		slot := w.words.slot(piece)
		if !slot.is(piece) {
			*slot = word{piece.low, piece.high | uint64(w.unknown(text[at:end]))<<countShift}
		}
		tokens += int(slot.high >> countShift)
	}
	return tokens
}

// unknown counts a piece that the cache does not know. Most are words of the vocabulary.
func (w *worker) unknown(piece []byte) int {
	if w.merger.table.rank(piece) != noRank {
		return 1
	}
	return w.merger.count(piece)
}
