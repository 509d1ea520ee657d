package dataset

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash/fnv"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/parquet"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// batchBytes is the size up to which families share a batch, if they belong to one agent and began in one month.
const batchBytes = 64 << 20

// A batch is a group of families that one worker reads.
type batch struct {
	name     string
	state    string // changes with the sessions
	families []*stats.Family
	bytes    int64
}

// planBatches divides families into batches, by agent and month, and these into a power of two of parts, so that a
// growing month seldom moves families to other batches.
func (x *Export) planBatches(families []*stats.Family) []*batch {
	groups := map[string]*batch{}
	for _, f := range families {
		name := f.Sessions[0].Agent + "/" + stats.Month(f.Born)
		if groups[name] == nil {
			groups[name] = &batch{name: name}
		}
		groups[name].add(f)
	}
	var list []*batch
	for _, group := range groups {
		list = append(list, x.splitBatch(group)...)
	}
	for _, b := range list {
		slices.SortFunc(b.families, func(f, g *stats.Family) int { return cmp.Compare(x.nameOf(f), x.nameOf(g)) })
		b.state = x.stateOf(b)
	}
	slices.SortFunc(list, func(a, b *batch) int { // the largest first, because the last one to end decides
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.name, b.name))
	})
	return list
}

func (b *batch) add(f *stats.Family) {
	b.families = append(b.families, f)
	b.bytes += source.TotalBytes(f.Sessions)
}

// splitBatch divides a batch that is too large.
func (x *Export) splitBatch(group *batch) []*batch {
	var list []*batch
	n := 1
	for int64(n)*batchBytes < group.bytes {
		n *= 2
	}
	split := make([]*batch, n)
	for _, f := range group.families {
		h := fnv.New32a()
		h.Write([]byte(x.nameOf(f)))
		i := h.Sum32() % uint32(n)
		if split[i] == nil {
			split[i] = &batch{name: fmt.Sprintf("%s/%d-%d", group.name, i, n)}
			list = append(list, split[i])
		}
		split[i].add(f)
	}
	return list
}

// nameOf returns the name of a family: the least of the names of its transcripts.
func (x *Export) nameOf(f *stats.Family) string {
	name := x.names[f.Sessions[0]]
	for _, s := range f.Sessions {
		name = min(name, x.names[s])
	}
	return name
}

// nameTranscripts gives every session a name that does not depend on where its home is: the path below the folder that
// was searched. If there are several such folders, each has a name before it.
func nameTranscripts(sessions []*source.Session) map[*source.Session]string {
	roots := map[string]string{}
	taken := map[string]bool{}
	for _, s := range sessions {
		if _, known := roots[s.Root]; known {
			continue
		}
		base := filepath.Base(s.Root)
		name := base
		for i := 2; taken[name]; i++ {
			name = base + "-" + strconv.Itoa(i)
		}
		taken[name] = true
		roots[s.Root] = name
	}
	names := map[*source.Session]string{}
	for _, s := range sessions {
		name := s.Below
		if s.InDatabase && !strings.Contains(name, "#") {
			name += "#" + s.Name()
		}
		if len(roots) > 1 {
			name = roots[s.Root] + "/" + name
		}
		names[s] = name
	}
	return names
}

// stamp returns a text that changes whenever the rows of a session may change.
func (x *Export) stamp(s *source.Session) (string, error) {
	stamp, err := s.Stamp()
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%s\x00%v\x00%s\x00%s\x00%s\x00%s\x00%v\x00%d\x00%v\n", x.names[s], stamp, s.Key, s.Agent, s.Kind,
		s.Generation, s.Listed, s.Entry.TotalTokens, s.Entry.Family), nil
}

// stateOf returns the digest of the stamps of a batch.
func (x *Export) stateOf(b *batch) string {
	h := sha256.New()
	for _, f := range b.families {
		for _, s := range f.Sessions {
			h.Write([]byte(x.stamps[s]))
		}
		h.Write([]byte("\n"))
	}
	return hex.EncodeToString(h.Sum(nil))
}

// A worker reads batches.
type worker struct {
	walker *stats.Walker
	reader *reader
}

func (x *Export) newWorker() *worker {
	w := &worker{
		walker: stats.NewWalker(stats.Options{Jobs: x.options.Jobs}, x.bytes),
		reader: &reader{export: x, set: &partitionSet{codec: parquet.NewCodec(), open: map[partition]*parquet.Builder{}}},
	}
	return w
}

// read reads a batch, and returns what is to be noted in the manifest.
func (w *worker) read(ctx context.Context, b *batch) (Batch, []File, error) {
	r := w.reader
	var files []File
	r.ctx, r.counts, r.unread, r.failed, r.left = ctx, Counts{}, nil, nil, nil
	r.set.finish = func(p partition, built *parquet.Builder) error {
		file, err := r.export.stage(p, built)
		file.Batch = b.name
		files = append(files, file)
		return err
	}
	for _, f := range b.families {
		if err := r.readFamily(ctx, w.walker, f); err != nil {
			return Batch{}, nil, err
		}
	}
	if err := r.set.endAll(); err != nil {
		return Batch{}, nil, err
	}
	r.export.addUnread(r.unread)
	return Batch{
		Name: b.name, State: b.state, Incomplete: len(r.unread) > 0, Counts: r.counts, Left: redact.SortNames(r.left),
		Checkpoints: r.checkpoints,
	}, files, nil
}

// readFamily reads a family. If secrets are replaced, it is read twice: what is found in one of its sessions is
// replaced in all of them.
func (r *reader) readFamily(ctx context.Context, walker *stats.Walker, f *stats.Family) error {
	if r.redact = nil; r.export.options.Redact {
		survey := redact.NewSurvey(r.export.options.Rules...)
		for _, s := range f.Sessions {
			if err := r.survey(ctx, survey, s); err != nil {
				return err
			}
		}
		r.redact = survey.Redactor()
	}
	err := cmp.Or(walker.Family(ctx, f, r), r.failed)
	if r.redact != nil {
		r.left = append(r.left, r.redact.Counts.Left()...)
		r.checkpoints += r.redact.Counts.Checkpoints
	}
	return err
}

// survey searches a session for secrets. That it cannot be read is found again when it is read for its rows.
func (r *reader) survey(ctx context.Context, survey *redact.Survey, s *source.Session) error {
	if in, err := s.Open(); err == nil {
		_, _ = survey.Session(in, jsonl.Options{BeforeRead: ctx.Err, Jobs: 1})
		in.Close()
	}
	return ctx.Err()
}
