package stats

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
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
	parser := &jsonl.Parser{}
	name := func(s *source.Session) string { return s.Agent + " " + s.ID }
	for _, s := range sessions {
		if ctx.Err() != nil {
			break
		}
		for _, kin := range kinOf(s, parser) {
			if a, b := find(name(s)), find(s.Agent+" "+kin); a != b {
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

// kinOf returns the ids that a session's header names: its own, and that of the session it was forked from.
func kinOf(s *source.Session, parser *jsonl.Parser) (ids []string) {
	if !s.InDatabase && s.Bytes == 0 {
		return nil // empty, or a stream, which can be read once
	}
	in, err := s.Open()
	if err != nil {
		return nil
	}
	defer in.Close()
	line, err := bufio.NewReaderSize(in.Reader, 4096).ReadSlice('\n')
	if err != nil {
		return nil
	}
	rec := parser.Parse(slices.Clone(line[:len(line)-1]), 1, 0)
	header, ok := rec.Header()
	if !ok {
		return nil
	}
	if header.ID != "" {
		ids = append(ids, header.ID)
	}
	if parent := header.ParentSession; parent != "" {
		base := parent[strings.LastIndexAny(parent, `/\`)+1:]
		if parsed, ok := source.ParseName(base); ok {
			base = parsed.ID
		}
		ids = append(ids, base)
	}
	return ids
}
