package stats

import "clawctl/internal/textid"

// nearRows is how many records before the price of a session are remembered. The last of them may not be on the path
// that a fork copies.
const nearRows = 8

// runningPrices know what the sessions of a family had cost at their records. A fork has copies of records, and its
// price goes on from there.
type runningPrices struct {
	after map[textid.ID]float64 // the first prices that follow records
	near  [nearRows]textid.ID   // the last records of the session
	next  int                   // where the next one goes
	start float64               // the price after the last record that is a copy
	// isShared is set if the last record is a copy, so that a price after it was counted with the original.
	isShared bool
}

// beginSession forgets the records of the session before.
func (r *runningPrices) beginSession() {
	r.near, r.next, r.start, r.isShared = [nearRows]textid.ID{}, 0, 0, false
}

// pass notes a record of the session.
func (r *runningPrices) pass(e *contribution, isCopy bool) {
	if e.id == (textid.ID{}) || e.tally.Recorded.Series != "" && e.tally.Answers == 0 {
		return
	}
	if price, ok := r.after[e.id]; ok && isCopy {
		r.start = price
	}
	r.isShared = isCopy
	r.near[r.next%nearRows] = e.id
	r.next++
}

// startPrice lets the price of a session begin with that of the session that it is a fork of.
func (c *collector) startPrice(t *Tally) {
	r, u := &c.running, t.Recorded
	if !u.HasCost || tokenSum(u) > 0 {
		return
	}
	if r.isShared { // the session is the original, and its fork came first
		c.meter.StartAt(u.Series, u.Cost)
		c.meter.Increase(u)
	} else {
		c.meter.StartAt(u.Series, r.start)
	}
	if r.after == nil {
		r.after = map[textid.ID]float64{}
	}
	for _, id := range r.near[:min(r.next, nearRows)] {
		if _, known := r.after[id]; !known || r.isShared {
			r.after[id] = u.Cost
		}
	}
}
