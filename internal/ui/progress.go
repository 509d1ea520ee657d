package ui

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Timing says when progress appears, how often it is drawn, and what the time is.
type Timing struct {
	Delay, Every time.Duration
	Now          func() time.Time
}

// DefaultTiming shows progress only for tasks that take at least a second.
func DefaultTiming(now func() time.Time) Timing {
	return Timing{Delay: time.Second, Every: 200 * time.Millisecond, Now: now}
}

// A Unit is the unit of a task's progress.
type Unit struct {
	amount func(n int64) string // with its unit
	number func(n int64) string // beside another amount, and as a rate
}

// ByteUnit measures bytes.
var ByteUnit = Unit{Bytes, Bytes}

// Items measures things that are counted.
func Items(noun string) Unit { return Unit{func(n int64) string { return Count(n, noun) }, Thousands} }

// A Progress is one line on a terminal that shows how far a long run is. Any goroutine can report to it. Other output
// to the same terminal goes through Print, which erases the line first. A nil Progress shows nothing.
type Progress struct {
	dst     *Stream
	columns int
	timing  Timing
	done    atomic.Int64

	mu    sync.Mutex
	task  string
	total int64
	unit  Unit
	begun time.Time
	first time.Time // when the run began
	shown bool
	stop  chan struct{}
	ended chan struct{} // closed when nothing draws any more
}

// NewProgress returns a Progress that draws on a terminal of that width.
func NewProgress(dst *Stream, columns int, timing Timing) *Progress {
	return &Progress{dst: dst, columns: columns, timing: timing, first: timing.Now()}
}

// Begin starts a task, such as "Reading", and replaces the previous one. A total of 0 means that it is unknown.
func (p *Progress) Begin(task string, total int64, unit Unit) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.task, p.total, p.unit, p.begun = task, total, unit, p.timing.Now()
	p.done.Store(0)
	if p.stop == nil {
		p.stop, p.ended = make(chan struct{}), make(chan struct{})
		go p.draw(p.stop, p.ended)
	}
}

// Rename changes the name of the task and keeps its progress.
func (p *Progress) Rename(task string) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.task = task
}

// Advance adds to the progress of the task.
func (p *Progress) Advance(n int64) {
	if p != nil {
		p.done.Add(n)
	}
}

// Print erases the line and runs write, which writes to the terminal.
func (p *Progress) Print(write func()) {
	if p == nil {
		write()
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.erase()
	write()
}

// End erases the line until the next Begin. Nothing draws any more when it returns.
func (p *Progress) End() {
	if p == nil {
		return
	}
	p.mu.Lock()
	isDrawn, ended := p.stop != nil, p.ended
	if isDrawn {
		close(p.stop)
		p.stop = nil
	}
	p.erase()
	p.mu.Unlock()
	if isDrawn {
		<-ended
	}
}

// draw redraws the line until the task ends.
func (p *Progress) draw(stop <-chan struct{}, ended chan<- struct{}) {
	defer close(ended)
	wait := time.NewTimer(max(0, p.timing.Delay-p.timing.Now().Sub(p.first)))
	defer wait.Stop()
	for {
		select {
		case <-stop:
			return
		case <-wait.C:
		}
		p.mu.Lock()
		if p.stop == stop {
			p.dst.redraw(CutEnd(Escape(p.line(p.timing.Now())), p.columns-1))
			p.shown = true
		}
		p.mu.Unlock()
		wait.Reset(p.timing.Every)
	}
}

func (p *Progress) erase() {
	if p.shown {
		p.dst.redraw("")
		p.shown = false
	}
}

// line returns the text of the line: what is done, how fast, and how long the rest will take.
func (p *Progress) line(now time.Time) string {
	done, u := p.done.Load(), p.unit
	if u.amount == nil {
		return p.task + "…"
	}
	rate := float64(done) / max(now.Sub(p.begun).Seconds(), 1e-3)
	if p.total <= 0 {
		return fmt.Sprintf("%s: %s, %s/s", p.task, u.amount(done), u.number(int64(rate)))
	}
	done = min(done, p.total) // a file may grow while it is being read
	text := fmt.Sprintf("%s: %s of %s (%d%%), %s/s", p.task, u.number(done), u.amount(p.total), 100*done/p.total,
		u.number(int64(rate)))
	if rate > 0 {
		left := time.Duration(float64(p.total-done) / rate * float64(time.Second))
		text += ", " + Remaining(left) + " left"
	}
	return text
}
