package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// A corpus is a transcript to measure with.
type corpus struct {
	path string
	size int64
}

// mb returns the size in megabytes of 10^6 bytes.
func (c corpus) mb() float64 { return float64(c.size) / 1e6 }

func openCorpus(path string) (corpus, error) {
	info, err := os.Stat(path)
	if err != nil {
		return corpus{}, err
	}
	return corpus{path, info.Size()}, nil
}

// prepareCorpus returns a transcript of about size bytes, and writes it on first use.
func (b *bench) prepareCorpus(size int64) (corpus, error) {
	kind, generator := b.generator()
	path := filepath.Join(b.cache, fmt.Sprintf("corpus-%s-%d.jsonl", kind, size))
	if c, err := openCorpus(path); err == nil {
		return c, nil
	}
	return whole(path, func(part string) error { return b.generate(generator, part, size, 1) })
}

// prepareTree returns a state folder with sessions of about size bytes in total, and writes it on first use.
func (b *bench) prepareTree(size int64, sessions int) (string, error) {
	kind, generator := b.generator()
	path := filepath.Join(b.cache, fmt.Sprintf("tree-%s-%d-%d", kind, sessions, size))
	if _, err := os.Stat(path); err == nil {
		return path, nil
	}
	part := path + ".part"
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	if err := b.generate(generator, part, size, sessions); err != nil {
		return "", err
	}
	return path, os.Rename(part, path)
}

// generator returns the shared generator if this machine has it, and our own otherwise. Files of the two kinds have
// different names, because their results are not comparable.
func (b *bench) generator() (kind string, compile func() (string, error)) {
	if _, err := os.Stat(b.sharedFolder()); err != nil {
		return "own", b.ownGenerator
	}
	return "shared", b.sharedGenerator
}

// generate writes a corpus.
func (b *bench) generate(compile func() (string, error), path string, size int64, sessions int) error {
	program, err := compile()
	if err != nil {
		return err
	}
	b.note("writing a corpus of %.0f MB (only once)", float64(size)/1e6)
	_, err = output(exec.Command(program, "-out", path, "-size", strconv.FormatInt(size, 10),
		"-n", strconv.Itoa(sessions), "-seed", "1"))
	return err
}

func (b *bench) sharedFolder() string { return filepath.Join(b.root, "..", "shared", "bench", "gen") }

// sharedGenerator compiles a copy of the shared generator, because its folder may be read-only. It is a separate
// module.
func (b *bench) sharedGenerator() (string, error) {
	folder := filepath.Join(b.cache, "generator")
	if err := os.RemoveAll(folder); err != nil {
		return "", err
	}
	if err := os.CopyFS(folder, os.DirFS(b.sharedFolder())); err != nil {
		return "", err
	}
	return b.build(folder, "gen", ".")
}

func (b *bench) ownGenerator() (string, error) { return b.build(b.root, "corpus", "./scripts/corpus") }

// first returns a transcript with the complete lines in the first size bytes of the corpus.
func (b *bench) first(size int64) (corpus, error) {
	path := fmt.Sprintf("%s-first-%d.jsonl", strings.TrimSuffix(b.corpus.path, ".jsonl"), size)
	if c, err := openCorpus(path); err == nil {
		return c, nil
	}
	return whole(path, func(part string) error { return copyLines(part, b.corpus.path, size) })
}

// whole writes a file under another name first, so that an interrupted run does not leave a partial corpus.
func whole(path string, write func(part string) error) (corpus, error) {
	part := path + ".part"
	if err := write(part); err != nil {
		return corpus{}, errors.Join(err, os.RemoveAll(part))
	}
	if err := os.Rename(part, path); err != nil {
		return corpus{}, err
	}
	return openCorpus(path)
}

// copyLines copies the lines that end within the first size bytes.
func copyLines(to, from string, size int64) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	end, err := lastLineEnd(in, size)
	if err != nil {
		return err
	}
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.CopyN(out, in, end)
	return errors.Join(err, out.Close())
}

// lastLineEnd returns the offset after the last line feed before end.
func lastLineEnd(r io.ReaderAt, end int64) (int64, error) {
	buf := make([]byte, 64<<10)
	for end > 0 {
		chunk := buf[:min(int64(len(buf)), end)]
		start := end - int64(len(chunk))
		if _, err := r.ReadAt(chunk, start); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(chunk, '\n'); i >= 0 {
			return start + int64(i) + 1, nil
		}
		end = start
	}
	return 0, errors.New("no line end found")
}
