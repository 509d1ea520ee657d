package config

import (
	"fmt"
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
	for _, f := range modelFields("", o) {
		if text := f.show()[0]; text != "" {
			parts = append(parts, f.name+" "+text)
		}
	}
	return strings.Join(parts, ", ")
}

// modelFields are the keys of the object that is about a model, in order. The prices have the names that they have in
// stats --prices.
func modelFields(prefix string, o *models.Override) []setting {
	tokens := func(key string, at **int64) setting {
		return single(prefix+key, at, "a number of tokens", func(n *node) (*int64, bool) {
			i, err := strconv.ParseInt(string(n.number()), 10, 64)
			return &i, err == nil && i >= 1 && i <= models.MaxTokens
		}, func(i *int64) string {
			if i == nil {
				return ""
			}
			return strconv.FormatInt(*i, 10)
		})
	}
	price := func(key string, at **float64) setting {
		const want = "dollars per million tokens from 0 to %d"
		return single(prefix+key, at, fmt.Sprintf(want, int(models.MaxPrice)), func(n *node) (*float64, bool) {
			price, err := n.number().Float64()
			return &price, err == nil && price >= 0 && price <= models.MaxPrice
		}, func(price *float64) string {
			if price == nil {
				return ""
			}
			return strconv.FormatFloat(*price, 'f', -1, 64)
		})
	}
	return []setting{
		tokens("window", &o.Window), tokens("answer", &o.Answer), price("input", &o.Input), price("output", &o.Output),
		price("cache_read", &o.CacheRead), price("cache_write", &o.CacheWrite),
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
	if _, err := readFields(m.value, name+".", modelFields(name+".", &o)); err != nil {
		return err
	}
	c.lines[name] = m.line
	c.Models.Overrides = append(c.Models.Overrides, o)
	return nil
}
