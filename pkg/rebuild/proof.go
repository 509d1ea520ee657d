package rebuild

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"iter"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext/javascript"
)

// This file compares what is rebuilt with what was sent. Some programs log the hash of every message that they send, so
// that the messages rebuilt from the rows before a request must have the hashes that are logged for it.

// A hashSum is the SHA-256 of a message.
type hashSum [sha256.Size]byte

// A request is what a program logs when it sends one. Its messages are the first ones of another request and some more.
type request struct {
	entry    int32
	id, base sym
	config   sym // how the model shall answer, as JSON
	model    sym
	keep     int32     // number of messages that are those of the base
	total    int32     // number of messages
	tail     []hashSum // of the messages that are not those of the base, nil if they have to be read again
}

// A requestSketch is a request whose names have not been looked up.
type requestSketch struct {
	id, base, config, model name
	keep, total             int32
	tail                    []hashSum
}

// maxMessages is the maximum number of messages of a request. No program sends as many.
const maxMessages = 1 << 20

// loggedRequest reads what is logged of a request. Only translations have it.
func (s *sketcher) loggedRequest(rec *jsonl.Record, logged jsonl.Value) {
	if rec.Translator() == nil || !logged.IsObject() {
		return
	}
	r := &requestSketch{id: s.name(logged.Get("id")), base: s.name(logged.Get("base")), config: name{sym: missing},
		model: s.name(logged.Get("model"))}
	if config := logged.Get("outputConfig"); config.IsObject() {
		r.config = s.nameOf(config)
	}
	if r.base.sym != missing {
		r.keep = int32(min(max(logged.Get("keep").Int(), 0), maxMessages))
	}
	r.total = r.keep
	tail := logged.Get("tail")
	if s.watch != nil {
		s.watch.isLogged.Store(true)
		r.tail = hashesIn(tail)
		r.total = min(r.total+int32(len(r.tail)), maxMessages)
	} else {
		for range tail.Elements() {
			r.total = min(r.total+1, maxMessages)
		}
	}
	s.sketch.request = r
}

func (s *scanner) takeRequest(sk *sketch) {
	if r := sk.request; r != nil {
		s.ix.requests = append(s.ix.requests, request{
			entry: int32(s.ix.count - 1), id: s.symbol(&r.id), base: s.symbol(&r.base), config: s.symbol(&r.config),
			model: s.symbol(&r.model), keep: r.keep, total: r.total, tail: r.tail,
		})
	}
}

// A Proof says how many of the logged requests have the messages that are rebuilt.
type Proof struct {
	Requests int // that are logged
	Proved   int // whose messages all have the logged hashes
}

// LogsRequests reports whether the transcript has a log of requests that Prove can compare with its messages.
func (ix *Index) LogsRequests() bool { return len(ix.requests) > 0 && ix.rules().sentBefore != nil }

// Prove compares the messages that are rebuilt with those that were sent, and reports those that differ. records must
// read the same transcript again.
func (ix *Index) Prove(records iter.Seq2[*jsonl.Record, error], report func(Fault)) (Proof, error) {
	if !ix.LogsRequests() {
		return Proof{}, nil
	}
	p := newProver(ix)
	p.plan()
	if err := p.read(records); err != nil {
		return Proof{}, err
	}
	return p.compare(report), nil
}

// A prover compares the messages of requests with their logged hashes.
type prover struct {
	ix      *Index
	base    []int32 // the request that each one continues, or -1
	claims  []claim // the requests that are rebuilt
	groups  []group // of all claims, each once
	known   map[groupKey]int32
	sums    []hashSum   // of the groups
	tails   [][]hashSum // what each request logs
	proved  []bool      // of the requests
	differs []bool      // of the groups: it has been reported
}

// A claim is that a request had certain messages.
type claim struct {
	request int32
	groups  []int32 // of the prover
}

// A groupKey tells nearly all groups apart.
type groupKey struct {
	first, last, count int32
	made               uint8
	part               int
	bare               bool
	config             sym
}

func newProver(ix *Index) *prover {
	n := len(ix.requests)
	return &prover{ix: ix, base: make([]int32, n), known: map[groupKey]int32{}, tails: make([][]hashSum, n),
		proved: make([]bool, n)}
}

// maxEffort is how many rows may be looked at for every entry of the index and for every logged hash. Each request
// repeats the ones before it, so that this bounds the time. The last requests come first.
const maxEffort = 64

// plan decides which requests are rebuilt: those that no later one continues, because their messages are all in that.
func (p *prover) plan() {
	continued := p.link()
	messages := p.ix.rules().sentBefore(p.ix)
	left := maxEffort * (p.ix.len() + 1000)
	for i := len(p.base) - 1; i >= 0 && left > 0; i-- {
		if continued[i] {
			continue
		}
		c := claim{request: int32(i)}
		r := &p.ix.requests[i]
		left += maxEffort * int(r.total-r.keep)
		sent, known := messages(r)
		if !known {
			continue
		}
		for _, g := range sent {
			c.groups = append(c.groups, p.add(g))
			left -= len(g.entries) + 1
		}
		p.claims = append(p.claims, c)
	}
	slices.Reverse(p.claims)
}

// link finds the base of every request, and reports which ones another one continues with all of their messages.
func (p *prover) link() []bool {
	continued := make([]bool, len(p.base))
	latest := map[sym]int32{}
	for i, r := range p.ix.requests {
		p.base[i] = -1
		if at, ok := latest[r.base]; ok && r.base.isName() && r.keep <= p.ix.requests[at].total {
			p.base[i] = at
			continued[at] = continued[at] || r.keep == p.ix.requests[at].total
		}
		latest[r.id] = int32(i)
	}
	return continued
}

// add returns the number of a group.
func (p *prover) add(g group) int32 {
	key := groupKey{-1, -1, int32(len(g.entries)), g.made, g.part, g.bare, g.config}
	if n := len(g.entries); n > 0 {
		key.first, key.last = g.entries[0], g.entries[n-1]
	}
	if at, ok := p.known[key]; ok && p.groups[at].isSame(&g) {
		return at
	}
	p.groups = append(p.groups, g)
	p.known[key] = int32(len(p.groups) - 1)
	return int32(len(p.groups) - 1)
}

// isSame reports whether a group with the same key has the same rows.
func (g *group) isSame(other *group) bool {
	return slices.Equal(g.entries, other.entries) && slices.Equal(g.open, other.open)
}

// A step is something that is read: a group, or the log of a request.
type step struct {
	last int32 // the last entry that it needs
	at   int32 // the group, or the request
	logs bool  // it is the log of a request
}

// read reads the transcript again, and computes the hashes of the groups.
func (p *prover) read(records iter.Seq2[*jsonl.Record, error]) error {
	p.sums = make([]hashSum, len(p.groups))
	steps := p.steps()
	if len(steps) == 0 {
		return nil // all was hashed when it was read first
	}
	context := &Context{ix: p.ix}
	a := &assembly{ix: p.ix, count: len(steps)}
	a.needs = func(m int) []int32 {
		if steps[m].logs {
			return []int32{p.ix.requests[steps[m].at].entry}
		}
		return p.ix.groupSources(&p.groups[steps[m].at])
	}
	var message, hashed []byte // used again and again
	a.render = func(m int, body func(int32) *jsonl.Record) error {
		at := steps[m].at
		if steps[m].logs {
			p.tails[at] = hashesIn(body(p.ix.requests[at].entry).Get("request").Get("tail"))
			return nil
		}
		message = append(message[:0], p.ix.rules().group(context, p.groups[at], body)...)
		hashed = appendHashed(hashed[:0], message)
		p.sums[at] = sha256.Sum256(hashed)
		return nil
	}
	return a.run(records)
}

// steps returns what has to be read, in the order in which that is possible. It notes what is known already.
func (p *prover) steps() []step {
	steps := make([]step, 0, len(p.groups)+len(p.base))
	for at, g := range p.groups {
		if sum, ok := p.ix.sumOf(&g); ok {
			p.sums[at] = sum
			continue
		}
		last := int32(-1)
		for _, i := range p.ix.groupSources(&g) {
			last = max(last, p.ix.rowOf(i))
		}
		steps = append(steps, step{last, int32(at), false})
	}
	for at, r := range p.ix.requests {
		if r.tail != nil {
			p.tails[at] = r.tail
			continue
		}
		steps = append(steps, step{r.entry, int32(at), true})
	}
	slices.SortStableFunc(steps, func(a, b step) int { return cmp.Compare(a.last, b.last) })
	return steps
}

// hashesIn returns the hashes that the log of a request adds to those of its base. They are not nil.
func hashesIn(tail jsonl.Value) []hashSum {
	hashes := []hashSum{}
	for v := range tail.Elements() {
		var h hashSum
		if text := v.Bytes(); hex.DecodedLen(len(text)) == len(h) {
			_, _ = hex.Decode(h[:], text) // nothing has the hash of what is not one
		}
		if hashes = append(hashes, h); len(hashes) == maxMessages {
			break
		}
	}
	return hashes
}

// appendHashed appends a message in the form whose hash is logged: with sorted keys, and a text as one block.
func appendHashed(dst []byte, message jsonl.Value) []byte {
	content := message.Get("content")
	if !content.IsString() {
		return javascript.AppendSorted(dst, message)
	}
	o := objectOf(message)
	o.set("content", list([]string{textBlock(inner(content))}))
	return javascript.AppendSorted(dst, jsonl.Value(o.String()))
}

// compare compares the hashes of the claims with those in the log.
func (p *prover) compare(report func(Fault)) Proof {
	p.differs = make([]bool, len(p.groups))
	for _, c := range p.claims {
		p.compareClaim(c, report)
	}
	proof := Proof{Requests: len(p.proved)}
	for _, ok := range p.proved {
		if ok {
			proof.Proved++
		}
	}
	return proof
}

// compareClaim compares the messages of one request.
func (p *prover) compareClaim(c claim, report func(Fault)) {
	logged, authors := p.logged(c.request)
	equal := 0 // number of messages before the first that differs
	for equal < len(logged) && equal < len(c.groups) && authors[equal] >= 0 && p.sums[c.groups[equal]] == logged[equal] {
		equal++
	}
	if isWhole := equal == len(logged) && equal == len(c.groups); isWhole {
		p.proved[c.request] = true
	}
	for at := p.base[c.request]; at >= 0; at = p.base[at] {
		p.proved[at] = p.proved[at] || int(p.ix.requests[at].total) <= equal
	}
	if len(logged) != len(c.groups) {
		p.reportCount(c, len(logged), report)
		return
	}
	for at := equal; at < len(logged); at++ {
		if g := c.groups[at]; authors[at] >= 0 && p.sums[g] != logged[at] && !p.differs[g] {
			p.differs[g] = true
			p.reportMessage(c, at, authors[at], report)
		}
	}
}

// logged returns the hashes of all messages of a request, and which request logs each: -1 if the log of its base is
// not there.
func (p *prover) logged(request int32) (hashes []hashSum, authors []int32) {
	total := int(p.ix.requests[request].total)
	hashes, authors = make([]hashSum, total), slices.Repeat([]int32{-1}, total)
	for at, end := request, total; at >= 0 && end > 0; at = p.base[at] {
		keep := int(p.ix.requests[at].keep)
		for i := min(end, keep+len(p.tails[at])) - 1; i >= keep; i-- {
			hashes[i], authors[i] = p.tails[at][i-keep], at
		}
		end = min(end, keep)
	}
	return hashes, authors
}

// reportMessage reports a message that differs from what was sent, at its first row.
func (p *prover) reportMessage(c claim, at int, author int32, report func(Fault)) {
	r := p.ix.requests[author]
	place := p.ix.placeOf(r.entry)
	if entries := p.groups[c.groups[at]].entries; len(entries) > 0 {
		place = p.ix.placeOf(slices.Min(entries))
	}
	report(Fault{Code: NotSent, Place: place,
		Detail: fmt.Sprintf("message %d of the request on line %d", at+1, p.ix.at(r.entry).line)})
}

// reportCount reports a request that had more or fewer messages than are rebuilt.
func (p *prover) reportCount(c claim, logged int, report func(Fault)) {
	report(Fault{Code: NotSent, Place: p.ix.placeOf(p.ix.requests[c.request].entry),
		Detail: fmt.Sprintf("%d messages were sent, %d are rebuilt", logged, len(c.groups))})
}
