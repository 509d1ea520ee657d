package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// show measures what a reader waits for: the parts of a large transcript, a page, and the end of a transcript.
func (b *bench) show() error {
	for _, measure := range []func() error{b.showParts, b.showPage, b.showEnd} {
		if err := measure(); err != nil {
			return err
		}
	}
	return nil
}

// showParts compares printing all parts as JSON with reading them, on one core. The processor time counts: both use the
// same core, and other programs on it must not.
func (b *bench) showParts() error {
	list := []*contestant{
		{name: "clawctl show --format json", args: []string{b.clawctl, "show", "--format", "json", b.corpus.path}},
		{name: "clawctl cat --type leaf", args: []string{b.clawctl, "cat", "--type", "leaf", b.corpus.path}},
	}
	list, err := b.alternate(list)
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "show: %.0f MB, one core, medians of alternating runs, processor time\n", b.corpus.mb())
	for _, c := range list {
		fmt.Fprintf(b.out, "  %8.3f s   %s\n", median(c.cpu).Seconds(), c.name)
	}
	b.figure("show --format json, speed of cat --type leaf", median(list[1].cpu).Seconds()/median(list[0].cpu).Seconds(),
		0.4, 0.5)
	return nil
}

// pageSize is the size of the session whose page is written.
const pageSize = 100e6

// showPage measures how long a page takes, how much memory, and how large it is.
func (b *bench) showPage() error {
	session, err := b.first(pageSize)
	if err != nil {
		return err
	}
	page := filepath.Join(b.cache, "page.html")
	defer os.Remove(page)
	c := &contestant{cores: allCores}
	args := []string{b.clawctl, "show", session.path, "--format", "html", "--force", "-o", page}
	took, err := medianOf(b.rounds, func() (time.Duration, error) { return c.run(b.onCores(allCores, args)) })
	if err != nil {
		return err
	}
	peak, err := b.highestPeak(3, allCores, args...)
	if err != nil {
		return err
	}
	info, err := os.Stat(page)
	if err != nil {
		return err
	}
	share := float64(info.Size()) / float64(session.size)
	fmt.Fprintf(b.out, "show: HTML of %.0f MB, all cores\n", session.mb())
	fmt.Fprintf(b.out, "  %8.2f s   %.1f s of processor time, %.0f MB of memory, page of %.1f MB\n", took.Seconds(),
		median(c.cpu).Seconds(), float64(peak)/1e6, float64(info.Size())/1e6)
	name := fmt.Sprintf("HTML of %.0f MB", session.mb())
	b.limit(name, took.Seconds(), "s", 3, 2)
	b.limit(name+", peak memory", float64(peak)/1e6, "MB", 200, 150)
	b.limit(name+", share of the transcript", share, "", 0.6, 0.5)
	return nil
}

// showEnd measures how long the end of the corpus takes.
func (b *bench) showEnd() error {
	fmt.Fprintf(b.out, "show: the end of %.0f MB, medians of 21 runs on all cores\n", b.corpus.mb())
	for _, args := range [][]string{{"show", "--last", "20"}, {"tail"}, {"tail", "--format", "ndjson"}} {
		c := &contestant{cores: allCores}
		command := append(append([]string{b.clawctl}, args...), b.corpus.path)
		took, err := medianOf(21, func() (time.Duration, error) { return c.run(b.onCores(allCores, command)) })
		if err != nil {
			return err
		}
		milliseconds := took.Seconds() * 1e3
		fmt.Fprintf(b.out, "  %8.1f ms   clawctl %s\n", milliseconds, fmt.Sprint(args))
		if len(args) == 3 && args[0] == "tail" {
			continue // it counts the lines of the whole file
		}
		b.limit(fmt.Sprintf("end of %.0f MB with %s", b.corpus.mb(), args[0]), milliseconds, "ms", 100, 50)
	}
	return nil
}
