package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// A Setting is the name of a setting, its value in force, and the origin of the value.
type Setting struct {
	Name  string
	Value string // as text
	From  string // FILE:LINE, or DefaultOrigin
}

// DefaultOrigin is the origin of a value that no file sets.
const DefaultOrigin = "the default"

// A setting is one line of the table: how a value is read from a file and how it is shown.
type setting struct {
	name   string
	set    func(*node) *Error
	show   func() []string // one value, or the values of a list
	isList bool
	names  []string // of the values of a list, if they have names
}

// single is a setting of one value, which read returns. It returns false for a value that is not what want says.
func single[T any](name string, at *T, want string, read func(*node) (T, bool), show func(T) string) setting {
	set := func(n *node) *Error {
		value, ok := read(n)
		if !ok {
			return typeError(n, name, want)
		}
		*at = value
		return nil
	}
	return setting{name: name, set: set, show: func() []string { return []string{show(*at)} }}
}

// listOf is a setting of a list, whose items are read as settings. sort puts them in order.
func listOf[T any](
	name string, at *[]T, want string, item func(i int, at *T) setting, sort func([]T) []T, show func([]T) []string,
) setting {
	set := func(n *node) *Error {
		if !n.isList() {
			return typeError(n, name, want)
		}
		*at = make([]T, len(n.items))
		for i := range n.items {
			if err := item(i, &(*at)[i]).set(n.items[i]); err != nil {
				return err
			}
		}
		*at = sort(*at)
		return nil
	}
	return setting{name: name, set: set, show: func() []string { return show(*at) }}
}

// table lists every setting of a configuration.
func (c *Config) table() []setting {
	s := &c.Session
	return []setting{
		choiceSetting("session.store", &s.Store, SQLite, JSONL),
		textSetting("session.path", &s.Path),
		textSetting("session.defaultKey", &s.DefaultKey),
		ageSetting("session.ttl", &s.TTL),
		boolSetting("session.inherit.enabled", &s.Inherit.Enabled),
		textSetting("session.inherit.source", &s.Inherit.Source),
		choiceSetting("session.inherit.format", &s.Inherit.Format, JSONL, SQLite),
		boolSetting("session.checkpoint.enabled", &s.Checkpoint.Enabled),
		textSetting("session.checkpoint.model", &s.Checkpoint.Model),
		boolSetting("session.checkpoint.fallbackToMain", &s.Checkpoint.FallbackToMain),
		percentsSetting("session.checkpoint.tokenThresholdPercents", &s.Checkpoint.TokenThresholdPercents),
		intSetting("session.checkpoint.turnThreshold", &s.Checkpoint.TurnThreshold, 1),
		intSetting("session.checkpoint.minTokensForGen", &s.Checkpoint.MinTokensForGen, 0),
		boolSetting("session.memoryFlush.enabled", &s.MemoryFlush.Enabled),
		boolSetting("session.memoryFlush.showInSystemPrompt", &s.MemoryFlush.ShowInSystemPrompt),
		thresholds("session.memoryFlush.thresholds", &s.MemoryFlush.Thresholds),
		intSetting("session.compaction.reserveTokens", &s.Compaction.ReserveTokens, 0),
		boolSetting("session.compaction.preferCheckpoint", &s.Compaction.PreferCheckpoint),
		boolSetting("privacy.mask", &c.Privacy.Mask),
		boolSetting("sources.harness", &c.Sources.Harness),
		pathsSetting("sources.archives", &c.Sources.Archives),
		textSetting("models.file", &c.Models.File),
		modelSettings(c.Models.Overrides),
	}
}

// aliases maps the names of settings in the older shape of the file to their current names.
var aliases = map[string]string{"session.storage": "session.store"}

// Settings lists the values in force and their origins.
func (c *Config) Settings() []Setting {
	var list []Setting
	for _, s := range c.table() {
		for i, value := range s.show() {
			name, at := s.name, s.name
			switch {
			case s.names != nil:
				name, at = s.names[i], s.names[i]
			case s.isList:
				name = fmt.Sprintf("%s[%d]", s.name, i)
			}
			list = append(list, Setting{name, value, c.originOf(at)})
		}
	}
	return list
}

// originOf returns where a setting comes from.
func (c *Config) originOf(name string) string {
	if line := c.lines[name]; line > 0 {
		return fmt.Sprintf("%s:%d", c.path, line)
	}
	return DefaultOrigin
}

// readObject reads the members of an object, each of which is a setting or a group of settings.
func (c *Config) readObject(n *node, prefix string) *Error {
	if !n.isObject() {
		return typeError(n, strings.TrimSuffix(cmp.Or(prefix, "the configuration"), "."), "an object")
	}
	table, seen := c.table(), map[string]bool{}
	for _, m := range n.members {
		name := prefix + m.key
		if seen[name] {
			return &Error{Line: m.line, Text: name + " is set twice"}
		}
		seen[name] = true
		if full := aliases[name]; full != "" {
			name = full
		}
		if _, short := m.value.value.(bool); short && name == "session.inherit" {
			name += ".enabled" // the older shape sets nothing else here
		}
		at := slices.IndexFunc(table, func(s setting) bool { return s.name == name })
		var err *Error
		switch {
		case at >= 0:
			err = c.assign(table[at], m)
		case prefix == modelPrefix:
			err = c.addModel(m)
		case isGroup(table, name+"."):
			err = c.readObject(m.value, name+".")
		default:
			err = unknownKeyError(m, prefix, keysOf(table, prefix))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// assign sets a value. Two keys for the same setting are an error, because one of them would be ignored.
func (c *Config) assign(s setting, m member) *Error {
	if before := c.lines[s.name]; before > 0 {
		return &Error{Line: m.line, Text: fmt.Sprintf("%s is set twice, first on line %d", s.name, before)}
	}
	c.lines[s.name] = m.line
	return s.set(m.value)
}

func isGroup(table []setting, prefix string) bool {
	return slices.ContainsFunc(table, func(s setting) bool { return strings.HasPrefix(s.name, prefix) })
}

// keysOf lists the keys that an object may have.
func keysOf(table []setting, prefix string) []string {
	var keys []string
	for _, s := range table {
		if rest, ok := strings.CutPrefix(s.name, prefix); ok {
			key, _, _ := strings.Cut(rest, ".")
			keys = append(keys, key)
		}
	}
	return slices.Compact(keys)
}

// unknownKeyError is the error for a key that is not a setting.
func unknownKeyError(m member, prefix string, known []string) *Error {
	where := ""
	if prefix != "" {
		where = " in " + strings.TrimSuffix(prefix, ".")
	}
	return &Error{Line: m.line, Text: fmt.Sprintf("unknown key %q%s", m.key, where), Key: m.key, Known: known}
}

// typeError is the error for a value of the wrong type.
func typeError(n *node, name, want string) *Error {
	return &Error{Line: n.line, Text: fmt.Sprintf("%s must be %s, got %s", name, want, n.what())}
}

// readFields reads an object whose members are settings, each at most once. It returns which of them are set.
func readFields(n *node, prefix string, fields []setting) (map[string]bool, *Error) {
	seen := map[string]bool{}
	for _, m := range n.members {
		name := prefix + m.key
		at := slices.IndexFunc(fields, func(s setting) bool { return s.name == name })
		if at < 0 {
			return nil, unknownKeyError(m, prefix, keysOf(fields, prefix))
		}
		if seen[m.key] {
			return nil, &Error{Line: m.line, Text: name + " is set twice"}
		}
		seen[m.key] = true
		if err := fields[at].set(m.value); err != nil {
			return nil, err
		}
	}
	return seen, nil
}

func textSetting(name string, at *string) setting {
	return single(name, at, "a non-empty string", func(n *node) (string, bool) {
		return n.text(), strings.TrimSpace(n.text()) != ""
	}, func(text string) string { return text })
}

func pathsSetting(name string, at *[]string) setting {
	return listOf(name, at, "a list of files",
		func(_ int, path *string) setting { return textSetting("each of "+name, path) },
		func(paths []string) []string { return paths },
		func(paths []string) []string { return []string{strings.Join(paths, ", ")} })
}

func ageSetting(name string, at *Age) setting {
	return single(name, at, "an age such as \"90d\"", func(n *node) (Age, bool) {
		age, ok := ParseAge(n.text())
		return age, ok && age != 0
	}, Age.String)
}

func choiceSetting[T ~string](name string, at *T, of ...string) setting {
	last := len(of) - 1
	return single(name, at, strings.Join(of[:last], ", ")+" or "+of[last], func(n *node) (T, bool) {
		return T(n.text()), slices.Contains(of, n.text())
	}, func(choice T) string { return string(choice) })
}

func boolSetting(name string, at *bool) setting {
	return single(name, at, "true or false", func(n *node) (is, ok bool) {
		is, ok = n.value.(bool)
		return is, ok
	}, strconv.FormatBool)
}

func intSetting(name string, at *int, least int) setting {
	return single(name, at, fmt.Sprintf("a whole number of at least %d", least), func(n *node) (int, bool) {
		i, err := strconv.Atoi(string(n.number()))
		return i, err == nil && i >= least
	}, strconv.Itoa)
}

func percentsSetting(name string, at *[]float64) setting {
	return listOf(name, at, "a list of percentages",
		func(_ int, percent *float64) setting { return percentSetting("each of "+name, percent) },
		func(list []float64) []float64 { return slices.Compact(slices.Sorted(slices.Values(list))) },
		func(list []float64) []string {
			return []string{strings.Join(strings.Fields(strings.Trim(fmt.Sprint(list), "[]")), ", ")}
		})
}

// percentSetting is a percentage of the context window.
func percentSetting(name string, at *float64) setting {
	return single(name, at, "a percentage above 0 and at most 100", func(n *node) (float64, bool) {
		p, err := n.number().Float64()
		return p, err == nil && p > 0 && p <= 100
	}, func(p float64) string { return fmt.Sprint(p) })
}
