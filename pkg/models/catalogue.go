package models

import (
	_ "embed"
	"slices"
	"sync"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

//go:generate go run ./gen

//go:embed catalogue.tsv
var builtIn []byte

// A Catalogue is a list of models. It is safe for concurrent use.
type Catalogue struct {
	Source  string // the package and version that the facts come from, "" if the file does not say it
	Date    string // when that was published, as in 2026-11-10
	entries []Entry
	changes []Override

	once      sync.Once
	baseNames []string
	found     sync.Map // of request to *Match, nil if there is none
}

// BuiltIn returns the catalogue that is part of clawctl. It is read when it is first needed.
var BuiltIn = sync.OnceValue(func() *Catalogue {
	c, err := parse(builtIn)
	if err != nil {
		panic("models: the built-in catalogue: " + err.Error()) // a test reads it
	}
	return c
})

// New returns a catalogue of entries. If two have the same provider and model, the first counts.
func New(entries []Entry) *Catalogue {
	if !areOrdered(entries) {
		entries = slices.Clone(entries)
		slices.SortStableFunc(entries, func(a, b Entry) int { return compareEntries(&a, &b) })
		entries = slices.CompactFunc(entries, func(a, b Entry) bool { return compareEntries(&a, &b) == 0 })
	}
	return &Catalogue{entries: entries}
}

// areOrdered reports whether entries are in order and none is repeated, as in a file that was written by Text.
func areOrdered(entries []Entry) bool {
	for i := 1; i < len(entries); i++ {
		if compareEntries(&entries[i-1], &entries[i]) >= 0 {
			return false
		}
	}
	return true
}

// String says how many models the catalogue has, and where they come from.
func (c *Catalogue) String() string {
	text := ui.Count(len(c.entries), "model")
	if c.Source != "" {
		text += " of " + c.Source
	}
	if c.Date != "" {
		text += " (" + c.Date + ")"
	}
	return text
}

// Entries returns the models in the order of providers and names. The caller must not change them.
func (c *Catalogue) Entries() []Entry { return c.entries }

// Over returns a catalogue that has the entries of c, and those of an older one that c lacks.
func (c *Catalogue) Over(older *Catalogue) *Catalogue {
	both := New(slices.Concat(c.entries, older.entries))
	both.Source, both.Date = c.Source, c.Date
	both.changes = slices.Concat(c.changes, older.changes)
	return both
}

// HasName reports whether any provider has a model with this name.
func (c *Catalogue) HasName(model string) bool { return slices.Contains(c.names(), baseName(model)) }

// Nearest returns the model that a typo most likely meant, or "".
func (c *Catalogue) Nearest(typed string) string {
	names := make([]string, len(c.entries))
	for i := range c.entries {
		names[i] = c.entries[i].Model
	}
	return failure.Nearest(typed, names)
}

// names returns the last part of the name of each entry, in the form in which names are compared. It is made once.
func (c *Catalogue) names() []string {
	c.once.Do(func() {
		c.baseNames = make([]string, len(c.entries))
		for i := range c.entries {
			c.baseNames[i] = baseName(c.entries[i].Model)
		}
	})
	return c.baseNames
}
