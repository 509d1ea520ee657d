package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// Errors of a session's life.
var (
	// ErrTaken is the error for a key that another session has.
	ErrTaken error = &failure.Sentinel{Code: failure.Exists, Text: "the store already has a session with this key"}
	// ErrBadKey is the error for a text that cannot be a key.
	ErrBadKey error = &failure.Sentinel{
		Code: failure.UsageCode, Text: "not a valid session key", About: failure.NoPlace, Hint: "clawctl help new",
	}
	// ErrGeneration is the error for writing to an earlier generation of a session.
	ErrGeneration = errors.New("an earlier generation cannot be changed")
	// ErrNoIDs is the error for a session whose entries a record cannot follow.
	ErrNoIDs error = &failure.Sentinel{Code: failure.NoEntryIDs, Text: "the entries have no ids"}
	// ErrUnfinished is the error for a session whose import was interrupted.
	ErrUnfinished = store.ErrIncomplete
)

// A Keeper changes sessions of a store.
type Keeper struct {
	Store  *store.SQLite
	Now    func() time.Time
	Random io.Reader
	// DryRun does everything but the commit.
	DryRun bool
}

// write runs one transaction.
func (k *Keeper) write(ctx context.Context, part func(*store.Batch) error) error {
	b, err := k.Store.Begin(ctx)
	if err != nil {
		return err
	}
	if err = part(b); err != nil || k.DryRun {
		b.Rollback()
		return err
	}
	return b.Commit()
}

// erase runs one transaction that overwrites what it deletes.
func (k *Keeper) erase(ctx context.Context, part func(*store.Batch) error) error {
	if err := k.Store.EraseDeleted(ctx); err != nil {
		return err
	}
	return k.write(ctx, part)
}

// stamp returns the time and randomness of a new record. Time does not run backwards within a session, unless a clock
// was wrong by more than a minute.
func (k *Keeper) stamp(t *store.Transcript) jsonl.Stamp {
	now := k.Now().Truncate(time.Millisecond)
	if last := time.UnixMilli(t.LastTime); last.After(now) && last.Sub(now) < time.Minute {
		now = last
	}
	return jsonl.Stamp{Now: now, Random: k.Random}
}

// maxKey is the maximum length of a key.
const maxKey = 500

// A generationError is about the generation that cannot be changed.
type generationError struct{ key string }

func (e *generationError) Error() string { return ErrGeneration.Error() + ": " + e.key }
func (e *generationError) Unwrap() error { return ErrGeneration }

// FailureAt says how to make a session of the generation, whether or not its key is still in use.
func (e *generationError) FailureAt(string) *failure.Error {
	key, _, _ := strings.Cut(e.key, "@")
	return failure.Usage(failure.Command("clawctl", "restore", e.key, "--as-new", key+"-2"), "%v", e)
}

// checkKey refuses texts that cannot name a session.
func checkKey(key string) error {
	isOdd := func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }
	switch {
	case key == "", len(key) > maxKey, strings.TrimSpace(key) != key, strings.ContainsFunc(key, isOdd),
		strings.HasPrefix(key, "@"), strings.HasPrefix(key, "-"):
		return fmt.Errorf("%w: %q", ErrBadKey, key)
	}
	return nil
}

// Options describe a new session.
type Options struct {
	Title string
	Model string // PROVIDER/MODEL or MODEL
	CWD   string
}

// A Begun session is new.
type Begun struct {
	Key      string
	ID       string
	Previous string // the name of the generation that had the key before, or ""
}

// Begin creates a session. A session that has the key becomes an earlier generation.
func (k *Keeper) Begin(ctx context.Context, key string, o Options) (begun *Begun, err error) {
	if err := checkKey(key); err != nil {
		return nil, err
	}
	err = k.write(ctx, func(b *store.Batch) error {
		begun = &Begun{Key: key}
		old, err := b.Transcript(key)
		if err != nil {
			return err
		}
		if old != nil {
			begun.Previous, err = k.setAside(b, old)
		}
		if err != nil {
			return err
		}
		w, err := k.create(ctx, b, key, o)
		if err != nil {
			return err
		}
		begun.ID = w.t.SessionID
		return w.commit(o.drafts())
	})
	return begun, err
}

// archiveTime is the form of a time in the name of a generation, as in OpenClaw's archives.
const archiveTime = "2006-01-02T15-04-05.000Z"

// setAside makes the current generation of a session an earlier one, and returns its name.
func (k *Keeper) setAside(b *store.Batch, t *store.Transcript) (string, error) {
	if t.Generation != "" {
		return "", &generationError{t.Key}
	}
	for at := k.Now().UTC(); ; at = at.Add(time.Millisecond) {
		generation := "reset." + at.Format(archiveTime)
		taken, err := b.Transcript(store.Name(t.BaseKey, generation))
		if err != nil {
			return "", err
		}
		if taken == nil {
			err := b.Rename(t, t.BaseKey, generation, string(source.Reset))
			return t.Key, err
		}
	}
}

// Rename gives a session and its earlier generations another key. It returns how many of them there are.
func (k *Keeper) Rename(ctx context.Context, old, key string) (generations int, err error) {
	if err := checkKey(key); err != nil {
		return 0, err
	}
	err = k.write(ctx, func(b *store.Batch) error {
		list, err := b.View().Transcripts(ctx)
		if err != nil {
			return err
		}
		var own []*store.Transcript
		for _, t := range list {
			if t.BaseKey == key {
				return fmt.Errorf("%w: %s", ErrTaken, t.Key)
			}
			if t.BaseKey == old {
				own = append(own, t)
			}
		}
		if len(own) == 0 {
			return fmt.Errorf("%w: %s", store.ErrNoSession, old)
		}
		for _, t := range own {
			t.Agent = agentOf(key)
			if err := b.Rename(t, key, t.Generation, t.Kind); err != nil {
				return err
			}
		}
		generations = len(own)
		return nil
	})
	return generations, err
}

// agentOf returns the agent of a key, or the default agent.
func agentOf(key string) string {
	if agent := source.AgentOfKey(key); agent != "" {
		return agent
	}
	return "main"
}
