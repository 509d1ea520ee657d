package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// An Origin is what a session is restored from: an item of the trash, an earlier generation in the store, or an archive
// elsewhere. One of them is set.
type Origin struct {
	Trashed    *store.TrashedSession
	Generation *store.Transcript
	Archive    *source.Session
}

// Find returns what a name means: the latest item of the trash with that key, or else a session or generation with that
// name, or else an item of the trash with that name or id. It returns nil if the store has none of them.
func Find(ctx context.Context, v *store.View, name string) (*Origin, error) {
	origin, err := findTrashed(ctx, v, func(item *store.TrashedSession) bool { return item.Key == name })
	if origin != nil || err != nil {
		return origin, err
	}
	t, err := v.Transcript(ctx, name)
	switch {
	case err != nil:
		return nil, err
	case t != nil:
		return &Origin{Generation: t}, nil
	}
	return findTrashed(ctx, v, func(item *store.TrashedSession) bool {
		return item.Name() == name || item.Transcript.SessionID == name
	})
}

// Resolve returns the key under which the store has a session that a name means: its key, its id, the name of an
// earlier generation, or the short name in a list. It returns "" if there is none, and an error if the name is only the
// beginning of one, or that of several sessions.
func Resolve(ctx context.Context, v *store.View, name string) (key string, err error) {
	list, err := v.Transcripts(ctx)
	if err != nil {
		return "", err
	}
	var sessions []*source.Session
	for _, t := range list {
		if t.Key == name {
			return name, nil
		}
		sessions = append(sessions, &source.Session{
			Key: t.BaseKey, Generation: t.Generation, ID: t.SessionID, Kind: source.Kind(t.Kind), InDatabase: true,
		})
	}
	found, err := source.Select(sessions, source.Filter{Session: name, Exact: true}, source.Kinds)
	switch {
	case err != nil || len(found) == 0:
		return "", err
	case found[0].Key == name: // a key means the live session, which is not there
		return "", nil
	case len(found) > 1:
		e := &source.AmbiguousError{Session: name}
		for _, s := range found {
			e.Names = append(e.Names, s.Name())
		}
		return "", e
	}
	return found[0].Name(), nil
}

// onlyGeneration returns the name of the earlier generation that a key means when no session has it: the only one. It
// is "" if there is none, or more than one.
func onlyGeneration(ctx context.Context, v *store.View, key string) string {
	if names, _ := generations(ctx, v, key); len(names) == 1 { // of a store that cannot be read, none is known
		return names[0]
	}
	return ""
}

// generations returns the names of the generations that have a key, the current one too.
func generations(ctx context.Context, v *store.View, key string) (names []string, err error) {
	list, err := v.Transcripts(ctx)
	for _, t := range list {
		if t.BaseKey == key {
			names = append(names, t.Key)
		}
	}
	return names, err
}

// findTrashed returns the latest item of the trash that matches, or nil.
func findTrashed(ctx context.Context, v *store.View, matches func(*store.TrashedSession) bool) (*Origin, error) {
	items, err := v.Trash(ctx)
	if at := slices.IndexFunc(items, matches); err == nil && at >= 0 {
		return &Origin{Trashed: items[at]}, nil
	}
	return nil, err
}

// LastGeneration returns the name of the last generation that has a key, or "".
func LastGeneration(ctx context.Context, v *store.View, key string) string {
	names, _ := generations(ctx, v, key) // of a store that cannot be read, none is known
	if len(names) == 0 {
		return ""
	}
	return names[len(names)-1]
}

// again finds an origin in the store again, because others may have written since.
func (o *Origin) again(ctx context.Context, v *store.View) (now *Origin, err error) {
	switch {
	case o.Archive != nil:
		return o, nil
	case o.Trashed != nil:
		now, err = findTrashed(ctx, v, func(item *store.TrashedSession) bool { return item.ID == o.Trashed.ID })
	default:
		var t *store.Transcript
		if t, err = v.Transcript(ctx, o.Generation.Key); t != nil {
			now = &Origin{Generation: t}
		}
	}
	if err != nil {
		return now, err
	}
	if now == nil {
		return now, fmt.Errorf("%w: %s", store.ErrNoSession, o.name())
	}
	return now, nil
}

// name is what the store calls an origin.
func (o *Origin) name() string {
	if o.Trashed != nil {
		return o.Trashed.Name()
	}
	return o.Generation.Key
}

// Key returns the key under which an origin is restored.
func (o *Origin) Key() string {
	switch {
	case o.Trashed != nil:
		return o.Trashed.Key
	case o.Generation != nil:
		return o.Generation.BaseKey
	}
	return o.Archive.Key
}

// ID returns the id of the session.
func (o *Origin) ID() string {
	switch {
	case o.Trashed != nil:
		return o.Trashed.Transcript.SessionID
	case o.Generation != nil:
		return o.Generation.SessionID
	}
	return o.Archive.ID
}

func (o *Origin) open(ctx context.Context, v *store.View) (io.ReadCloser, error) {
	switch {
	case o.Trashed != nil:
		return v.TrashText(ctx, o.Trashed)
	case o.Generation != nil:
		return v.Text(ctx, o.Generation, store.Whole)
	}
	return o.Archive.Open()
}

// A Restoration is a session that is live again.
type Restoration struct {
	Key     string
	ID      string
	Records int64
	Bytes   int64
	Left    int64 // damaged lines that a new session does without
}

func restored(t *store.Transcript) *Restoration {
	return &Restoration{Key: t.Key, ID: t.SessionID, Records: t.Records, Bytes: t.Bytes}
}

// Restore makes a session live again under its key. With asNew it becomes a copy with that key and new ids.
func (k *Keeper) Restore(ctx context.Context, o *Origin, asNew string) (done *Restoration, err error) {
	err = k.erase(ctx, func(b *store.Batch) error {
		if asNew != "" {
			done, err = k.copyAs(ctx, b, o, asNew)
			return err
		}
		var t *store.Transcript
		if o, err = o.again(ctx, b.View()); err != nil {
			return err
		}
		wasArchived := o.IsArchived(ctx, b.View())
		if t = o.Generation; t != nil {
			done = restored(t)
			if err := unarchive(b, t); err != nil || t.Generation == "" {
				return err
			}
		}
		err := mustBeFree(b, o.Key())
		if errors.Is(err, ErrTaken) && wasArchived {
			return nil // it stays an earlier generation, and has its text again
		}
		if err != nil {
			return err
		}
		switch {
		case o.Trashed != nil:
			t, err = b.Untrash(o.Trashed)
		case o.Generation != nil:
			t = o.Generation
			err = b.Rename(t, t.BaseKey, "", string(source.Live))
		default:
			t, err = k.storeArchive(b, o.Archive)
		}
		if err != nil {
			return err
		}
		done = restored(t)
		return nil
	})
	return done, err
}

// unarchive brings the text of a session back from its archive.
func unarchive(b *store.Batch, t *store.Transcript) error {
	if err := b.Unarchive(t); err != nil {
		return err
	}
	_, err := b.DropEmptyArchives()
	return err
}

// IsArchived reports whether the text of a stored session lies in an archive.
func (o *Origin) IsArchived(ctx context.Context, v *store.View) bool {
	archived, err := v.ArchivedKeys(ctx)
	return err == nil && o.Generation != nil && archived[o.Generation.Key] != 0
}

// mustBeFree refuses a key that a session has.
func mustBeFree(b *store.Batch, key string) error {
	t, err := b.Transcript(key)
	if err != nil {
		return err
	}
	if t != nil {
		return fmt.Errorf("%w: %s", ErrTaken, key)
	}
	return nil
}

// storeArchive stores an archive as a live session, byte for byte.
func (k *Keeper) storeArchive(b *store.Batch, s *source.Session) (*store.Transcript, error) {
	in, err := s.Open()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t := &store.Transcript{Key: s.Key, BaseKey: s.Key, SessionID: s.ID, Agent: s.Agent, Kind: string(source.Live)}
	counted := &countingReader{from: in}
	err = b.CreateFrom(t, store.Metadata{Title: s.Title(), Source: s.Place()}, counted, k.Now())
	t.Own = counted.n // no receipt covers it
	if err != nil {
		return t, err
	}
	return t, b.SetOwn(t)
}

type countingReader struct {
	from io.Reader
	n    int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.from.Read(p)
	c.n += int64(n)
	return n, err
}

// copyAs stores the records of an origin as a new session with new ids. What is not a record is left out.
func (k *Keeper) copyAs(ctx context.Context, b *store.Batch, o *Origin, key string) (*Restoration, error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	if err := mustBeFree(b, key); err != nil {
		return nil, err
	}
	in, err := o.open(ctx, b.View())
	if err != nil {
		return nil, err
	}
	defer in.Close()
	t := &store.Transcript{Key: key, BaseKey: key, Agent: agentOf(key), Kind: string(source.Live)}
	r := &renumberer{stamp: k.stamp(t), ids: map[string]string{}, used: map[string]bool{}}
	if t.SessionID, err = r.stamp.SessionID(); err != nil {
		return nil, err
	}
	r.session = t.SessionID
	out, pipe := io.Pipe()
	go func() { _ = pipe.CloseWithError(r.run(ctx, in, o.ID(), pipe)) }()
	defer out.Close()
	if err := b.CreateFrom(t, store.Metadata{}, out, k.Now()); err != nil {
		return nil, err
	}
	t.Own = t.Bytes
	done := restored(t)
	done.Left = r.left
	return done, b.SetOwn(t)
}

// A renumberer gives the entries of a transcript new ids.
type renumberer struct {
	stamp   jsonl.Stamp
	session string
	ids     map[string]string // the new ids by the old ones
	used    map[string]bool
	keep    bool // leave the ids as they are
	left    int64
	written int64
	bytes   int64
	err     error
}

// run writes a transcript with new ids in OpenClaw's form.
func (r *renumberer) run(ctx context.Context, in io.Reader, id string, out io.Writer) error {
	w := jsonl.NewWriter(out)
	for rec, err := range jsonl.ToOpenClaw(jsonl.Records(in, jsonl.Options{BeforeRead: ctx.Err}), id) {
		if err != nil {
			return err
		}
		if !rec.Legible() || rec.Damage != nil {
			r.left++
			continue
		}
		text := rec.Text()
		if !r.keep {
			text = r.renumber(rec)
		}
		if r.err != nil {
			return r.err
		}
		r.written, r.bytes = r.written+1, r.bytes+int64(len(text))+1
		if err := w.WriteRecord(text); err != nil {
			return err
		}
	}
	return w.Flush()
}

// references are the fields that name an entry.
var references = map[string]bool{
	"id": true, "parentId": true, "firstKeptEntryId": true, "targetId": true, "fromId": true, "appendParentId": true,
}

// renumber returns the text of a record with new ids.
func (r *renumberer) renumber(rec *jsonl.Record) []byte {
	at := r.stamp.Now
	if t, ok := rec.Time(); ok {
		at = t
	}
	return rec.Stated().WithMembers(func(key string, value jsonl.Value) jsonl.Value {
		switch {
		case rec.Type() == jsonl.TypeSession && key == "id":
			return jsonl.Value(jsonl.Quote(r.session))
		case rec.Type() == jsonl.TypeSession || !references[key] || !value.IsString() || value.String() == "":
			return value
		case key == "fromId" && value.String() == "root":
			return value
		}
		return jsonl.Value(jsonl.Quote(r.newID(value.String(), at)))
	})
}

// newID returns the new id of an entry, which is made when it is first mentioned.
func (r *renumberer) newID(old string, at time.Time) string {
	for r.err == nil && r.ids[old] == "" {
		var id string
		if id, r.err = (jsonl.Stamp{Now: at, Random: r.stamp.Random}).ID(); !r.used[id] {
			r.ids[old], r.used[id] = id, true
		}
	}
	return r.ids[old]
}
