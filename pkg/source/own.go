package source

import (
	"cmp"
	"context"
	"io"
	"path/filepath"
	"strings"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/store"
)

// findStore lists the sessions of a clawctl store.
func findStore(ctx context.Context, path string, opts Options) (*Listing, error) {
	r, err := store.OpenReader(ctx, path)
	if err != nil {
		return nil, err
	}
	place := &Listing{Path: path, closers: []io.Closer{ownStore{r}}, store: r}
	if !opts.Fast {
		err = r.Check(ctx)
	}
	if err == nil {
		err = place.addStoreSessions(ctx, r)
	}
	if err != nil {
		place.Close()
		return nil, err
	}
	place.sort()
	return place, nil
}

// An ownStore is a clawctl store that a place keeps open.
type ownStore struct{ reader *store.Reader }

func (o ownStore) Close() error { return o.reader.Close() }

func (o ownStore) abandon() { _ = o.reader.Abandon() }

func (p *Listing) addStoreSessions(ctx context.Context, r *store.Reader) error {
	infos, err := r.List(ctx)
	if err != nil {
		return err
	}
	list, err := r.Transcripts(ctx)
	if err != nil {
		return err
	}
	transcripts := map[string]*store.Transcript{}
	for _, t := range list {
		transcripts[t.Key] = t
	}
	for _, info := range infos {
		t := transcripts[info.Key]
		if t == nil {
			t = store.UnknownTranscript(info.Key)
		}
		p.Sessions = append(p.Sessions, storedSession(p.Path, r, info, t))
	}
	return nil
}

// trashed returns the item of the trash of a store that a filter names.
func (p *Listing) trashed(f Filter) ([]*Session, error) {
	if p.store == nil {
		return nil, nil
	}
	items, err := p.store.Trash(context.Background())
	var list []*Session
	for _, item := range items {
		list = append(list, trashedSession(p, item))
	}
	if err != nil {
		return nil, err
	}
	return Select(list, Filter{Session: f.Session, Exact: true}, Kinds)
}

// trashedSession is a session in the trash. No list has it, and it is read only by its name there.
func trashedSession(p *Listing, item *store.TrashedSession) *Session {
	t := &item.Transcript
	s := &Session{
		Key: item.Key, Generation: item.Name(), Aliases: []string{item.Name()}, Kind: Deleted, ID: t.SessionID,
		Agent: cmp.Or(t.Agent, AgentOfKey(t.BaseKey), "main"), Path: p.Path, InDatabase: true, byName: true, Bytes: t.Bytes,
		Modified: item.Deleted,
	}
	s.open = func() (*Input, error) {
		text, err := p.store.TrashText(context.Background(), item)
		if err != nil {
			return nil, err
		}
		return &Input{Reader: text, Name: s.Place(), Size: t.Bytes, finishes: func() { text.Close() }}, nil
	}
	s.stamp = s.databaseStamp
	s.checkDatabase = p.store.Check
	return s
}

func storedSession(path string, r *store.Reader, info store.Info, t *store.Transcript) *Session {
	s := &Session{
		Key: t.BaseKey, Generation: t.Generation, Agent: cmp.Or(t.Agent, AgentOfKey(t.BaseKey), "main"),
		ID: t.SessionID, Kind: Kind(t.Kind),
		Path: path, InDatabase: true, byName: true, Bytes: t.Bytes, Modified: info.Updated,
	}
	if raw := info.Metadata.Entry; len(raw) > 0 {
		s.Listed = true
		s.Entry = openclaw.ParseEntry(t.BaseKey, jsonl.Value(raw))
		s.Entry.Key, s.Entry.SessionID = t.BaseKey, t.SessionID
	}
	if absolute, err := filepath.Abs(path); err == nil {
		s.Root, s.Below = filepath.Dir(absolute), filepath.Base(absolute)+strings.TrimPrefix(s.Place(), path)
	}
	s.open = func() (*Input, error) {
		ctx, cancel := context.WithCancel(context.Background())
		text, err := r.Text(ctx, t, store.Whole)
		if err != nil {
			cancel()
			return nil, err
		}
		return &Input{Reader: storedText(text, t), Name: s.Place(), Size: t.Bytes, finishes: func() {
			cancel()
			text.Close()
		}}, nil
	}
	s.stamp = s.databaseStamp
	s.endTime = func() time.Time { return info.Updated }
	s.checkDatabase = r.Check
	s.Problems = storedProblems(s, t)
	return s
}

// storedProblems returns what is wrong with a stored session without reading it.
func storedProblems(s *Session, t *store.Transcript) []Problem {
	var list []Problem
	if t.Incomplete {
		list = append(list, Problem{Code: Incomplete, Path: s.Place(), Key: s.Key})
	}
	if t.Sum == "" && t.Lines > 0 {
		list = append(list, Problem{Code: NoDigest, Path: s.Place(), Key: s.Key})
	}
	return list
}

// storedText returns the text of a stored session. The text of an incomplete one ends with an error, as that of a file
// whose compression is cut off.
func storedText(text io.Reader, t *store.Transcript) io.Reader {
	if !t.Incomplete {
		return text
	}
	return io.MultiReader(text, failingReader{store.ErrIncomplete})
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }
