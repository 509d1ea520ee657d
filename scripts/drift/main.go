// Command drift looks for what clawctl does not know of today's programs: in the types that the npm packages of
// OpenClaw and pi declare, in sessions that they, Claude Code and Codex write, and in a folder of real transcripts.
//
//	go run ./scripts/drift -oracle DIR -written DIR -shared DIR -cache DIR [-openclaw VERSION] [-pi VERSION]
//
// The packages, the newest ones unless versions are given, are unpacked into the cache. The programs in the oracle's
// folder write sessions into a temporary one. scripts/harness has let Claude Code and Codex write theirs before. The
// command prints everything unknown, and exits 1 if there is anything.
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
	flag.StringVar(&d.written, "written", "", "`DIR` with sessions that Claude Code and Codex wrote; none without it")
	flag.StringVar(&d.shared, "shared", "", "`DIR` with real transcripts; none without it")
	flag.StringVar(&d.cache, "cache", "", "`DIR` for the npm packages; none without it")
	flag.StringVar(&d.openclaw, "openclaw", "", "`VERSION` of OpenClaw's package, or the newest")
	flag.StringVar(&d.pi, "pi", "", "`VERSION` of pi's packages, or the newest")
	flag.Parse()
	if err := d.run(); err != nil {
		fmt.Fprintln(os.Stderr, "drift:", err)
		os.Exit(1)
	}
}

// A drift is one run of this program.
type drift struct {
	oracle, written, shared, cache string
	openclaw, pi                   string // versions of packages
	out                            io.Writer
	unknown                        []string
}

func (d *drift) run() error {
	for _, step := range []struct {
		folder string
		run    func() error
	}{
		{d.cache, d.checkPackages}, {d.oracle, d.checkWritten},
		{d.written, func() error { return d.checkFolder(d.written) }},
		{d.shared, func() error { return d.checkFolder(d.shared) }},
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
