package migrate

import (
	"cmp"
	"io"
	"slices"
	"strings"

	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// A storedTranscript transcript is one of the store or, in a dry run, one that would be.
type storedTranscript struct {
	*store.Transcript
	from *source.Session // of one that is not really there
}

// A catalog is what the store holds, without the text.
type catalog struct {
	byKey    map[string]*storedTranscript
	byID     map[string][]*storedTranscript
	byBase   map[string][]*storedTranscript
	bySize   map[int64][]*storedTranscript
	receipts map[string]*store.Receipt // current ones, by path
	bySource map[string][]*store.Receipt
	metadata map[string]store.Metadata
	damaged  map[string]bool // sessions with damaged lines; looked up where that matters
}

func newCatalog(transcripts []*store.Transcript, receipts []*store.Receipt) *catalog {
	c := &catalog{
		byKey: map[string]*storedTranscript{}, byID: map[string][]*storedTranscript{},
		byBase: map[string][]*storedTranscript{}, bySize: map[int64][]*storedTranscript{},
		receipts: map[string]*store.Receipt{}, bySource: map[string][]*store.Receipt{},
		metadata: map[string]store.Metadata{},
	}
	for _, t := range transcripts {
		c.add(&storedTranscript{Transcript: t})
	}
	for _, r := range receipts {
		c.addReceipt(r)
	}
	return c
}

func (c *catalog) add(t *storedTranscript) {
	c.byKey[t.Key] = t
	c.byID[t.SessionID] = append(c.byID[t.SessionID], t)
	c.byBase[t.BaseKey] = append(c.byBase[t.BaseKey], t)
	c.bySize[t.Bytes] = append(c.bySize[t.Bytes], t)
}

func (c *catalog) remove(t *storedTranscript) {
	not := func(list []*storedTranscript) []*storedTranscript {
		return slices.DeleteFunc(list, func(o *storedTranscript) bool { return o == t })
	}
	delete(c.byKey, t.Key)
	c.byID[t.SessionID], c.byBase[t.BaseKey], c.bySize[t.Bytes] = not(c.byID[t.SessionID]), not(c.byBase[t.BaseKey]),
		not(c.bySize[t.Bytes])
}

// change makes a change to a transcript and keeps the catalog in order.
func (c *catalog) change(t *storedTranscript, change func() error) error {
	c.remove(t)
	defer c.add(t)
	return change()
}

func (c *catalog) addReceipt(r *store.Receipt) {
	if !r.Replaced {
		c.receipts[r.Path] = r
	}
	c.bySource[r.SessionKey] = append(c.bySource[r.SessionKey], r)
}

// dropReceipt takes a receipt out of those of its session.
func (c *catalog) dropReceipt(r *store.Receipt) {
	c.bySource[r.SessionKey] = slices.DeleteFunc(c.bySource[r.SessionKey],
		func(o *store.Receipt) bool { return o.ID == r.ID })
}

// candidates are the transcripts that a session could be a part or the whole of: those of its key or id, and, for what
// no registration names, those of its size.
func (c *catalog) candidates(s *source.Session) (list []*storedTranscript) {
	seen := map[*storedTranscript]bool{}
	add := func(of []*storedTranscript) {
		for _, t := range of {
			// An empty one is part of everything, and tells of nothing but its own name.
			if !seen[t] && (t.Bytes > 0 || t.Key == s.Name()) {
				seen[t] = true
				list = append(list, t)
			}
		}
	}
	add(c.byBase[s.Key])
	add(c.byID[s.ID])
	if isRecovered(s.Key) || s.Kind != source.Live {
		add(c.bySize[s.Bytes])
	}
	// The longest first: what fits the longer one is told in more detail by it.
	slices.SortStableFunc(list, func(a, b *storedTranscript) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return list
}

// isRecovered tells the keys of transcripts that no registration names.
func isRecovered(key string) bool { return strings.Contains(key, ":recovered:") }

// isCurrent reports whether a transcript is the current generation of its session.
func (t *storedTranscript) isCurrent() bool { return t.Generation == "" }

// openText opens the text of a transcript.
func (im *importer) openText(t *storedTranscript) (io.ReadCloser, error) {
	if t.from != nil {
		return t.from.Open()
	}
	if im.batch == nil {
		return im.view.Text(im.ctx, t.Transcript, store.Whole)
	}
	return im.batch.View().Text(im.ctx, t.Transcript, store.Whole)
}

// matchSessions leaves out what belongs to no session: somebody has removed it behind the store's back. A session that
// somebody else has made gets a transcript of which nothing is known, so that its name is taken.
func matchSessions(infos []store.Info, transcripts []*store.Transcript, receipts []*store.Receipt) ([]*store.Transcript,
	[]*store.Receipt) {
	there, known := map[string]bool{}, map[string]bool{}
	for _, t := range transcripts {
		known[t.Key] = true
	}
	for _, info := range infos {
		there[info.Key] = true
		if !known[info.Key] {
			transcripts = append(transcripts, store.UnknownTranscript(info.Key))
		}
	}
	transcripts = slices.DeleteFunc(transcripts, func(t *store.Transcript) bool { return !there[t.Key] })
	receipts = slices.DeleteFunc(receipts, func(r *store.Receipt) bool { return !there[r.SessionKey] })
	return transcripts, receipts
}
