package reading

import (
	"errors"

	"clawctl/internal/cli"
	"clawctl/pkg/tokens"
)

// Encodings are the values of --encoding.
var Encodings = []string{"cl100k_base", "o200k_base", "heuristic"}

// A CounterOption is --encoding.
type CounterOption struct{ Encoding string }

// ModelFlag is --model: it chooses the encoding of a model. Of Claude and of others none is public, and cl100k_base is
// the estimate.
func (o *CounterOption) ModelFlag() cli.Flag {
	return cli.Flag{Name: "model", Value: "MODEL", Usage: "count tokens as this model does, if that is known",
		Set: func(model string) error {
			if model == "" {
				return errors.New("must not be empty")
			}
			o.Encoding = tokens.EncodingOf(model)
			return nil
		}}
}

// Flag describes it; without a default the flag itself says whether to count.
func (o *CounterOption) Flag(usage string) cli.Flag {
	return cli.ChoiceFlag(&o.Encoding, "encoding", "NAME", Encodings, usage)
}

// Counter returns the counter that was asked for.
func (o *CounterOption) Counter() tokens.Counter {
	switch o.Encoding {
	case "o200k_base":
		return tokens.O200K
	case "heuristic":
		return tokens.Heuristic{}
	}
	return tokens.CL100K
}
