package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

func thresholds(name string, at *[]FlushThreshold) setting {
	item := func(i int, t *FlushThreshold) setting {
		return setting{set: func(n *node) *Error { return t.read(n, fmt.Sprintf("%s[%d]", name, i)) }}
	}
	sorted := func(list []FlushThreshold) []FlushThreshold {
		slices.SortStableFunc(list, func(a, b FlushThreshold) int { return cmp.Compare(a.Percent, b.Percent) })
		return list
	}
	show := func(list []FlushThreshold) (texts []string) {
		for _, t := range list {
			texts = append(texts, fmt.Sprintf("%g%% %s: %s", t.Percent, t.InjectAs, strings.ReplaceAll(t.Prompt, "\n", " ")))
		}
		return texts
	}
	s := listOf(name, at, "a list of objects", item, sorted, show)
	s.isList = true
	return s
}

// read reads one object of the list. The default of injectAs is "marked". A prompt inside the system prompt stays
// there. Every other prompt is delivered once by default.
func (t *FlushThreshold) read(n *node, name string) *Error {
	if !n.isObject() {
		return typeError(n, name, "an object")
	}
	t.InjectAs = Marked
	seen, err := readFields(n, name+".", []setting{
		percentSetting(name+".percent", &t.Percent),
		textSetting(name+".prompt", &t.Prompt),
		choiceSetting(name+".injectAs", &t.InjectAs, string(System), string(User), string(Marked)),
		boolSetting(name+".oncePerCycle", &t.Once),
	})
	if err != nil {
		return err
	}
	for _, key := range []string{"percent", "prompt"} {
		if !seen[key] {
			return &Error{Line: n.line, Text: fmt.Sprintf("%s has no %s", name, key)}
		}
	}
	if !seen["oncePerCycle"] {
		t.Once = t.InjectAs != System
	}
	return nil
}
