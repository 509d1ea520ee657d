package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"

	"clawctl/pkg/store/dbfile"
)

// ErrLogInUse means that another process reads the log of the store, which still has text that was deleted.
var ErrLogInUse = fmt.Errorf("%w: another process reads its log, which still has the old text", dbfile.ErrLocked)

// Shred makes sure that nothing that was deleted is left in the files of the store: it empties the log and builds the
// database again. Nobody else may use the store meanwhile.
func (s *SQLite) Shred(ctx context.Context) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.emptyLog(ctx); err != nil {
		return err
	}
	return s.vacuum(ctx)
}

// vacuum builds the database again, and empties the log.
func (s *SQLite) vacuum(ctx context.Context) error {
	if _, err := s.writer.ExecContext(ctx, "VACUUM"); err != nil {
		return dbfile.Classify(err)
	}
	return s.emptyLog(ctx)
}

// Compact gives free pages back to the system, if they are worth the work of copying the rest.
func (s *SQLite) Compact(ctx context.Context) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	const query = "SELECT freelist_count * 10 >= page_count FROM pragma_freelist_count, pragma_page_count"
	if is, err := one[bool](ctx, s.writer.Conn, query); err != nil || !is {
		return err
	}
	return s.vacuum(ctx)
}

// emptyLog moves the log into the database, and makes its file empty.
func (s *SQLite) emptyLog(ctx context.Context) error {
	return each(ctx, s.writer.Conn, "PRAGMA wal_checkpoint(TRUNCATE)", nil, func(scan scanFunc) error {
		var busy, pages, moved int
		if err := scan(&busy, &pages, &moved); err != nil || busy == 0 {
			return err
		}
		return ErrLogInUse
	})
}

// The places of a text that EachText finds. An archive is outside of the store.
const (
	InMetadata = "metadata"
	InSession  = "session"
	InArchive  = "archive"
	InTrash    = "trash"
)

// EachText calls yield with everything in the store that is the text of a session or describes one: where it is, and
// whose it is. Of an archived session, that is the archived text, and then what other programs have added in the store.
// If an archive cannot be read, reading the text is an [ArchiveError].
func (v *View) EachText(ctx context.Context, yield func(where, session string, text io.Reader) error) error {
	infos, err := v.list(ctx, "")
	if err != nil {
		return err
	}
	for _, info := range infos {
		if err := v.yieldSession(ctx, info.Key, yield); err != nil {
			return err
		}
	}
	trashed, err := v.Trash(ctx)
	if err != nil {
		return err
	}
	for _, item := range trashed {
		if err := yield(InTrash, item.Key, bytes.NewReader([]byte(item.Metadata))); err != nil {
			return err
		}
		if err := v.yieldTrashed(ctx, item, yield); err != nil {
			return err
		}
	}
	return nil
}

func (v *View) yieldSession(ctx context.Context, key string, yield func(string, string, io.Reader) error) error {
	metadata, err := one[string](ctx, v.db, "SELECT coalesce(metadata, '') FROM sessions WHERE key = ?", key)
	if err != nil {
		return err
	}
	if err := yield(InMetadata, key, bytes.NewReader([]byte(metadata))); err != nil {
		return err
	}
	t, err := v.Transcript(ctx, key)
	if t == nil {
		t = UnknownTranscript(key)
	}
	if err != nil {
		return err
	}
	text, err := v.Text(ctx, t, Whole)
	var archive *ArchiveError
	if errors.As(err, &archive) {
		return yield(InArchive, key, failingReader{archive})
	}
	if err != nil {
		return err
	}
	defer text.Close()
	if text.cold == nil {
		return yield(InSession, key, text)
	}
	if err := yield(InArchive, key, io.LimitReader(text, t.Bytes)); err != nil {
		return err
	}
	if err := text.skipArchived(); err != nil {
		return err
	}
	return yield(InSession, key, text) // what other programs have added
}

func (v *View) yieldTrashed(
	ctx context.Context, item *TrashedSession, yield func(string, string, io.Reader) error,
) error {
	text, err := v.TrashText(ctx, item)
	if err != nil {
		return err
	}
	defer text.Close()
	return yield(InTrash, item.Key, text)
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }
