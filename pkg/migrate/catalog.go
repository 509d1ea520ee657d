package migrate

import (
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
	"cmp"
	"context"
	"encoding/json"
	"os"
	"slices"
	"strings"
)

// A storedTranscript is a transcript in the store or, in a dry run, one that would be.
type storedTranscript struct {
	*store.Transcript
	from   *source.Session // in a dry run: where to read the text, which is not in the store
	isLost bool            // the archive with its text cannot be read
}

// isCurrent reports whether a transcript is the current generation of its session.
func (t *storedTranscript) isCurrent() bool { return t.Generation == "" }

// A textKey identifies a text by its size and its digest, which is "" if it is not known.
type textKey struct {
	bytes int64
	sum   string
}

func (t *storedTranscript) text() textKey { return textKey{t.Bytes, t.Sum} }

// A catalog lists the contents of the store, without the text.
type catalog struct {
	byKey    map[string]*storedTranscript
	byID     map[string][]*storedTranscript
	byBase   map[string][]*storedTranscript
	sizes    map[int64]int // number of transcripts of each size
	byText   map[textKey][]*storedTranscript
	receipts map[string]*store.ImportReceipt // current ones, by path
	bySource map[string][]*store.ImportReceipt
	metadata map[string]store.Metadata
	damaged  map[string]bool // sessions with damaged lines, loaded when needed
	loads    int             // how often it was read
}

func newCatalog() *catalog {
	return &catalog{
		byKey: map[string]*storedTranscript{}, byID: map[string][]*storedTranscript{},
		byBase: map[string][]*storedTranscript{}, sizes: map[int64]int{}, byText: map[textKey][]*storedTranscript{},
		receipts: map[string]*store.ImportReceipt{}, bySource: map[string][]*store.ImportReceipt{},
		metadata: map[string]store.Metadata{},
	}
}

// load reads the catalog of a store anew. The damaged sessions are needed by a strict import.
func (c *catalog) load(ctx context.Context, view *store.View, strict bool) error {
	contents, err := view.Contents(ctx)
	if err != nil {
		return err
	}
	lost, err := view.LostKeys(ctx)
	if err != nil {
		return err
	}
	fresh := newCatalog()
	for _, info := range contents.Infos {
		fresh.metadata[info.Key] = info.Metadata
		fresh.add(&storedTranscript{Transcript: contents.Transcripts[info.Key], isLost: lost[info.Key]})
	}
	for _, r := range contents.Receipts {
		fresh.addReceipt(r)
	}
	if strict {
		if fresh.damaged, err = view.DamagedKeys(ctx); err != nil {
			return err
		}
	}
	fresh.loads = c.loads + 1
	*c = *fresh
	return nil
}

func (c *catalog) add(t *storedTranscript) {
	c.byKey[t.Key] = t
	c.byID[t.SessionID] = append(c.byID[t.SessionID], t)
	c.byBase[t.BaseKey] = append(c.byBase[t.BaseKey], t)
	c.byText[t.text()] = append(c.byText[t.text()], t)
	c.sizes[t.Bytes]++
}

func (c *catalog) remove(t *storedTranscript) {
	not := func(list []*storedTranscript) []*storedTranscript {
		return slices.DeleteFunc(list, func(o *storedTranscript) bool { return o == t })
	}
	delete(c.byKey, t.Key)
	c.byID[t.SessionID], c.byBase[t.BaseKey] = not(c.byID[t.SessionID]), not(c.byBase[t.BaseKey])
	c.byText[t.text()] = not(c.byText[t.text()])
	c.sizes[t.Bytes]--
}

// change applies a change to a transcript and updates the catalog.
func (c *catalog) change(t *storedTranscript, change func() error) error {
	c.remove(t)
	defer c.add(t)
	return change()
}

func (c *catalog) addReceipt(r *store.ImportReceipt) {
	if !r.Replaced {
		c.receipts[r.Path] = r
	}
	c.bySource[r.SessionKey] = append(c.bySource[r.SessionKey], r)
}

// dropReceipt removes a receipt from those of its session.
func (c *catalog) dropReceipt(r *store.ImportReceipt) {
	c.bySource[r.SessionKey] = slices.DeleteFunc(c.bySource[r.SessionKey],
		func(o *store.ImportReceipt) bool { return o.ID == r.ID })
}

// named returns the transcripts that may contain the text of a session or its beginning because they have its key or
// id.
func (c *catalog) named(s *source.Session) []*storedTranscript {
	var list []*storedTranscript
	for _, t := range slices.Concat(c.byBase[s.Key], c.byID[s.ID]) {
		// Every text begins with an empty one, so an empty transcript only counts by its name.
		if t.Bytes > 0 || t.Key == s.Name() {
			list = append(list, t)
		}
	}
	return list
}

// hasSize reports whether a session may be a copy of a transcript by its size alone, because no registration names it.
func (c *catalog) hasSize(s *source.Session) bool {
	return s.Bytes > 0 && c.sizes[s.Bytes] > 0 && (isRecovered(s.Key) || s.Kind != source.Live)
}

// candidates returns the transcripts that may contain the text of a session or its beginning: those with its name and,
// if its size counts, those of its size with the same digest or an unknown one. The longest come first, because a match
// with a longer transcript is more significant.
func (c *catalog) candidates(s *source.Session, named []*storedTranscript, sum string) []*storedTranscript {
	all := named
	if c.hasSize(s) {
		all = slices.Concat(named, c.byText[textKey{s.Bytes, ""}], c.byText[textKey{s.Bytes, sum}])
	}
	var list []*storedTranscript
	for _, t := range all {
		if !slices.Contains(list, t) {
			list = append(list, t)
		}
	}
	slices.SortStableFunc(list, func(a, b *storedTranscript) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return list
}

// findAppended returns the transcript that had exactly the text of a live file at the last import, if the file is
// longer now.
func (c *catalog) findAppended(s *source.Session) *storedTranscript {
	r := c.receipts[ReceiptPath(s)]
	if r == nil {
		return nil
	}
	t := c.byKey[r.SessionKey]
	if t == nil || t.Bytes != r.Bytes || t.Sum != r.Sum || s.Kind != source.Live || s.Bytes <= r.Stamp.Size {
		return nil
	}
	return t
}

// whereabouts returns the key under which the text of an outcome is stored now.
func (c *catalog) whereabouts(o *Outcome) string {
	if t := c.byKey[o.Key]; t != nil && t.Sum == o.sum {
		return o.Key
	}
	for _, t := range c.byID[o.Session.ID] {
		if t.Sum == o.sum {
			return t.Key
		}
	}
	if r := c.receipts[ReceiptPath(o.Session)]; r != nil {
		return r.SessionKey
	}
	return o.Key
}

// liveFiles returns the receipts of the live files of a transcript.
func (c *catalog) liveFiles(t *storedTranscript) []*store.ImportReceipt {
	return slices.DeleteFunc(slices.Clone(c.bySource[t.Key]),
		func(r *store.ImportReceipt) bool { return r.Kind != string(source.Live) || r.Replaced })
}

// isGone reports whether the live files of a transcript no longer exist, because its session was reset or deleted.
func (c *catalog) isGone(t *storedTranscript) bool {
	return len(c.liveFiles(t)) > 0 && !c.hasLiveFile(t)
}

// hasLiveFile reports whether a live file of a transcript still exists.
func (c *catalog) hasLiveFile(t *storedTranscript) bool {
	return slices.ContainsFunc(c.liveFiles(t), hasFile)
}

// hasFile reports whether the file of a receipt still exists.
func hasFile(r *store.ImportReceipt) bool {
	path := r.Path
	if at := strings.LastIndexByte(path, '#'); r.InDatabase && at > 0 {
		path = path[:at]
	}
	_, err := os.Lstat(path)
	return err == nil
}

// isLatestSource reports whether a source is the latest of the live files of a transcript. Their registrations may
// differ, so only the latest one updates the metadata.
func (c *catalog) isLatestSource(s *source.Session, t *storedTranscript) bool {
	path, last := ReceiptPath(s), int64(0)
	for _, r := range c.liveFiles(t) {
		if r.Path == path || r.ID > last && hasFile(r) {
			last = max(last, r.ID)
		}
	}
	r := c.receipts[path]
	return r != nil && r.ID == last
}

// isOwn reports whether a session was written in the store and came from no source. An import leaves it its key.
func (c *catalog) isOwn(t *storedTranscript) bool {
	return t.Own > 0 && t.Own == t.Bytes && len(c.bySource[t.Key]) == 0
}

// newMetadata returns the registration's metadata for a current session, or nil if the store already has it.
func (c *catalog) newMetadata(s *source.Session, t *storedTranscript) *store.Metadata {
	if !s.Listed || !t.isCurrent() || s.Kind != source.Live {
		return nil
	}
	m := store.Metadata{Title: s.Title(), Entry: compact(s.Registration())}
	have := c.metadata[t.Key]
	if string(have.Entry) == string(m.Entry) && have.Title == m.Title {
		return nil
	}
	return &m
}

// compact returns an entry in the form in which it is stored.
func compact(raw jsonl.Value) json.RawMessage {
	if !raw.Exists() {
		return nil
	}
	text, err := json.Marshal(json.RawMessage(raw))
	if err != nil {
		return nil
	}
	return text
}

// isRecovered reports whether a key belongs to a transcript that no registration names.
func isRecovered(key string) bool { return strings.Contains(key, ":recovered:") }
