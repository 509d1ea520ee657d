package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/store"
)

// A Guard returns the pruned file whose proof a session is, or "". Such a session may be the last copy of what the file
// said.
type Guard func(t *store.Transcript) (file string, err error)

// A ProofError says that a session must stay because it is the proof of a pruned file.
type ProofError struct{ Key, File string }

func (e *ProofError) Error() string {
	return fmt.Sprintf("%s has what the pruned file %s said, and may be the last copy", e.Key, e.File)
}

// FailureAt says how to delete the session anyway.
func (e *ProofError) FailureAt(store string) *failure.Error {
	return failure.New(failure.LastCopy, "%v", e).At(store).WithAgain("--last-copy")
}

// check refuses a session that a pruned file needs. A nil guard refuses none.
func (g Guard) check(t *store.Transcript) error {
	if g == nil {
		return nil
	}
	file, err := g(t)
	if err != nil {
		return err
	}
	if file != "" {
		return &ProofError{t.Key, file}
	}
	return nil
}

// An Expiry says which sessions have expired.
type Expiry struct {
	Before time.Time // those that were last used before, or deleted before
	Reason string    // for the trash
	Guard  Guard     // nil if no session has to stay
}

// An ExpiredSession was not used for long, or was deleted long ago.
type ExpiredSession struct {
	RemovedSession
	LastUse time.Time
	Keep    error // why it stays nevertheless, or nil
}

// Expired lists the sessions of a store that have expired. The time of the last record counts, and a session without a
// time never expires.
func (e Expiry) Expired(ctx context.Context, v *store.View) (list []ExpiredSession, err error) {
	infos, err := v.List(ctx)
	if err != nil {
		return nil, err
	}
	transcripts, err := v.Transcripts(ctx)
	if err != nil {
		return nil, err
	}
	byKey := map[string]*store.Transcript{}
	for _, t := range transcripts {
		byKey[t.Key] = t
	}
	for _, info := range infos {
		if t := byKey[info.Key]; t != nil && e.includes(info) {
			one := ExpiredSession{LastUse: info.Updated,
				RemovedSession: RemovedSession{Key: t.Key, Records: t.Records, Bytes: t.Bytes}}
			if one.Keep = e.Guard.check(t); t.Incomplete {
				one.Keep = ErrUnfinished
			}
			list = append(list, one)
		}
	}
	return list, nil
}

// includes reports whether a session has expired.
func (e Expiry) includes(info store.Info) bool {
	return info.Updated.UnixMilli() > 0 && info.Updated.Before(e.Before)
}

// Expire moves an expired session to the trash. It returns nil if the session was used or removed since it was listed.
func (k *Keeper) Expire(ctx context.Context, key string, e Expiry) (done *RemovedSession, err error) {
	err = k.erase(ctx, func(b *store.Batch) error {
		now, err := b.View().Load(ctx, key)
		if err != nil || !e.includes(now.Info) {
			return err
		}
		item, err := b.Trash(key, k.Now(), e.Reason)
		if err != nil {
			return err
		}
		one := removed(item)
		done = &one
		return e.Guard.check(&item.Transcript)
	})
	return done, err
}

// Trashed lists what has been in the trash for long.
func (e Expiry) Trashed(ctx context.Context, v *store.View) (list []ExpiredSession, err error) {
	items, err := v.Trash(ctx)
	for _, item := range items {
		if item.Deleted.Before(e.Before) {
			list = append(list, ExpiredSession{removed(item), item.Deleted, e.Guard.check(&item.Transcript)})
		}
	}
	return list, err
}

// Purge deletes one session from the trash for good, unless it has to stay.
func (k *Keeper) Purge(ctx context.Context, trashID int64, guard Guard) error {
	return k.erase(ctx, func(b *store.Batch) error {
		items, err := b.View().Trash(ctx)
		for _, item := range items {
			if err == nil && item.ID == trashID {
				return purge(b, item, guard)
			}
		}
		return err
	})
}

// NotArchived returns the sessions of a list whose text is not in an archive yet.
func NotArchived(ctx context.Context, v *store.View, list []ExpiredSession) ([]ExpiredSession, error) {
	archived, err := v.ArchivedKeys(ctx)
	return slices.DeleteFunc(list, func(one ExpiredSession) bool { return archived[one.Key] != 0 }), err
}

// OnlyNamed returns what a list has of the session, or of the item of the trash, that a name means.
func OnlyNamed(ctx context.Context, v *store.View, list []ExpiredSession, name string) ([]ExpiredSession, error) {
	key, err := Resolve(ctx, v, name)
	if err != nil {
		return nil, err
	}
	origin, err := Find(ctx, v, cmp.Or(key, name))
	if err == nil && origin == nil {
		key = onlyGeneration(ctx, v, name)
		origin, err = Find(ctx, v, cmp.Or(key, name))
	}
	if err == nil && origin == nil {
		err = fmt.Errorf("%w: %s", store.ErrNoSession, name)
	}
	return slices.DeleteFunc(list, func(one ExpiredSession) bool {
		return one.Key != key && one.Key != name && (one.TrashID == 0 || store.TrashName(one.TrashID) != name)
	}), err
}
