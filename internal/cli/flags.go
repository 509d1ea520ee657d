package cli

import (
	"cmp"
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

// A Flag is one option of a command: what help, completion and the parser know about it, and how it fills the field of
// the command's options that it belongs to.
type Flag struct {
	Name     string
	short    string   // one letter, or ""
	Value    string   // the placeholder of its value; "" for a switch
	Usage    string   // what it does
	Fallback string   // the default that help shows, or ""
	Choices  []string // the allowed values, if there are few
	List     bool     // takes several values, separated by commas
	Hidden   bool     // works, but help does not show it
	synonym  string   // of this flag, or ""
	Set      func(text string) error
}

// WithShort adds a name of one letter.
func (f Flag) WithShort(letter string) Flag {
	f.short = letter
	return f
}

// WithDefault says what help calls the default.
func (f Flag) WithDefault(words string) Flag {
	f.Fallback = words
	return f
}

// Synonym is another spelling of a flag. It works, but help does not show it.
func (f Flag) Synonym(name string) Flag {
	f.Name, f.short, f.Hidden, f.synonym = name, "", true, f.Name
	return f
}

// SwitchFlag is on if it is given.
func SwitchFlag(dst *bool, name, usage string) Flag {
	return Flag{Name: name, Usage: usage, Set: func(text string) error {
		on, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("must be true or false, got %q", text)
		}
		*dst = on
		return nil
	}}
}

// TextFlag takes any text.
func TextFlag(dst *string, name, value, usage string) Flag {
	return Flag{Name: name, Value: value, Usage: usage, Fallback: *dst, Set: func(text string) error {
		*dst = text
		return nil
	}}
}

// RequiredTextFlag takes any text that is not empty.
func RequiredTextFlag(dst *string, name, value, usage string) Flag {
	f := TextFlag(dst, name, value, usage)
	return f.Checked(func() error {
		if *dst == "" {
			return errors.New("must not be empty")
		}
		return nil
	})
}

// Checked adds a check of the value that was set.
func (f Flag) Checked(check func() error) Flag {
	set := f.Set
	f.Set = func(text string) error {
		if err := set(text); err != nil {
			return err
		}
		return check()
	}
	return f
}

// ChoiceFlag takes one of a few values.
func ChoiceFlag[T ~string](dst *T, name, value string, choices []T, usage string) Flag {
	names := texts(choices)
	f := Flag{Name: name, Value: value, Usage: usage, Fallback: string(*dst), Choices: names}
	f.Set = func(text string) error {
		if !slices.Contains(names, text) {
			return BadChoice(names, text)
		}
		*dst = T(text)
		return nil
	}
	return f
}

// ChoicesFlag takes several of a few values: repeated, or separated by commas.
func ChoicesFlag[T ~string](dst *[]T, name, value string, choices []T, usage string) Flag {
	names := texts(choices)
	f := Flag{Name: name, Value: value, Usage: usage, Choices: names, List: true}
	f.Set = func(text string) error {
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); !slices.Contains(names, name) {
				return BadChoice(names, name)
			}
			if !slices.Contains(*dst, T(name)) {
				*dst = append(*dst, T(name))
			}
		}
		return nil
	}
	return f
}

// PairsFlag takes two different ones of a few values, separated by a comma. It may be repeated.
func PairsFlag(dst *[][2]string, name, value string, choices []string, usage string) Flag {
	f := Flag{Name: name, Value: value, Usage: usage, Choices: choices, List: true}
	f.Set = func(text string) error {
		var pair []string
		for name := range strings.SplitSeq(text, ",") {
			if name = strings.TrimSpace(name); !slices.Contains(choices, name) {
				return BadChoice(choices, name)
			}
			pair = append(pair, name)
		}
		if len(pair) != 2 || pair[0] == pair[1] {
			return fmt.Errorf("must be two different names with a comma between them, got %q", text)
		}
		*dst = append(*dst, [2]string(pair))
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

// A choiceError is the error of a value that is none of the names.
type choiceError struct {
	names []string
	got   string
}

// BadChoice is the error of a value that is none of the names.
func BadChoice(names []string, got string) error { return &choiceError{names, got} }

func (e *choiceError) Error() string {
	if len(e.names) == 0 {
		return fmt.Sprintf("is not available here, got %q", e.got)
	}
	if len(e.names) == 1 {
		return fmt.Sprintf("must be %s, got %q", e.names[0], e.got)
	}
	last := len(e.names) - 1
	return fmt.Sprintf("must be %s or %s, got %q", strings.Join(e.names[:last], ", "), e.names[last], e.got)
}

// mend returns arguments with the nearest name as the value of a flag, or nil if there is none.
func (e *choiceError) mend(args []string, flag string) []string {
	near := failure.Nearest(e.got, e.names)
	if near == "" {
		return nil
	}
	mended := slices.Clone(args)
	for i, arg := range args {
		value, isJoined := strings.CutPrefix(arg, flag+"=")
		switch {
		case isJoined:
			mended[i] = flag + "=" + replaceWord(value, e.got, near)
			return mended
		case arg == flag && i+1 < len(args):
			mended[i+1] = replaceWord(args[i+1], e.got, near)
			return mended
		}
	}
	return nil
}

// replaceWord replaces a word in a list with commas.
func replaceWord(list, word, by string) string {
	words := strings.Split(list, ",")
	for i := range words {
		if strings.TrimSpace(words[i]) == word {
			words[i] = by
		}
	}
	return strings.Join(words, ",")
}

// ListFlag takes any texts: repeated, and with split also separated by commas.
func ListFlag(dst *[]string, name, value, usage string, split bool) Flag {
	return Flag{Name: name, Value: value, Usage: usage, List: split, Set: func(text string) error {
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

// CountFlag takes a whole number from least on.
func CountFlag(dst *int, name, value string, least int, usage string) Flag {
	f := Flag{Name: name, Value: value, Usage: usage}
	if *dst != 0 {
		f.Fallback = strconv.Itoa(*dst)
	}
	f.Set = func(text string) error {
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

// JobsFlag is --jobs.
func JobsFlag(dst *int, usage string) Flag {
	return CountFlag(dst, "jobs", "N", 0, usage).WithDefault("one per core")
}

// TokensFlag takes a number of tokens such as 200000, 200k or 1M. dst stays nil if it is not given.
func TokensFlag(dst **int64, name string, least int64, usage string) Flag {
	return Flag{Name: name, Value: "N", Usage: usage, Set: func(text string) error {
		n, err := ParseTokens(text)
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

// ParseTokens reads a number of tokens: 200000, 200_000, 200k, 1M.
func ParseTokens(text string) (int64, error) {
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

// SizeFlag takes a number of bytes such as 500k or 1.5GB.
func SizeFlag(dst *int64, name, usage string) Flag {
	return Flag{Name: name, Value: "SIZE", Usage: usage, Set: func(text string) (err error) {
		*dst, err = ParseSize(text)
		return err
	}}
}

// ParseSize reads a number of bytes: 500, 500k, 1.5GB.
func ParseSize(text string) (int64, error) {
	lower := strings.ToLower(strings.ReplaceAll(text, " ", ""))
	digits := strings.TrimRight(lower, "bkmg")
	n, err := strconv.ParseFloat(digits, 64)
	unit, known := sizeUnits[lower[len(digits):]]
	if n *= unit; err != nil || !known || !(n >= 0 && n < 1e18) {
		return 0, fmt.Errorf("must be a size such as 500k or 1.5GB, got %q", text)
	}
	return int64(n), nil
}

// DurationFlag takes a positive duration such as 90s.
func DurationFlag(dst *time.Duration, name, usage string) Flag {
	f := Flag{Name: name, Value: "TIME", Usage: usage, Fallback: ShortDuration(*dst)}
	f.Set = func(text string) error {
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

// ShortDuration writes a duration as people type it: 2m instead of 2m0s.
func ShortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// Given returns the flags of these that were given. One that is empty, 0 or turned off is not.
func (a *App) Given(flags ...string) []string {
	return slices.DeleteFunc(flags, func(flag string) bool { return !a.given[flag] })
}

// FirstGiven returns the first flag of these that was given, or "".
func (a *App) FirstGiven(flags ...string) string { return append(a.Given(flags...), "")[0] }

// Alone refuses a flag together with any of the others.
func (a *App) Alone(flag string, others ...string) error {
	if other := a.FirstGiven(others...); a.given[flag] && other != "" {
		return Conflict("--"+flag, "--"+other)
	}
	return nil
}

// A flagParser remembers which flags were given, and why a value was refused: the text that urfave/cli makes of it is
// not for people.
type flagParser struct {
	flag  string
	err   error
	given map[string]bool
}

// explain is the failure of flags that could not be parsed. Its hint has the nearest value, if there is one.
func (p *flagParser) explain(c *Command, args []string, err error) error {
	if p.err == nil {
		return failure.Usage(c.helpCommand(), "%s: %v", c.Name, err)
	}
	hint := c.helpCommand()
	var choice *choiceError
	if errors.As(p.err, &choice) {
		if mended := choice.mend(args, "--"+p.flag); mended != nil {
			hint = commandLine(mended)
		}
	}
	return failure.Usage(hint, "--%s %v", p.flag, p.err)
}

// frameworkFlags describes flags to urfave/cli.
func frameworkFlags(flags []Flag) (list []cli.Flag, parsing *flagParser) {
	parsing = &flagParser{given: map[string]bool{}}
	for _, f := range flags {
		list = append(list, &cli.GenericFlag{Name: f.Name, Value: &flagValue{f, parsing}})
	}
	return list, parsing
}

// A flagValue is a flag as urfave/cli sets it.
type flagValue struct {
	flag    Flag
	parsing *flagParser
}

func (v *flagValue) Set(text string) error {
	err := v.flag.Set(text)
	v.parsing.given[cmp.Or(v.flag.synonym, v.flag.Name)] = !slices.Contains([]string{"", "0", "false"}, text)
	if err != nil && v.parsing.err == nil {
		v.parsing.flag, v.parsing.err = v.flag.Name, err
	}
	return err
}

func (v *flagValue) String() string { return "" }

// IsBoolFlag lets a switch stand without a value.
func (v *flagValue) IsBoolFlag() bool { return v.flag.Value == "" }
