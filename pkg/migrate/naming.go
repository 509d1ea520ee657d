package migrate

import (
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"fmt"
)

// nameNew chooses the name of a transcript that is not in the store. If another transcript has that name, the new one
// takes it over if it is the same file with new text, or a newer live file. Otherwise the new one is named after its
// digest.
func (c *catalog) nameNew(s *source.Session, sum string) decision {
	p := decision{verdict: New, key: s.Key, generation: s.Generation}
	r := c.receipts[ReceiptPath(s)]
	occupant := c.byKey[s.Name()]
	if occupant == nil && r != nil && c.hasMoved(s, c.byKey[r.SessionKey]) {
		occupant = c.byKey[r.SessionKey]
	}
	if occupant != nil || len(c.byBase[s.Key]) > 0 {
		p.verdict = Generation
	}
	if occupant == nil {
		return p
	}
	if r != nil && r.SessionKey == occupant.Key || s.Kind == source.Live && !c.isOwn(occupant) &&
		s.Modified.UnixMilli() >= occupant.LastTime {
		p.occupant = occupant
		return p
	}
	p.generation = c.freeGeneration(s.Key, sum)
	return p
}

// freeGeneration returns an unused generation, named after as many digits of the digest as it takes.
func (c *catalog) freeGeneration(key, sum string) string {
	isFree := func(generation string) bool { return c.byKey[store.Name(key, generation)] == nil }
	for digits := min(12, len(sum)); digits < len(sum); digits += 4 {
		if isFree(sum[:digits]) {
			return sum[:digits]
		}
	}
	for n := 2; ; n++ { // another generation has the same text
		if generation := fmt.Sprintf("%s-%d", sum[:min(12, len(sum))], n); isFree(generation) {
			return generation
		}
	}
}

// betterName returns the name that a source suggests for its transcript, if it is better than the current one. A
// registered key is better than none, a live file makes its transcript the current generation, an archive names a
// transcript whose live file is gone, and the key of another agent follows its file. An archive with only part of the
// text suggests nothing.
func (c *catalog) betterName(s *source.Session, t *storedTranscript, isAll bool) (key, gen string, better bool) {
	switch {
	case t.Key == s.Name() || !isAll && s.Kind != source.Live:
	case isRecovered(t.BaseKey) && !isRecovered(s.Key):
		if s.Kind == source.Live {
			return s.Key, "", true
		}
		return s.Key, t.Generation, !t.isCurrent() || c.isGone(t)
	case s.Kind != source.Live && t.isCurrent() && c.isGone(t) && (isRecovered(s.Key) || t.BaseKey == s.Key):
		return t.BaseKey, s.Generation, true
	case c.hasMoved(s, t):
		return s.Key, "", true
	case isRecovered(s.Key) && s.Key != t.BaseKey:
	case s.Kind == source.Live && !t.isCurrent() && c.mayBecomeCurrent(s, t):
		return s.Key, "", true
	}
	return "", "", false
}

// hasMoved reports whether a transcript comes from the live file of a session alone, and the file now belongs to
// another agent. Older versions gave the files of pi to the agent main. With a second file, the name would change with
// every import.
func (c *catalog) hasMoved(s *source.Session, t *storedTranscript) bool {
	if t == nil || s.Kind != source.Live || !t.isCurrent() || s.ID != t.SessionID || s.Key == t.BaseKey ||
		!isRecovered(s.Key) || !isRecovered(t.BaseKey) {
		return false
	}
	path, own := ReceiptPath(s), false
	for _, r := range c.bySource[t.Key] {
		if !r.Replaced && r.Path != path {
			return false
		}
		own = own || r.Path == path
	}
	return own
}

// isAllOf reports whether a number of bytes covers all of a transcript's text that came from sources.
func isAllOf(t *storedTranscript, bytes int64) bool { return bytes >= t.Bytes-t.Own }

// mayBecomeCurrent reports whether a live file may make its transcript the current generation.
func (c *catalog) mayBecomeCurrent(s *source.Session, t *storedTranscript) bool {
	occupant := c.byKey[s.Key]
	return occupant == nil || occupant != t && !c.isOwn(occupant) && s.Modified.UnixMilli() > occupant.LastTime
}
