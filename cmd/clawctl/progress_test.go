package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

func TestProgress(t *testing.T) {
	var out bytes.Buffer
	now := time.Now()
	p := &progress{dst: &out, begun: now, last: now.Add(progressDelay - progressEvery)}
	p.show("early.jsonl", 1, 10)
	if out.Len() > 0 {
		t.Errorf("shown within a second: %q", out.String())
	}
	p.begun, p.last = now.Add(-2*time.Second), now.Add(-time.Second)
	p.show("a\x1b.jsonl", 500_000_000, 1_000_000_000)
	if got := out.String(); !strings.HasPrefix(got, "\r\x1b[Ka\\u001b.jsonl: 500.0 MB of 1.00 GB, ") || !strings.HasSuffix(got, "2s left") {
		t.Errorf("%q", got)
	}
	out.Reset()
	p.clear()
	p.clear()
	if got := out.String(); got != "\r\x1b[K" {
		t.Errorf("cleared by %q", got)
	}
	(*progress)(nil).show("x", 1, 2)
	(*progress)(nil).clear()
}
