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

	// repeated has the number of the session whose records each of them may begin with under new times, or -1.
	repeated []int32
}

// Families groups sessions that may share records: those of one agent and id, by name, by header or by registration,
// those forked from each other, those with records of another session, and the subagents of programs that record one
// price for all of them. In a family live sessions come first, then the others in the order of their kinds. Subagents
// come after the sessions that started them.
func Families(ctx context.Context, sessions []*source.Session, jobs int) []*Family {
	names, beginnings := joinRelatives(ctx, sessions, jobs)
	families := map[string]*Family{}
	var list []*Family
	for _, s := range sessions {
		name := names.find(nameOf(s))
		f := families[name]
		if f == nil {
			f = &Family{}
			families[name] = f
			list = append(list, f)
		}
		f.Sessions = append(f.Sessions, s)
		if born := beginnings[s].born; !born.IsZero() && (f.Born.IsZero() || born.Before(f.Born)) {
			f.Born = born
		}
	}
	for _, f := range list {
		f.order(beginnings)
	}
	return list
}

// order puts the sessions of a family in the order in which they are read. One whose records others may repeat under
// new times comes before them.
func (f *Family) order(beginnings map[*source.Session]*beginning) {
	isSpawned := func(s *source.Session) int { return min(len(spawnerOf(s)), 1) } // such a session is after the others
	slices.SortStableFunc(f.Sessions, func(a, b *source.Session) int {
		return cmp.Or(cmp.Compare(isSpawned(a), isSpawned(b)), compareKinds(a, b),
			compareBirths(beginnings[a].born, beginnings[b].born))
	})
	first := map[string]*source.Session{} // by name
	for _, s := range slices.Backward(f.Sessions) {
		first[nameOf(s)] = s
	}
	ordered, isIn := make([]*source.Session, 0, len(f.Sessions)), map[*source.Session]bool{}
	for _, s := range f.Sessions {
		var before []*source.Session // s, and those that it goes back to
		for s != nil && !isIn[s] {
			isIn[s] = true
			before = append(before, s)
			s = first[beginnings[s].repeated]
		}
		slices.Reverse(before)
		ordered = append(ordered, before...)
	}
	f.Sessions = ordered
	f.number(beginnings)
}

// number finds the number of the session that each one may repeat. If it is missing, the first one that may repeat it
// stands for it.
func (f *Family) number(beginnings map[*source.Session]*beginning) {
	numbers := map[string]int32{}
	numberOf := func(name string, number int32) int32 {
		if first, ok := numbers[name]; ok {
			return first
		}
		numbers[name] = number
		return number
	}
	f.repeated = make([]int32, len(f.Sessions))
	for i, s := range f.Sessions {
		number := int32(i)
		f.repeated[i] = -1
		if name := beginnings[s].repeated; name != "" {
			if n := numberOf(name, number); n != number {
				f.repeated[i] = n
			}
		}
		numberOf(nameOf(s), number)
	}
}

// compareBirths orders sessions by when they began, those that do not say so last.
func compareBirths(a, b time.Time) int {
	if a.IsZero() != b.IsZero() {
		a, b = b, a
	}
	return a.Compare(b)
}

// compareKinds orders sessions by kind, and those of one kind by generation, newest first. A session with records of
// another one comes before that.
func compareKinds(a, b *source.Session) int {
	kind := func(s *source.Session) int { return slices.Index(source.Kinds, s.Kind) }
	joined := func(s *source.Session) int { return int(min(s.JoinedLines(), 1)) }
	return cmp.Or(cmp.Compare(kind(a), kind(b)), cmp.Compare(joined(b), joined(a)),
		strings.Compare(b.Generation, a.Generation))
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

// joinRelatives joins the names of sessions that belong together. It also returns how each session begins.
func joinRelatives(
	ctx context.Context, sessions []*source.Session, jobs int,
) (nameUnion, map[*source.Session]*beginning) {
	names, beginnings := nameUnion{}, map[*source.Session]*beginning{}
	openings := map[textid.ID]int{} // the first session with an opening
	strays := map[textid.ID]int{}   // sessions that begin with a record of another one
	for i, b := range beginningsOf(ctx, sessions, jobs) {
		own := nameOf(sessions[i])
		names.joinListed(own, sessions[i])
		beginnings[sessions[i]] = &b
		for _, relative := range b.relatives {
			names.join(own, relative)
		}
		for _, opening := range b.openings {
			first, known := openings[opening]
			switch {
			case opening == (textid.ID{}):
			case known:
				names.join(own, nameOf(sessions[first]))
				delete(strays, opening)
			default:
				openings[opening] = i
				if b.isStray {
					strays[opening] = i
				}
			}
		}
	}
	joinStrays(ctx, sessions, strays, jobs, names)
	return names, beginnings
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
			u.join(own, nameOf(other))
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
	matches := make([][]int, len(sessions)) // the strays of each session
	// A canceled search returns what it has. The caller checks the context.
	_ = parallel.Run(ctx, len(sessions), jobs, newFamilyReader, func(ctx context.Context, r *familyReader, i int) error {
		for rec := range r.legibleRecords(ctx, sessions[i], 0) {
			if _, ok := rec.Message(); !ok {
				continue
			}
			for _, opening := range r.openings(rec) {
				if stray, ok := strays[opening]; ok && stray != i {
					matches[i] = append(matches[i], stray)
				}
			}
		}
		return nil
	})
	for origin, strays := range matches {
		for _, stray := range strays {
			names.join(nameOf(sessions[origin]), nameOf(sessions[stray]))
		}
	}
}

// headerReach is the number of bytes of a transcript that nearly always have its header and its first message.
const headerReach = 64 << 10

// A beginning is what the first records of a session say about its relatives.
type beginning struct {
	relatives []string     // family names of the session in the header and of the one it was forked from
	repeated  string       // that of the session whose records it may begin with under new times, or ""
	openings  [2]textid.ID // of the content of the first message, and of its id; zero if it cannot be known by it
	isStray   bool         // the first message is that of another session: it is older than this one, or follows a summary
	isSpoken  bool         // there is a message
	born      time.Time
}

// openings identify a message with which a session may begin.
func (r *familyReader) openings(rec *jsonl.Record) (ids [2]textid.ID) {
	if _, isDated := rec.Time(); isDated {
		ids[0] = r.keys.content(rec).sum
	}
	if rec.CopyID().Exists() {
		ids[1] = r.keys.id(rec)
	}
	return ids
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
		if header, ok := rec.Header(); ok {
			b.readHeader(rec, header, agent)
		}
		if m, ok := rec.Message(); ok && m.Role() != jsonl.RoleSystem {
			b.isSpoken = true
			at, dated := rec.Time()
			b.openings, b.isStray = r.openings(rec), dated && at.Before(b.born)
			if b.born.IsZero() {
				b.born, b.isStray = at, dated && isSummarized // a fork without a header, from the last compaction on
			}
			break
		}
	}
	return b
}

// readHeader reads the header, or one after it: that of the session whose records a fork begins with.
func (b *beginning) readHeader(rec *jsonl.Record, header jsonl.Header, agent string) {
	said, _ := rec.Restated()
	if b.relatives == nil {
		b.relatives = headerNames(agent, header)
		b.born, _ = rec.Time()
		if said.Exists() && header.ParentSession != "" && header.History == (jsonl.History{}) {
			b.repeated = familyName(agent, header.ParentSession)
		}
		return
	}
	name := familyName(agent, header.ID)
	if !said.Exists() || header.ID == "" || slices.Contains(b.relatives, name) {
		return
	}
	b.relatives = append(b.relatives, name)
	b.repeated = cmp.Or(b.repeated, name)
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

func nameOf(s *source.Session) string { return familyName(s.Agent, s.ID) }

// familyName identifies a session uniquely. A long id is unique, but several agents may use the same short one.
func familyName(agent, id string) string {
	if len(id) >= 32 {
		return id
	}
	return agent + " " + id
}
