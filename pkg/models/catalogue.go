package models

import (
	_ "embed"
	"slices"
	"sync"

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

	once  sync.Once
	index *index
	found sync.Map // of request to *Match, nil if there is none
}

// BuiltIn returns the catalogue that is part of clawctl. It is read when it is first needed.
var BuiltIn = sync.OnceValue(func() *Catalogue {
	c, err := Parse(builtIn)
	if err != nil {
		panic("models: the built-in catalogue: " + err.Error()) // a test reads it
	}
	return c
})

// New returns a catalogue of entries. If two have the same provider and model, the first counts.
func New(entries []Entry) *Catalogue {
	entries = slices.Clone(entries)
	slices.SortStableFunc(entries, compareEntries)
	return &Catalogue{entries: slices.CompactFunc(entries, func(a, b Entry) bool { return compareEntries(a, b) == 0 })}
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
func (c *Catalogue) HasName(model string) bool { return len(c.lookup().named[baseName(model)]) > 0 }

// An index finds entries by the last part of their names.
type index struct {
	named   map[string][]int // numbers of entries
	undated map[string][]int // the same for names that end with a date, without it
}

// lookup returns the index, which is made once.
func (c *Catalogue) lookup() *index {
	c.once.Do(func() {
		c.index = &index{make(map[string][]int, len(c.entries)), map[string][]int{}}
		for i := range c.entries {
			name := baseName(c.entries[i].Model)
			c.index.named[name] = append(c.index.named[name], i)
			if short, ok := withoutDate(name); ok {
				c.index.undated[short] = append(c.index.undated[short], i)
			}
		}
	})
	return c.index
}
