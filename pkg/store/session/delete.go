package session

import (
	"context"
	"fmt"
	"slices"

	"clawctl/pkg/store"
)

// A Removal says which sessions are deleted, and how.
type Removal struct {
	Keys        []string
	Generations bool // also the earlier generations of each session
	Purge       bool // delete for good, instead of moving to the trash
	Reason      string
	Guard       Guard // for a purge: which sessions must stay
}

// A RemovedSession was deleted.
type RemovedSession struct {
	Key     string
	TrashID int64 // 0 if it was purged
	Records int64
	Bytes   int64
	Sources []string // files that it was imported from
}

// Plan returns what a removal would delete.
func (k *Keeper) Plan(ctx context.Context, r Removal) ([]RemovedSession, error) {
	plan := *k
	plan.DryRun = true
	return plan.Delete(ctx, r)
}

// Delete deletes sessions, all of them or none. A purge also finds sessions in the trash. The text that a session had
// before it went to the trash is overwritten too, because a later purge could not find it.
func (k *Keeper) Delete(ctx context.Context, r Removal) (list []RemovedSession, err error) {
	err = k.erase(ctx, func(b *store.Batch) error {
		infos, err := b.View().List(ctx)
		if err != nil {
			return err
		}
		known := map[string]bool{}
		for _, info := range infos {
			known[info.Key] = true
		}
		for _, key := range r.Keys {
			found, err := k.remove(ctx, b, r, key, known)
			if err != nil {
				return err
			}
			list = append(list, found...)
		}
		return nil
	})
	return list, err
}

// remove deletes the sessions that one key means: those with that key, or for a purge items of the trash with that key
// or with that name. A key always means itself, even if it looks like the name of an item.
func (k *Keeper) remove(ctx context.Context, b *store.Batch, r Removal, key string, known map[string]bool) (
	list []RemovedSession, err error) {
	list, err = k.removeLive(ctx, b, r, key, known)
	if len(list) == 0 && err == nil && r.Purge {
		list, err = purgeTrashed(ctx, b, r.Guard, func(item *store.TrashedSession) bool { return item.Key == key })
	}
	if len(list) == 0 && err == nil && r.Purge {
		list, err = purgeTrashed(ctx, b, r.Guard, func(item *store.TrashedSession) bool { return item.Name() == key })
	}
	if name := onlyGeneration(ctx, b.View(), key); len(list) == 0 && err == nil && name != "" && !r.Purge {
		list, err = k.removeLive(ctx, b, r, name, known)
	}
	if len(list) == 0 && err == nil {
		err = fmt.Errorf("%w: %s", store.ErrNoSession, key)
	}
	return list, err
}

// removeLive deletes the session with a key, with its earlier generations if they are wanted.
func (k *Keeper) removeLive(ctx context.Context, b *store.Batch, r Removal, key string, known map[string]bool) (
	list []RemovedSession, err error) {
	keys := []string{key}
	if r.Generations {
		earlier, err := generations(ctx, b.View(), key)
		if err != nil {
			return nil, err
		}
		keys = append(keys, slices.DeleteFunc(earlier, func(name string) bool { return name == key })...)
	}
	for _, key := range keys {
		if !known[key] {
			continue
		}
		delete(known, key)
		one, err := k.removeOne(b, r, key)
		if err != nil {
			return nil, err
		}
		list = append(list, one)
	}
	return list, nil
}

// removeOne deletes one session.
func (k *Keeper) removeOne(b *store.Batch, r Removal, key string) (RemovedSession, error) {
	item, err := b.Trash(key, k.Now(), r.Reason)
	if err != nil {
		return RemovedSession{}, err
	}
	one := removed(item)
	if r.Purge {
		one.TrashID = 0
		err = purge(b, item, r.Guard)
	}
	return one, err
}

// removed describes a deleted session.
func removed(item *store.TrashedSession) RemovedSession {
	one := RemovedSession{Key: item.Key, TrashID: item.ID, Records: item.Transcript.Records, Bytes: item.Transcript.Bytes}
	for _, r := range item.Receipts {
		if !r.Replaced && !r.InDatabase {
			one.Sources = append(one.Sources, r.Path)
		}
	}
	return one
}

// purgeTrashed deletes the trashed sessions that match.
func purgeTrashed(ctx context.Context, b *store.Batch, guard Guard, matches func(*store.TrashedSession) bool) (
	list []RemovedSession, err error) {
	items, err := b.View().Trash(ctx)
	for _, item := range items {
		if err == nil && matches(item) {
			one := removed(item)
			one.TrashID = 0
			list = append(list, one)
			err = purge(b, item, guard)
		}
	}
	return list, err
}

// purge deletes a trashed session for good, unless it has to stay.
func purge(b *store.Batch, item *store.TrashedSession, guard Guard) error {
	if err := guard.check(&item.Transcript); err != nil {
		return err
	}
	return b.Purge(item.ID)
}
