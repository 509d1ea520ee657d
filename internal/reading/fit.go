package reading

import (
	"fmt"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/window"
)

// A FitOption is --fit: a number of tokens, or a model whose context window is the limit.
type FitOption struct {
	text   string
	tokens int64
	model  bool // tokens is the window of a model, which its answer needs a part of
}

// Flag describes it.
func (o *FitOption) Flag() cli.Flag {
	f := cli.RequiredTextFlag(&o.text, "fit", "N|MODEL", "drop the oldest turns until the rest has at most N tokens, "+
		"or fits the window of MODEL")
	return f.Checked(o.parse)
}

// parse reads what was typed.
func (o *FitOption) parse() (err error) {
	if o.tokens, o.model = window.OfModel(o.text); o.model {
		return nil
	}
	o.tokens, err = cli.ParseTokens(o.text)
	switch {
	case err != nil:
		return fmt.Errorf("must be a number of tokens such as 200k, or a model with a known context window, got %q", o.text)
	case o.tokens < 1:
		return fmt.Errorf("must be at least 1, got %d", o.tokens)
	}
	return nil
}

// IsSet reports whether the flag was given.
func (o *FitOption) IsSet() bool { return o.text != "" }

// Limit returns how many tokens a request may have whose answer may have answer tokens. Without the flag that is usual.
func (o *FitOption) Limit(usual int, answer int64) (int, error) {
	switch {
	case !o.IsSet():
		return usual, nil
	case !o.model:
		return int(o.tokens), nil
	case o.tokens <= answer:
		return 0, failure.Usage("clawctl help rebuild",
			"--max-tokens %d leaves no room for messages in the window of %s (%s tokens)",
			answer, o.text, ui.Thousands(o.tokens))
	}
	return int(o.tokens - answer), nil
}
