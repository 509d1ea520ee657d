package main

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"clawctl/pkg/jsonl"
)

// textSize is how much text of the corpus is counted: tiktoken-go takes seconds for it.
const textSize = 4 << 20

// tokens compares the speed of counting, on one core, and shows that no text takes more than linear time.
func (b *bench) tokens() error {
	text, err := b.text()
	if err != nil {
		return err
	}
	for _, encoding := range []string{"cl100k_base", "o200k_base"} {
		list := []*contestant{{name: "clawctl tokens", args: []string{b.clawctl, "tokens", "-q", "--encoding", encoding, text.path}}}
		for _, invite := range []func(encoding, path string) (*contestant, error){b.tiktokenGo, b.tiktokenWASM} {
			c, err := invite(encoding, text.path)
			if err != nil {
				b.note("without a rival: %v", err)
				continue
			}
			list = append(list, c)
		}
		if list, err = b.alternate(list); err != nil {
			return err
		}
		fmt.Fprintf(b.out, "tokens: %s, %.1f MB of text, one core, medians of alternated runs; the rivals' clocks start when their tables are loaded\n", encoding, text.mb())
		saved := b.corpus
		b.corpus = text
		b.printSpeeds(list)
		b.corpus = saved
	}
	return b.worst()
}

// worst counts a megabyte of what is worst for a tokenizer, beside 20 KB of the same.
func (b *bench) worst() error {
	letters := func(n int) string {
		var s strings.Builder
		for seed := uint32(1); s.Len() < n; seed = seed*1664525 + 1013904223 {
			s.WriteByte('a' + byte((seed>>24)%26))
		}
		return s.String()
	}
	fmt.Fprintln(b.out, "tokens: one megabyte of the worst, best of three runs (must: 0.5 s, and 120 times 20 KB, start of the process left out)")
	for name, text := range map[string]func(int) string{
		"one letter": func(n int) string { return strings.Repeat("a", n) }, "spaces": func(n int) string { return strings.Repeat(" ", n) },
		"underscores": func(n int) string { return strings.Repeat("_", n) }, "random letters": letters,
	} {
		for _, encoding := range []string{"cl100k_base", "o200k_base"} {
			empty, small, large := b.best(encoding, ""), b.best(encoding, text(20_000)), b.best(encoding, text(1_000_000))
			ratio := (large - empty).Seconds() / max(1e-4, (small-empty).Seconds())
			fmt.Fprintf(b.out, "  %-15s %-12s %6.0f ms %6.0f times\n", name, encoding, large.Seconds()*1e3, ratio)
		}
	}
	return nil
}

// best is the shortest of three runs over a text.
func (b *bench) best(encoding, text string) time.Duration {
	shortest := time.Hour
	for range 3 {
		cmd := b.pinned([]string{b.clawctl, "tokens", "-q", "--text", "--encoding", encoding})
		cmd.Stdin = strings.NewReader(text)
		begun := time.Now()
		if err := cmd.Run(); err == nil {
			shortest = min(shortest, time.Since(begun))
		}
	}
	return shortest
}

// text returns the texts of the first messages of the corpus as a file.
func (b *bench) text() (corpus, error) {
	path := filepath.Join(b.cache, "text.txt")
	if info, err := os.Stat(path); err == nil && info.Size() >= textSize {
		return corpus{path: path, size: info.Size()}, nil
	}
	in, err := os.Open(b.corpus.path)
	if err != nil {
		return corpus{}, err
	}
	defer in.Close()
	var all strings.Builder
	for rec, err := range jsonl.NewReader(in, jsonl.Options{}).All() {
		if err != nil {
			return corpus{}, err
		}
		if m, ok := rec.Message(); ok {
			all.WriteString(jsonl.PlainText(m.Content()) + "\n")
		}
		if all.Len() >= textSize {
			break
		}
	}
	if all.Len() == 0 {
		return corpus{}, errors.New("the corpus has no text")
	}
	return corpus{path: path, size: int64(all.Len())}, os.WriteFile(path, []byte(all.String()), 0o600)
}

func (b *bench) tiktokenGo(encoding, path string) (*contestant, error) {
	program, err := b.build(b.root, "rival-tiktoken", "./scripts/rival-tiktoken")
	return &contestant{name: "pkoukk/tiktoken-go", args: []string{program, encoding, path}, rounds: 2, must: 10, aim: 20, ownClock: true}, err
}

//go:embed tiktoken.mjs
var tiktokenScript []byte

// tiktokenWASM comes from npm, in a fixed version.
func (b *bench) tiktokenWASM(encoding, path string) (*contestant, error) {
	const version = "1.0.22"
	node, err := exec.LookPath("node")
	if err != nil {
		return nil, fmt.Errorf("tiktoken's WASM build needs node: %w", err)
	}
	folder := filepath.Join(b.cache, "tiktoken-"+version)
	script := filepath.Join(folder, "tiktoken.mjs")
	if err := errors.Join(os.MkdirAll(folder, 0o755), os.WriteFile(script, tiktokenScript, 0o644)); err != nil {
		return nil, err
	}
	if _, err := output(exec.Command(node, script)); err != nil {
		b.note("installing tiktoken, which happens once")
		if _, err := output(exec.Command("npm", "install", "--prefix", folder, "--no-audit", "--no-fund", "--loglevel=error", "tiktoken@"+version)); err != nil {
			return nil, err
		}
	}
	return &contestant{name: "tiktoken, WASM", args: []string{node, script, encoding, path}, rounds: 2, must: 8, ownClock: true}, nil
}
