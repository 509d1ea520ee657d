// Command drift looks for what clawctl does not know of today's OpenClaw and pi: in the types that their npm packages
// declare, in sessions that these programs write, and in a folder of real transcripts.
//
//	go run ./scripts/drift -oracle DIR -shared DIR -cache DIR
//
// The newest packages are unpacked into the cache. The programs in the oracle's folder write sessions into a temporary
// one. The command prints everything unknown, and exits 1 if there is anything.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
)

func main() {
	d := &drift{out: os.Stdout}
	flag.StringVar(&d.oracle, "oracle", "", "`DIR` with the real programs, which write sessions; none without it")
	flag.StringVar(&d.shared, "shared", "", "`DIR` with real transcripts; none without it")
	flag.StringVar(&d.cache, "cache", "", "`DIR` for the newest npm packages; none without it")
	flag.Parse()
	if err := d.run(); err != nil {
		fmt.Fprintln(os.Stderr, "drift:", err)
		os.Exit(1)
	}
}

// A drift is one run of this program.
type drift struct {
	oracle, shared, cache string
	out                   io.Writer
	unknown               []string
}

func (d *drift) run() error {
	for _, step := range []struct {
		folder string
		run    func() error
	}{
		{d.cache, d.checkPackages}, {d.oracle, d.checkWritten}, {d.shared, func() error { return d.checkFolder(d.shared) }},
	} {
		if step.folder == "" {
			continue
		}
		if err := step.run(); err != nil {
			return err
		}
	}
	slices.Sort(d.unknown)
	for _, line := range slices.Compact(d.unknown) {
		fmt.Fprintln(d.out, "unknown:", line)
	}
	if len(d.unknown) > 0 {
		return fmt.Errorf("%d names are unknown; add them to the tables of pkg/dialect", len(slices.Compact(d.unknown)))
	}
	return nil
}

// note notes something unknown.
func (d *drift) note(where, format string, args ...any) {
	d.unknown = append(d.unknown, fmt.Sprintf(format, args...)+" in "+where)
}

// say tells what was looked at.
func (d *drift) say(format string, args ...any) {
	fmt.Fprintf(cmp.Or[io.Writer](d.out, io.Discard), format+"\n", args...)
}
