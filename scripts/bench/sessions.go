package main

import (
	"fmt"
	"os/exec"
	"time"
)

// The size of the state folder whose sessions are listed.
const (
	treeSessions = 2000
	treeSize     = 1_240_000_000
)

// sessions compares the time to list sessions with the time to read them, on all cores. Listing also reads every
// transcript once.
func (b *bench) sessions() error {
	tree, err := b.prepareTree(treeSize, treeSessions)
	if err != nil {
		return err
	}
	runs := []struct {
		name  string
		args  []string
		note  string
		times []time.Duration
	}{
		{name: "clawctl cat --type leaf", args: []string{"cat", "--type", "leaf", tree}},
		{name: "clawctl sessions", args: []string{"sessions", "-q", tree}, note: "required: as fast as cat"},
		{name: "clawctl sessions --fast", args: []string{"sessions", "-q", "--fast", tree}, note: "required: under 100 ms"},
		{name: "clawctl stats", args: []string{"stats", "-q", tree}, note: "required: at most twice the time of cat"},
	}
	for range b.rounds + 1 { // the first round loads the files into the page cache
		for i := range runs {
			start := time.Now()
			if err := exec.Command(b.clawctl, runs[i].args...).Run(); err != nil {
				return err
			}
			runs[i].times = append(runs[i].times, time.Since(start))
		}
	}
	fmt.Fprintf(b.out, "sessions: %d sessions, %.0f MB, all cores, medians of alternating runs\n",
		treeSessions, treeSize/1e6)
	for _, r := range runs {
		fmt.Fprintf(b.out, "  %8.1f ms   %-26s %s\n", float64(median(r.times[1:]).Microseconds())/1000, r.name, r.note)
	}
	return nil
}
