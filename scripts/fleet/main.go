// Command fleet simulates many gateways that share one dataset in object storage, and prints what they cost: files,
// bytes, requests, and the time of first runs, of runs with nothing new, and of queries. It compares the totals of
// DuckDB and ClickHouse with those of stats.
//
//	go run ./scripts/fleet -engines ~/.cache/clawctl-fleet
//	go run ./scripts/fleet -engines ~/.cache/clawctl-fleet -homes 100 -size 4000000
//
// Everything that it makes is in a temporary folder, which it removes.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"clawctl/internal/parallel"
)

func main() {
	f := &fleet{}
	flag.IntVar(&f.homes, "homes", 1000, "`NUMBER` of gateways")
	flag.Int64Var(&f.size, "size", 400_000, "`BYTES` of transcripts on each gateway")
	flag.IntVar(&f.jobs, "jobs", 4, "`NUMBER` of gateways that export at the same time")
	flag.StringVar(&f.engines, "engines", os.Getenv("CLAWCTL_DUCKDB"),
		"the `FOLDER` in which make fleet installs DuckDB and ClickHouse")
	flag.Parse()
	if err := f.run(); err != nil {
		fmt.Fprintln(os.Stderr, "fleet:", err)
		os.Exit(1)
	}
}

// A fleet is a number of gateways and their dataset.
type fleet struct {
	homes   int
	size    int64
	jobs    int
	engines string

	folder, clawctl, corpus string
	bucket                  *bucket
}

func (f *fleet) run() error {
	var err error
	if f.homes < 1 || f.size < 1 || f.engines == "" {
		return errors.New("-homes and -size must be positive, and -engines must name a folder")
	}
	if f.folder, err = os.MkdirTemp("", "clawctl-fleet-"); err != nil {
		return err
	}
	defer os.RemoveAll(f.folder)
	f.bucket = &bucket{folder: filepath.Join(f.folder, "bucket")}
	defer f.bucket.close()
	steps := []func() error{f.bucket.serve, f.build, f.makeHomes, f.exportAll, f.grow, f.query, f.compact}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// build builds clawctl and the generator of transcripts.
func (f *fleet) build() (err error) {
	if f.clawctl, err = f.program("./cmd/clawctl"); err != nil {
		return err
	}
	f.corpus, err = f.program("./scripts/corpus")
	return err
}

func (f *fleet) program(pkg string) (string, error) {
	path := filepath.Join(f.folder, filepath.Base(pkg)+".exe") // Windows needs the suffix, others do not mind it
	_, err := output(exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, pkg))
	return path, err
}

// home returns the folder of a gateway, dataset that of its part of the dataset, and host its name.
func (f *fleet) home(i int) string { return filepath.Join(f.folder, "homes", host(i)) }

func (f *fleet) dataset(i int) string { return filepath.Join(f.folder, "datasets", host(i)) }

func host(i int) string { return fmt.Sprintf("gateway%04d", i) }

// data returns the folder of the dataset in object storage.
func (f *fleet) data() string { return filepath.Join(f.bucket.folder, "data") }

// makeHomes writes the transcripts of every gateway: two agents, in two months.
func (f *fleet) makeHomes() error {
	var list strings.Builder
	for i := range f.homes {
		for month := range 2 {
			begin := time.Date(2026, time.Month(1+month), 1+i%28, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
			fmt.Fprintf(&list, "%s\t%d\t%s\n", f.home(i), 2*i+month+1, begin)
		}
	}
	cmd := exec.Command(f.corpus, "-batch", "-n", "2", "-size", fmt.Sprint(f.size/2))
	cmd.Stdin = strings.NewReader(list.String())
	if _, err := output(cmd); err != nil {
		return err
	}
	files, bytes, err := measure(filepath.Join(f.folder, "homes"), ".jsonl")
	fmt.Printf("homes: %d, with %d transcripts of %.0f MB\n", f.homes, files, mb(bytes))
	return err
}

// exportAll exports and pushes every home twice, and says what the dataset has.
func (f *fleet) exportAll() error {
	for _, name := range []string{"first run", "nothing new"} {
		if err := f.exportHomes(name); err != nil {
			return err
		}
	}
	return f.sayDataset()
}

// sayDataset says how many files and bytes the dataset has.
func (f *fleet) sayDataset() error {
	for _, table := range []string{"", "usage", "parts"} {
		files, bytes, err := measure(filepath.Join(f.data(), table), ".parquet")
		if err != nil {
			return err
		}
		fmt.Printf("dataset/%s: %d files of %.1f MB, %.1f for each gateway\n", table, files, mb(bytes),
			float64(files)/float64(f.homes))
	}
	return nil
}

// exportHomes exports and pushes every home, some of them at the same time, as the gateways would, and says what that
// costs. Most of the time, an export waits for the disk.
func (f *fleet) exportHomes(name string) error {
	times, processor := make([]time.Duration, f.homes), make([]time.Duration, f.homes)
	noState := func() struct{} { return struct{}{} }
	err := parallel.Run(context.Background(), f.homes, f.jobs, noState,
		func(ctx context.Context, _ struct{}, i int) error {
			begun := time.Now()
			cmd := exec.CommandContext(ctx, f.clawctl, "export", "-q", "--as", "parquet", f.home(i), "-o", f.dataset(i),
				"--host", host(i))
			if _, err := output(cmd); err != nil {
				return err
			}
			times[i], processor[i] = time.Since(begun), processorTime(cmd)
			return f.push(i)
		})
	if err != nil {
		return err
	}
	slices.Sort(times)
	slices.Sort(processor)
	fmt.Printf("%s: median %d ms, 99%% within %d ms, processor time %d ms\n", name, times[len(times)/2].Milliseconds(),
		times[len(times)*99/100].Milliseconds(), processor[len(times)/2].Milliseconds())
	used, err := f.bucket.take()
	fmt.Printf("%s: %s for %d pushes\n", name, used, f.homes)
	return err
}

// grow appends records to one session of every gateway, and says what that costs.
func (f *fleet) grow() error {
	for i := range f.homes {
		if err := appendRecords(f.home(i), i); err != nil {
			return err
		}
	}
	if err := f.exportHomes("one session has grown"); err != nil {
		return err
	}
	return f.sayDataset()
}
