package main

import (
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

const (
	progressDelay = time.Second
	progressEvery = 200 * time.Millisecond
)

// A progress shows how far a long run is. Its rules are in terminal.go. A nil progress shows nothing.
type progress struct {
	mu    sync.Mutex
	dst   io.Writer
	begun time.Time
	last  time.Time
	done  int64 // bytes of the files before
	shown bool
}

// newProgress returns nil where nothing may be shown.
func (a *app) newProgress() *progress {
	if !a.errTerm.is || a.outTerm.is || a.quiet || a.json || os.Getenv("CI") != "" {
		return nil
	}
	now := time.Now()
	return &progress{dst: a.stderr, begun: now, last: now.Add(progressDelay - progressEvery)}
}

// finish adds a file that has been read to what the rate is made from.
func (p *progress) finish(size int64) {
	if p != nil {
		p.done += size
	}
}

// show tells how many bytes of how many are done in a file; a total of 0 is unknown.
func (p *progress) show(name string, done, total int64) {
	if p == nil || time.Since(p.last) < progressEvery {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last, p.shown = time.Now(), true
	rate := float64(p.done+done) / time.Since(p.begun).Seconds()
	text := fmt.Sprintf("%s: %s, %s/s", name, byteSize(done), byteSize(int64(rate)))
	if total > 0 {
		left := time.Duration(float64(total-done) / rate * float64(time.Second)).Round(time.Second)
		text = fmt.Sprintf("%s: %s of %s, %s/s, %s left", name, byteSize(done), byteSize(total), byteSize(int64(rate)), left)
	}
	fmt.Fprintf(p.dst, "\r\x1b[K%s", escapeControls(text))
}

// clear removes the line before something else is printed.
func (p *progress) clear() {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown {
		fmt.Fprint(p.dst, "\r\x1b[K")
		p.shown = false
	}
}

// byteSize formats a number of bytes for people.
func byteSize(n int64) string {
	switch {
	case n < 1000:
		return fmt.Sprintf("%d B", n)
	case n < 1000*1000:
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	case n < 1000*1000*1000:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	}
	return fmt.Sprintf("%.2f GB", float64(n)/1e9)
}
