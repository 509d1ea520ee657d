package jsonl

import (
	"encoding/binary"
	"io"
	"math/bits"
	"sort"
	"sync"
)

// Notes are what one reading found in the lines of a stream. Given to another reading of the same stream, they save it
// from checking the lines again. They take about 70 bytes for each record.
type Notes struct {
	// IsSame, if set, reports whether the stream still has the bytes that it had when the notes were taken. The second
	// reading asks after every read, on several goroutines at a time. If not, it checks the lines itself.
	IsSame func() bool

	lock    sync.Mutex
	batches []notedBatch
	isVoid  bool // the first lines, which say how the stream is coded, are not intact, or batches are missing
	isWhole bool // the stream was read to its end
}

// A notedBatch is a batch of the first reading. It has no text if a line is not intact, and must be checked then.
type notedBatch struct {
	batch
	text []byte // a note for each record
}

// put adds a batch. Several goroutines cut batches, so they do not come in order.
func (n *Notes) put(b batch, text []byte) {
	b.buf, b.end = nil, b.ready
	n.lock.Lock()
	defer n.lock.Unlock()
	for len(n.batches) <= b.number {
		n.batches = append(n.batches, notedBatch{})
	}
	n.batches[b.number] = notedBatch{b, text}
	n.isVoid = n.isVoid || b.number == 0 && text == nil
}

// begin makes the notes useless if another reading has begun them. Its batches are not at the same places.
func (n *Notes) begin() {
	if n != nil && !n.isWhole && len(n.batches) > 0 {
		n.spoil()
	}
}

// spoil makes the notes useless.
func (n *Notes) spoil() {
	if n != nil {
		n.lock.Lock()
		defer n.lock.Unlock()
		n.isVoid = true
	}
}

// end notes that the stream ended.
func (n *Notes) end() {
	if n != nil {
		n.isWhole = !n.isVoid
	}
}

// areWhole reports whether the notes are those of a whole stream, which the next reading can use.
func (n *Notes) areWhole() bool { return n != nil && n.isWhole }

// areCurrent reports whether the stream still has the bytes that were noted.
func (n *Notes) areCurrent() bool { return n.IsSame == nil || n.IsSame() }

// StartBefore returns the last place at or before an offset where a reading that uses the notes can begin. It reports
// false if there are no notes to use.
func (n *Notes) StartBefore(offset int64) (start int64, ok bool) {
	if !n.areWhole() {
		return 0, false
	}
	if at := n.batchFrom(offset + 1); at > 0 {
		start = n.batches[at-1].offset
	}
	return start, true
}

// batchFrom returns the number of the first batch that begins at or after an offset.
func (n *Notes) batchFrom(offset int64) int {
	if n == nil {
		return 0
	}
	return sort.Search(len(n.batches), func(i int) bool { return n.batches[i].offset >= offset })
}

// from returns the notes for a reading that begins at an offset: nil if they can neither be used nor taken.
func (n *Notes) from(offset int64) *Notes {
	if start, ok := n.StartBefore(offset); offset > 0 && (!ok || start != offset) {
		return nil
	}
	return n
}

// refill reads the next batch of the first reading again.
func (f *filler) refill(chunk []byte) (batch, error) {
	if f.number == len(f.opts.Notes.batches) || f.last != nil {
		return batch{}, io.EOF
	}
	noted := &f.opts.Notes.batches[f.number]
	f.number++
	b := noted.batch
	b.buf, b.notes = f.roomFor(b.ready, chunk), noted.text
	for n := 0; n < b.ready; {
		more, last, err := f.ask(b.buf[n:b.ready])
		if err != nil {
			return batch{}, err
		}
		if n += more; last != nil && n < b.ready { // it is shorter now
			b.ready, b.notes, b.ended, f.last = n, nil, true, last
			b.endsBlank = last == io.EOF && mayTrim(b.buf[:n])
		}
	}
	if b.ready == 0 {
		return batch{}, f.last
	}
	if !f.opts.Notes.areCurrent() {
		b.notes = nil
	}
	f.buf, f.ready, f.end, f.offset = b.buf, b.ready, b.ready, b.offset
	return b, nil
}

// roomFor returns a buffer for a text of a known length: the given one if that is large enough.
func (f *filler) roomFor(length int, chunk []byte) []byte {
	need := length + padding
	switch {
	case need <= len(chunk):
		return chunk
	case f.lends:
		return f.borrow(need)
	case need > len(f.spare):
		f.spare = make([]byte, max(need, min(2*need, spareSize)))
	}
	return f.spare[:need]
}

// A noteTaker writes the notes of batches, one after another, to blocks that it fills.
type noteTaker struct {
	block []byte // the notes of earlier batches, and those of this one so far
	start int    // of the notes of this batch
	isOff bool   // a line is not intact, so that the batch has no notes
}

// noteBlock is the size of most blocks.
const noteBlock = 256 << 10

// room makes room for more notes. If the block is full, another one takes the notes of this batch.
func (t *noteTaker) room(size int) {
	if cap(t.block)-len(t.block) < size {
		notes := t.block[t.start:]
		t.block, t.start = append(make([]byte, 0, max(noteBlock, 2*(len(notes)+size))), notes...), 0
	}
}

// newNoteTaker returns nil if there are no notes to take.
func newNoteTaker(notes *Notes) *noteTaker {
	if notes == nil || notes.isWhole {
		return nil
	}
	return &noteTaker{}
}

// takeNotes notes the record, and after the last one of a batch puts the notes where the next reading finds them.
func (c *cutter) takeNotes() {
	t := c.taker
	if t.add(c.record); !c.isDone() {
		return
	}
	var text []byte
	if !t.isOff {
		text = t.block[t.start:len(t.block):len(t.block)]
	}
	c.opts.Notes.put(c.batch, text)
	t.start, t.isOff = len(t.block), false
}

// The bits of a note's second byte. The lowest ones are the length of the line end.
const (
	noteLineEnd    = 3
	noteRepeated   = 4
	noteSurrogates = 8
)

// add writes the note of a record: lengths and flags, the fields, and the members of blocks. Positions are written as
// distances, because most of those take one byte.
func (t *noteTaker) add(rec *Record) {
	lineEnd := len(rec.Raw) - rec.to
	if t.isOff = t.isOff || rec.Damage != nil || rec.Blank || rec.from != 0 || lineEnd > noteLineEnd; t.isOff {
		return
	}
	flags := byte(lineEnd)
	if rec.Repeated {
		flags |= noteRepeated
	}
	if rec.Surrogates {
		flags |= noteSurrogates
	}
	t.room((int(fieldCount) + len(rec.parts) + 1) * mostOfNote)
	w := noteWriter{t.block, len(t.block)}
	w.put(uint64(len(rec.Raw)))
	w.put(uint64(flags))
	w.put(uint64(rec.known))
	w.fields(rec)
	w.parts(rec)
	t.block = w.text[:w.pos]
}

// mostOfNote is the most that the note of a field or of a member of a block takes.
const mostOfNote = 4 * binary.MaxVarintLen64

// A noteWriter writes numbers to a text that has room for them.
type noteWriter struct {
	text []byte
	pos  int
}

// put writes a number. Nearly all have one or two bytes.
func (w *noteWriter) put(n uint64) {
	text := w.text[:cap(w.text)]
	for n >= 0x80 {
		text[w.pos] = byte(n) | 0x80
		n >>= 7
		w.pos++
	}
	text[w.pos] = byte(n)
	w.pos++
}

// fields writes which fields there are, and where.
func (w *noteWriter) fields(rec *Record) {
	mask := rec.present
	w.put(mask)
	before := uint32(0)
	for ; mask != 0; mask &= mask - 1 {
		f := field(bits.TrailingZeros64(mask))
		s := rec.fields[f]
		distance := int64(s.start) - int64(before)
		w.put(uint64(distance<<1 ^ distance>>63))
		w.put(uint64(s.end - s.start))
		before = afterField(f, s)
	}
}

// afterField returns where the next field probably is. The fields of a message are inside it.
func afterField(f field, s span) uint32 {
	if f == fieldMessage {
		return s.start
	}
	return s.end
}

// parts writes the members of blocks, each with the length of its key plus one, and the blocks after their members.
func (w *noteWriter) parts(rec *Record) {
	w.put(uint64(len(rec.parts)))
	member, element := uint32(0), uint32(0) // where the last ones ended
	for _, p := range rec.parts {
		if p.key.end == 0 {
			w.put(0)
			w.put(uint64(p.value.start - element))
			w.put(uint64(p.value.end - member))
			element = p.value.end
		} else {
			w.put(uint64(p.key.end-p.key.start) + 1)
			w.put(uint64(p.key.start - member))
			w.put(uint64(p.value.start - p.key.end))
			w.put(uint64(p.value.end - p.value.start))
		}
		member = p.value.end
	}
}

// A noteReader reads the notes of one batch.
type noteReader struct {
	text []byte
	pos  int
}

// next reads a number of at most 64 bits. Nearly all have one or two bytes.
func (r *noteReader) next() uint64 {
	if c := r.text[r.pos]; c < 0x80 {
		r.pos++
		return uint64(c)
	}
	n, length := binary.Uvarint(r.text[r.pos:])
	r.pos += length
	return n
}

// distance reads a number with a sign.
func (r *noteReader) distance() uint32 {
	n := r.next()
	return uint32(n>>1) ^ -uint32(n&1)
}

// recall sets the record to the line at pos, as it was noted. It reports false if the line is not there.
func (c *cutter) recall() bool {
	r := &c.notes
	length := int(r.next())
	start, flags, known := c.pos, r.text[r.pos], r.text[r.pos+1]
	r.pos += 2
	if length > c.ready-start || flags&noteLineEnd > 0 && c.buf[start+length-1] != '\n' {
		c.notes.text = nil
		c.mark()
		return false
	}
	rec := c.begin(start)
	c.pos += length
	rec.Raw = c.buf[start:c.pos:c.pos]
	rec.to = length - int(flags&noteLineEnd)
	rec.view = rec.Text()
	rec.known, rec.Repeated, rec.Surrogates = field(known), flags&noteRepeated != 0, flags&noteSurrogates != 0
	r.fields(rec)
	c.scanner.outliner.begin()
	c.scanner.parts = r.parts(c.scanner.parts[:0])
	rec.parts = c.scanner.parts
	return true
}

func (r *noteReader) fields(rec *Record) {
	before := uint32(0)
	rec.present = r.next()
	for mask := rec.present; mask != 0; mask &= mask - 1 {
		f := field(bits.TrailingZeros64(mask))
		start := before + r.distance()
		s := span{start, start + uint32(r.next())}
		rec.fields[f] = s
		before = afterField(f, s)
	}
}

func (r *noteReader) parts(list []blockMember) []blockMember {
	member, element := uint32(0), uint32(0)
	for range r.next() {
		var p blockMember
		if key := uint32(r.next()); key == 0 {
			p.value.start = element + uint32(r.next())
			p.value.end = member + uint32(r.next())
			element = p.value.end
		} else {
			p.key.start = member + uint32(r.next())
			p.key.end = p.key.start + key - 1
			p.value.start = p.key.end + uint32(r.next())
			p.value.end = p.value.start + uint32(r.next())
		}
		member = p.value.end
		list = append(list, p)
	}
	return list
}
