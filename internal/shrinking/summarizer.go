package shrinking

// How a summarizer runs:
//
//   - It is a command of the user, given to the shell. It reads the prompt on stdin, and what it prints is its answer.
//     What it says on stderr is passed on, escaped, unless --quiet or --json.
//   - It has --timeout to answer. It is ended with everything that it started if that is over, if it prints too much,
//     or on Ctrl-C. Processes that it leaves running cannot hold clawctl up: pipes that are still open are closed.
//   - It may stop reading early: it knows best what it needs.
//   - A checkpoint's summarizer gets the model of the configuration as CLAWCTL_MODEL. If it fails with that model, it
//     is asked again without it, if the configuration allows that.

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/ui"
	"clawctl/pkg/window/summary"
)

// summarizerTimeout is how long a summarizer may take, unless --timeout says otherwise.
const summarizerTimeout = 2 * time.Minute

// pipeDelay is how long pipes may stay open after a command ended; less than the grace period of Ctrl-C.
const pipeDelay = 200 * time.Millisecond

// modelVariable names the model that a summarizer is to use.
const modelVariable = "CLAWCTL_MODEL"

// newSummarizer returns what runs a command for every question.
func newSummarizer(a *cli.App, command string, timeout time.Duration) summary.Summarizer {
	return NewModelSummarizer(a, command, timeout, "")
}

// WithFallback asks one summarizer and, if that fails, another.
func WithFallback(a *cli.App, first, second summary.Summarizer, model string) summary.Summarizer {
	return func(ctx context.Context, prompt func(io.Writer) error) (string, error) {
		text, err := first(ctx, prompt)
		if err == nil || ctx.Err() != nil {
			return text, err
		}
		a.Note("%v with %s=%s; asking again without it", err, modelVariable, model)
		return second(ctx, prompt)
	}
}

// NewModelSummarizer is newSummarizer for a model, which the command finds in its environment. Without one, a variable
// that clawctl itself was given is not passed on.
func NewModelSummarizer(a *cli.App, command string, timeout time.Duration, model string) summary.Summarizer {
	return func(ctx context.Context, prompt func(io.Writer) error) (string, error) {
		limited, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		answer := &cappedBuffer{full: cancel}
		cmd := cli.Shell(limited, command)
		cmd.WaitDelay, cmd.Stdout = pipeDelay, answer
		cmd.Env = environmentFor(model)
		if !a.Quiet && !a.JSON {
			relay := &stderrRelay{console: a.Console}
			defer relay.flush()
			cmd.Stderr = relay
		}
		err := runFed(a, cmd, prompt)
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case answer.over:
			return "", fmt.Errorf("the summarizer printed more than %s bytes", ui.Thousands(summary.MaxLength))
		case limited.Err() != nil:
			return "", fmt.Errorf("the summarizer took longer than %s", cli.ShortDuration(timeout))
		case err != nil:
			return "", fmt.Errorf("the summarizer failed: %w", err)
		}
		return string(bytes.ToValidUTF8(answer.text, []byte("\ufffd"))), nil
	}
}

// environmentFor returns the environment of a summarizer.
func environmentFor(model string) []string {
	isModel := func(setting string) bool { return strings.HasPrefix(setting, modelVariable+"=") }
	env := slices.DeleteFunc(os.Environ(), isModel)
	if model != "" {
		env = append(env, modelVariable+"="+model)
	}
	return env
}

// runFed runs a command to its end while the prompt is written to its stdin.
func runFed(a *cli.App, cmd *exec.Cmd, prompt func(io.Writer) error) error {
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	defer a.Progress.End()
	fed := make(chan error, 1)
	go func() {
		feed := &feed{dst: stdin}
		err := prompt(feed)
		if feed.failed {
			err = nil // the command stopped reading
		}
		stdin.Close()
		a.Progress.Begin("Waiting for the summarizer", 0, ui.Unit{}) // after that of reading the session again
		fed <- err
	}()
	err = cmd.Wait() // closes stdin, so that the feeding ends too
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it ended well; what it started holds its pipes
		_ = cli.EndGroup(cmd)
	}
	return errors.Join(<-fed, err)
}

// A feed remembers whether its reader is gone.
type feed struct {
	dst    io.Writer
	failed bool
}

func (f *feed) Write(p []byte) (int, error) {
	n, err := f.dst.Write(p)
	f.failed = f.failed || err != nil
	return n, err
}

// A cappedBuffer holds an answer, and ends a command that prints too much. It must not have ReadFrom, which io.Copy
// would call instead of Write.
type cappedBuffer struct {
	text []byte
	over bool
	full func()
}

func (c *cappedBuffer) Write(p []byte) (int, error) {
	if len(c.text)+len(p) > summary.MaxLength {
		c.over = true
		c.full()
	} else {
		c.text = append(c.text, p...)
	}
	return len(p), nil
}

// A stderrRelay passes on what a command says on stderr: escaped, and in whole lines, so that progress erases none.
type stderrRelay struct {
	console *cli.Console
	rest    []byte // a line that has not ended
}

// longestHeld is how much of a line waits for its end.
const longestHeld = 4096

func (r *stderrRelay) Write(p []byte) (int, error) {
	r.rest = append(r.rest, p...)
	if end := bytes.LastIndexByte(r.rest, '\n'); end >= 0 {
		r.console.Say("%s", ui.Escape(string(r.rest[:end])))
		r.rest = append(r.rest[:0], r.rest[end+1:]...)
	}
	if len(r.rest) > longestHeld {
		r.flush()
	}
	return len(p), nil
}

// flush passes on a line without an end.
func (r *stderrRelay) flush() {
	if len(r.rest) > 0 {
		r.console.Say("%s", ui.Escape(string(r.rest)))
		r.rest = r.rest[:0]
	}
}
