package main

import (
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// What an export as Parquet is judged by.
const (
	requiredParquetSpeed = 100 // MB/s of a core
	requiredParquetPeak  = 300 // MB of memory
	requiredParquetShare = 0.35
	requiredParquetAgain = 50 // times as fast with nothing new
	requiredParquetQuery = 1  // seconds
)

//go:embed parquet.mjs
var parquetScript []byte

// parquet measures how fast a state folder becomes a dataset, by processor time, how much memory it takes, how large
// the dataset is, how long a second run takes, and how long DuckDB takes for totals by day and model.
func (b *bench) parquet() error {
	tree, err := b.prepareTree(treeSize, treeSessions)
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp(b.cache, "parquet-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	data := filepath.Join(folder, "data")
	size, err := treeBytes(tree)
	if err != nil {
		return err
	}
	args := []string{b.clawctl, "export", "-q", "--as", "parquet", tree, "-o", data}
	first, again := &contestant{args: args, cores: allCores}, &contestant{args: args, cores: allCores}
	peak := int64(0)
	for range b.rounds {
		highest, err := b.exportTwice(data, first, again)
		if err != nil {
			return err
		}
		peak = max(peak, highest)
	}
	written, err := treeBytes(data)
	if err != nil {
		return err
	}
	b.reportParquet(size, written, peak, first, again)
	return b.queryParquet(data)
}

// exportTwice makes a dataset, and then brings it up to date. It returns the highest peak of memory.
func (b *bench) exportTwice(data string, first, again *contestant) (peak int64, err error) {
	if err := os.RemoveAll(data); err != nil {
		return 0, err
	}
	for _, c := range []*contestant{first, again} {
		cmd := b.onCores(c.cores, c.args)
		took, err := c.run(cmd)
		if err != nil {
			return 0, err
		}
		c.times = append(c.times, took)
		used, err := peakMemory(cmd.ProcessState)
		if err != nil {
			return 0, err
		}
		peak = max(peak, used)
	}
	return peak, nil
}

func (b *bench) reportParquet(size, written, peak int64, first, again *contestant) {
	mb := float64(size) / 1e6
	speed := mb / median(first.cpu).Seconds()
	share, faster := float64(written)/float64(size), first.seconds()/again.seconds()
	fmt.Fprintf(b.out, "parquet: %d sessions, %.0f MB, all cores, medians of %d runs\n", treeSessions, mb, b.rounds)
	fmt.Fprintf(b.out, "  %6.1f MB/s of processor time, %.1f MB/s in all\n", speed, mb/first.seconds())
	fmt.Fprintf(b.out, "  %6.1f MB peak memory\n  %6.3f of the size of the transcripts\n", float64(peak)/1e6, share)
	fmt.Fprintf(b.out, "  %6.0f ms with nothing new, %.0f times as fast\n", again.seconds()*1e3, faster)
	b.figure("export --as parquet: MB/s of a core, as a multiple of 100", speed/requiredParquetSpeed, 1, 1.5)
	b.limit("export --as parquet: peak memory", float64(peak)/1e6, "MB", requiredParquetPeak, 150)
	b.limit("export --as parquet: size, as a share of the transcripts", share, "", requiredParquetShare, 0.3)
	b.figure("export --as parquet with nothing new, times as fast", faster, requiredParquetAgain, 100)
}

// queryParquet measures a query of DuckDB, which takes its own time.
func (b *bench) queryParquet(data string) error {
	args, err := b.fromNPM(duckDBPackage, "parquet.mjs", parquetScript)
	if err != nil {
		b.note("skipping the query: %v", err)
		return nil
	}
	c := &contestant{name: "DuckDB", args: append(args, data), cores: allCores, ownClock: true}
	took, err := medianOf(b.rounds, func() (time.Duration, error) { return b.time(c) })
	if err != nil {
		return err
	}
	fmt.Fprintf(b.out, "  %6.0f ms until DuckDB has the totals by day and model\n", took.Seconds()*1e3)
	b.limit("DuckDB: totals by day and model of a dataset", took.Seconds(), "s", requiredParquetQuery, 0.3)
	return nil
}

// treeBytes adds up the sizes of the transcripts or data files in a folder.
func treeBytes(folder string) (total int64, err error) {
	ends := []string{".jsonl", ".parquet"}
	err = filepath.WalkDir(folder, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !slices.ContainsFunc(ends, func(end string) bool {
			return strings.HasSuffix(name, end)
		}) {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			total += info.Size()
		}
		return err
	})
	return total, err
}
