package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

const (
	smallestGrowth = 10_000_000
	keptGrowth     = 1_000_000_000 // larger files are deleted after use
	startSample    = 100_000       // a file so small that its time is the start of the process
	growthSlack    = 1.25          // how much the time per byte and the memory may grow
	bytesPerEntry  = 256           // how much validate may keep for an entry
)

// A growing is a command whose time must grow with the file, and whose memory must not.
type growing struct {
	name     string
	args     []string
	toStore  bool // it writes a new database
	perEntry bool // it keeps an index
	start    float64
	points   []growthPoint
}

// A growthPoint is what a command took for one file.
type growthPoint struct {
	size, entries int64
	seconds       float64
	peak          int64 // 0 if this system cannot measure it
}

// growth measures time and memory for files of 10 MB, 100 MB and so on, on all cores.
func (b *bench) growth() error {
	folder, err := os.MkdirTemp(b.cache, "growth-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	list := []*growing{
		{name: "cat", args: []string{"cat", "--type", "leaf"}}, {name: "stats", args: []string{"stats", "-q"}},
		{name: "validate", args: []string{"validate", "-q", "--summary"}, perEntry: true},
		{name: "import", args: []string{"import", "-q", "--to", filepath.Join(folder, "grow.db")}, toStore: true},
	}
	if err := b.growthStarts(list); err != nil {
		return err
	}
	for size := int64(smallestGrowth); size <= b.grow; size *= 10 {
		if err := b.growTo(size, list); err != nil {
			return err
		}
	}
	b.reportGrowth(list)
	return nil
}

// growthStarts measures how long each command takes for almost nothing.
func (b *bench) growthStarts(list []*growing) error {
	tiny, err := b.first(startSample)
	if err != nil {
		return err
	}
	points, err := b.growthRuns(list, tiny, max(5, b.rounds))
	if err != nil {
		return err
	}
	for i, g := range list {
		g.start = points[i].seconds
	}
	return nil
}

// growTo measures the commands for one size.
func (b *bench) growTo(size int64, list []*growing) error {
	file, err := b.growthFile(size)
	if err != nil {
		return err
	}
	if size > keptGrowth && file.path != b.corpus.path {
		defer os.Remove(file.path)
	}
	entries, err := countLines(file.path) // also loads the file into the page cache
	if err != nil {
		return err
	}
	points, err := b.growthRuns(list, file, b.growthRounds(size))
	if err != nil {
		return err
	}
	for i, g := range list {
		points[i].entries = entries
		g.points = append(g.points, points[i])
	}
	return nil
}

// growthFile returns a transcript of this size: the start of the corpus, or a new one if the corpus is too small.
func (b *bench) growthFile(size int64) (corpus, error) {
	if size <= b.corpus.size {
		return b.first(size)
	}
	return b.prepareCorpus(size)
}

// growthRounds returns how often to measure a file: a short run varies more.
func (b *bench) growthRounds(size int64) int {
	switch {
	case size > keptGrowth:
		return 1
	case size == keptGrowth:
		return min(3, b.rounds)
	}
	return b.rounds
}

// growthRuns returns the median times and the highest peaks of the commands for one file, in alternating runs.
func (b *bench) growthRuns(list []*growing, file corpus, rounds int) ([]growthPoint, error) {
	points, times := make([]growthPoint, len(list)), make([][]time.Duration, len(list))
	for round := range rounds {
		b.note("growth: round %d of %d with %s", round+1, rounds, byteText(float64(file.size)))
		for i, g := range list {
			took, peak, err := b.growOnce(g, file)
			if err != nil {
				return nil, fmt.Errorf("%s of %.0f MB: %w", g.name, file.mb(), err)
			}
			times[i] = append(times[i], took)
			points[i].peak = max(points[i].peak, peak)
		}
	}
	for i := range points {
		points[i].size, points[i].seconds = file.size, median(times[i]).Seconds()
	}
	return points, nil
}

// growOnce returns the time and the peak memory of a command for one file. The peak is 0 if the system does not tell.
func (b *bench) growOnce(g *growing, file corpus) (time.Duration, int64, error) {
	if g.toStore {
		removeStore(g.args[len(g.args)-1])
	}
	cmd := b.onCores(allCores, slices.Concat([]string{b.clawctl}, g.args, []string{file.path}))
	took, err := (&contestant{cores: allCores, findings: !g.toStore}).run(cmd)
	if err != nil {
		return 0, 0, err
	}
	peak, err := peakMemory(cmd.ProcessState)
	if errors.Is(err, errors.ErrUnsupported) {
		err = nil
	}
	return took, peak, err
}

// removeStore removes a database and the files beside it.
func removeStore(path string) {
	for _, suffix := range []string{"", "-wal", "-shm"} {
		os.Remove(path + suffix)
	}
}

// countLines returns the number of line feeds in a file.
func countLines(path string) (int64, error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer file.Close()
	var lines int64
	for buf := make([]byte, 1<<20); ; {
		n, err := file.Read(buf)
		lines += int64(bytes.Count(buf[:n], []byte{'\n'}))
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return 0, err
		}
	}
}

// perByte returns the nanoseconds that a byte takes, without the start of the process.
func (g *growing) perByte(p growthPoint) float64 {
	return max(0, p.seconds-g.start) * float64(time.Second) / float64(p.size-startSample)
}

// linear says whether no file takes more than growthSlack times the time per byte of a smaller one.
func (g *growing) linear() string {
	lowest, linear := g.perByte(g.points[0]), true
	for _, p := range g.points[1:] {
		linear = linear && g.perByte(p) <= growthSlack*lowest
		lowest = min(lowest, g.perByte(p))
	}
	return okIf(linear)
}

// flat says whether the memory stays within growthSlack for the last ten times the size, or below a number of bytes for
// each entry.
func (g *growing) flat() string {
	last := g.points[len(g.points)-1]
	before := g.points[max(0, len(g.points)-2)]
	switch {
	case last.peak == 0:
		return "not measured"
	case g.perEntry:
		return okIf(g.entryBytes() <= bytesPerEntry)
	}
	return okIf(float64(last.peak) <= growthSlack*float64(before.peak))
}

// entryBytes returns how much memory each entry adds.
func (g *growing) entryBytes() int64 {
	first, last := g.points[0], g.points[len(g.points)-1]
	return (last.peak - first.peak) / max(1, last.entries-first.entries)
}
