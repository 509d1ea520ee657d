package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

const (
	summarizerTimeout = 2 * time.Minute
	maxSummary        = 1 << 20 // bytes
	// pipesLinger is how long a command that was ended may hold its pipes by its children.
	pipesLinger = time.Second
)

// summaryPrompt goes before the conversation.
const summaryPrompt = "Summarize the following conversation: concise, factual, with the decisions, open questions and names that matter later. " +
	"Answer with the summary alone.\n\n"

// summarizerOf returns what makes a summary with a command of the user's shell. clawctl itself opens no connection.
func summarizerOf(command string, timeout time.Duration) func(context.Context, string) (string, error) {
	return func(ctx context.Context, text string) (string, error) {
		ctx, cancel := context.WithTimeout(ctx, timeout)
		defer cancel()
		shell := []string{"sh", "-c"}
		if runtime.GOOS == "windows" {
			shell = []string{"cmd", "/C"}
		}
		cmd := exec.CommandContext(ctx, shell[0], shell[1], command)
		cmd.WaitDelay = pipesLinger
		cmd.Stdin = strings.NewReader(summaryPrompt + text + "\n")
		out := &limitedOutput{room: maxSummary}
		cmd.Stdout = out
		err := cmd.Run()
		switch {
		case ctx.Err() == context.DeadlineExceeded:
			return "", fmt.Errorf("the summarizer took longer than %s", timeout)
		case out.room < 0:
			return "", fmt.Errorf("the summarizer wrote more than %d bytes", maxSummary)
		case err != nil:
			return "", fmt.Errorf("the summarizer failed: %w", err)
		}
		return out.text.String(), nil
	}
}

// limitedOutput keeps what a command writes, up to a size.
type limitedOutput struct {
	text strings.Builder
	room int
}

var errTooMuch = errors.New("too much output")

func (o *limitedOutput) Write(p []byte) (int, error) {
	if o.room -= len(p); o.room < 0 {
		return 0, errTooMuch
	}
	return o.text.Write(p)
}
