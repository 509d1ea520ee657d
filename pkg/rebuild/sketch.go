package rebuild

import (
	"encoding/binary"
	"hash/maphash"
	"sync"

	"clawctl/internal/failure"
	"clawctl/internal/textid"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/jsontext/javascript"
)

// A sketch is what one record says by itself. Sketches are made by the goroutines that check the lines, and added to
// the index in the order of the records. Like its record, a sketch is valid until the next one is taken.
type sketch struct {
	entry             entry // without its position, its symbols and its blocks
	id, parent        name
	ref, ref2         name
	answer            name        // the id of the answer whose part the record is
	run               name        // the id of the run that wrote it, if OpenClaw notes that
	session           jsonl.Value // the id of the session that it was written in, if a translation says so
	written           moment
	blocks            []block // a symbol nameFollows stands for the next of names
	names             []name
	imageBytes, total int64 // of the images, and of the usage
	evidence          evidence
	faults            []failure.Code
	misfit            misfit
	replay            replay
	inner             []*sketch // of the messages inside a compaction

	last *slab // set for the last sketch of a slab
}

// nameFollows is the symbol of a block whose name is in the list of names.
const nameFollows sym = -4

// A name is the text of a symbol that has not been looked up, or the symbol of what is not a name.
type name struct {
	text []byte
	hash uint32
	sym  sym
}

// mostKept is the number of blocks and names of a sketch that are kept for the next one.
const mostKept = 256

// reset prepares a sketch for another record.
func (sk *sketch) reset() {
	*sk = sketch{
		entry: entry{flags: timeFits}, blocks: sk.blocks[:0], names: sk.names[:0], faults: sk.faults[:0],
		last: sk.last,
	}
	sk.ref.sym, sk.ref2.sym, sk.answer.sym, sk.run.sym = missing, missing, missing, missing
}

// release lets go of the text of the record, which is in a buffer that may be large, and of long lists.
func (sk *sketch) release() {
	sk.id.text, sk.parent.text, sk.ref.text, sk.ref2.text, sk.answer.text, sk.inner = nil, nil, nil, nil, nil, nil
	sk.run.text, sk.session = nil, nil
	clear(sk.names)
	if cap(sk.blocks) > mostKept {
		sk.blocks = nil
	}
	if cap(sk.names) > mostKept {
		sk.names = nil
	}
}

// A slab holds sketches that are used again together, which is cheaper than one by one.
type slab struct{ sketches [32]sketch }

// slabs are shared by all transcripts, because a short one needs only a few.
var slabs = sync.Pool{New: newSlab}

func newSlab() any {
	s := &slab{}
	s.sketches[len(s.sketches)-1].last = s
	return s
}

// A sketcher makes sketches, one after another.
type sketcher struct {
	sketch *sketch
	e      *entry // of the sketch
	seed   maphash.Seed
	// damaged is set if the line is not UTF-8, surrogates if it has escapes of surrogates.
	damaged, surrogates bool
	inspects            bool        // fields and texts that were blanked out are looked for
	onlyPath            bool        // messages are not looked into
	b                   jsonl.Block // the one being read
	fits                bool        // every block so far has a type
	onBlock             func()      // addBlock or checkType, created once
}

func newSketcher(seed maphash.Seed, inspects, onlyPath bool) *sketcher {
	s := &sketcher{seed: seed, inspects: inspects, onlyPath: onlyPath}
	if s.onBlock = s.addBlock; onlyPath {
		s.onBlock = s.checkType
	}
	return s
}

// draw makes the sketch of a legible record.
func (s *sketcher) draw(sk *sketch, rec *jsonl.Record) {
	s.begin(sk, rec)
	s.e.kind = kindOf(rec)
	switch {
	case s.e.kind == kindMessage:
		s.message(rec)
	case s.e.kind != kindOther && s.e.kind != kindKnown && s.e.kind != kindSession:
		s.body(rec)
	}
	sk.written.isFork = s.e.kind == kindSession && rec.Get("parentSession").IsString()
}

// begin makes what the sketches of all records have, also those of another program than the one that wrote the
// transcript.
func (s *sketcher) begin(sk *sketch, rec *jsonl.Record) {
	sk.reset()
	s.sketch, s.e = sk, &sk.entry
	s.damaged, s.surrogates = rec.Damage != nil, rec.Surrogates
	if !s.onlyPath {
		s.e.digest = digest(rec.Text())
	}
	s.base(rec)
}

// kindOf returns the kind of a record. Nearly every record is a message.
func kindOf(rec *jsonl.Record) kind {
	if string(rec.Noted(jsonl.FieldType)) == `"`+jsonl.TypeMessage+`"` {
		return kindMessage
	}
	return kinds[rec.Type()]
}

// digest returns a digest that distinguishes the text of a record from that of one other: the record with the same id,
// or the one that was in its place before. For one pair of texts, half of an id is enough.
func digest(text []byte) uint64 {
	id := textid.Of(text)
	return binary.LittleEndian.Uint64(id[:])
}

func (s *sketcher) base(rec *jsonl.Record) {
	s.sketch.parent, s.sketch.id = s.name(rec.Noted(jsonl.FieldParentID)), s.name(rec.Noted(jsonl.FieldID))
	if mode := rec.Noted(jsonl.FieldAppendMode); string(mode) == `"side"` {
		s.e.flags |= side
		s.sketch.evidence |= byOpenClaw
	} else if mode.Exists() {
		s.e.flags |= oddAppendMode
	}
	if rec.Repeated {
		s.sketch.fault(RepeatedKey)
	}
	if !isFilled(rec.Noted(jsonl.FieldType)) {
		s.e.flags |= untyped
	}
	s.timestamp(rec)
}

// timestamp reads the time of the record. Nearly every record has the plain form.
func (s *sketcher) timestamp(rec *jsonl.Record) {
	v := rec.Noted(jsonl.FieldTimestamp)
	written := &s.sketch.written
	if written.time, written.timed = jsontext.ParsePlainTime(v); written.timed {
		s.e.flags |= dated
		return
	}
	written.time, written.timed = rec.Time()
	switch {
	case !v.Exists():
		s.e.flags |= undated
	case !v.IsString():
		s.e.flags &^= timeFits
	default:
		if _, ok := javascript.ParseDate(v.String()); ok {
			s.e.flags |= dated
		}
	}
}

// name returns the name of a value that should be a string or null.
func (s *sketcher) name(v jsonl.Value) name {
	switch {
	case v.IsNull():
		return name{sym: null}
	case !v.Exists():
		return name{sym: missing}
	case !v.IsString():
		return name{sym: odd}
	}
	if text := v[1 : len(v)-1]; jsontext.IsPlain(text) {
		return s.nameOf(text)
	}
	return s.nameOf(distinctName(v))
}

func (s *sketcher) nameOf(text []byte) name {
	if len(text) == 0 {
		return name{sym: emptyName}
	}
	return name{text: text, hash: hashOf(s.seed, text)}
}

// distinctName returns the text of a string that names something. Different strings have different names, even if they
// differ only in halves of characters.
func distinctName(v jsonl.Value) []byte {
	return jsontext.Decode(nil, jsontext.ReplaceBadUTF8(v[1:len(v)-1]))
}
