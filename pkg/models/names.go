package models

import (
	"slices"
	"strings"
)

// plain turns a name into the form in which names are compared: small letters, and hyphens between words and numbers.
// Providers write claude-opus-4.6, claude-opus-4-6 and Claude-Opus-4-6 for the same model.
func plain(name string) string {
	name = strings.ToLower(strings.TrimPrefix(strings.TrimSpace(name), "~"))
	if !strings.ContainsAny(name, "._ @") {
		return name
	}
	text := []byte(name)
	for i, c := range text {
		if strings.IndexByte("._ @", c) >= 0 {
			text[i] = '-'
		}
	}
	return string(text)
}

// baseName returns the name of a model without the folders before it and without what Amazon adds to it.
func baseName(model string) string {
	return plain(undressed(strings.ToLower(model[strings.LastIndexByte(model, '/')+1:])))
}

// regions and vendors begin the names of models at Amazon, as in us.anthropic.claude-opus-4-6-v1:0.
var (
	regions = []string{"apac", "au", "ca", "eu", "global", "in", "jp", "us", "us-gov"}
	vendors = []string{"ai21", "amazon", "anthropic", "cohere", "deepseek", "google", "meta", "minimax", "mistral",
		"moonshot", "moonshotai", "nvidia", "openai", "qwen", "writer", "xai", "zai"}
)

// undressed removes the region, the vendor and the version that Amazon adds to a name in small letters.
func undressed(name string) string {
	rest := name
	if region, after, ok := strings.Cut(rest, "."); ok && slices.Contains(regions, region) {
		rest = after
	}
	vendor, model, ok := strings.Cut(rest, ".")
	if !ok || !slices.Contains(vendors, vendor) {
		return name
	}
	if at := strings.LastIndex(model, "-v"); at > 0 && isVersion(model[at+2:]) {
		return model[:at]
	}
	return model
}

// isVersion reports whether a text is a version of Amazon's, such as 1 or 1:0.
func isVersion(text string) bool {
	major, minor, hasMinor := strings.Cut(text, ":")
	return isDigits(major) && (!hasMinor || isDigits(minor))
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// withoutDate removes a date from the end of a plain name: 20251001, 2024-11-20 or 0324.
func withoutDate(name string) (short string, ok bool) {
	words := strings.Split(name, "-")
	n := len(words)
	switch last := words[n-1]; {
	case n > 1 && isDigits(last) && (len(last) == 8 || len(last) == 4):
		n--
	case n > 3 && len(words[n-3]) == 4 && isDigits(words[n-3]+words[n-2]+last) && len(words[n-2]+last) == 4:
		n -= 3
	default:
		return name, false
	}
	return strings.Join(words[:n], "-"), true
}

// A spelling is a form of a name that a catalogue may have, and what was removed to get it.
type spelling struct {
	name   string // plain
	isFree bool   // the name ended with :free
	isLong bool   // the name ended with [1m], the mark of a window of a million tokens
}

// spellings returns the forms of a model's name, the most exact first.
func spellings(model string) []spelling {
	var list []spelling
	model, mark, _ := strings.Cut(model, "[")
	s := spelling{isLong: strings.EqualFold(mark, "1m]")}
	add := func(name string) {
		if s.name = name; name != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	add(baseName(model))
	if name, variant, ok := strings.Cut(s.name, ":"); ok {
		s.isFree = variant == "free"
		add(name)
	}
	add(s.renamed())
	add(strings.TrimSuffix(s.name, "-latest"))
	if short, ok := withoutDate(s.name); ok {
		add(short)
	}
	return list
}

// renamed returns the present name of a model that had another one.
func (s spelling) renamed() string {
	if name, ok := formerNames[s.name]; ok {
		return name
	}
	return s.name
}

// beginnings returns the names that a plain name begins with, the longest first, in whole words. A word that begins
// with a digit belongs to the name before it, as a version or a size: gpt-5-9 is not gpt-5. A date does not.
func beginnings(name string) []string {
	var list []string
	words := strings.Split(name, "-")
	for n := len(words) - 1; n > 0; n-- {
		next := words[n]
		isPart := next != "" && next[0] >= '0' && next[0] <= '9' && (len(next) < 4 || !isDigits(next))
		if !isPart {
			list = append(list, strings.Join(words[:n], "-"))
		}
	}
	return list
}

// isTelling reports whether a name identifies a model without its provider. Others, such as "auto", mean another model
// at each provider.
func isTelling(name string) bool { return strings.ContainsAny(name, "-0123456789") }
