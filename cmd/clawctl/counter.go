package main

import (
	"clawctl/internal/cli"
	"clawctl/pkg/tokens"
)

// encodings are the values of --encoding.
var encodings = []string{"cl100k_base", "o200k_base", "heuristic"}

// A counterOption is --encoding.
type counterOption struct{ encoding string }

// flag describes it; without a default the flag itself says whether to count.
func (o *counterOption) flag(usage string) cli.Flag {
	return cli.ChoiceFlag(&o.encoding, "encoding", "NAME", encodings, usage)
}

// counter returns the counter that was asked for.
func (o *counterOption) counter() tokens.Counter {
	switch o.encoding {
	case "o200k_base":
		return tokens.O200K
	case "heuristic":
		return tokens.Heuristic{}
	}
	return tokens.CL100K
}
