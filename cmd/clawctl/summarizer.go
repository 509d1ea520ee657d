package main

// How a summarizer runs:
//
//   - It is a command of the user's, given to the shell. It reads the prompt on stdin, and what it prints is its answer;
//     what it says on stderr is passed on, escaped, unless --quiet or --json.
//   - It gets --timeout, and is ended with everything that it started when that is over, when it prints too much, or on
//     Ctrl-C. What it left behind cannot hold clawctl up: pipes that are still open are closed.
//   - It may stop reading early: it knows best what it needs.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"time"

	"clawctl/pkg/summary"
)

// summarizerTimeout is how long a summarizer may take, unless --timeout says so.
const summarizerTimeout = 2 * time.Minute

// pipeDelay is how long pipes may stay open after a command ended; less than the grace period of Ctrl-C.
const pipeDelay = 200 * time.Millisecond

// summarizer runs a command for every question.
func (a *app) summarizer(command string, timeout time.Duration) summary.Summarizer {
	return func(ctx context.Context, prompt func(io.Writer) error) (string, error) {
		limited, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		answer := &capped{full: cancel}
		cmd := shell(limited, command)
		cmd.WaitDelay, cmd.Stdout = pipeDelay, answer
		if !a.quiet && !a.json {
			cmd.Stderr = &safeWriter{dst: a.stderr}
		}
		err := runWith(cmd, prompt)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case answer.over:
			return "", fmt.Errorf("the summarizer answered more than %d bytes", summary.MaxLength)
		case limited.Err() != nil:
			return "", fmt.Errorf("the summarizer took longer than %s", timeout)
		case err != nil:
			return "", fmt.Errorf("the summarizer failed: %w", err)
		}
		return string(bytes.ToValidUTF8(answer.text, []byte("\ufffd"))), nil
	}
}

// runWith runs a command to its end while it is fed.
func runWith(cmd *exec.Cmd, prompt func(io.Writer) error) error {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	fed := make(chan error, 1)
	go func() {
		feed := &feed{dst: stdin}
		err := prompt(feed)
		if feed.failed {
			err = nil // nobody reads any more
		}
		stdin.Close()
		fed <- err
	}()
	err = cmd.Wait() // closes stdin, so that the feeding ends too
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it ended well; what it started holds its pipes
		endGroup(cmd)
	}
	return errors.Join(<-fed, err)
}

// A feed notes that its reader is gone.
type feed struct {
	dst    io.Writer
	failed bool
}

func (f *feed) Write(p []byte) (int, error) {
	n, err := f.dst.Write(p)
	f.failed = f.failed || err != nil
	return n, err
}

// A capped buffer holds an answer, and ends its writer where that is no end. It has no other method of a buffer's: the
// copying would take ReadFrom instead of Write.
type capped struct {
	text []byte
	over bool
	full func()
}

func (c *capped) Write(p []byte) (int, error) {
	if len(c.text)+len(p) > summary.MaxLength {
		c.over = true
		c.full()
	} else {
		c.text = append(c.text, p...)
	}
	return len(p), nil
}
