package page

import (
	"bufio"
	"encoding/binary"
	"io"
	"maps"
	"slices"

	"clawctl/internal/spool"
)

// runs are postings that were put aside in a temporary file. Each run has its words in order, and the numbers in later
// runs are larger.
type runs struct {
	folder string
	file   *spool.File
	ends   []int64
}

// add puts words aside.
func (r *runs) add(words map[string]*posting) error {
	var err error
	if r.file == nil {
		if r.file, err = spool.Create(r.folder); err != nil {
			return err
		}
	}
	out := bufio.NewWriterSize(r.file, 256<<10)
	for _, word := range slices.Sorted(maps.Keys(words)) {
		p := words[word]
		head := binary.AppendUvarint(nil, uint64(len(word)))
		head = binary.AppendUvarint(append(head, word...), uint64(p.last))
		out.Write(binary.AppendUvarint(head, uint64(len(p.list))))
		out.Write(p.list)
	}
	if err := out.Flush(); err != nil {
		return err
	}
	r.ends = append(r.ends, r.file.Size())
	return nil
}

func (r *runs) close() {
	if r.file != nil {
		_ = r.file.Close() // nothing reads it anymore
	}
}

// merge calls yield with every word in order, those that are in memory after those that were put aside.
func (r *runs) merge(words map[string]*posting, yield func(word string, p *posting)) error {
	var readers []*runReader
	start := int64(0)
	for _, end := range r.ends {
		readers = append(readers, newRunReader(r.file.Section(start, end-start)))
		start = end
	}
	last := slices.Sorted(maps.Keys(words))
	for {
		word, ok := leastWord(readers, last)
		if !ok {
			return firstError(readers)
		}
		var sum posting
		for _, reader := range readers {
			if reader.ok && reader.word == word {
				sum.join(&reader.posting)
				reader.next()
			}
		}
		if len(last) > 0 && last[0] == word {
			sum.join(words[word])
			last = last[1:]
		}
		yield(word, &sum)
	}
}

func leastWord(readers []*runReader, last []string) (word string, ok bool) {
	if len(last) > 0 {
		word, ok = last[0], true
	}
	for _, r := range readers {
		if r.ok && (!ok || r.word < word) {
			word, ok = r.word, true
		}
	}
	return word, ok
}

func firstError(readers []*runReader) error {
	for _, r := range readers {
		if r.err != io.EOF {
			return r.err
		}
	}
	return nil
}

// join adds the numbers of a later run.
func (p *posting) join(later *posting) {
	first, n := binary.Uvarint(later.list)
	p.list = binary.AppendUvarint(p.list, first-uint64(p.last))
	p.list = append(p.list, later.list[n:]...)
	p.last = later.last
}

// A runReader reads a run, word by word.
type runReader struct {
	in      *bufio.Reader
	word    string
	posting posting
	ok      bool
	err     error // io.EOF after the last word
}

func newRunReader(section io.Reader) *runReader {
	r := &runReader{in: bufio.NewReaderSize(section, 64<<10)}
	r.next()
	return r
}

// next reads the next word.
func (r *runReader) next() {
	word := r.bytes()
	last, err := binary.ReadUvarint(r.in)
	if r.err == nil {
		r.err = err
	}
	r.word, r.posting = string(word), posting{uint32(last), r.bytes()}
	r.ok = r.err == nil
}

// bytes reads a length and so many bytes.
func (r *runReader) bytes() []byte {
	if r.err != nil {
		return nil
	}
	n, err := binary.ReadUvarint(r.in)
	if err != nil {
		r.err = err
		return nil
	}
	data := make([]byte, n)
	_, r.err = io.ReadFull(r.in, data)
	return data
}
