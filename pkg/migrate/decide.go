package migrate

import (
	"bytes"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"slices"
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
	stamp      store.Stamp         // of the source before it was read
	occupant   *storedTranscript   // the transcript that currently has the name
	unsound    []*storedTranscript // transcripts whose text turned out not to have its digest
}

// A decider compares sources with what the store has. It only reads.
type decider struct {
	ctx     context.Context
	catalog *catalog
	texts   textOpener
	unsound []*storedTranscript // found in this decision
}

// A textOpener opens the text of a transcript.
type textOpener interface {
	openText(t *storedTranscript) (io.ReadCloser, error)
}

func (d *decider) decide(s *source.Session) (decision, error) {
	d.unsound = nil
	p, err := d.relate(s)
	p.unsound = d.unsound
	return p, err
}

// relate compares a source with the transcripts that may hold its text. If there are none, nothing is read.
func (d *decider) relate(s *source.Session) (decision, error) {
	named := d.catalog.named(s)
	if len(named) == 0 && !d.catalog.hasSize(s) {
		return decision{verdict: New, key: s.Key, generation: s.Generation}, nil
	}
	m, err := d.measure(s, named)
	if err != nil {
		return decision{}, err
	}
	candidates := d.catalog.candidates(s, named, m.at[s.Bytes])
	if t, err := d.findContainer(s, m, candidates); t != nil || err != nil {
		return decision{verdict: Copy, existing: t, length: m.bytes, lines: m.lines, sum: m.sum, stamp: m.stamp}, err
	}
	if t := d.findBeginning(s, m, candidates); t != nil {
		return decision{verdict: Grown, existing: t}, nil
	}
	return d.catalog.nameNew(s, m.sum), nil
}

// A measure is the result of reading a source once: its length, its digest, and the digests of its beginnings.
type measure struct {
	stamp store.Stamp // of the source before it was read
	hash  hash.Hash
	bytes int64
	lines int64
	at    map[int64]string
	sum   string // the digest of everything
}

// measure reads a source and computes its digest at its own size and at that of every transcript with its name.
func (d *decider) measure(s *source.Session, named []*storedTranscript) (*measure, error) {
	lengths := []int64{s.Bytes}
	for _, t := range named {
		lengths = append(lengths, t.Bytes)
	}
	slices.Sort(lengths)
	opened, err := openStamped(s)
	if err != nil {
		return nil, err
	}
	defer opened.input.Close()
	in := opened.text
	m := &measure{stamp: opened.stamp, hash: sha256.New(), at: map[int64]string{}}
	w := &lineCounter{to: m.hash}
	for _, length := range slices.Compact(lengths) {
		n, err := copyN(d.ctx, w, in, length-m.bytes)
		m.bytes += n
		if err != nil {
			return nil, err
		}
		if m.bytes < length {
			break
		}
		m.at[length] = hex.EncodeToString(m.hash.Sum(nil))
	}
	n, err := copyN(d.ctx, w, in, -1)
	m.bytes += n
	m.lines = w.lines()
	if err == nil && opened.input.IsPlain() && m.bytes < m.stamp.Size {
		err = ErrSourceChanged // it was truncated meanwhile
	}
	m.sum = hex.EncodeToString(m.hash.Sum(nil))
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
	to    io.Writer
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
	return c.to.Write(p)
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
func (d *decider) findContainer(s *source.Session, m *measure, candidates []*storedTranscript) (*storedTranscript,
	error) {
	for _, t := range candidates {
		same, err := d.isSame(t, m)
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
			begins, err := d.beginsWith(t, m)
			if isLost(err) {
				continue // nobody knows how it began
			}
			if begins || err != nil {
				return t, err
			}
		}
	}
	return nil, nil
}

// isSame reports whether a transcript is exactly the text that was measured. It reads the stored text, because rows may
// have changed since the digest was stored. If the text lies in an archive that cannot be read, its digest counts, and
// the source gives it back.
func (d *decider) isSame(t *storedTranscript, m *measure) (bool, error) {
	if t.Bytes != m.bytes || t.Sum != "" && t.Sum != m.sum {
		return false, nil
	}
	same, err := d.beginsWith(t, m)
	if isLost(err) {
		t.isLost = true
		return t.Sum != "", nil
	}
	if err != nil {
		return same, err
	}
	if !same && t.Sum != "" {
		d.unsound = append(d.unsound, t)
	}
	return same, nil
}

// mayShare reports whether a session and a transcript can be the same: they have the same key, or one of them has no
// registered key.
func mayShare(s *source.Session, t *storedTranscript) bool {
	return t.BaseKey == s.Key || isRecovered(t.BaseKey) || isRecovered(s.Key) || s.Kind != source.Live
}

// isLost reports whether a text cannot be read because of its archive.
func isLost(err error) bool { return errors.As(err, new(*store.ArchiveError)) }

func (d *decider) beginsWith(t *storedTranscript, m *measure) (bool, error) {
	text, err := d.texts.openText(t)
	if err != nil {
		return false, err
	}
	defer text.Close()
	sum, err := digestOf(d.ctx, text, m.bytes)
	return sum == m.sum, err
}

// findBeginning returns the transcript that is the beginning of a source. A live file may continue any transcript,
// preferably the current generation. An older file must not make the current generation longer than its live file.
func (d *decider) findBeginning(s *source.Session, m *measure, candidates []*storedTranscript) *storedTranscript {
	var best *storedTranscript
	for _, t := range candidates {
		switch {
		case t.Bytes >= m.bytes || m.at[t.Bytes] != t.Sum || !mayShare(s, t):
		case s.Kind == source.Live && t.Key == s.Key:
			return t
		case best == nil && (s.Kind == source.Live || !t.isCurrent() || d.catalog.isGone(t)):
			best = t
		}
	}
	return best
}
