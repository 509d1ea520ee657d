package main

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"time"
)

// census compares the processor time of validate --unknown with that of validate, on all cores. The smallest of all
// runs counts, because other programs only add to it.
func (b *bench) census() error {
	command := func(flag string) []string { return []string{b.clawctl, "validate", "-q", flag, b.corpus.path} }
	list, err := b.alternate([]*contestant{
		{name: "clawctl validate", args: command("--brief"), cores: allCores, findings: true},
		{name: "clawctl validate --unknown", args: command("--unknown"), cores: allCores},
	})
	if err != nil || len(list) < 2 {
		return cmp.Or(err, errors.New("validate --unknown failed"))
	}
	fmt.Fprintf(b.out, "census: %.0f MB, all cores, least processor time of alternating runs\n", b.corpus.mb())
	least := func(c *contestant) time.Duration { return slices.Min(c.cpu) }
	for _, c := range list {
		fmt.Fprintf(b.out, "  %8.0f ms   %s\n", least(c).Seconds()*1e3, c.name)
	}
	b.limit("validate --unknown, times validate", least(list[1]).Seconds()/least(list[0]).Seconds(), "", 1.5, 1)
	return nil
}
