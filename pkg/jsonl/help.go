package jsonl

// A helper is what the consumer of a pipeline needs to cut batches of a file while it waits for the workers. A program
// with two goroutines on two cores does not spend its time on switching between three.
type helper struct {
	cutter cutter
	// rest is the task whose batch the cutter has begun. The consumer cuts the rest of it when it comes to it, because
	// nobody else would take the pages.
	rest *task
}

// await returns the next value of a channel. The consumer helps until there is one.
func await[T any](p *pipeline, values <-chan T) T {
	for range turnTries {
		select {
		case v := <-values:
			return v
		default:
		}
		if p.helper == nil || p.helper.rest != nil {
			break
		}
		if !p.turn.TryLock() {
			p.passTime()
			continue
		}
		if t := p.tryNext(); t != nil {
			p.help(t)
		} else {
			break
		}
	}
	return <-values
}

// tryNext reads the next batch, in the turn of the caller, which ends with it. It returns nil if the pipeline can take
// none now.
func (p *pipeline) tryNext() *task {
	defer p.turn.Unlock()
	if p.isEnded || p.large != nil && !p.large.isPassed() {
		return nil
	}
	p.large = nil
	chunk, ok := p.chunks.tryTake()
	if !ok {
		return nil
	}
	return p.read(chunk)
}

// isPassed reports whether the consumer has passed a large batch.
func (t *task) isPassed() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// help cuts the first page of a batch.
func (p *pipeline) help(t *task) {
	c := &p.helper.cutter
	p.begin(c, t)
	if !c.isDone() {
		t.pages <- p.newPage(c)
	}
	p.helper.rest = t
	p.helper.endRest()
}

// nextPage returns the next page of a batch, or nil after the last.
func (p *pipeline) nextPage(t *task) *page {
	h := p.helper
	if h == nil || h.rest != t || len(t.pages) > 0 {
		return await(p, t.pages)
	}
	pg := p.newPage(&h.cutter)
	h.endRest()
	return pg
}

// endRest forgets the task that the cutter has begun, if nothing is left of it.
func (h *helper) endRest() {
	if h.cutter.isDone() {
		close(h.rest.pages)
		h.rest = nil
	}
}
