package showing

import (
	"bufio"
	"sync"

	"clawctl/internal/cli"
	"clawctl/internal/reading"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/rebuild"
)

// PrintParts prints the parts of a session as JSON.
func PrintParts(s *View, around cli.Frame) error {
	defer reading.KeepSmall()()
	s.mask(false)
	if err := s.openTurns(); err != nil {
		return err
	}
	out := &partsOutput{w: bufio.NewWriterSize(s.App.Output, 1<<16), frame: around, before: around.Before}
	print := s.each
	if (s.sorted || s.Options.All) && s.Span.IsAll() {
		print = func(visitor) error { return s.eachPrepared(out) }
	}
	if err := print(out.entry); err != nil {
		return s.failedText(err)
	}
	if err := out.close(); err != nil {
		return err
	}
	return s.transcript.Damage
}

// A partsOutput writes objects inside a frame.
type partsOutput struct {
	w      *bufio.Writer
	frame  cli.Frame
	before string // what comes before the next object
	buf    []byte
}

func (o *partsOutput) entry(e *parts.Entry, at parts.Position, _ string) error {
	o.buf = appendParts(o.buf[:0], e, at, o.frame.Between)
	return o.write(o.buf)
}

// write writes the objects of one entry, which have the text between objects after each of them.
func (o *partsOutput) write(objects []byte) error {
	if len(objects) == 0 {
		return nil
	}
	o.w.WriteString(o.before)
	o.before = o.frame.Between
	_, err := o.w.Write(objects[:len(objects)-len(o.frame.Between)])
	return err
}

func (o *partsOutput) close() error {
	if o.before == o.frame.Before {
		o.w.WriteString(o.frame.Empty)
	} else {
		o.w.WriteString(o.frame.After)
	}
	return o.w.Flush()
}

// appendParts appends the parts of an entry as objects, each with the text that comes between two of them.
func appendParts(dst []byte, e *parts.Entry, at parts.Position, between string) []byte {
	for i := range e.Parts {
		dst = parts.AppendJSON(dst, e, &e.Parts[i], at)
		dst = append(dst, between...)
	}
	return dst
}

// A preparation is the JSON of an entry, made where its record was checked.
type preparation struct {
	objects []byte
	isShown bool
	isMade  bool // if not, the consumer makes the objects, because what is masked depends on the entries before it
	clean   redact.Clean
}

// maxKept is the largest buffer of a preparation that is used again.
const maxKept = 1 << 20

// eachPrepared prints entries in the order of the file. Several goroutines make the objects.
func (s *View) eachPrepared(out *partsOutput) error {
	pool := &sync.Pool{New: func() any { return &preparation{} }}
	m := s.maker()
	start, found := s.beginning()
	for rec, err := range s.transcript.AgainFrom(start, s.preparer(pool, out.frame.Between)) {
		if err != nil {
			return s.transcript.Failed(err)
		}
		if rec.Offset >= s.transcript.Size {
			break
		}
		if s.isPast(rec.Line) {
			return nil
		}
		p, isEntry := rec.Prepared.(*preparation)
		switch {
		case isEntry:
			if rec.Offset >= start.Offset {
				found++
			}
			if p.isShown && !(p.isMade && (s.masker == nil || s.masker.IsClean(rec, p.clean))) {
				at, _ := s.markAt(rec.Offset, found-1)
				err = out.entry(s.locate(m.Entry(rec)), s.position(rec.Line, at, true), "")
			} else {
				err = out.write(p.objects)
			}
			if cap(p.objects) <= maxKept {
				pool.Put(p)
			}
		case s.includes(rec, rec.Line, 0, false):
			err = out.entry(s.locate(m.Entry(rec)), s.position(rec.Line, 0, false), "")
		}
		if err != nil {
			return err
		}
	}
	if found < len(s.marks) {
		return rebuild.ErrChanged
	}
	return nil
}

// preparer returns what makes the objects of entries. The records do not know their lines yet, but their marks do.
// Records that are not entries are left to the consumer.
func (s *View) preparer(pool *sync.Pool, between string) func() func(*jsonl.Record) any {
	if s.masker != nil {
		s.masker.Prepare(nil)
	}
	return func() func(*jsonl.Record) any {
		m, next := parts.Maker{Complete: s.completer()}, 0
		return func(rec *jsonl.Record) any {
			at, ok := s.markAt(rec.Offset, next)
			if !ok || rec.Continued {
				return nil
			}
			next = at + 1
			p := pool.Get().(*preparation)
			mark := s.marks[at]
			p.objects, p.isShown = p.objects[:0], s.includes(rec, mark.Line, at, true)
			p.isMade = p.isShown && s.masker == nil
			if p.isShown && s.masker != nil && m.Complete == nil {
				p.clean = s.masker.Look(rec)
				p.isMade = p.clean != redact.Clean{}
			}
			if p.isMade {
				e := m.Entry(rec)
				e.Line = mark.Line
				s.locate(e)
				p.objects = appendParts(p.objects, e, s.position(mark.Line, at, true), between)
			}
			return p
		}
	}
}
