package models

import (
	"slices"
	"strings"
)

// An Override adds a model to a catalogue, or changes facts of one that it has. A nil field changes nothing.
type Override struct {
	Name                                 string // of a model, or provider/model
	Window, Answer                       *int64
	Input, Output, CacheRead, CacheWrite *float64
}

// With returns a catalogue in which overrides win over its entries.
func (c *Catalogue) With(overrides []Override) *Catalogue {
	return &Catalogue{
		Source: c.Source, Date: c.Date, entries: c.entries, changes: slices.Concat(overrides, c.changes),
	}
}

// change applies the first override that names a model to what the entries say about it, which may be nil.
func (c *Catalogue) change(r request, m *Match) *Match {
	i := slices.IndexFunc(c.changes, func(o Override) bool { return o.names(r) })
	if i < 0 {
		return m
	}
	o := c.changes[i]
	changed := Match{Entry: Entry{Model: o.Name}}
	if m != nil {
		changed = *m
	}
	changed.Override = o.Name
	o.apply(&changed.Entry.Facts)
	return &changed
}

// names reports whether an override is about a model: it has its name, or ends the name with its providers.
func (o *Override) names(r request) bool {
	folder, _, hasFolder := cutLast(o.Name)
	full := providerName(r.provider) + "/" + r.model
	for _, s := range spellings(r.model) {
		if s.name != baseName(o.Name) {
			continue
		}
		inside, _, _ := cutLast(full)
		if !hasFolder || strings.HasSuffix("/"+plainFolders(inside), "/"+plainFolders(folder)) {
			return true
		}
	}
	return false
}

// cutLast cuts a name at its last slash.
func cutLast(name string) (folder, last string, found bool) {
	if at := strings.LastIndexByte(name, '/'); at >= 0 {
		return name[:at], name[at+1:], true
	}
	return "", name, false
}

// plainFolders returns the names of providers as the catalogue writes them.
func plainFolders(folders string) string {
	parts := strings.Split(folders, "/")
	for i, part := range parts {
		parts[i] = providerName(part)
	}
	return strings.Join(parts, "/")
}

func (o *Override) apply(f *Facts) {
	if o.Window != nil {
		f.Window = *o.Window
	}
	if o.Answer != nil {
		f.Answer = *o.Answer
	}
	prices := map[*float64]*float64{
		&f.Input: o.Input, &f.Output: o.Output, &f.CacheRead: o.CacheRead, &f.CacheWrite: o.CacheWrite,
	}
	for at, price := range prices {
		if price != nil {
			*at = *price
			f.Priced, f.Tiers = true, nil // the tiers of another price would be wrong
		}
	}
}
