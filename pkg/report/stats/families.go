package stats

import (
	"cmp"
	"context"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"clawctl/internal/parallel"
	"clawctl/internal/textid"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A Family is a group of sessions that may share records. Each of these counts once.
type Family struct {
	Sessions []*source.Session
	Born     time.Time // when the oldest of them began, the zero time if none says so
}

// Families groups sessions that may share records: those of one agent and id, by name, by header or by registration,
// those forked from each other, those with records of another session, and the subagents of programs that record one
// price for all of them. In a family live sessions come first, then the others in the order of their kinds. Subagents
// come after the sessions that started them.
func Families(ctx context.Context, sessions []*source.Session, jobs int) []*Family {
	names, births := joinRelatives(ctx, sessions, jobs)
	families := map[string]*Family{}
	var list []*Family
	for i, s := range sessions {
		name := names.find(familyName(s.Agent, s.ID))
		f := families[name]
		if f == nil {
			f = &Family{}
			families[name] = f
			list = append(list, f)
		}
		f.Sessions = append(f.Sessions, s)
		if born := births[i]; !born.IsZero() && (f.Born.IsZero() || born.Before(f.Born)) {
			f.Born = born
		}
	}
	for _, f := range list {
		slices.SortStableFunc(f.Sessions, compareKinds)
		slices.SortStableFunc(f.Sessions, compareSpawned)
	}
	return list
}

// compareKinds orders sessions by kind, and those of one kind by generation, newest first. A session with records of
// another one comes before that.
func compareKinds(a, b *source.Session) int {
	kind := func(s *source.Session) int { return slices.Index(source.Kinds, s.Kind) }
	joined := func(s *source.Session) int { return int(min(s.JoinedLines(), 1)) }
	return cmp.Or(cmp.Compare(kind(a), kind(b)), cmp.Compare(joined(b), joined(a)),
		strings.Compare(b.Generation, a.Generation))
}

// compareSpawned orders subagents after the other sessions.
func compareSpawned(a, b *source.Session) int {
	isSpawned := func(s *source.Session) int { return min(len(spawnerOf(s)), 1) }
	return cmp.Compare(isSpawned(a), isSpawned(b))
}

// spawnerOf returns the id of the session that started a subagent, or "" if its program names sessions by keys.
func spawnerOf(s *source.Session) string {
	if s.Entry.SpawnedBy() != "" {
		return "" // a key
	}
	return s.SpawnedBy()
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

// joinRelatives joins the names of sessions that belong together. It also returns when each session began.
func joinRelatives(ctx context.Context, sessions []*source.Session, jobs int) (nameUnion, []time.Time) {
	names, births := nameUnion{}, make([]time.Time, len(sessions))
	openings := map[textid.ID]int{} // the first session with an opening
	strays := map[textid.ID]int{}   // sessions that begin with a record of another one
	for i, b := range beginningsOf(ctx, sessions, jobs) {
		own := familyName(sessions[i].Agent, sessions[i].ID)
		names.joinListed(own, sessions[i])
		births[i] = b.born
		for _, relative := range b.relatives {
			names.join(own, relative)
		}
		first, known := openings[b.opening]
		switch {
		case b.opening == (textid.ID{}):
		case known:
			names.join(own, familyName(sessions[first].Agent, sessions[first].ID))
			delete(strays, b.opening)
		default:
			openings[b.opening] = i
			if b.isStray {
				strays[b.opening] = i
			}
		}
	}
	joinStrays(ctx, sessions, strays, jobs, names)
	return names, births
}

// joinListed joins a session with those that its registration and its records from other programs name.
func (u nameUnion) joinListed(own string, s *source.Session) {
	for _, id := range s.Entry.Family {
		u.join(own, familyName(s.Agent, id))
	}
	if spawner := spawnerOf(s); spawner != "" {
		u.join(own, familyName(s.Agent, spawner))
	}
	if s.JoinedLines() == 0 {
		return
	}
	for i := range s.Bindings {
		for _, other := range s.Bindings[i].Files() {
			u.join(own, familyName(other.Agent, other.ID))
		}
	}
}

// beginningsOf reads the beginnings of sessions. If it is canceled, it returns what it has, and the caller checks the
// context.
func beginningsOf(ctx context.Context, sessions []*source.Session, jobs int) []beginning {
	list := make([]beginning, len(sessions))
	_ = parallel.Run(ctx, len(sessions), jobs, newFamilyReader, func(ctx context.Context, r *familyReader, i int) error {
		list[i] = r.beginningOf(ctx, sessions[i])
		return nil
	})
	return list
}

// joinStrays finds the sessions that the first records of others come from. Few homes have such sessions, so all
// sessions are rarely read for that.
func joinStrays(
	ctx context.Context, sessions []*source.Session, strays map[textid.ID]int, jobs int, names nameUnion,
) {
	if len(strays) == 0 || len(sessions) < 2 {
		return
	}
	type match struct{ origin, stray int }
	matches := make([][]match, len(sessions))
	// A canceled search returns what it has. The caller checks the context.
	_ = parallel.Run(ctx, len(sessions), jobs, newFamilyReader, func(ctx context.Context, r *familyReader, i int) error {
		for rec := range r.legibleRecords(ctx, sessions[i], 0) {
			if _, ok := rec.Message(); !ok {
				continue
			}
			if stray, ok := strays[r.keys.content(rec).sum]; ok && stray != i {
				matches[i] = append(matches[i], match{i, stray})
			}
		}
		return nil
	})
	for _, list := range matches {
		for _, m := range list {
			origin, stray := sessions[m.origin], sessions[m.stray]
			names.join(familyName(origin.Agent, origin.ID), familyName(stray.Agent, stray.ID))
		}
	}
}

// headerReach is the number of bytes of a transcript that nearly always have its header and its first message.
const headerReach = 64 << 10

// A beginning is what the first records of a session say about its relatives.
type beginning struct {
	relatives []string  // family names of the session in the header and of the one it was forked from
	opening   textid.ID // of the content of the first message; zero if that has no time
	isStray   bool      // the first message is that of another session: it is older than this one, or follows a summary
	isSpoken  bool      // there is a message
	born      time.Time
}

// mayBeStream reports whether a session is empty, or a stream, which can be read only once.
func mayBeStream(s *source.Session) bool { return !s.InDatabase && s.Bytes == 0 }

// A familyReader looks for relatives in sessions, one after another.
type familyReader struct {
	reader jsonl.Reader
	keys   recordKeys
}

func newFamilyReader() *familyReader { return &familyReader{} }

// beginningOf reads the beginning of a session, up to its first message.
func (r *familyReader) beginningOf(ctx context.Context, s *source.Session) beginning {
	var b beginning
	if mayBeStream(s) {
		return b
	}
	if b = r.readBeginning(r.legibleRecords(ctx, s, headerReach), s.Agent); b.isSpoken {
		return b
	}
	return r.readBeginning(r.legibleRecords(ctx, s, 0), s.Agent) // a long prompt, or an image
}

// readBeginning reads records up to the first message.
func (r *familyReader) readBeginning(records iter.Seq[*jsonl.Record], agent string) beginning {
	var b beginning
	isSummarized := false
	for rec := range records {
		isSummarized = isSummarized || rec.Type() == jsonl.TypeCompaction
		if header, ok := rec.Header(); ok && b.relatives == nil {
			b.relatives = headerNames(agent, header)
			b.born, _ = rec.Time()
		}
		if m, ok := rec.Message(); ok && m.Role() != jsonl.RoleSystem {
			b.isSpoken = true
			at, dated := rec.Time()
			if dated {
				b.opening, b.isStray = r.keys.content(rec).sum, at.Before(b.born)
			}
			if b.born.IsZero() {
				b.born, b.isStray = at, dated && isSummarized // a fork without a header, from the last compaction on
			}
			break
		}
	}
	return b
}

// legibleRecords returns the records of a session that can be read, up to a number of bytes if it is positive.
func (r *familyReader) legibleRecords(
	ctx context.Context, s *source.Session, reach int64,
) iter.Seq[*jsonl.Record] {
	return func(yield func(*jsonl.Record) bool) {
		in, err := s.Open()
		if err != nil {
			return
		}
		defer in.Close()
		stream := in.Reader
		if reach > 0 {
			stream = io.LimitReader(stream, reach)
		}
		r.reader.Reset(stream, jsonl.Options{BeforeRead: ctx.Err})
		for rec, err := range r.reader.All() {
			if err != nil || rec.Legible() && !yield(rec) {
				return
			}
		}
	}
}

// headerNames returns the family names in a header.
func headerNames(agent string, header jsonl.Header) []string {
	var names []string
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
