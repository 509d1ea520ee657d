package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// deliveries lists the ways to deliver a prompt.
var deliveries = []string{string(System), string(User), string(Marked)}

func thresholds(name string, at *[]FlushThreshold) setting {
	set := func(n *node) *Error {
		err := eachItem(n, name, "a list of objects", at, func(i int, item *node) (FlushThreshold, *Error) {
			return threshold(item, fmt.Sprintf("%s[%d]", name, i))
		})
		slices.SortStableFunc(*at, func(a, b FlushThreshold) int { return cmp.Compare(a.Percent, b.Percent) })
		return err
	}
	show := func() (list []string) {
		for _, t := range *at {
			list = append(list, fmt.Sprintf("%g%% %s: %s", t.Percent, t.InjectAs,
				strings.ReplaceAll(t.Prompt, "\n", " ")))
		}
		return list
	}
	return setting{name: name, set: set, show: show, isList: true}
}

// threshold reads one object of the list. The default of injectAs is "marked". A prompt inside the system prompt stays
// there. Every other prompt is delivered once by default.
func threshold(n *node, name string) (FlushThreshold, *Error) {
	t := FlushThreshold{}
	if !n.isObject() {
		return t, typeError(n, name, "an object")
	}
	injectAs := string(Marked)
	fields := []setting{
		{name: name + ".percent", set: func(n *node) (err *Error) {
			t.Percent, err = parsePercent(n, name+".percent")
			return err
		}},
		textSetting(name+".prompt", &t.Prompt),
		choiceSetting(name+".injectAs", &injectAs, deliveries...),
		boolSetting(name+".oncePerCycle", &t.Once),
	}
	seen := map[string]bool{}
	for _, m := range n.members {
		at := slices.IndexFunc(fields, func(s setting) bool { return s.name == name+"."+m.key })
		if at < 0 {
			return t, unknownKeyError(m, name+".", keysOf(fields, name+"."))
		}
		if seen[m.key] {
			return t, &Error{Line: m.line, Text: fields[at].name + " is set twice"}
		}
		if err := fields[at].set(m.value); err != nil {
			return t, err
		}
		seen[m.key] = true
	}
	for _, key := range []string{"percent", "prompt"} {
		if !seen[key] {
			return t, &Error{Line: n.line, Text: fmt.Sprintf("%s has no %s", name, key)}
		}
	}
	if t.InjectAs = Delivery(injectAs); !seen["oncePerCycle"] {
		t.Once = t.InjectAs != System
	}
	return t, nil
}
