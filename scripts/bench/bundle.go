package main

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// The home that becomes a bundle, and what making and reading that is judged by.
const (
	bundleSize         = 200_000_000
	bundleSessions     = 300
	requiredBundlePeak = 100 // MB of memory
	requiredBundleMake = 30  // MB/s of a core
	requiredBundleRead = 0.2 // of the speed of the folder
)

// A bundleRun is one thing that is done with a bundle.
type bundleRun struct {
	name string
	args []string
	c    *contestant
	peak int64
}

// bundle measures how fast a state folder becomes a bundle, and how fast the bundle is read and unpacked, with the peak
// memory of each. Every file of a bundle is checked before any is used, so a bundle is read twice.
func (b *bench) bundle() error {
	tree, err := b.prepareTree(bundleSize, bundleSessions)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp(b.cache, "bundle-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "home.tar.zst")
	runs := []*bundleRun{
		{name: "make a bundle", args: []string{"export", "--as", "bundle", tree, "-o", file, "--force"}},
		{name: "stats of the bundle", args: []string{"stats", file}},
		{name: "stats of the folder", args: []string{"stats", tree}},
		{name: "unpack the bundle", args: []string{"export", file, "-o", filepath.Join(folder, "unpacked"), "--force"}},
	}
	for range b.rounds + 1 { // the first round loads the files into the page cache
		for _, r := range runs {
			if err := r.measure(b); err != nil {
				return err
			}
		}
	}
	return b.reportBundle(tree, file, runs)
}

// measure runs the program once.
func (r *bundleRun) measure(b *bench) error {
	if r.c == nil {
		r.c = &contestant{}
	}
	cmd := b.onCores(allCores, append([]string{b.clawctl, "-q"}, r.args...))
	took, err := r.c.run(cmd)
	if err != nil {
		return err
	}
	r.c.times = append(r.c.times, took)
	peak, err := peakMemory(cmd.ProcessState)
	r.peak = max(r.peak, peak)
	return err
}

func (b *bench) reportBundle(tree, file string, runs []*bundleRun) error {
	size, err := treeBytes(tree)
	if err != nil {
		return err
	}
	info, err := os.Stat(file)
	if err != nil {
		return err
	}
	mb := float64(size) / 1e6
	fmt.Fprintf(b.out, "bundle: %d sessions, %.0f MB, all cores, medians of %d alternating runs\n", bundleSessions, mb,
		b.rounds)
	fmt.Fprintf(b.out, "  %8.3f of the size of the transcripts\n", float64(info.Size())/float64(size))
	for _, r := range runs {
		seconds := median(r.c.times[1:]).Seconds()
		fmt.Fprintf(b.out, "  %8.1f MB/s %8.0f ms %8.1f MB peak memory   %s\n", mb/seconds, seconds*1e3, float64(r.peak)/1e6,
			r.name)
		b.limit(r.name+": peak memory", float64(r.peak)/1e6, "MB", requiredBundlePeak, requiredBundlePeak/2)
	}
	speed := mb / median(runs[0].c.cpu[1:]).Seconds()
	b.figure("export --as bundle: MB/s of a core, as a multiple of 30", speed/requiredBundleMake, 1, 2)
	slower := ratioOf(runs[2].c.times[1:], runs[1].c.times[1:])
	b.figure("stats of a bundle: speed, as a share of that of the folder", slower, requiredBundleRead, 0.5)
	return nil
}

// ratioOf divides two medians.
func ratioOf(a, b []time.Duration) float64 { return median(a).Seconds() / median(b).Seconds() }
