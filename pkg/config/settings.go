package config

import (
	"cmp"
	"encoding/json"
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

func singleSetting(name string, set func(*node) *Error, show func() string) setting {
	return setting{name: name, set: set, show: func() []string { return []string{show()} }}
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

func textSetting(name string, at *string) setting {
	return singleSetting(name, func(n *node) *Error {
		s, ok := n.value.(string)
		if !ok || strings.TrimSpace(s) == "" {
			return typeError(n, name, "a non-empty string")
		}
		*at = s
		return nil
	}, func() string { return *at })
}

func pathsSetting(name string, at *[]string) setting {
	return singleSetting(name, func(n *node) *Error {
		return eachItem(n, name, "a list of files", at, func(_ int, item *node) (path string, err *Error) {
			err = textSetting("each of "+name, &path).set(item)
			return path, err
		})
	}, func() string { return strings.Join(*at, ", ") })
}

// eachItem reads a list.
func eachItem[T any](n *node, name, want string, at *[]T, read func(i int, item *node) (T, *Error)) *Error {
	if !n.isList() {
		return typeError(n, name, want)
	}
	*at = nil
	for i, item := range n.items {
		value, err := read(i, item)
		if err != nil {
			return err
		}
		*at = append(*at, value)
	}
	return nil
}

func ageSetting(name string, at *Age) setting {
	return singleSetting(name, func(n *node) *Error {
		text, _ := n.value.(string)
		age, ok := ParseAge(text)
		if !ok || age == 0 {
			return typeError(n, name, "an age such as \"90d\"")
		}
		*at = age
		return nil
	}, func() string { return at.String() })
}

func choiceSetting(name string, at *string, of ...string) setting {
	return singleSetting(name, func(n *node) *Error {
		s, _ := n.value.(string)
		if last := len(of) - 1; !slices.Contains(of, s) {
			return typeError(n, name, strings.Join(of[:last], ", ")+" or "+of[last])
		}
		*at = s
		return nil
	}, func() string { return *at })
}

func boolSetting(name string, at *bool) setting {
	return singleSetting(name, func(n *node) *Error {
		b, ok := n.value.(bool)
		if !ok {
			return typeError(n, name, "true or false")
		}
		*at = b
		return nil
	}, func() string { return strconv.FormatBool(*at) })
}

func intSetting(name string, at *int, least int) setting {
	return singleSetting(name, func(n *node) *Error {
		number, _ := n.value.(json.Number)
		i, err := strconv.Atoi(string(number))
		if err != nil || i < least {
			return typeError(n, name, fmt.Sprintf("a whole number of at least %d", least))
		}
		*at = i
		return nil
	}, func() string { return strconv.Itoa(*at) })
}

func percentsSetting(name string, at *[]float64) setting {
	return singleSetting(name, func(n *node) *Error {
		err := eachItem(n, name, "a list of percentages", at, func(_ int, item *node) (float64, *Error) {
			return parsePercent(item, "each of "+name)
		})
		slices.Sort(*at)
		*at = slices.Compact(*at)
		return err
	}, func() string {
		return strings.Join(strings.Fields(strings.Trim(fmt.Sprint(*at), "[]")), ", ")
	})
}

// parsePercent reads a percentage of the context window.
func parsePercent(n *node, name string) (float64, *Error) {
	number, _ := n.value.(json.Number)
	p, err := number.Float64()
	if err != nil || p <= 0 || p > 100 {
		return 0, typeError(n, name, "a percentage above 0 and at most 100")
	}
	return p, nil
}
