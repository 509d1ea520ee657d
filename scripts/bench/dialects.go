package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
)

// dialectCommands are the commands that are compared. CORPUS stands for the transcript.
var dialectCommands = [][]string{
	{"stats", "CORPUS"}, {"cat", "CORPUS"}, {"search", "zebrafish", "CORPUS"}, {"validate", "-q", "--summary", "CORPUS"},
	{"sessions", "CORPUS"}, {"tokens", "CORPUS"},
}

// likes are the programs whose transcripts are compared, the one that sets the measure first.
var likes = []string{"openclaw", "claude-code", "codex"}

// dialects compares the processor time that commands take for transcripts of other programs with that for OpenClaw's,
// on one core. It takes the fastest of alternating runs, because the machine only adds to the time.
func (b *bench) dialects() error {
	generator, err := b.ownGenerator()
	if err != nil {
		return err
	}
	var corpora []corpus
	for _, like := range likes {
		c, err := b.corpusLike(generator, like)
		if err != nil {
			return err
		}
		corpora = append(corpora, c)
	}
	fmt.Fprintf(b.out, "dialects: %.0f MB, one core, processor time, fastest of alternating runs\n", corpora[0].mb())
	for _, command := range dialectCommands {
		if err := b.compareDialects(command, corpora); err != nil {
			return err
		}
	}
	return nil
}

// corpusLike returns a transcript as a program writes it, and writes it on first use.
func (b *bench) corpusLike(generator, like string) (corpus, error) {
	path := filepath.Join(b.cache, fmt.Sprintf("like-%s-%d.jsonl", like, b.corpus.size))
	if c, err := openCorpus(path); err == nil {
		return c, nil
	}
	return whole(path, func(part string) error {
		_, err := output(exec.Command(generator, "-like", like, "-out", part, "-size", strconv.FormatInt(b.corpus.size, 10)))
		return err
	})
}

// compareDialects runs one command for each transcript.
func (b *bench) compareDialects(command []string, corpora []corpus) error {
	var list []*contestant
	for at, c := range corpora {
		args := append([]string{b.clawctl}, command...)
		args[len(args)-1] = c.path
		list = append(list, &contestant{name: command[0] + " " + likes[at], args: args, findings: true})
	}
	list, err := b.alternate(list)
	if err != nil {
		return err
	}
	measure := slices.Min(list[0].cpu).Seconds()
	fmt.Fprintf(b.out, "  %-9s %6.2f s", command[0], measure)
	for _, c := range list[1:] {
		times := slices.Min(c.cpu).Seconds() / measure
		fmt.Fprintf(b.out, "   %s %.2f times", c.name[len(command[0])+1:], times)
		b.limit(c.name+": processor time, times OpenClaw's", times, "", 2, 1.5)
	}
	fmt.Fprintln(b.out)
	return nil
}
