package rebuild

import (
	"hash/maphash"
	"sync"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext/javascript"
)

// A Witness says which program wrote a transcript, for a caller that reads the transcript itself and needs no index.
// The zero Witness has seen nothing.
type Witness struct {
	lock      sync.Mutex
	parts     []*evidence // what each goroutine has seen
	hasHeader bool
	header    evidence
}

// Prepare is for the reader's Prepare. It looks at every legible record, and then hands it to what also returns.
func (w *Witness) Prepare(also func() func(*jsonl.Record) any) func() func(*jsonl.Record) any {
	seed := maphash.MakeSeed()
	return func() func(*jsonl.Record) any {
		look, sum, next := newSketcher(seed, false, true), &evidence{}, also()
		w.lock.Lock()
		w.parts = append(w.parts, sum)
		w.lock.Unlock()
		var last sketch
		return func(rec *jsonl.Record) any {
			if !rec.Legible() {
				return nil
			}
			look.draw(&last, rec)
			sum.add(last.evidence)
			return next(rec)
		}
	}
}

// Take looks at a record after it was prepared. Records must come in their order.
func (w *Witness) Take(rec *jsonl.Record) {
	if !w.hasHeader && rec.Type() == jsonl.TypeSession && rec.Get("id").IsString() {
		w.hasHeader = true
		w.header.addVersion(javascript.VersionNumber(rec.Get("version")))
	}
}

// Writer returns the name of the program that wrote the transcript, after all records were read. d is their dialect.
func (w *Witness) Writer(known Author, d jsonl.Dialect) string {
	ix := &Index{Dialect: d, evidence: w.header}
	for _, part := range w.parts {
		ix.evidence.add(*part)
	}
	ix.setRules(known)
	return ix.Writer()
}
