package stats

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// Channel returns where a session's messages come from, as its key tells: telegram, cron, main, and so on.
func Channel(key string) string {
	parts := strings.Split(key, ":")
	if len(parts) >= 3 && (parts[0] == "agent" || parts[0] == "goclaw") {
		parts = parts[2:]
	} else if len(parts) >= 3 {
		parts = parts[1:] // claw0: agent, channel, peer
	}
	channel := parts[0]
	for _, prefix := range []string{"tui-", "dashboard-"} {
		if strings.HasPrefix(channel, prefix) {
			return strings.TrimSuffix(prefix, "-")
		}
	}
	return orUnknown(channel)
}

func orUnknown(name string) string { return cmp.Or(name, "unknown") }

// dated is a name for a time that is known.
func dated(t time.Time, name string) string {
	if t.IsZero() {
		return "undated"
	}
	return name
}

func weekName(year, week int) string { return fmt.Sprintf("%d-W%02d", year, week) }

func compareStrings(a, b string) int { return strings.Compare(a, b) }

// familiesOf parts sessions into those that may share records: of one agent and id, by name or by header, or forked from each other. In a
// family the live sessions come first, then the others in the order of their kinds.
func familiesOf(ctx context.Context, sessions []*source.Session) [][]*source.Session {
	leader := map[string]string{} // a union of names
	find := func(name string) string {
		for leader[name] != "" && leader[name] != name {
			name = leader[name]
		}
		return name
	}
	reader := &jsonl.Reader{}
	name := func(s *source.Session) string { return familyName(s.Agent, s.ID) }
	for _, s := range sessions {
		if ctx.Err() != nil {
			break
		}
		for _, kin := range kinOf(s, reader) {
			if a, b := find(name(s)), find(kin); a != b {
				leader[a] = b
			}
		}
	}
	families := map[string][]*source.Session{}
	var order []string
	for _, s := range sessions {
		f := find(name(s))
		if families[f] == nil {
			order = append(order, f)
		}
		families[f] = append(families[f], s)
	}
	list := make([][]*source.Session, len(order))
	for i, f := range order {
		list[i] = families[f]
		slices.SortStableFunc(list[i], func(a, b *source.Session) int {
			return cmp.Or(cmp.Compare(slices.Index(source.Kinds, a.Kind), slices.Index(source.Kinds, b.Kind)), strings.Compare(b.Generation, a.Generation))
		})
	}
	return list
}

// headerReach is how far into a transcript its header is looked for.
const headerReach = 64 << 10

// kinOf returns the names that a session's header gives it and the session it was forked from.
func kinOf(s *source.Session, reader *jsonl.Reader) (names []string) {
	if !s.InDatabase && s.Bytes == 0 {
		return nil // empty, or a stream, which can be read once
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
		header, ok := rec.Header()
		if !ok {
			continue
		}
		if header.ID != "" {
			names = append(names, familyName(s.Agent, header.ID))
		}
		if parent := header.ParentSession; parent != "" {
			base := parent[strings.LastIndexAny(parent, `/\`)+1:]
			if parsed, ok := source.ParseName(base); ok {
				base = parsed.ID
			}
			names = append(names, familyName(s.Agent, base))
		}
		return names
	}
	return nil
}

// familyName names a session among all: a long id is nobody else's, a short one may be another agent's too.
func familyName(agent, id string) string {
	if len(id) >= 32 {
		return id
	}
	return agent + " " + id
}
