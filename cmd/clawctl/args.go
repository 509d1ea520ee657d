package main

// How arguments are read:
//
//   - Flags may stand anywhere: before the command, before and behind operands. `--` ends them; a lone `-` is an
//     operand and means stdin.
//   - `--flag value`, `--flag=value`, `-f value` and `-qv` (several short flags without values) are all understood.
//   - An unknown command or flag is an error with exit 2 and the nearest name as the hint; nothing is guessed.
//   - -h and --help anywhere ask for help about the command; --version asks for the version. Without any command
//     clawctl says what it found on this machine.

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
)

// parsedArgs is what urfave/cli gets to see.
type parsedArgs struct {
	command string
	args    []string // flags, "--", operands
	json    bool     // errors of parsing are to be printed as JSON too
}

// normalize sorts arguments into a command, its flags and its operands.
func normalize(args []string, all []*command) (parsedArgs, error) {
	p := parsedArgs{json: slices.Contains(args, "--json")}
	name, rest, err := splitCommand(args, all)
	if err != nil {
		return p, err
	}
	if name == "" {
		p.command = "overview"
		switch {
		case slices.Contains(rest, "--version"):
			p.command = "version"
		case slices.Contains(rest, "-h") || slices.Contains(rest, "--help"):
			p.command = "help"
		}
		rest = slices.DeleteFunc(rest, func(arg string) bool { return arg == "-h" || arg == "--help" || arg == "--version" })
	} else if p.command, err = findCommand(name, all); err != nil {
		return p, err
	}
	c := all[slices.IndexFunc(all, func(c *command) bool { return c.name == p.command })]
	flags, operands, help, err := sortFlags(rest, c)
	if err != nil {
		return p, err
	}
	if help {
		p.command, flags, operands = "help", nil, []string{c.name}
	}
	p.args = append(append(flags, "--"), operands...)
	return p, nil
}

// splitCommand takes the first word that is not a flag or a flag's value out of the arguments.
func splitCommand(args []string, all []*command) (string, []string, error) {
	// Before the command its own flags are not known; those of every command are, and none differs in taking a value.
	known := flagTable(commonFlags())
	for _, c := range all {
		for name, f := range flagTable(c.flags) {
			known[name] = f
		}
	}
	for i := 0; i < len(args); i++ {
		name, _, hasValue := cutFlag(args[i])
		if name == "" {
			return args[i], slices.Delete(slices.Clone(args), i, i+1), nil
		}
		if known[name] && !hasValue {
			i++
		}
	}
	return "", slices.Clone(args), nil
}

func findCommand(name string, all []*command) (string, error) {
	names := make([]string, len(all))
	for i, c := range all {
		if names[i] = c.name; c.name == name {
			return name, nil
		}
	}
	hint := "clawctl help"
	if near := nearest(name, names); near != "" {
		hint = "clawctl " + near
	}
	return "", usageError(hint, "there is no command %q", name)
}

// sortFlags separates a command's flags from its operands.
func sortFlags(args []string, c *command) (flags, operands []string, help bool, err error) {
	known := flagTable(append(commonFlags(), c.flags...))
	for i := 0; i < len(args); i++ {
		arg := args[i]
		if arg == "--" {
			return flags, append(operands, args[i+1:]...), help, nil
		}
		name, dashes, hasValue := cutFlag(arg)
		if name == "" {
			operands = append(operands, arg)
			continue
		}
		if name == "h" || name == "help" {
			help = true
			continue
		}
		takesValue, ok := known[name]
		if !ok {
			bundle := bundledFlags(arg, known)
			if bundle == nil {
				return nil, nil, false, unknownFlag(c, dashes+name, known)
			}
			flags = append(flags, bundle...)
			continue
		}
		flags = append(flags, arg)
		if takesValue && !hasValue {
			if i++; i == len(args) {
				return nil, nil, false, usageError("clawctl help "+c.name, "%s needs a value", arg)
			}
			// Joined, so that a value which begins with a dash stays a value.
			flags[len(flags)-1] = arg + "=" + args[i]
		}
	}
	return flags, operands, help, nil
}

// cutFlag returns the name of a flag; "" for an operand.
func cutFlag(arg string) (name, dashes string, hasValue bool) {
	switch {
	case arg == "-" || arg == "--" || !strings.HasPrefix(arg, "-"):
		return "", "", false
	case strings.HasPrefix(arg, "--"):
		dashes = "--"
	default:
		dashes = "-"
	}
	name, _, hasValue = strings.Cut(arg[len(dashes):], "=")
	return name, dashes, hasValue
}

// bundledFlags splits -qv into -q and -v; nil where that is not what the argument is.
func bundledFlags(arg string, known map[string]bool) (flags []string) {
	if strings.HasPrefix(arg, "--") {
		return nil
	}
	for _, r := range arg[1:] {
		takesValue, ok := known[string(r)]
		if !ok || takesValue {
			return nil
		}
		flags = append(flags, "-"+string(r))
	}
	return flags
}

func unknownFlag(c *command, flag string, known map[string]bool) error {
	var names []string
	for name := range known {
		if len(name) > 1 {
			names = append(names, "--"+name)
		}
	}
	slices.Sort(names)
	hint := "clawctl help " + c.name
	if near := nearest(flag, names); near != "" {
		hint = "clawctl " + c.name + " " + near
	}
	return usageError(hint, "%s has no flag %s", c.name, flag)
}

// flagTable maps every name of the flags to whether it takes a value.
func flagTable(flags []cli.Flag) map[string]bool {
	table := map[string]bool{}
	for _, f := range flags {
		takesValue := false
		if doc, ok := f.(cli.DocGenerationFlag); ok {
			takesValue = doc.TakesValue()
		}
		for _, name := range f.Names() {
			table[name] = takesValue
		}
	}
	return table
}

// nearest returns the name that a typo most likely meant, or "".
func nearest(typed string, names []string) string {
	best, bestDistance := "", len(typed)/2+1
	for _, name := range names {
		if d := editDistance(typed, name); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best
}

// editDistance counts the letters to insert, delete, replace or swap with their neighbour.
func editDistance(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row := make([]int, len(b)+1)
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
