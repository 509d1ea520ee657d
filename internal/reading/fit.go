package reading

import (
	"fmt"

	"clawctl/internal/cli"
	"clawctl/internal/ui"
	"clawctl/pkg/models"
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

// parse reads what was typed. What is not a number is taken for a model, which Resolve looks up.
func (o *FitOption) parse() error {
	var err error
	if o.tokens, err = cli.ParseTokens(o.text); err != nil {
		o.model = true
		return nil
	}
	if o.tokens < 1 {
		return fmt.Errorf("must be at least 1, got %d", o.tokens)
	}
	return nil
}

// Resolve looks up the window of the model, if one was given.
func (o *FitOption) Resolve(find window.FindModel) error {
	if !o.model {
		return nil
	}
	known, err := find("", o.text)
	if err != nil {
		return err
	}
	if known == nil || known.Entry.Window == 0 {
		f := cli.Usage(
			"--fit must be a number of tokens such as 200k, or a model with a known context window, got %q", o.text)
		if near := models.BuiltIn().Nearest(o.text); near != "" {
			f = f.WithAgain("--fit", near)
		}
		return f
	}
	o.tokens = known.Entry.Window
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
		return 0, cli.Usage(
			"--max-tokens %d leaves no room for messages in the window of %s (%s tokens)",
			answer, o.text, ui.Thousands(o.tokens))
	}
	return int(o.tokens - answer), nil
}
