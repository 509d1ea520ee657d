package change

import (
	"io"
	"sort"
)

// An editedText is the new text of an old one that stays where it is.
type editedText struct {
	old    io.ReaderAt
	pieces []piece
	starts []int64 // of the pieces in the new text
}

// Reader returns the new text. It can be read like a file, so that whoever reads it can look ahead.
func (e Edits) Reader(text io.ReaderAt, size int64) *io.SectionReader {
	t := &editedText{old: text, pieces: e.pieces(size)}
	end := int64(0)
	for _, p := range t.pieces {
		t.starts = append(t.starts, end)
		end += p.len()
	}
	return io.NewSectionReader(t, 0, end)
}

// ReadAt implements io.ReaderAt.
func (t *editedText) ReadAt(p []byte, offset int64) (n int, err error) {
	at := sort.Search(len(t.starts), func(i int) bool { return t.starts[i] > offset }) - 1
	for ; n < len(p) && at < len(t.pieces) && err == nil; at++ {
		var more int
		more, err = t.pieces[at].readAt(t.old, p[n:], offset+int64(n)-t.starts[at])
		n += more
	}
	if n < len(p) && err == nil {
		err = io.EOF
	}
	return n, err
}

// readAt reads a piece from a place in it to its end, or as much as there is room for.
func (p piece) readAt(old io.ReaderAt, to []byte, from int64) (int, error) {
	if p.new != nil {
		return copy(to, p.new[from:]), nil
	}
	to = to[:min(int64(len(to)), p.len()-from)]
	n, err := old.ReadAt(to, p.from+from)
	if n == len(to) {
		err = nil
	}
	return n, err
}
