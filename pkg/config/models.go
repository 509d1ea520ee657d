package config

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"clawctl/pkg/models"
)

// modelPrefix begins the names of settings that are about a model.
const modelPrefix = "models."

// modelSettings lists the settings that are about models. They are read by addModel.
func modelSettings(overrides []models.Override) setting {
	s := setting{name: modelPrefix + "NAME", isList: true}
	values := []string{}
	for i := range overrides {
		s.names = append(s.names, modelPrefix+overrides[i].Name)
		values = append(values, describeModel(&overrides[i]))
	}
	s.show = func() []string { return values }
	s.set = func(n *node) *Error { return typeError(n, s.name, "the name of a model") }
	return s
}

// describeModel lists what a setting says about a model, as in "window 200000, input 3".
func describeModel(o *models.Override) string {
	var parts []string
	for _, f := range modelFields(o) {
		switch {
		case f.tokens != nil && *f.tokens != nil:
			parts = append(parts, fmt.Sprintf("%s %d", f.key, **f.tokens))
		case f.price != nil && *f.price != nil:
			parts = append(parts, f.key+" "+strconv.FormatFloat(**f.price, 'f', -1, 64))
		}
	}
	return strings.Join(parts, ", ")
}

// A modelField is a key of the object that is about a model. Either tokens or price is set.
type modelField struct {
	key    string
	tokens **int64
	price  **float64
}

// modelFields are the keys, in order. The prices have the names that they have in stats --prices.
func modelFields(o *models.Override) []modelField {
	return []modelField{
		{"window", &o.Window, nil}, {"answer", &o.Answer, nil},
		{"input", nil, &o.Input}, {"output", nil, &o.Output},
		{"cache_read", nil, &o.CacheRead}, {"cache_write", nil, &o.CacheWrite},
	}
}

// addModel reads what the file says about one model.
func (c *Config) addModel(m member) *Error {
	name := modelPrefix + m.key
	switch {
	case strings.TrimSpace(m.key) == "":
		return &Error{Line: m.line, Text: "the name of a model must not be empty"}
	case !m.value.isObject():
		return typeError(m.value, name, "an object with the facts about a model")
	}
	o := models.Override{Name: m.key}
	fields, seen := modelFields(&o), map[string]bool{}
	for _, fact := range m.value.members {
		at := slices.IndexFunc(fields, func(f modelField) bool { return f.key == fact.key })
		if at < 0 {
			return unknownKeyError(fact, name+".", modelKeys(fields))
		}
		if seen[fact.key] {
			return &Error{Line: fact.line, Text: name + "." + fact.key + " is set twice"}
		}
		seen[fact.key] = true
		if err := fields[at].set(fact.value, name+"."+fact.key); err != nil {
			return err
		}
	}
	c.lines[name] = m.line
	c.Models.Overrides = append(c.Models.Overrides, o)
	return nil
}

func modelKeys(fields []modelField) (keys []string) {
	for _, f := range fields {
		keys = append(keys, f.key)
	}
	return keys
}

// set reads the value of a key.
func (f modelField) set(n *node, name string) *Error {
	number, _ := n.value.(json.Number)
	if f.tokens != nil {
		i, err := strconv.ParseInt(string(number), 10, 64)
		if err != nil || i < 1 || i > models.MaxTokens {
			return typeError(n, name, "a number of tokens")
		}
		*f.tokens = &i
		return nil
	}
	price, err := number.Float64()
	if err != nil || price < 0 || price > models.MaxPrice {
		return typeError(n, name, fmt.Sprintf("dollars per million tokens from 0 to %d", int(models.MaxPrice)))
	}
	*f.price = &price
	return nil
}
