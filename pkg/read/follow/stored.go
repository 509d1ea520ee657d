package follow

import (
	"cmp"
	"context"
	"errors"
	"io"
	"io/fs"
	"slices"

	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/store"
	"clawctl/pkg/store/dbfile"
)

// A storeFile is clawctl's store with the followed sessions in it. It is looked at, and opened if it has changed, once
// for all of them.
type storeFile struct {
	path   string
	state  string
	isSure bool          // the state changes with every commit
	reader *store.Reader // open during a poll of the group
	err    error         // of opening it in this poll
}

// openStore opens a store. Tests count how often.
var openStore = store.OpenReader

// look ends the last poll, and notes the state of the store.
func (f *storeFile) look() {
	_ = f.release() // it has only read
	f.state, f.isSure = fingerprint(f.path), dbfile.IsStampSure(f.path)
}

// open returns the reader of this poll.
func (f *storeFile) open(ctx context.Context) (*store.Reader, error) {
	if f.reader == nil && f.err == nil {
		f.reader, f.err = openStore(ctx, f.path)
	}
	return f.reader, f.err
}

// release closes the reader of this poll, so that nothing of the store is open until the next one.
func (f *storeFile) release() error {
	reader := f.reader
	f.reader, f.err = nil, nil
	if reader == nil {
		return nil
	}
	return reader.Close()
}

// A storedSession is followed in clawctl's store. Its key may get a new session, and the one that is followed becomes
// an earlier generation. Then it is read to its end first.
type storedSession struct {
	file *storeFile
	key  string

	state     string // of the store when it was read
	sum       string // the digest of the session that had the key then, as the store says
	id        string // of the session that is followed, or "" if there was none yet
	isRemoved bool   // that was said
	position  position
}

func newStored(file *storeFile, key string) *storedSession {
	return &storedSession{file: file, key: key, position: newPosition()}
}

// Last reads everything and keeps the end. The store is closed by the next poll of the group, or with it.
func (s *storedSession) Last(ctx context.Context, e *Ending) error {
	return s.read(ctx, !e.Growing, e.keep())
}

// Poll reads the session again if it has changed, and returns what is new.
func (s *storedSession) Poll(ctx context.Context, yield func(Event) error) error {
	if s.state == s.file.state && s.file.isSure {
		return nil
	}
	err := s.read(ctx, false, yield)
	if openclaw.IsTransient(err) || errors.Is(err, fs.ErrNotExist) {
		return nil // it will come back
	}
	return err
}

// read returns what the key has got since it was read. Everything is read from one state of the store.
func (s *storedSession) read(ctx context.Context, whole bool, yield func(Event) error) error {
	reader, err := s.file.open(ctx)
	if err != nil {
		return err
	}
	exists, err := reader.Exists(ctx, s.key)
	if err != nil {
		return err
	}
	if exists {
		err = s.readChanged(ctx, &reader.View, whole, yield)
	} else if !s.isRemoved && s.id != "" {
		err = yield(Event{Change: Removed})
	}
	if err != nil {
		return err
	}
	s.isRemoved, s.state = !exists, s.file.state
	return nil
}

// readChanged reads the sessions of the key, unless the digest or the state of the store says that nothing has changed.
func (s *storedSession) readChanged(
	ctx context.Context, v *store.View, whole bool, yield func(Event) error,
) error {
	now, err := v.Transcript(ctx, s.key)
	if err != nil {
		return err
	}
	if now == nil { // another program wrote the session
		now = store.UnknownTranscript(s.key)
	}
	if now.SessionID == s.id && now.Sum == s.sum && (now.Sum != "" || s.state == s.file.state) {
		return nil
	}
	if err := s.readAll(ctx, v, now, whole, yield); err != nil {
		return err
	}
	s.sum = now.Sum
	return nil
}

// readAll reads the session that was followed, those that had the key since, and the one that has it now.
func (s *storedSession) readAll(
	ctx context.Context, v *store.View, now *store.Transcript, whole bool, yield func(Event) error,
) error {
	list, err := s.sessions(ctx, v, now)
	if err != nil {
		return err
	}
	for _, t := range list {
		if err := s.readOn(ctx, v, t, whole, yield); err != nil {
			return err
		}
	}
	return nil
}

// sessions returns the sessions that had the key since it was read, in their order.
func (s *storedSession) sessions(
	ctx context.Context, v *store.View, now *store.Transcript,
) ([]*store.Transcript, error) {
	if s.id == "" || now.SessionID == s.id {
		return []*store.Transcript{now}, nil
	}
	list, err := v.Transcripts(ctx)
	list = slices.DeleteFunc(list, func(t *store.Transcript) bool {
		return t.BaseKey != s.key || t.Kind != string(source.Reset)
	})
	slices.SortFunc(list, func(a, b *store.Transcript) int { return cmp.Compare(a.Generation, b.Generation) })
	followed := slices.IndexFunc(list, func(t *store.Transcript) bool { return t.SessionID == s.id })
	if followed < 0 {
		return []*store.Transcript{now}, err
	}
	return append(list[followed:], now), err
}

// readOn returns the rest of the session that is followed, or all of another one.
func (s *storedSession) readOn(
	ctx context.Context, v *store.View, t *store.Transcript, whole bool, yield func(Event) error,
) error {
	if s.id != "" && s.id != t.SessionID {
		s.id, s.position = t.SessionID, newPosition()
		if err := yield(Event{Change: Continued}); err != nil {
			return err
		}
	}
	open := func() (io.ReadCloser, error) {
		text, err := v.Text(ctx, t, store.Whole)
		if err == nil {
			s.id = t.SessionID
		}
		return text, err
	}
	return s.position.readOn(ctx, open, whole, yield)
}

// Close does nothing: nothing is open between two polls.
func (s *storedSession) Close() error { return nil }
