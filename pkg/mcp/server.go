// Package mcp is a server of the Model Context Protocol on two streams, such as stdin and stdout: a message is a line
// of JSON-RPC 2.0. It offers tools and nothing else, and knows nothing about what they do.
//
// Two eras of the protocol are served side by side. Until 2025-11-25, a client begins with initialize, and both sides
// agree on a version. Since 2026-07-28, every request names its version, and server/discover lists what there is.
//
// Whatever arrives, the server goes on: what is not JSON, too long, or not a request is answered with an error.
package mcp

import (
	"context"
	"encoding/json"
	"io"
	"sync"
)

// A Server offers tools to one client.
type Server struct {
	Name, Version string
	Instructions  string // for the model: what the tools are for
	Tools         []Tool
	// Refuse answers a call with wrong arguments.
	Refuse func(tool *Tool, err error) Result
}

const (
	maxMessage = 1 << 20 // bytes of a message; arguments of tools are short
	maxWaiting = 256     // requests that were read and not answered; the next one is read later
	maxRunning = 4       // calls at a time; each may use all cores
	maxBatch   = 256     // messages in one line; all of their answers are held until the last one
)

const tooLong = "a message must have at most 1 MiB"

// Serve answers what comes from in until it ends, out is closed, or the context is cancelled. At the end of in, calls
// that still run are completed and answered.
func (s *Server) Serve(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	c := &connection{
		server: s, out: out, stop: cancel, calls: map[string]context.CancelFunc{},
		waitingRuns: map[string]*run{}, waiting: make(chan struct{}, maxWaiting), running: make(chan struct{}, maxRunning),
	}
	lines := make(chan line)
	go readLines(ctx, in, lines)
	for {
		select {
		case <-ctx.Done():
			return c.end(ctx)
		case l, more := <-lines:
			switch {
			case !more || l.err != nil:
				c.requests.Wait()
				if c.failed != nil {
					return c.failed
				}
				return l.err
			case l.tooLong:
				c.send(failed(nil, &Error{Code: codeParse, Message: tooLong}))
			default:
				c.receive(ctx, l.text)
			}
		}
	}
}

// A connection is one client.
type connection struct {
	server *Server
	stop   context.CancelFunc

	writing sync.Mutex
	out     io.Writer
	failed  error // of out

	requests         sync.WaitGroup
	waiting, running chan struct{}

	mu          sync.Mutex
	negotiated  string                        // the version that initialize agreed on, or ""
	calls       map[string]context.CancelFunc // that are not answered, by the ids of their requests
	waitingRuns map[string]*run               // that have not begun, by their keys
}

// end returns why the context of a connection was cancelled: out cannot be written, or the caller wants it.
func (c *connection) end(ctx context.Context) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.failed != nil {
		return c.failed
	}
	return ctx.Err()
}

// send writes a message. A client that does not read any more ends the connection.
func (c *connection) send(message any) {
	text, err := encode(message)
	if err != nil { // of a result that is not JSON, which would be a bug of a tool
		text, _ = encode(failed(nil, &Error{Code: codeInternal, Message: err.Error()}))
	}
	c.writing.Lock()
	defer c.writing.Unlock()
	if c.failed != nil {
		return
	}
	if _, c.failed = c.out.Write(text); c.failed != nil {
		c.stop()
	}
}

// receive takes a line. Requests are answered in goroutines of their own.
func (c *connection) receive(ctx context.Context, text []byte) {
	if isBatch(text) {
		c.receiveBatch(ctx, text)
		return
	}
	m, err := parseMessage(text)
	if err != nil {
		c.send(failed(m.ID, err))
		return
	}
	c.start(ctx, m, func(r *response) {
		if r != nil {
			c.send(r)
		}
	})
}

// receiveBatch takes several messages in one line, which only one version of the protocol has.
func (c *connection) receiveBatch(ctx context.Context, text []byte) {
	list, err := splitBatch(text)
	if err != nil {
		c.send(failed(nil, err))
		return
	}
	if version := c.version(); version != batchVersion || len(list) == 0 {
		c.send(failed(nil, &Error{Code: codeInvalid, Message: "batches must not be empty, and need version " + batchVersion}))
		return
	}
	b := &batch{c: c, left: len(list)}
	for _, part := range list {
		m, err := parseMessage(part)
		switch {
		case err != nil:
			b.add(failed(m.ID, err))
		case m.Method == "initialize":
			b.add(failed(m.ID, &Error{Code: codeInvalid, Message: "initialize must not be part of a batch"}))
		default:
			c.start(ctx, m, b.add)
		}
	}
}

// A batch collects the answers to several messages.
type batch struct {
	c       *connection
	mu      sync.Mutex
	left    int
	answers []*response
}

// add adds an answer, nil for a message that has none, and sends all after the last one.
func (b *batch) add(r *response) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r != nil {
		b.answers = append(b.answers, r)
	}
	if b.left--; b.left == 0 && len(b.answers) > 0 {
		b.c.send(b.answers)
	}
}

// start handles a message, and calls done once with the answer, or nil if there is none. What takes time is handled
// later, in its own goroutine.
func (c *connection) start(ctx context.Context, m message, done func(*response)) {
	switch {
	case m.isResponse():
		done(nil) // nothing was asked
	case m.isNotification():
		c.notice(m)
		done(nil)
	case m.Method == "tools/call":
		c.startCall(ctx, m, done)
	default:
		done(c.answer(m))
	}
}

// notice takes a notification. Those that nobody knows are ignored, as the protocol wants.
func (c *connection) notice(m message) {
	if m.Method != "notifications/cancelled" {
		return
	}
	var params struct {
		ID json.RawMessage `json:"requestId"`
	}
	if json.Unmarshal(m.Params, &params) != nil {
		return
	}
	c.mu.Lock()
	cancel := c.calls[string(params.ID)]
	c.mu.Unlock()
	if cancel != nil {
		cancel()
	}
}

// startCall calls a tool. A call that the client has cancelled gets no answer.
func (c *connection) startCall(parent context.Context, m message, done func(*response)) {
	e, err := c.eraOf(m)
	if err != nil {
		done(failed(m.ID, err))
		return
	}
	ctx, cancel := context.WithCancel(parent)
	if !c.register(m.ID, cancel) {
		cancel()
		done(failed(m.ID, &Error{Code: codeInvalid, Message: "another request with this id is not answered yet"}))
		return
	}
	select {
	case c.waiting <- struct{}{}:
	case <-ctx.Done():
		cancel()
		return
	}
	r := c.join(parent, m.Params)
	leave := sync.OnceFunc(func() { c.leave(r) })
	c.cancelBy(m.ID, func() { // a run that nobody wants must not begin after this
		leave()
		cancel()
	})
	c.requests.Go(func() {
		defer func() { <-c.waiting }()
		var answer *response
		select {
		case <-r.done:
			answer = r.answer(m, e, c.server)
		case <-ctx.Done():
		}
		leave()
		isCancelled := ctx.Err() != nil
		c.unregister(m.ID)
		cancel()
		if isCancelled {
			answer = nil
		}
		done(answer)
	})
}

// register remembers how to cancel a request. It reports whether no other one has its id.
func (c *connection) register(id json.RawMessage, cancel context.CancelFunc) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[string(id)] != nil {
		return false
	}
	c.calls[string(id)] = cancel
	return true
}

// cancelBy changes how a request is cancelled.
func (c *connection) cancelBy(id json.RawMessage, cancel context.CancelFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.calls[string(id)] = cancel
}

func (c *connection) unregister(id json.RawMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, string(id))
}
