package sessiontest

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"maps"
	"slices"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/store"
)

// A world is what a store must hold, by the keys of sessions.
type world map[string]*fate

// A fate is what became of the sessions with one key: the texts of each.
type fate struct {
	live  []string   // nil if there is none
	older [][]string // earlier generations
	trash [][]string // the latest last
}

func (w world) get(key string) *fate {
	if w[key] == nil {
		w[key] = &fate{}
	}
	return w[key]
}

func (w world) clone() world {
	c := world{}
	for key, s := range w {
		c[key] = &fate{s.live, slices.Clone(s.older), slices.Clone(s.trash)}
	}
	return c
}

// text describes a world, so that two of them can be compared. Generations are in no order.
func (w world) text() string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(w)) {
		s := w[key]
		if s.live != nil {
			fmt.Fprintf(&b, "%s is %s\n", key, sum(s.live))
		}
		var older []string
		for _, texts := range s.older {
			older = append(older, sum(texts))
		}
		slices.Sort(older)
		for _, text := range older {
			fmt.Fprintf(&b, "%s was %s\n", key, text)
		}
		for _, texts := range s.trash {
			fmt.Fprintf(&b, "%s in the trash is %s\n", key, sum(texts))
		}
	}
	return b.String()
}

// sum describes the texts of a session.
func sum(texts []string) string {
	h := fnv.New64a()
	for _, text := range texts {
		fmt.Fprintf(h, "%q", text)
	}
	return fmt.Sprintf("%d records, %x", len(texts), h.Sum64())
}

// readWorld reads a store, and checks that nothing in it is damaged.
func readWorld(ctx context.Context, db string) (world, error) {
	w := world{}
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
		if s := w.get(t.BaseKey); t.Generation == "" {
			s.live = texts
		} else {
			s.older = append(s.older, texts)
		}
	}
	return w, w.readTrash(ctx, r)
}

func (w world) readTrash(ctx context.Context, r *store.Reader) error {
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
		s := w.get(item.Key)
		s.trash = append(s.trash, texts)
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
