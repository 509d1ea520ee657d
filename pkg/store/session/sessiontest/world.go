// Package sessiontest tests that nothing of a session's life is lost: many append at once, and what a store holds is
// compared with what it must hold.
package sessiontest

import (
	"context"
	"fmt"
	"io"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
)

// A World is what a store holds, by the keys of sessions.
type World map[string]*Fate

// A Fate is what became of the sessions with one key: the texts of each.
type Fate struct {
	Live  []string   // nil if there is none
	Older [][]string // earlier generations
	Trash [][]string // the latest last
}

// Get returns what became of the sessions with a key.
func (w World) Get(key string) *Fate {
	if w[key] == nil {
		w[key] = &Fate{}
	}
	return w[key]
}

// Read reads a store, and checks that nothing in it is damaged.
func Read(ctx context.Context, db string) (World, error) {
	w := World{}
	r, err := store.OpenReader(ctx, db)
	if err != nil {
		if !store.IsStore(ctx, db) {
			return w, nil // it was killed before it created the store
		}
		return nil, err
	}
	defer r.Close()
	faults, err := store.NewAuditor(ctx, r).Audit()
	if err != nil || len(faults) > 0 {
		return nil, fmt.Errorf("damaged: %v %w", faults, err)
	}
	list, err := r.Transcripts(ctx)
	if err != nil {
		return nil, err
	}
	for _, t := range list {
		in, err := r.Text(ctx, t, store.Whole)
		if err != nil {
			return nil, err
		}
		texts, err := textsOf(in)
		if err != nil {
			return nil, err
		}
		if s := w.Get(t.BaseKey); t.Generation == "" {
			s.Live = texts
		} else {
			s.Older = append(s.Older, texts)
		}
	}
	return w, w.readTrash(ctx, r)
}

func (w World) readTrash(ctx context.Context, r *store.Reader) error {
	items, err := r.Trash(ctx)
	if err != nil {
		return err
	}
	for _, item := range slices.Backward(items) { // the latest comes first
		in, err := r.TrashText(ctx, item)
		if err != nil {
			return err
		}
		texts, err := textsOf(in)
		if err != nil {
			return err
		}
		s := w.Get(item.Key)
		s.Trash = append(s.Trash, texts)
	}
	return nil
}

// textsOf returns what the user said. Every record must continue the one before.
func textsOf(in io.ReadCloser) ([]string, error) {
	defer in.Close()
	texts, last := []string{}, ""
	for rec, err := range jsonl.Records(in, jsonl.Options{}) {
		if err != nil {
			return nil, err
		}
		if rec.Type() == jsonl.TypeSession {
			continue
		}
		if parent, _ := rec.ParentID(); parent != last || rec.Damage != nil {
			return nil, fmt.Errorf("record %d follows %q, not %q", rec.Line, parent, last)
		}
		last = rec.ID()
		if m, ok := rec.Message(); ok {
			texts = append(texts, jsonl.PlainText(m.Content()))
		}
	}
	return texts, nil
}
