package harness

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"time"

	"clawctl/pkg/dialect"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// maxSubagents is how many sessions of subagents one binding may have.
const maxSubagents = 10_000

// Subagents finds the sessions that those of other programs have started and that are in files of their own. It reads
// the sessions of programs whose files say nowhere else which those are.
func (f *Finder) Subagents(ctx context.Context, sessions []*source.Session) {
	for _, s := range sessions {
		for i := range s.Bindings {
			if b := &s.Bindings[i]; b.State == source.BindingFound && b.Subagents == nil {
				b.Subagents = f.subagentsOf(ctx, b)
			}
		}
	}
}

// subagentsOf returns the subagents of a session, and theirs, in the order of their ids.
func (f *Finder) subagentsOf(ctx context.Context, b *source.Binding) []*source.Session {
	var list []*source.Session
	seen := map[string]bool{b.Session.ID: true}
	for next := []*source.Session{b.Session}; len(next) > 0 && len(list) < maxSubagents && ctx.Err() == nil; {
		parent := next[0]
		next = next[1:]
		for _, child := range f.children(ctx, b, parent) {
			if !seen[child.ID] {
				seen[child.ID] = true
				list, next = append(list, child), append(next, child)
			}
		}
	}
	slices.SortFunc(list, func(a, b *source.Session) int { return cmp.Compare(a.ID, b.ID) })
	return list
}

// children returns the sessions that a session has started.
func (f *Finder) children(ctx context.Context, b *source.Binding, parent *source.Session) []*source.Session {
	home, isFile := f.homes[b.Session]
	switch {
	case !isFile:
		return f.knownChildren(b.Program, parent.ID)
	case b.Program.Beside != nil:
		return childrenBeside(home.root, parent)
	case b.Program.Spawned != nil:
		return f.namedChildren(ctx, b.Program, home.places, parent)
	}
	return nil
}

// A programHome is where a session of a program was found: below a root that nothing leads out of, with more folders
// of sessions.
type programHome struct {
	root   string
	places []place
}

// knownChildren returns the children of a session among those that are read anyway.
func (f *Finder) knownChildren(p *dialect.Program, id string) []*source.Session {
	if f.bySpawner == nil {
		f.bySpawner = map[string][]*source.Session{}
		for _, s := range f.Known {
			if by := s.SpawnedBy(); by != "" && !s.Listed && s.IsCurrent() {
				f.bySpawner[by] = append(f.bySpawner[by], s)
			}
		}
	}
	return f.bySpawner[id]
}

// childrenBeside returns the children of a session that are in a folder beside its file.
func childrenBeside(root string, parent *source.Session) []*source.Session {
	var list []*source.Session
	for _, s := range parent.Subagents() {
		if below, err := filepath.Rel(root, s.Path); err == nil {
			if inside, err := source.FileIn(root, below); err == nil {
				list = append(list, inside)
			}
		}
	}
	return list
}

// namedChildren returns the children of a session that its rows name. A row may name any session, so the other one
// must say that this one has started it.
func (f *Finder) namedChildren(
	ctx context.Context, p *dialect.Program, places []place, parent *source.Session,
) []*source.Session {
	var list []*source.Session
	for _, id := range spawnedIDs(ctx, p, parent) {
		for _, at := range places {
			child, err := at.session(f, id)
			if err == nil && child.SpawnedBy() == parent.ID {
				list = append(list, child)
				break
			}
		}
	}
	return list
}

// spawnedIDs returns the ids of the sessions that the rows of a session name as started by it.
func spawnedIDs(ctx context.Context, p *dialect.Program, s *source.Session) []string {
	var ids []string
	for rec, err := range s.Records(ctx) {
		if err != nil {
			break // whoever reads the session says why
		}
		if !rec.Legible() || rec.Continued {
			continue
		}
		for _, id := range p.Spawned(rec.Stated()) {
			if !slices.Contains(ids, id) && len(ids) < maxSubagents {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// A subagent is a session that a session of another program has started, and the times of its first and last record.
type subagent struct {
	session      *source.Session
	began, ended time.Time
}

// readSubagents returns the subagents of a binding in the order in which they began.
func readSubagents(ctx context.Context, b *source.Binding) (list []subagent) {
	for _, s := range b.Subagents {
		began, ended := timesOf(ctx, s)
		list = append(list, subagent{s, began, ended})
	}
	slices.SortStableFunc(list, func(a, b subagent) int { return a.began.Compare(b.began) })
	return list
}

// timesOf returns the times of the first and the last record that have one.
func timesOf(ctx context.Context, s *source.Session) (first, last time.Time) {
	for rec, err := range s.Records(ctx) {
		if err != nil {
			break
		}
		if at, ok := rec.Time(); ok && rec.Legible() {
			if first.IsZero() {
				first = at
			}
			last = at
		}
	}
	return first, last
}

// emitFinished writes the sessions of the subagents that had ended when a record of the other program was written. It
// is the result of the call if that has waited for them.
func (w *weaver) emitFinished(rec *jsonl.Record, tip string) error {
	at, ok := rec.Time()
	if len(w.subagents) == 0 || !ok {
		return nil
	}
	return w.emitSubagents(tip, func(s *subagent) bool { return !s.ended.After(at) })
}

// emitStarted writes the sessions of the subagents that began before the next turn of the other program.
func (w *weaver) emitStarted(turn int, tip string) error {
	isLast := turn+1 == len(w.other.turns)
	started := func(s *subagent) bool { return isLast || s.began.Before(w.other.turns[turn+1].at) }
	if w.isEarlier(turn) {
		w.subagents = slices.DeleteFunc(w.subagents, func(s subagent) bool { return started(&s) })
	}
	return w.emitSubagents(tip, started)
}

// emitSubagents writes the sessions of some subagents, beside the conversation.
func (w *weaver) emitSubagents(tip string, isDue func(*subagent) bool) error {
	var rest []subagent
	for i := range w.subagents {
		if s := &w.subagents[i]; !isDue(s) {
			rest = append(rest, *s)
		} else if err := w.emitSubagent(s.session, tip); err != nil {
			return err
		}
	}
	w.subagents = rest
	return nil
}

// emitSubagent writes the session of a subagent. A file that ends early is read that far, as by its own program.
func (w *weaver) emitSubagent(s *source.Session, tip string) error {
	for rec, err := range s.Records(w.ctx) {
		if err != nil {
			return err
		}
		row := joinedRow{rec: rec, id: rec.ID(), parent: tip, agent: s.ID}
		if row.id == "" {
			row.id = lineName(s.ID, rec)
		}
		if !isWanted(rec) {
			if err := w.leave(row); err != nil {
				return err
			}
			continue
		}
		w.lines++
		if err := w.line(w.joined(row), source.Origin{Path: s.Path, Line: rec.Line, Offset: rec.Offset}); err != nil {
			return err
		}
		tip = row.id
	}
	return nil
}
