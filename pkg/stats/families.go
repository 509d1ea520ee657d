package stats

import (
	"cmp"
	"context"
	"io"
	"slices"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// familiesOf groups sessions that may share records: those of one agent and id, by name or by header, and those forked
// from each other. In a family live sessions come first, then the others in the order of their kinds.
func familiesOf(ctx context.Context, sessions []*source.Session) [][]*source.Session {
	names := joinRelatives(ctx, sessions)
	families := map[string][]*source.Session{}
	var order []string
	for _, s := range sessions {
		f := names.find(familyName(s.Agent, s.ID))
		if families[f] == nil {
			order = append(order, f)
		}
		families[f] = append(families[f], s)
	}
	list := make([][]*source.Session, len(order))
	for i, f := range order {
		list[i] = families[f]
		slices.SortStableFunc(list[i], compareKinds)
	}
	return list
}

// compareKinds orders sessions by kind, and those of one kind by generation, newest first.
func compareKinds(a, b *source.Session) int {
	kind := func(s *source.Session) int { return slices.Index(source.Kinds, s.Kind) }
	return cmp.Or(cmp.Compare(kind(a), kind(b)), strings.Compare(b.Generation, a.Generation))
}

// A nameUnion is a union-find structure over family names: each name leads to another of its family, or to itself.
type nameUnion map[string]string

func (u nameUnion) find(name string) string {
	for u[name] != "" && u[name] != name {
		name = u[name]
	}
	return name
}

func (u nameUnion) join(a, b string) {
	if a, b = u.find(a), u.find(b); a != b {
		u[a] = b
	}
}

// joinRelatives joins the names of sessions that belong together.
func joinRelatives(ctx context.Context, sessions []*source.Session) nameUnion {
	names := nameUnion{}
	reader := &jsonl.Reader{}
	for _, s := range sessions {
		if ctx.Err() != nil {
			break
		}
		for _, relative := range relativesOf(s, reader) {
			names.join(familyName(s.Agent, s.ID), relative)
		}
	}
	return names
}

// headerReach is the number of bytes of a transcript that are searched for its header.
const headerReach = 64 << 10

// relativesOf returns the family names of the session in the header and of the one it was forked from.
func relativesOf(s *source.Session, reader *jsonl.Reader) []string {
	if !s.InDatabase && s.Bytes == 0 {
		return nil // empty, or a stream, which can be read only once
	}
	in, err := s.Open()
	if err != nil {
		return nil
	}
	defer in.Close()
	reader.Reset(io.LimitReader(in.Reader, headerReach), jsonl.Options{})
	for rec, err := range reader.All() {
		if err != nil {
			return nil
		}
		if header, ok := rec.Header(); ok {
			return headerNames(s.Agent, header)
		}
	}
	return nil
}

// headerNames returns the family names in a header.
func headerNames(agent string, header jsonl.Header) (names []string) {
	if header.ID != "" {
		names = append(names, familyName(agent, header.ID))
	}
	if parent := header.ParentSession; parent != "" {
		base := parent[strings.LastIndexAny(parent, `/\`)+1:]
		if parsed, ok := source.ParseName(base); ok {
			base = parsed.ID
		}
		names = append(names, familyName(agent, base))
	}
	return names
}

// familyName identifies a session uniquely. A long id is unique, but several agents may use the same short one.
func familyName(agent, id string) string {
	if len(id) >= 32 {
		return id
	}
	return agent + " " + id
}
