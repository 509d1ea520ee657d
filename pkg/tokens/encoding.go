package tokens

import (
	_ "embed"
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

// Count returns the number of tokens in a text. A byte that is not UTF-8 counts as U+FFFD.
func (e *Encoding) Count(text string) (tokens int) {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	w := e.worker()
	defer e.workers.Put(w)
	bytes := unsafe.Slice(unsafe.StringData(text), len(text))
	var long [][]byte
	for i := 0; i < len(text); {
		end := e.split(text, i)
		if end-i > longestWord && len(text) >= minParallel {
			long = append(long, bytes[i:end])
		} else {
			tokens += w.piece(bytes, i, end)
		}
		i = end
	}
	return tokens + e.countLong(w, long)
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
	case n < 2:
		return 1
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
	switch {
	case w.rank(piece) != noRank:
		return 1
	case len(piece) <= shortPiece:
		return w.mergeShort(piece)
	default:
		return w.count(piece)
	}
}
