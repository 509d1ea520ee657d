package models

import (
	"slices"
	"strconv"
	"strings"
)

// FindOrAssume is Find for a caller that says which entry was used. A model that is newer than everything its maker has
// of that kind gets the entry of the newest one, and the match is marked as an assumption: claude-opus-9 may have the
// window of claude-opus-4-8, or another one.
func (c *Catalogue) FindOrAssume(provider, model string) *Match {
	if m := c.Find(provider, model); m != nil {
		return m
	}
	for _, s := range spellings(model) {
		for _, name := range append([]string{s.name}, beginnings(s.name)...) {
			if e := c.newestBefore(name); e != nil {
				m := s.match(e)
				m.IsAssumed = true
				return m
			}
		}
	}
	return nil
}

// newestBefore returns the entry with the highest version of the models that have a plain name except for the version,
// or nil if there is none or one has a higher version than the name.
func (c *Catalogue) newestBefore(name string) *Entry {
	var newest *Entry
	maker := makerOf(name)
	kind, wanted := cutVersion(name)
	if maker == "" || wanted == nil {
		return nil
	}
	highest := []int(nil)
	for i, base := range c.names() {
		if c.entries[i].Provider != maker {
			continue
		}
		if short, ok := withoutDate(base); ok {
			base = short
		}
		if of, version := cutVersion(base); of == kind && slices.Compare(version, highest) > 0 {
			newest, highest = &c.entries[i], version
		}
	}
	if slices.Compare(wanted, highest) <= 0 {
		return nil
	}
	return newest
}

// cutVersion returns a plain name without its version, and the version: claude-opus-4-6 is claude-opus-* and 4, 6. The
// version is nil if the name has none or two.
func cutVersion(name string) (kind string, version []int) {
	var words []string
	isOver := false
	for _, word := range strings.Split(name, "-") {
		n, err := strconv.Atoi(word)
		switch {
		case err != nil || len(word) > 2: // a word, a size or a date
			words, isOver = append(words, word), version != nil
		case isOver:
			return name, nil
		default:
			if version == nil {
				words = append(words, "*")
			}
			version = append(version, n)
		}
	}
	return strings.Join(words, "-"), version
}
