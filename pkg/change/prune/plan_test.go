package prune

import (
	"context"
	"errors"
	"slices"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

// planOf returns a plan with a thing for each failure that carrying it out has, and one that stays.
func planOf(final bool, failures ...*failure.Error) *Plan {
	p := &Plan{Noun: "file", Final: final}
	for _, f := range failures {
		item := &Item{Row: Row{Bytes: 1000}, Since: old, Do: func() *failure.Error { return f }}
		p.Add(item, ui.Cell{Text: "old"}, ui.Cell{})
	}
	kept := &Item{Row: Row{Bytes: 10}, Since: old, Do: func() *failure.Error { panic("it stays") }}
	p.Add(kept, ui.Cell{Text: "old"}, ui.Cell{Text: "in use"})
	p.Count(true)
	return p
}

// actions returns what happens, or happened, to the things of a plan.
func (p *Plan) actions() (list []string) {
	for _, item := range p.Items {
		list = append(list, item.Action+": "+item.Reason)
	}
	return list
}

func TestCarryOut(t *testing.T) {
	denied := failure.New(failure.Denied, "denied")
	locked := failure.New(failure.Locked, "locked")
	for _, test := range []struct {
		name     string
		plan     *Plan
		before   []string
		after    []string
		tried    int
		question string
		words    string
		done     string
	}{
		{"all go", planOf(false, nil, nil), []string{"move: old", "move: old", "keep: in use"},
			[]string{"moved: old", "moved: old", "kept: in use"}, 2, "Move 2 files (2.0 kB) to the trash?",
			"2 files (2.0 kB) can be moved to the trash, 1 file (10 B) must stay",
			"moved 2 files (2.0 kB) to the trash, left 1 file alone"},
		{"one fails", planOf(true, denied, nil), []string{"delete: old", "delete: old", "keep: in use"},
			[]string{"kept: denied", "deleted: old", "kept: in use"}, 2, "Delete 2 files (2.0 kB) for good?",
			"2 files (2.0 kB) can be deleted for good, 1 file (10 B) must stay",
			"deleted 1 file (1.0 kB) for good, left 2 files alone"},
		{"a lock stops", planOf(false, nil, locked, nil), []string{"move: old", "move: old", "move: old", "keep: in use"},
			[]string{"moved: old", "kept: locked", "kept: locked", "kept: in use"}, 2, "Move 3 files (3.0 kB) to the trash?",
			"3 files (3.0 kB) can be moved to the trash, 1 file (10 B) must stay",
			"moved 1 file (1.0 kB) to the trash, left 3 files alone"},
		{"nothing goes", planOf(false), []string{"keep: in use"}, []string{"kept: in use"}, 0,
			"Move 0 files (0 B) to the trash?", "nothing can be pruned, 1 file (10 B) must stay",
			"moved 0 files (0 B) to the trash, left 1 file alone"},
	} {
		p, tried := test.plan, 0
		if got := p.actions(); !slices.Equal(got, test.before) {
			t.Errorf("%s: the plan is %q", test.name, got)
		}
		if p.Question() != test.question || p.Words() != test.words {
			t.Errorf("%s: %q, %q", test.name, p.Question(), p.Words())
		}
		if err := p.CarryOut(ctx, func(*failure.Error) { tried++ }); err != nil || tried != test.tried {
			t.Errorf("%s: tried %d, %v", test.name, tried, err)
		}
		if got := p.actions(); !slices.Equal(got, test.after) {
			t.Errorf("%s: afterwards %q", test.name, got)
		}
		if p.DoneWords() != test.done {
			t.Errorf("%s: %q", test.name, p.DoneWords())
		}
	}
}

func TestCarryOutInterrupted(t *testing.T) {
	stopped, cancel := context.WithCancel(ctx)
	p := planOf(false, nil, nil)
	err := p.CarryOut(stopped, func(*failure.Error) { cancel() })
	if !errors.Is(err, context.Canceled) || p.Items[0].Action != "moved" || p.Items[1].Action != "move" {
		t.Errorf("%v, %q", err, p.actions())
	}
}
