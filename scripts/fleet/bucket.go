package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
)

// A bucket is object storage in a folder. It counts what providers charge for. Gateways write to it, and a server for
// the requests of S3 answers ClickHouse (bucket.mjs). The server is not in Go, because nothing in Go here may connect.
type bucket struct {
	folder, address string

	input   io.WriteCloser // of the server
	answers *bufio.Reader
	server  *exec.Cmd

	mu    sync.Mutex
	usage usage
}

// A usage is what providers charge for.
type usage struct {
	Writes, Reads, Lists, Deletes int
	Received, Sent                int64 // bytes
}

func (u usage) String() string {
	if u == (usage{}) {
		return "no requests"
	}
	return fmt.Sprintf("%d writes of %.1f MB, %d reads of %.1f MB, %d lists, %d deletes", u.Writes, mb(u.Received),
		u.Reads, mb(u.Sent), u.Lists, u.Deletes)
}

// serve starts the server.
func (b *bucket) serve() (err error) {
	if err := os.MkdirAll(b.folder, 0o700); err != nil {
		return err
	}
	b.server = exec.Command("node", "scripts/fleet/bucket.mjs", b.folder)
	b.server.Stderr = os.Stderr
	if b.input, err = b.server.StdinPipe(); err != nil {
		return err
	}
	output, err := b.server.StdoutPipe()
	if err != nil {
		return err
	}
	b.answers = bufio.NewReader(output)
	if err := b.server.Start(); err != nil {
		return err
	}
	line, err := b.answers.ReadString('\n')
	b.address = strings.TrimSpace(line)
	return err
}

// close ends the server.
func (b *bucket) close() {
	if b.address != "" {
		b.input.Close()
		_ = b.server.Wait()
	}
}

// take returns the usage since the last call.
func (b *bucket) take() (usage, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	u := b.usage
	b.usage = usage{}
	if _, err := fmt.Fprintln(b.input); err != nil {
		return u, err
	}
	line, err := b.answers.ReadBytes('\n')
	if err != nil {
		return u, err
	}
	return u, json.Unmarshal(line, &u)
}

func (b *bucket) write(key string, text []byte) error {
	b.mu.Lock()
	b.usage.Writes++
	b.usage.Received += int64(len(text))
	b.mu.Unlock()
	file := filepath.Join(b.folder, filepath.FromSlash(key))
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

func (b *bucket) remove(key string) error {
	b.mu.Lock()
	b.usage.Deletes++
	b.mu.Unlock()
	return os.Remove(filepath.Join(b.folder, filepath.FromSlash(key)))
}
