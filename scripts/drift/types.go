package main

import (
	"regexp"
	"slices"
	"strings"
)

var comment = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)

// bodies returns the bodies of all interfaces and types of a name, without comments and braces.
func bodies(text, name string) []string {
	var list []string
	for _, word := range []string{"interface ", "type "} { // one after the other, because a fixed beginning is found fast
		head := regexp.MustCompile(word + name + `\b(?:\$\d+)?[^;{]*\{`)
		for _, at := range head.FindAllStringIndex(text, -1) {
			list = append(list, comment.ReplaceAllString(upToBrace(text[at[1]:]), ""))
		}
	}
	return list
}

// upToBrace returns a text up to the brace that closes what is open at its beginning.
func upToBrace(text string) string {
	depth := 1
	for i, c := range text {
		switch c {
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return text[:i]
			}
		}
	}
	return text
}

var memberName = regexp.MustCompile(`^\s*(?:readonly )?"?(\w+)"?\??:`)

// members returns the names of the members of a body, without those of the objects inside it.
func members(body string) []string {
	var names []string
	depth := 0
	for line := range strings.Lines(body) {
		if m := memberName.FindStringSubmatch(line); m != nil && depth == 0 {
			names = append(names, m[1])
		}
		depth += strings.Count(line, "{") - strings.Count(line, "}")
	}
	slices.Sort(names)
	return slices.Compact(names)
}

var literal = regexp.MustCompile(`"([\w.:-]+)"`)

// literals returns the values of all unions of texts of a name.
func literals(text, name string) []string {
	var values []string
	for _, head := range []string{"type " + name + " = ", "const " + name + ": "} {
		for _, union := range regexp.MustCompile(head+`([^;{}]*);`).FindAllStringSubmatch(text, -1) {
			for _, m := range literal.FindAllStringSubmatch(union[1], -1) {
				values = append(values, m[1])
			}
		}
	}
	slices.Sort(values)
	return slices.Compact(values)
}
