package migrate

import (
	"context"
	"fmt"

	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// StoreTarget is a store of clawctl's as a target: place lists its sessions, view reads it.
func StoreTarget(ctx context.Context, place *source.Place, view *store.View) (Target, error) {
	byName := map[string]*source.Session{}
	for _, s := range place.Sessions {
		byName[s.Name()] = s
	}
	receipts, err := view.Receipts(ctx)
	if err != nil {
		return Target{}, err
	}
	byPath := map[string]*source.Session{}
	for _, r := range receipts {
		if !r.Replaced {
			byPath[r.Path] = byName[r.SessionKey]
		}
	}
	transcripts, err := view.Transcripts(ctx)
	if err != nil {
		return Target{}, err
	}
	byKey := map[string]*store.Transcript{}
	for _, t := range transcripts {
		byKey[t.Key] = t
	}
	return Target{
		Sessions: place.Sessions, Exact: true,
		Of: func(s *source.Session) *source.Session { return byPath[ReceiptPath(s)] },
		Check: func(ctx context.Context, s *source.Session) error {
			t := byKey[s.Name()]
			if t == nil {
				return nil
			}
			wrong, err := view.CheckRows(ctx, t)
			if err == nil && wrong != 0 {
				err = fmt.Errorf("record %d: %w", wrong, ErrColumns)
			}
			return err
		},
	}, nil
}

// DatabaseTarget is what OpenClaw's databases hold, each agent's for itself.
func DatabaseTarget(place *source.Place) Target {
	t := Target{ByAgent: true}
	for _, s := range place.Sessions {
		if s.InDatabase {
			t.Sessions = append(t.Sessions, s)
		}
	}
	return t
}
