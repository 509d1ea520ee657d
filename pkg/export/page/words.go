package page

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/read/rank"
)

// The sizes of the index of words. A search loads a chunk of words for each word, and a chunk of texts for each hit
// that it shows.
const (
	wordsChunk = 128 << 10 // bytes, before they are packed
	textsChunk = 64 << 10
	maxPiece   = 16 << 10 // bytes of a text that is found as one
	maxWord    = 64       // bytes of a word that count
	maxHeld    = 32 << 20 // bytes that are held in memory before they are put aside
)

// Words is an index of the words of all sessions of a site, made while their pages are written, from the same masked
// text. It consists of scripts that the list of sessions loads, because a page that is a file can load nothing else:
//
//	words-N.js   words in order, each with the numbers of the pieces of text that have it
//	text-N.js    pieces of text, each with the anchor of its entry
//
// A piece is the text of an entry, or a part of it if it is long. Pieces are numbered over all sessions. Memory does
// not grow with the sessions: what does not fit is put aside in sorted runs, which are merged in the end.
type Words struct {
	create   func(name string, content []byte) error
	packer   *packer
	err      error // the first one
	number   uint32
	held     int
	words    map[string]*posting
	runs     *runs
	texts    []byte // the chunk of texts that is being filled
	manifest manifest
}

// A manifest tells the list of sessions what is in which file.
type manifest struct {
	Pieces uint32     `json:"pieces"`
	Words  []wordFile `json:"words"`
	Texts  []uint32   `json:"texts"` // the first piece of each file
}

type wordFile struct {
	First string `json:"first"` // its first word
	Size  int    `json:"size"`  // in bytes
}

// A posting lists the pieces that have a word: the first number, and the differences of the others.
type posting struct {
	last uint32
	list []byte
}

// NewWords returns an index without words. create writes a file of the site, and temporary files are in folder.
func NewWords(folder string, create func(name string, content []byte) error) *Words {
	return &Words{create: create, packer: newPacker(), words: map[string]*posting{}, runs: &runs{folder: folder}}
}

// Pieces returns how many pieces of text there are so far.
func (w *Words) Pieces() int { return int(w.number) }

// add adds the text of an entry. An error is reported by Finish.
func (w *Words) add(e *parts.Entry, anchor string) {
	for text := entryText(e); text != "" && w.err == nil; {
		piece := text[:endOfPiece(text)]
		text = text[len(piece):]
		w.addText(piece, anchor)
		w.addWords(piece)
		w.number++
		if w.held > maxHeld {
			w.putAside()
		}
	}
}

// endOfPiece returns where a text is cut: between words if possible.
func endOfPiece(text string) int {
	if len(text) <= maxPiece {
		return len(text)
	}
	end := maxPiece
	for !utf8.RuneStart(text[end]) {
		end--
	}
	if at := strings.LastIndexFunc(text[:end], unicode.IsSpace); at > maxPiece/2 {
		return at
	}
	return end
}

// entryText is everything of an entry that can be found. The script has the same rule in parts.js, searchText.
func entryText(e *parts.Entry) string {
	var b strings.Builder
	add := func(v jsonl.Value) {
		if v.Exists() && !v.IsNull() {
			b.WriteString(parts.TextOf(v))
			b.WriteByte('\n')
		}
	}
	for i := range e.Parts {
		p := &e.Parts[i]
		if p.Kind != parts.Result {
			add(p.Name)
		}
		switch {
		case p.Kind == parts.Image:
		case p.Kind == parts.Call && p.Body.IsObject():
			for _, v := range p.Body.Members() {
				add(v)
			}
		default:
			add(p.Body)
		}
		for _, f := range p.Fields {
			add(f.Value)
		}
	}
	return b.String()
}

// addText adds a piece to the chunk of texts.
func (w *Words) addText(piece, anchor string) {
	switch {
	case len(w.texts) > textsChunk:
		w.endTexts()
		fallthrough
	case w.texts == nil:
		w.manifest.Texts = append(w.manifest.Texts, w.number)
		w.texts = append(w.texts[:0], '[')
	default:
		w.texts = append(w.texts, ',')
	}
	w.texts = appendText(append(w.texts, '['), anchor)
	w.texts = appendText(append(w.texts, ','), strings.ToValidUTF8(piece, "\ufffd"))
	w.texts = append(w.texts, ']')
}

// endTexts writes the chunk of texts.
func (w *Words) endTexts() {
	if w.texts != nil {
		w.write(fmt.Sprintf("text-%d", len(w.manifest.Texts)-1), append(w.texts, ']'))
	}
}

// write packs a chunk and writes it as a script, and returns its size.
func (w *Words) write(name string, chunk []byte) int {
	packed, err := w.packer.pack(slices.Clone(chunk))
	if err == nil && w.err == nil {
		packed = fmt.Appendf(nil, "document.currentScript.chunk='%s'\n", packed)
		err = w.create(searchFolder+"/"+name+".js", packed)
	}
	if w.err == nil {
		w.err = err
	}
	return len(packed)
}

// searchFolder is the folder of a site that has the index of words.
const searchFolder = "search"

// addWords adds the words of a piece, each once.
func (w *Words) addWords(piece string) {
	rank.EachKey(piece, func(key []byte) {
		key = key[:endOfWord(key)]
		p := w.words[string(key)]
		switch {
		case p == nil:
			p = &posting{last: w.number, list: binary.AppendUvarint(make([]byte, 0, 8), uint64(w.number))}
			w.words[string(key)] = p
			w.held += len(key) + 120 // what the map and the posting take
		case p.last != w.number:
			p.list = binary.AppendUvarint(p.list, uint64(w.number-p.last))
			p.last = w.number
			w.held += 2
		}
	})
}

// endOfWord returns how much of a word counts.
func endOfWord(word []byte) int {
	end := min(len(word), maxWord)
	for end < len(word) && !utf8.RuneStart(word[end]) {
		end--
	}
	return end
}

// putAside writes the words to a temporary file, in order, and forgets them.
func (w *Words) putAside() {
	if err := w.runs.add(w.words); err != nil && w.err == nil {
		w.err = err
	}
	w.words, w.held = map[string]*posting{}, 0
}

// Finish writes the rest of the index. The list of sessions needs it then.
func (w *Words) Finish() error {
	w.endTexts()
	w.manifest.Pieces = w.number
	var chunk bytes.Buffer
	var first string
	flush := func() {
		if chunk.Len() > 0 {
			size := w.write(fmt.Sprintf("words-%d", len(w.manifest.Words)), chunk.Bytes())
			w.manifest.Words = append(w.manifest.Words, wordFile{first, size})
			chunk.Reset()
		}
	}
	err := w.runs.merge(w.words, func(word string, p *posting) {
		if chunk.Len() > 0 && chunk.Len()+len(p.list) > wordsChunk {
			flush()
		}
		if chunk.Len() == 0 {
			first = word
		}
		head := binary.AppendUvarint(nil, uint64(len(word)))
		head = binary.AppendUvarint(append(head, word...), uint64(len(p.list)))
		chunk.Write(head)
		chunk.Write(p.list)
	})
	flush()
	if w.err == nil {
		w.err = err
	}
	return w.err
}

// Close removes the temporary file.
func (w *Words) Close() { w.runs.close() }
