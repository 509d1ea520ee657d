package models

import (
	"cmp"
	"slices"
	"strings"
)

// A Match is what a catalogue knows about the model of a session, and which entry says so.
type Match struct {
	Entry    Entry
	Override string // the name of the setting that changed or added facts, "" if there is none
	// IsAssumed says that the entry is about an older model of the same kind.
	IsAssumed bool
}

// Name returns the name of the entry that was used.
func (m *Match) Name() string { return cmp.Or(m.Override, m.Entry.Name()) }

// A request is a model as a session names it.
type request struct{ provider, model string }

// Find returns what is known about a model, nil if nothing is. Names are taken as sessions write them: the model may
// follow the names of providers, as in openrouter/anthropic/claude-opus-4-6, and may end with a date or a variant. An
// entry of the session's own provider wins over one of the model's maker, and that over all others. If no entry has the
// name, the one with the longest name counts that the name begins with.
func (c *Catalogue) Find(provider, model string) *Match {
	r := request{provider, model}
	if found, ok := c.found.Load(r); ok {
		return found.(*Match)
	}
	m := c.change(r, c.find(r))
	c.found.Store(r, m)
	return m
}

func (c *Catalogue) find(r request) *Match {
	forms := spellings(r.model)
	providers := r.providers()
	for _, named := range []bool{true, false} { // first the providers that the session names, then all
		for _, s := range forms {
			if e := c.best(s.name, r, providers, named); e != nil {
				return s.match(e)
			}
		}
	}
	for _, s := range forms {
		for _, name := range beginnings(s.name) {
			if e := c.best(name, r, providers, false); e != nil {
				return s.match(e)
			}
		}
	}
	return nil
}

// providers returns the providers that the request names, the first one first: its own, the folders of the model, and
// Amazon if the name is in its form.
func (r request) providers() []string {
	folders := strings.Split(r.model, "/")
	list := []string{providerName(r.provider)}
	for _, folder := range folders[:len(folders)-1] {
		list = append(list, providerName(folder))
	}
	if last := strings.ToLower(folders[len(folders)-1]); undressed(last) != last {
		list = append(list, "amazon-bedrock")
	}
	return slices.DeleteFunc(list, func(name string) bool { return name == "" })
}

// match returns an entry with what the spelling says besides the name.
func (s spelling) match(e *Entry) *Match {
	m := &Match{Entry: *e}
	if s.isFree && !strings.HasSuffix(e.Model, ":free") {
		m.Entry.Prices, m.Entry.Tiers = Prices{}, nil
	}
	if s.isLong {
		m.Entry.Window = max(m.Entry.Window, 1_000_000)
	}
	return m
}

// best returns the entry with a plain name that fits a request best, nil if there is none. If named is true, only the
// entries of providers count.
func (c *Catalogue) best(name string, r request, providers []string, named bool) *Entry {
	if !named && !isTelling(name) {
		return nil
	}
	var best *Entry
	for i, candidate := range c.names() {
		if !isNamed(candidate, name) {
			continue
		}
		e := &c.entries[i]
		if named && !slices.Contains(providers, providerName(e.Provider)) {
			continue
		}
		if best == nil || compare(e, best, name, r, providers) < 0 {
			best = e
		}
	}
	return best
}

// isNamed reports whether the base name of an entry is a name, or that name with a date.
func isNamed(base, name string) bool {
	if !strings.HasPrefix(base, name) {
		return false
	}
	if len(base) == len(name) {
		return true
	}
	short, ok := withoutDate(base)
	return ok && short == name
}

// compare says which of two entries with the same name fits a request better: less than 0 if it is the first.
func compare(a, b *Entry, name string, r request, providers []string) int {
	rank := func(e *Entry) int { return rankOf(e, name, providers) }
	baseA, baseB := baseName(a.Model), baseName(b.Model)
	return cmp.Or(
		-compareBool(baseA == name, baseB == name), // one without a date that nobody asked for
		cmp.Compare(rank(a), rank(b)),
		-compareBool(strings.EqualFold(a.Model, r.model), strings.EqualFold(b.Model, r.model)),
		-compareBool(isWithin(a.Model, r.model), isWithin(b.Model, r.model)),
		-strings.Compare(baseA, baseB),          // the newer date
		cmp.Compare(len(a.Model), len(b.Model)), // the one of no region
		compareEntries(a, b),
	)
}

// rankOf says how near the provider of an entry is to a request: 0 is its own.
func rankOf(e *Entry, name string, providers []string) int {
	if at := slices.Index(providers, providerName(e.Provider)); at >= 0 {
		return at
	}
	rank := len(providers)
	if e.Provider == makerOf(name) {
		return rank
	}
	if at := slices.Index(resellers, e.Provider); at >= 0 {
		return rank + 1 + at
	}
	return rank + 1 + len(resellers)
}

// isWithin reports whether a name, such as anthropic/claude-opus-4-6, is the end of a longer one.
func isWithin(name, long string) bool { return strings.HasSuffix("/"+plain(long), "/"+plain(name)) }

// compareBool orders false before true.
func compareBool(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}
