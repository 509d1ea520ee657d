package tokens

import (
	_ "embed"
	"runtime"
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
	workers sync.Pool // of *worker
}

// A worker has the memory of one goroutine that counts.
type worker struct {
	merger
	words wordCache
}

// The encodings. cl100k_base is the default: an estimate for Claude, whose own tokenizer is not public.
var (
	CL100K = &Encoding{name: "cl100k_base", table: sync.OnceValue(func() *table { return open(cl100kTable) }),
		split: splitCL100K}
	O200K = &Encoding{name: "o200k_base", table: sync.OnceValue(func() *table { return open(o200kTable) }),
		split: splitO200K}
)

// Name returns the encoding's name.
func (e *Encoding) Name() string { return e.name }

// Words returns the vocabulary in the order of the ranks.
func (e *Encoding) Words() []string {
	t := e.table()
	words := make([]string, len(t.entries)/4)
	for rank := range words {
		at := t.entry(int32(rank))
		words[rank] = string(t.text[at.offset():][:at.size()])
	}
	return words
}

// Count returns the number of tokens in a text. A byte that is not UTF-8 counts as U+FFFD.
func (e *Encoding) Count(text string) (tokens int) {
	if len(text) >= minParallel && runtime.GOMAXPROCS(0) > 1 {
		return e.countParallel(text)
	}
	w := e.worker()
	defer e.workers.Put(w)
	return e.countPieces(w, text)
}

// countPieces counts the pieces of a text one after the other.
func (e *Encoding) countPieces(w *worker, text string) (tokens int) {
	text = validText(text)
	bytes := bytesOf(text)
	for start := 0; start < len(text); {
		end := e.split(text, start)
		tokens += w.piece(bytes, start, end)
		start = end
	}
	return tokens
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
	return &worker{merger: merger{table: e.table()}}
}

// piece counts one piece of a text.
func (w *worker) piece(text []byte, start, end int) int {
	switch n := end - start; {
	case n < 2 || n == 2 && w.rankOfTwo(text[start:]) != noRank:
		return 1
	case n == 2:
		return 2
	case n > longestWord:
		return w.unknown(text[start:end])
	default:
		return w.short(text, start, n)
	}
}

// short counts a piece of at most longestWord bytes.
func (w *worker) short(text []byte, start, n int) int {
	piece := wordAt(text, start, n)
	slot := w.words.slot(piece)
	if slot[0].is(piece) {
		return int(slot[0].high >> countShift)
	}
	if slot[1].is(piece) {
		slot[0], slot[1] = slot[1], slot[0]
		return int(slot[0].high >> countShift)
	}
	tokens := w.unknown(text[start : start+n])
	slot[1], slot[0] = slot[0], word{piece.low, piece.high | uint64(tokens)<<countShift}
	return tokens
}

// unknown counts a piece that the cache does not know. Most are words of the vocabulary.
func (w *worker) unknown(piece []byte) int {
	if w.rank(piece) != noRank {
		return 1
	}
	return w.count(piece)
}
