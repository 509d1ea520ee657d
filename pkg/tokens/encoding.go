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
	name  string
	table func() *table
	split func(text string, i int) int
	cache cache
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
func (e *Encoding) Count(text string) int {
	if !utf8.ValidString(text) {
		text = string([]rune(text))
	}
	t := e.table()
	tokens := 0
	for i := 0; i < len(text); {
		end := e.split(text, i)
		tokens += e.piece(t, unsafe.Slice(unsafe.StringData(text), len(text))[i:end])
		i = end
	}
	return tokens
}

// piece counts one piece of a text. Most pieces are words of the vocabulary, and most others have occurred before.
func (e *Encoding) piece(t *table, piece []byte) int {
	if len(piece) < 2 {
		return 1
	}
	if t.rank(piece) != noRank {
		return 1
	}
	if len(piece) > maxCached {
		return t.merge(piece)
	}
	if n := e.cache.get(piece); n > 0 {
		return n
	}
	n := t.merge(piece)
	e.cache.put(piece, n)
	return n
}
