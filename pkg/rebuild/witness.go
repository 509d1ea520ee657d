package rebuild

import (
	"hash/maphash"
	"sync/atomic"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext/javascript"
)

// A Witness says which program wrote a transcript, for a caller that reads the transcript itself and needs no index.
// The zero Witness has seen nothing.
type Witness struct {
	seen      atomic.Uint32 // the evidence of all records
	hasHeader bool
}

// Prepare is for the reader's Prepare. It looks at every legible record, and then hands it to what also returns.
func (w *Witness) Prepare(also func() func(*jsonl.Record) any) func() func(*jsonl.Record) any {
	seed := maphash.MakeSeed()
	return func() func(*jsonl.Record) any {
		look, next := newSketcher(seed, false, true), also()
		var last sketch
		return func(rec *jsonl.Record) any {
			if !rec.Legible() {
				return nil
			}
			if look.draw(&last, rec); last.evidence != 0 {
				w.seen.Or(uint32(last.evidence))
			}
			return next(rec)
		}
	}
}

// Take looks at a record after it was prepared. Records must come in their order.
func (w *Witness) Take(rec *jsonl.Record) {
	if !w.hasHeader && rec.Type() == jsonl.TypeSession && rec.Get("id").IsString() {
		w.hasHeader = true
		w.seen.Or(uint32(byOpenClaw.when(javascript.VersionNumber(rec.Get("version")) > 3)))
	}
}

// Writer returns the name of the program that wrote the transcript, after all records were read. d is their dialect.
func (w *Witness) Writer(known Author, d jsonl.Dialect) string {
	ix := &Index{Dialect: d, evidence: evidence(w.seen.Load())}
	ix.setRules(known)
	return ix.Writer()
}
