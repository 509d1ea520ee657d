package stats

import (
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/models"
)

// A Misspelling is a model of a price list that no session and no catalogue has, with the name that was most likely
// meant.
type Misspelling struct {
	Pattern string `json:"pattern"`
	Nearest string `json:"nearest"`
}

// misspellings returns the names in the list that are likely typos. Patterns with * are left out, because they may be
// for models to come. So are names without a near one, which may be for a model of your own that was not used.
func (c *priceCache) misspellings(catalogue *models.Catalogue) []Misspelling {
	var list []Misspelling
	if c.list == nil {
		return nil
	}
	used := map[string]bool{}
	for _, price := range c.found {
		if price != nil {
			used[price.Model] = true
		}
	}
	for i := range c.list.prices {
		pattern := c.list.prices[i].Model
		if used[pattern] || strings.Contains(pattern, "*") || catalogue != nil && catalogue.HasName(pattern) {
			continue
		}
		if nearest := c.nearest(pattern, catalogue); nearest != "" {
			list = append(list, Misspelling{pattern, nearest})
		}
	}
	return list
}

// nearest returns the model that a name most likely means and that has no price yet, or "": one of the sessions, or
// else one of the catalogue. It has a provider if the name has one.
func (c *priceCache) nearest(pattern string, catalogue *models.Catalogue) string {
	provider, typed, isFull := strings.Cut(strings.ToLower(pattern), "/")
	if !isFull {
		provider, typed = "", provider
	}
	if name := failure.Nearest(strings.ToLower(pattern), c.unmatchedNames(isFull)); name != "" || catalogue == nil {
		return name
	}
	name := catalogue.Nearest(typed)
	if _, isPriced := c.list.Find(provider, name); name == "" || isPriced {
		return ""
	}
	if isFull {
		return provider + "/" + name
	}
	return name
}

// unmatchedNames returns the models of the sessions that have no price, with their providers or without.
func (c *priceCache) unmatchedNames(isFull bool) []string {
	var names []string
	for key, price := range c.found {
		switch {
		case price != nil:
		case isFull:
			names = append(names, key[0]+"/"+key[1])
		default:
			names = append(names, key[1])
		}
	}
	slices.Sort(names) // of two that are equally near, always the same one
	return names
}
