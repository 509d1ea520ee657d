package cli

import (
	"clawctl/pkg/change/redact"
	"clawctl/pkg/change/secrets"
)

// A ValuesOption is the flag that names a file with secrets that the user knows.
type ValuesOption struct{ File string }

// Flag is --values.
func (o *ValuesOption) Flag() Flag {
	return RequiredTextFlag(&o.File, "values", "FILE", "also mask the texts in FILE, one per line")
}

// Rules returns the rules for the values. raw says that --raw was given, which shows them.
func (o *ValuesOption) Rules(a *App, raw bool) ([]*secrets.Rule, error) {
	switch {
	case o.File == "":
		return nil, nil
	case raw:
		return nil, Usage("--values cannot be combined with --raw, which masks nothing")
	}
	text, err := ReadFilledFile(a, "values", o.File)
	if err != nil {
		return nil, err
	}
	rules, err := (&redact.MoreRules{Values: text}).List()
	if err != nil {
		return nil, Usage("--values: %s: %v", o.File, err)
	}
	return rules, nil
}

// MasksReading reports whether commands that show sessions mask what looks like a key or a password, because the
// configuration asks for it, or the run is inside another one.
func MasksReading(a *App) (bool, error) {
	if a.inner != nil {
		return !a.inner.Raw, nil
	}
	c, err := a.Configuration()
	if err != nil {
		return false, err
	}
	return c.Privacy.Mask, nil
}
