package main

import (
	"fmt"
	"os/exec"
	"time"
)

// How large the store is that sessions are listed of: that of PERFORMANCE.md.
const (
	treeSessions = 2000
	treeSize     = 1_240_000_000
)

// sessions compares listing a store with reading it, on all cores. Listing reads every transcript once too.
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
		{name: "clawctl sessions", args: []string{"sessions", "-q", tree}, note: "must: as fast as cat"},
		{name: "clawctl sessions --fast", args: []string{"sessions", "-q", "--fast", tree}, note: "must: under 100 ms"},
		{name: "clawctl stats", args: []string{"stats", "-q", tree}, note: "must: at most twice cat"},
	}
	for range b.rounds + 1 { // the first round brings the store into memory
		for i := range runs {
			start := time.Now()
			if err := exec.Command(b.clawctl, runs[i].args...).Run(); err != nil {
				return err
			}
			runs[i].times = append(runs[i].times, time.Since(start))
		}
	}
	fmt.Fprintf(b.out, "sessions: %d of them, %.0f MB, all cores, medians of alternated runs\n", treeSessions, treeSize/1e6)
	for _, r := range runs {
		fmt.Fprintf(b.out, "  %8.1f ms   %-26s %s\n", float64(median(r.times[1:]).Microseconds())/1000, r.name, r.note)
	}
	return nil
}
