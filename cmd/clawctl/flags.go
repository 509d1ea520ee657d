package main

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"clawctl/internal/failure"

	"github.com/urfave/cli/v2"
)

// A flag is one option of a command: what help, completion and the parser know about it, and how it fills the field of
// the command's options that it belongs to.
type flag struct {
	name     string
	short    string   // one letter, or ""
	value    string   // the placeholder of its value; "" for a switch
	usage    string   // what it does
	fallback string   // the default that help shows, or ""
	choices  []string // the allowed values, if there are few
	list     bool     // takes several values, separated by commas
	hidden   bool     // works, but help does not show it
	set      func(text string) error
}

func (f flag) withShort(letter string) flag {
	f.short = letter
	return f
}

func (f flag) withDefault(words string) flag {
	f.fallback = words
	return f
}

// synonym is another spelling of a flag. It works, but help does not show it.
func (f flag) synonym(name string) flag {
	f.name, f.short, f.hidden = name, "", true
	return f
}

// switchFlag is on if it is given.
func switchFlag(dst *bool, name, usage string) flag {
	return flag{name: name, usage: usage, set: func(text string) error {
		on, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("must be true or false, got %q", text)
		}
		*dst = on
		return nil
	}}
}

// textFlag takes any text.
func textFlag(dst *string, name, value, usage string) flag {
	return flag{name: name, value: value, usage: usage, fallback: *dst, set: func(text string) error {
		*dst = text
		return nil
	}}
}

// requiredTextFlag takes any text that is not empty.
func requiredTextFlag(dst *string, name, value, usage string) flag {
	f := textFlag(dst, name, value, usage)
	return f.checked(func() error {
		if *dst == "" {
			return errors.New("must not be empty")
		}
		return nil
	})
}

// checked adds a check of the value that was set.
func (f flag) checked(check func() error) flag {
	set := f.set
	f.set = func(text string) error {
		if err := set(text); err != nil {
			return err
		}
		return check()
	}
	return f
}

// choiceFlag takes one of a few values.
func choiceFlag[T ~string](dst *T, name, value string, choices []T, usage string) flag {
	names := texts(choices)
	f := flag{name: name, value: value, usage: usage, fallback: string(*dst), choices: names}
	f.set = func(text string) error {
		if !slices.Contains(names, text) {
			return badChoice(names, text)
		}
		*dst = T(text)
		return nil
	}
	return f
}

// choicesFlag takes several of a few values: repeated, or separated by commas.
func choicesFlag[T ~string](dst *[]T, name, value string, choices []T, usage string) flag {
	names := texts(choices)
	f := flag{name: name, value: value, usage: usage, choices: names, list: true}
	f.set = func(text string) error {
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); !slices.Contains(names, name) {
				return badChoice(names, name)
			}
			if !slices.Contains(*dst, T(name)) {
				*dst = append(*dst, T(name))
			}
		}
		return nil
	}
	return f
}

func texts[T ~string](choices []T) []string {
	names := make([]string, len(choices))
	for i, c := range choices {
		names[i] = string(c)
	}
	return names
}

func badChoice(names []string, got string) error {
	if len(names) == 0 {
		return fmt.Errorf("is not available here, got %q", got)
	}
	if len(names) == 1 {
		return fmt.Errorf("must be %s, got %q", names[0], got)
	}
	last := len(names) - 1
	return fmt.Errorf("must be %s or %s, got %q", strings.Join(names[:last], ", "), names[last], got)
}

// listFlag takes any texts: repeated, and with split also separated by commas.
func listFlag(dst *[]string, name, value, usage string, split bool) flag {
	return flag{name: name, value: value, usage: usage, list: split, set: func(text string) error {
		if !split {
			*dst = append(*dst, text)
			return nil
		}
		for part := range strings.SplitSeq(text, ",") {
			*dst = append(*dst, strings.TrimSpace(part))
		}
		return nil
	}}
}

// countFlag takes a whole number from least on.
func countFlag(dst *int, name, value string, least int, usage string) flag {
	f := flag{name: name, value: value, usage: usage}
	if *dst != 0 {
		f.fallback = strconv.Itoa(*dst)
	}
	f.set = func(text string) error {
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("must be a whole number, got %q", text)
		}
		if n < least {
			return fmt.Errorf("must be at least %d, got %d", least, n)
		}
		*dst = n
		return nil
	}
	return f
}

// jobsFlag is --jobs.
func jobsFlag(dst *int, usage string) flag {
	return countFlag(dst, "jobs", "N", 0, usage).withDefault("one per core")
}

// tokensFlag takes a number of tokens such as 200000, 200k or 1M. dst stays nil if it is not given.
func tokensFlag(dst **int64, name string, least int64, usage string) flag {
	return flag{name: name, value: "N", usage: usage, set: func(text string) error {
		n, err := parseTokens(text)
		if err != nil {
			return err
		}
		if n < least {
			return fmt.Errorf("must be at least %d, got %d", least, n)
		}
		*dst = &n
		return nil
	}}
}

// parseTokens reads a number of tokens: 200000, 200_000, 200k, 1M.
func parseTokens(text string) (int64, error) {
	digits, factor := strings.ReplaceAll(text, "_", ""), 1.0
	switch {
	case strings.HasSuffix(digits, "k"), strings.HasSuffix(digits, "K"):
		digits, factor = digits[:len(digits)-1], 1e3
	case strings.HasSuffix(digits, "m"), strings.HasSuffix(digits, "M"):
		digits, factor = digits[:len(digits)-1], 1e6
	}
	n, err := strconv.ParseFloat(digits, 64)
	if n *= factor; err != nil || n != math.Trunc(n) || math.Abs(n) > 1e15 {
		return 0, fmt.Errorf("must be a number of tokens such as 200000, 200k or 1M, got %q", text)
	}
	return int64(n), nil
}

// sizeUnits are the units of a size. They are those in which sizes are printed.
var sizeUnits = map[string]float64{"": 1, "b": 1, "k": 1e3, "kb": 1e3, "m": 1e6, "mb": 1e6, "g": 1e9, "gb": 1e9}

// sizeFlag takes a number of bytes such as 500k or 1.5GB.
func sizeFlag(dst *int64, name, usage string) flag {
	return flag{name: name, value: "SIZE", usage: usage, set: func(text string) (err error) {
		*dst, err = parseSize(text)
		return err
	}}
}

// parseSize reads a number of bytes: 500, 500k, 1.5GB.
func parseSize(text string) (int64, error) {
	lower := strings.ToLower(strings.ReplaceAll(text, " ", ""))
	digits := strings.TrimRight(lower, "bkmg")
	n, err := strconv.ParseFloat(digits, 64)
	unit, known := sizeUnits[lower[len(digits):]]
	if n *= unit; err != nil || !known || !(n >= 0 && n < 1e18) {
		return 0, fmt.Errorf("must be a size such as 500k or 1.5GB, got %q", text)
	}
	return int64(n), nil
}

// durationFlag takes a positive duration such as 90s.
func durationFlag(dst *time.Duration, name, usage string) flag {
	f := flag{name: name, value: "TIME", usage: usage, fallback: shortDuration(*dst)}
	f.set = func(text string) error {
		d, err := time.ParseDuration(text)
		if err != nil {
			return fmt.Errorf("must be a duration such as 90s or 5m, got %q", text)
		}
		if d <= 0 {
			return fmt.Errorf("must be positive, got %s", text)
		}
		*dst = d
		return nil
	}
	return f
}

// shortDuration writes a duration as people type it: 2m instead of 2m0s.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// A givenFlag says whether a flag was given.
type givenFlag struct {
	name  string
	given bool
}

func firstGiven(flags []givenFlag) string {
	for _, f := range flags {
		if f.given {
			return f.name
		}
	}
	return ""
}

// A flagParsing remembers why a value was refused: the text that urfave/cli makes of it is not for people.
type flagParsing struct {
	flag string
	err  error
}

// explain is the failure of flags that could not be parsed.
func (p *flagParsing) explain(c *command, err error) error {
	if p.err == nil {
		return failure.Usage("clawctl help "+c.name, "%s: %v", c.name, err)
	}
	return failure.Usage("clawctl help "+c.name, "--%s %v", p.flag, p.err)
}

// frameworkFlags describes flags to urfave/cli.
func frameworkFlags(flags []flag) (list []cli.Flag, parsing *flagParsing) {
	parsing = &flagParsing{}
	for _, f := range flags {
		list = append(list, &cli.GenericFlag{Name: f.name, Value: &flagValue{f, parsing}})
	}
	return list, parsing
}

// A flagValue is a flag as urfave/cli sets it.
type flagValue struct {
	flag    flag
	parsing *flagParsing
}

func (v *flagValue) Set(text string) error {
	err := v.flag.set(text)
	if err != nil && v.parsing.err == nil {
		v.parsing.flag, v.parsing.err = v.flag.name, err
	}
	return err
}

func (v *flagValue) String() string { return "" }

// IsBoolFlag lets a switch stand without a value.
func (v *flagValue) IsBoolFlag() bool { return v.flag.value == "" }
