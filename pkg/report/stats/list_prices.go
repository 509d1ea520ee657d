package stats

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"clawctl/internal/ui"
	"clawctl/pkg/models"
)

// A FarPrice is a model whose recorded prices are ten times off its list price, or more.
type FarPrice struct {
	Model       string  `json:"model"` // as provider/model
	Answers     int64   `json:"answers"`
	RecordedUSD float64 `json:"recorded_usd"` // of these answers
	PricedUSD   float64 `json:"priced_usd"`
}

// Words say what is wrong with the prices.
func (f *FarPrice) Words() string {
	return fmt.Sprintf("%s of %s recorded %s, and the list price is %s", ui.Count(f.Answers, "answer"), f.Model,
		ui.Dollars(f.RecordedUSD), ui.Dollars(f.PricedUSD))
}

// farFactor is how far off a recorded price must be to be named. Prices change and discounts exist, but not by that.
const farFactor = 10

// isFar reports whether a recorded price and a list price cannot both be right.
func isFar(recorded, listed float64) bool {
	return recorded > 0 && listed > 0 && (recorded >= farFactor*listed || listed >= farFactor*recorded)
}

// A priceLister finds list prices, and remembers the models without one and those with prices that are far off.
type priceLister struct {
	catalogue *models.Catalogue
	unlisted  map[string]bool
	far       map[string]*FarPrice
	// lastWords name the last model, and lastMatch is what was found. words are those of the model at hand.
	words, lastWords []byte
	lastMatch        *models.Match
	// unbilled is the list price of the family's answers that no recorded price includes so far.
	unbilled float64
	// billed is when the prices of the family's sessions were recorded last. They include those of subagents until then.
	billed map[string]time.Time
	// isOutside is set while a record is priced that does not count, so that it is not named either.
	isOutside bool
}

// matchOf returns what the catalogue knows about the model that did the work, nil if it has no prices of it. Most
// answers of a session name the same model in the same words.
func (l *priceLister) matchOf(c carrier) *models.Match {
	l.words = c.appendModelWords(l.words[:0])
	if len(l.words) > 0 && bytes.Equal(l.words, l.lastWords) {
		return l.lastMatch
	}
	name := c.name()
	match := l.catalogue.Find(name.provider, name.model)
	if match != nil && !match.Entry.Priced {
		match = nil
	}
	if match == nil && !l.isOutside {
		l.unlisted[name.String()] = true
	}
	l.words, l.lastWords, l.lastMatch = l.lastWords, l.words, match
	return match
}

// addListPrice adds the list price and the estimate of a record with usage. isSum marks the running total of the price
// of a session.
func (c *collector) addListPrice(carrier carrier, t *Tally, isSum bool) {
	if c.opts.Catalogue == nil {
		return
	}
	l := c.lister
	if tokenSum(t.Recorded) == 0 {
		t.Estimated = t.Recorded.Cost
		if isSum { // it includes the answers before it
			t.Estimated -= l.unbilled
			l.bill(c.state.session.ID, c.state.last)
		}
		return
	}
	listed, isListed := c.listPrice(carrier, t)
	if isListed {
		t.Listed, t.ListedAnswers = listed, 1
	} else {
		t.Unlisted = 1
	}
	switch recorded := t.Recorded.Cost; {
	case recorded > 0:
		t.Estimated, t.EstimatedAnswers = recorded, 1
		c.notePrice(carrier, t, recorded, listed)
	case isListed && c.isBilled():
		t.EstimatedAnswers = 1
	case isListed:
		t.Estimated, t.EstimatedAnswers = listed, 1
		l.unbilled += listed
	}
}

// bill notes that a session has recorded a price that includes everything until now.
func (l *priceLister) bill(session string, at time.Time) {
	if l.billed == nil {
		l.billed = map[string]time.Time{}
	}
	l.unbilled, l.billed[session] = 0, at
}

// isBilled reports whether the price of the session that started this one includes what it does now.
func (c *collector) isBilled() bool {
	if len(c.lister.billed) == 0 {
		return false
	}
	until, ok := c.lister.billed[spawnerOf(c.state.session)]
	return ok && !c.state.last.After(until)
}

// listPrice returns the price of a record's tokens: by the user's list, or else by the catalogue.
func (c *collector) listPrice(carrier carrier, t *Tally) (usd float64, ok bool) {
	if t.PricedAnswers > 0 {
		return t.Priced, true
	}
	match := c.lister.matchOf(carrier)
	if match == nil {
		return 0, false
	}
	u := t.Recorded
	return match.Entry.Cost(models.Tokens{
		Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, LongCacheWrite: u.LongCacheWrite,
	}), true
}

// String returns the name in the form provider/model.
func (n modelName) String() string { return orUnknown(n.provider) + "/" + orUnknown(n.model) }

// notePrice remembers a recorded price that is far off.
func (c *collector) notePrice(carrier carrier, t *Tally, recorded, listed float64) {
	if !isFar(recorded, listed) || c.lister.isOutside {
		return
	}
	t.FarPrices = 1
	c.lister.addFar(&FarPrice{carrier.name().String(), 1, recorded, listed})
}

func (l *priceLister) addFar(o *FarPrice) {
	f := l.far[o.Model]
	if f == nil {
		f = &FarPrice{Model: o.Model}
		l.far[o.Model] = f
	}
	f.Answers += o.Answers
	f.RecordedUSD += o.RecordedUSD
	f.PricedUSD += o.PricedUSD
}

// merge adds what another worker remembers.
func (l *priceLister) merge(o *priceLister) {
	maps.Copy(l.unlisted, o.unlisted)
	for _, name := range slices.Sorted(maps.Keys(o.far)) {
		l.addFar(o.far[name])
	}
}

// farPrices lists the models with prices that are far off, those with the most answers first.
func (l *priceLister) farPrices() []*FarPrice {
	for _, f := range l.far {
		f.RecordedUSD, f.PricedUSD = *roundDollars(f.RecordedUSD), *roundDollars(f.PricedUSD)
	}
	return slices.SortedFunc(maps.Values(l.far), func(a, b *FarPrice) int {
		return cmp.Or(cmp.Compare(b.Answers, a.Answers), cmp.Compare(a.Model, b.Model))
	})
}
