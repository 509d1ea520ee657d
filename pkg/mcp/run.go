package mcp

import (
	"context"
	"encoding/json"
	"maps"
)

// A run is one call of a tool. It answers all equal requests that arrived before it began, so that a client that asks
// the same many times at once waits for one run, and no answer is older than its request.
type run struct {
	key    string          // equal for equal calls, or "" if the run is not shared
	ctx    context.Context // cancelled if all its requests are
	cancel context.CancelFunc
	wanted int // requests that are not cancelled; guarded by connection.mu

	done   chan struct{} // closed when there is a result
	result map[string]any
	err    *Error
}

// join returns the run that answers a call: an equal one that has not begun, or a new one.
func (c *connection) join(ctx context.Context, params json.RawMessage) *run {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := callKey(params)
	r := c.waitingRuns[key]
	if r == nil {
		r = &run{key: key, done: make(chan struct{})}
		r.ctx, r.cancel = context.WithCancel(ctx)
		if key != "" {
			c.waitingRuns[key] = r
		}
		c.requests.Go(func() { c.perform(r, params) })
	}
	r.wanted++
	return r
}

// callKey returns the tool and the arguments of a call in a form that is the same for equal calls, or "".
func callKey(params json.RawMessage) string {
	var p struct {
		Name      string `json:"name"`
		Arguments any    `json:"arguments"`
	}
	if json.Unmarshal(params, &p) != nil {
		return ""
	}
	key, _ := json.Marshal([]any{p.Name, p.Arguments}) // what was JSON can be written
	return string(key)
}

// perform waits for its turn and calls a tool. From then on, no other call joins the run.
func (c *connection) perform(r *run, params json.RawMessage) {
	defer r.cancel()
	select {
	case c.running <- struct{}{}:
		defer func() { <-c.running }()
	case <-r.ctx.Done():
		return // nobody waits for a result
	}
	c.mu.Lock()
	c.close(r)
	isUnwanted := r.ctx.Err() != nil
	c.mu.Unlock()
	if isUnwanted { // there was a place at the same time
		return
	}
	r.result, r.err = c.server.callSafely(r.ctx, params)
	close(r.done)
}

// leave ends the interest of a request in its run. Without any, the run is cancelled.
func (c *connection) leave(r *run) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if r.wanted--; r.wanted == 0 {
		c.close(r)
		r.cancel()
	}
}

// close keeps other calls from joining a run. The caller holds c.mu.
func (c *connection) close(r *run) {
	if c.waitingRuns[r.key] == r {
		delete(c.waitingRuns, r.key)
	}
}

// answer returns the answer to one of the requests.
func (r *run) answer(m message, e era, s *Server) *response {
	if r.err != nil {
		return failed(m.ID, r.err)
	}
	return answered(m.ID, e.complete(maps.Clone(r.result), s))
}
