package migrate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"os"
	"slices"
	"strings"

	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// A decision says how a source relates to the store: new, a copy of a transcript, or a transcript with more lines.
type decision struct {
	verdict    Verdict
	existing   *storedTranscript // contains its text or the beginning of it; nil if new
	key        string            // of a new transcript
	generation string
	length     int64 // of a copy's text
	lines      int64
	sum        string
	stamp      store.Stamp       // of the source before it was read
	occupant   *storedTranscript // the transcript that currently has the name
}

// decide compares a source with the transcripts that may hold its text. If there are none, nothing is read.
func (im *importer) decide(s *source.Session) (decision, error) {
	named := im.catalog.named(s)
	if len(named) == 0 && !im.catalog.hasSize(s) {
		return decision{verdict: New, key: s.Key, generation: s.Generation}, nil
	}
	m, err := im.measure(s, named)
	if err != nil {
		return decision{}, err
	}
	candidates := im.catalog.candidates(s, named, m.at[s.Bytes])
	if t, err := im.findContainer(s, m, candidates); t != nil || err != nil {
		return decision{verdict: Copy, existing: t, length: m.bytes, lines: m.lines, sum: m.sum(), stamp: m.stamp}, err
	}
	if t := im.findBeginning(s, m, candidates); t != nil {
		return decision{verdict: Grown, existing: t}, nil
	}
	return im.nameNew(s, m.sum()), nil
}

// A measure is the result of reading a source once: its length, its digest, and the digests of its beginnings.
type measure struct {
	stamp store.Stamp // of the source before it was read
	hash  hash.Hash
	bytes int64
	lines int64
	at    map[int64]string
	all   string // the digest of everything
}

func (m *measure) sum() string { return m.all }

// measure reads a source and computes its digest at its own size and at that of every transcript with its name.
func (im *importer) measure(s *source.Session, named []*storedTranscript) (*measure, error) {
	lengths := []int64{s.Bytes}
	for _, t := range named {
		lengths = append(lengths, t.Bytes)
	}
	slices.Sort(lengths)
	opened, err := openStamped(s)
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	in := opened.text
	m := &measure{stamp: opened.stamp, hash: sha256.New(), at: map[int64]string{}}
	w := &lineCounter{Writer: m.hash}
	for _, length := range slices.Compact(lengths) {
		n, err := copyN(im.ctx, w, in, length-m.bytes)
		m.bytes += n
		if err != nil {
			return nil, err
		}
		if m.bytes < length {
			break
		}
		m.at[length] = hex.EncodeToString(m.hash.Sum(nil))
	}
	n, err := copyN(im.ctx, w, in, -1)
	m.bytes += n
	m.lines = w.lines()
	if err == nil && opened.IsPlain() && m.bytes < m.stamp.Size {
		err = ErrSourceChanged // it was truncated meanwhile
	}
	m.all = hex.EncodeToString(m.hash.Sum(nil))
	return m, err
}

// copyN copies n bytes, or everything if n is -1. It copies less if the source ends earlier.
func copyN(ctx context.Context, dst io.Writer, src io.Reader, n int64) (copied int64, err error) {
	const step = 4 << 20
	for n < 0 || copied < n {
		if err := ctx.Err(); err != nil {
			return copied, err
		}
		want := int64(step)
		if n >= 0 {
			want = min(want, n-copied)
		}
		k, err := io.CopyN(dst, src, want)
		copied += k
		if err == io.EOF {
			return copied, nil
		}
		if err != nil {
			return copied, err
		}
	}
	return copied, nil
}

// A lineCounter counts the lines and bytes that are written through it.
type lineCounter struct {
	io.Writer
	bytes int64
	n     int64
	open  bool // the last line has no line end yet
}

func (c *lineCounter) Write(p []byte) (int, error) {
	c.bytes += int64(len(p))
	c.n += int64(bytes.Count(p, []byte("\n")))
	if len(p) > 0 {
		c.open = p[len(p)-1] != '\n'
	}
	return c.Writer.Write(p)
}

func (c *lineCounter) lines() int64 {
	if c.open {
		return c.n + 1
	}
	return c.n
}

// findContainer returns the transcript that contains all of a source, as its complete text or as its beginning. A live
// file must be in the current generation, which it then remains. Another transcript may only become the current one if
// it has exactly the same text.
func (im *importer) findContainer(s *source.Session, m *measure, candidates []*storedTranscript) (*storedTranscript,
	error) {
	for _, t := range candidates {
		same, err := im.isSame(t, m)
		if err != nil {
			return nil, err
		}
		if s.Kind == source.Live && !(same || t.isCurrent()) || !mayShare(s, t) {
			continue
		}
		if same {
			return t, nil
		}
		if t.Bytes > m.bytes && m.bytes > 0 {
			begins, err := im.beginsWith(t, m)
			if begins || err != nil {
				return t, err
			}
		}
	}
	return nil, nil
}

// isSame reports whether a transcript is exactly the text that was measured. It reads the stored text, because rows may
// have changed since the digest was stored. A digest that turns out to be wrong is no longer trusted.
func (im *importer) isSame(t *storedTranscript, m *measure) (bool, error) {
	if t.Bytes != m.bytes || t.Sum != "" && t.Sum != m.sum() {
		return false, nil
	}
	same, err := im.beginsWith(t, m)
	if err == nil && !same && t.Sum != "" && !im.isRehearsal() {
		err = im.unsum(t)
	}
	return same, err
}

// unsum forgets the digest of a transcript, which is wrong.
func (im *importer) unsum(t *storedTranscript) error {
	return im.catalog.change(t, func() error {
		t.Sum = ""
		return asStoreError(im.distrust(t.Key))
	})
}

// mayShare reports whether a session and a transcript can be the same: they have the same key, or one of them has no
// registered key.
func mayShare(s *source.Session, t *storedTranscript) bool {
	return t.BaseKey == s.Key || isRecovered(t.BaseKey) || isRecovered(s.Key) || s.Kind != source.Live
}

// beginsWith reports whether a transcript begins with all of the text that was measured.
func (im *importer) beginsWith(t *storedTranscript, m *measure) (bool, error) {
	text, err := im.openText(t)
	if err != nil {
		return false, err
	}
	defer text.Close()
	h := sha256.New()
	_, err = copyN(im.ctx, h, text, m.bytes)
	return hex.EncodeToString(h.Sum(nil)) == m.sum(), err
}

// findBeginning returns the transcript that is the beginning of a source. A live file may continue any transcript,
// preferably the current generation. An older file must not make the current generation longer than its live file.
func (im *importer) findBeginning(s *source.Session, m *measure, candidates []*storedTranscript) *storedTranscript {
	var best *storedTranscript
	for _, t := range candidates {
		switch {
		case t.Bytes >= m.bytes || m.at[t.Bytes] != t.Sum || !mayShare(s, t):
		case s.Kind == source.Live && t.Key == s.Key:
			return t
		case best == nil && (s.Kind == source.Live || !t.isCurrent() || im.isGone(t)):
			best = t
		}
	}
	return best
}

// isGone reports whether the live files of a transcript no longer exist, because its session was reset or deleted.
func (im *importer) isGone(t *storedTranscript) bool {
	live := false
	for _, r := range im.catalog.bySource[t.Key] {
		if r.Kind == string(source.Live) && !r.Replaced {
			live = true
			if hasFile(r) {
				return false
			}
		}
	}
	return live
}

// hasFile reports whether the file of a receipt still exists.
func hasFile(r *store.Receipt) bool {
	path := r.Path
	if at := strings.LastIndexByte(path, '#'); r.InDatabase && at > 0 {
		path = path[:at]
	}
	_, err := os.Lstat(path)
	return err == nil
}

// hasLiveFile reports whether the live file of a transcript still exists.
func (im *importer) hasLiveFile(t *storedTranscript) bool {
	return slices.ContainsFunc(im.catalog.bySource[t.Key],
		func(r *store.Receipt) bool { return r.Kind == string(source.Live) && !r.Replaced }) && !im.isGone(t)
}

// nameNew chooses the name of a transcript that is not in the store. If another transcript has that name, the new one
// takes it over if it is the same file with new text, or a newer live file. Otherwise the new one is named after its
// digest.
func (im *importer) nameNew(s *source.Session, sum string) decision {
	p := decision{verdict: New, key: s.Key, generation: s.Generation}
	r := im.catalog.receipts[ReceiptPath(s)]
	occupant := im.catalog.byKey[s.Name()]
	if occupant == nil && r != nil && im.hasMoved(s, im.catalog.byKey[r.SessionKey]) {
		occupant = im.catalog.byKey[r.SessionKey]
	}
	if occupant != nil || len(im.catalog.byBase[s.Key]) > 0 {
		p.verdict = Generation
	}
	if occupant == nil {
		return p
	}
	if r != nil && r.SessionKey == occupant.Key || s.Kind == source.Live && !im.isOwn(occupant) &&
		s.Modified.UnixMilli() >= occupant.LastTime {
		p.occupant = occupant
		return p
	}
	p.generation = im.freeGeneration(s.Key, sum)
	return p
}

// freeGeneration returns an unused generation, named after as many digits of the digest as it takes.
func (im *importer) freeGeneration(key, sum string) string {
	isFree := func(generation string) bool { return im.catalog.byKey[store.Name(key, generation)] == nil }
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
func (im *importer) betterName(s *source.Session, t *storedTranscript, isAll bool) (key, gen string, better bool) {
	switch {
	case t.Key == s.Name() || !isAll && s.Kind != source.Live:
	case isRecovered(t.BaseKey) && !isRecovered(s.Key):
		if s.Kind == source.Live {
			return s.Key, "", true
		}
		return s.Key, t.Generation, !t.isCurrent() || im.isGone(t)
	case s.Kind != source.Live && t.isCurrent() && im.isGone(t) && (isRecovered(s.Key) || t.BaseKey == s.Key):
		return t.BaseKey, s.Generation, true
	case im.hasMoved(s, t):
		return s.Key, "", true
	case isRecovered(s.Key) && s.Key != t.BaseKey:
	case s.Kind == source.Live && !t.isCurrent() && im.mayBecomeCurrent(s, t):
		return s.Key, "", true
	}
	return "", "", false
}

// hasMoved reports whether a transcript comes from the live file of a session alone, and the file now belongs to
// another agent. Older versions gave the files of pi to the agent main. With a second file, the name would change with
// every import.
func (im *importer) hasMoved(s *source.Session, t *storedTranscript) bool {
	if t == nil || s.Kind != source.Live || !t.isCurrent() || s.ID != t.SessionID || s.Key == t.BaseKey ||
		!isRecovered(s.Key) || !isRecovered(t.BaseKey) {
		return false
	}
	path, own := ReceiptPath(s), false
	for _, r := range im.catalog.bySource[t.Key] {
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
func (im *importer) mayBecomeCurrent(s *source.Session, t *storedTranscript) bool {
	occupant := im.catalog.byKey[s.Key]
	return occupant == nil || occupant != t && !im.isOwn(occupant) && s.Modified.UnixMilli() > occupant.LastTime
}

// isOwn reports whether a session was written in the store and came from no source. An import leaves it its key.
func (im *importer) isOwn(t *storedTranscript) bool {
	return t.Own > 0 && t.Own == t.Bytes && len(im.catalog.bySource[t.Key]) == 0
}
