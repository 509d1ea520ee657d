package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// output runs a command and returns what it prints.
func output(cmd *exec.Cmd) ([]byte, error) {
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("%s: %w\n%s", filepath.Base(cmd.Path), err, stderr.Bytes())
	}
	return stdout.Bytes(), nil
}

// processorTime returns the time that a finished command took of all processors.
func processorTime(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

func mb(bytes int64) float64 { return float64(bytes) / 1e6 }

// list returns the sizes of the files below a folder whose names have an ending.
func list(folder, end string) (map[string]int64, error) {
	sizes := map[string]int64{}
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, end) {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		sizes[path] = info.Size()
		return nil
	})
	return sizes, err
}

// measure counts the files below a folder whose names have an ending, and their bytes.
func measure(folder, end string) (files int, bytes int64, err error) {
	sizes, err := list(folder, end)
	for _, size := range sizes {
		bytes += size
	}
	return len(sizes), bytes, err
}

// grownRecords are an answer with a tool call, and its result, so every table gets a row.
const grownRecords = `{"type":"message","id":"grown%04[1]d","parentId":null,"timestamp":"2026-02-28T20:00:00.000Z",` +
	`"message":{"role":"assistant","content":[{"type":"text","text":"Done."},` +
	`{"type":"toolCall","id":"call%04[1]d","name":"read","arguments":{"path":"notes.md"}}],` +
	`"provider":"anthropic","model":"claude-opus-4-5","stopReason":"toolUse",` +
	`"usage":{"input":%[1]d,"output":2,"cacheRead":0,"cacheWrite":0,"totalTokens":%[2]d,"cost":{"total":0.25}}}}
{"type":"message","id":"result%04[1]d","parentId":"grown%04[1]d","timestamp":"2026-02-28T20:00:01.000Z",` +
	`"message":{"role":"toolResult","toolCallId":"call%04[1]d","toolName":"read","content":[{"type":"text","text":"n"}]}}
`

// appendRecords appends records to the first session of a home.
func appendRecords(home string, i int) error {
	sizes, err := list(home, ".jsonl")
	if err != nil {
		return err
	}
	file, err := os.OpenFile(slices.Min(slices.Collect(maps.Keys(sizes))), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(file, grownRecords, i, i+2)
	return errors.Join(err, file.Close())
}
