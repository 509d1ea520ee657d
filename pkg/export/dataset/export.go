package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"clawctl/internal/parallel"
	"clawctl/pkg/change"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// Options say what is written.
type Options struct {
	Program   string          // the version of clawctl; another one reads everything again
	Host      string          // "" if only one host writes the dataset; see ValidHost
	RawLines  bool            // write the table of raw lines
	NoContent bool            // write no texts
	Redact    bool            // replace secrets in texts
	Rules     []*secrets.Rule // for secrets beside those of the table
	Force     bool            // replace a dataset of other sources, and use a folder with other files
	Jobs      int             // batches to read at the same time, 0 for one per core
	Now       time.Time
	// Describe returns the code and the words for a session that cannot be read to its end.
	Describe func(s *source.Session, err error) (code, message string)
}

// A Result says what a run has done.
type Result struct {
	Manifest *Manifest
	Counts   Counts
	Written  int // files
	Removed  int // files
	Unread   []Unread
	Left     []redact.LeftName // what the dataset still has of secrets, in all its batches
	// Replaced is what the redaction dropped besides secrets.
	Replaced redact.Counts
}

// An Unread is a session that could not be read to its end.
type Unread struct {
	Session *source.Session
	Err     error
}

// ValidHost reports whether a host may have that name. It is part of file names on every system.
func ValidHost(name string) bool {
	isPlain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= '0' && r <= '9' || strings.ContainsRune("-_.", r)
	}
	return name != "" && len(name) <= 64 && !strings.ContainsFunc(name, func(r rune) bool { return !isPlain(r) }) &&
		name[0] != '.' && name[0] != '-'
}

// An Export is one run.
type Export struct {
	options  Options
	root     *os.Root
	sessions []*source.Session
	names    map[*source.Session]string
	stamps   map[*source.Session]string
	bytes    int64 // of all sessions
	old      *Manifest

	mutex   sync.Mutex
	staged  []stagedFile
	present map[string]bool // paths of files that are staged or in place
	unread  []Unread
}

// Run brings the dataset in a folder up to date with the sessions.
func Run(ctx context.Context, folder string, sessions []*source.Session, opts Options) (*Result, error) {
	root, err := os.OpenRoot(folder)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	x := &Export{options: opts, root: root, sessions: sessions, names: nameTranscripts(sessions),
		bytes: source.TotalBytes(sessions), present: map[string]bool{}}
	if err := x.checkFolder(); err != nil {
		return nil, err
	}
	lock, err := change.Lock(folder+string(os.PathSeparator)+manifestName(opts.Host), opts.Now)
	if err != nil {
		return nil, err
	}
	defer lock.Release()
	return x.run(ctx)
}

func (x *Export) run(ctx context.Context) (*Result, error) {
	var err error
	if x.old, err = readManifest(x.root, x.options.Host); err != nil && !x.options.Force {
		return nil, err
	} else if err != nil {
		x.old = &Manifest{}
	}
	sources := x.sourcesDigest()
	if x.old.Sources != "" && x.old.Sources != sources && !x.options.Force {
		return nil, errOtherSources
	}
	state := x.takeStamps()
	isSame := x.old.sameOptions(x.options)
	isLost := func(f File) bool { return !x.isInPlace(f) }
	if isSame && x.old.State == state && x.old.isComplete() && !slices.ContainsFunc(x.old.Files, isLost) {
		return x.result(x.old), nil
	}
	next := &Manifest{
		SchemaVersion: schemaVersion, Program: x.options.Program, Host: x.options.Host, RawLines: x.options.RawLines,
		NoContent: x.options.NoContent, Redacted: x.options.Redact, Values: len(x.options.Rules) > 0,
		Sources: sources, State: state,
	}
	defer x.removeStage()
	if err := x.readBatches(ctx, next, isSame); err != nil {
		return nil, err
	}
	return x.publish(ctx, next)
}

// result sums up a run.
func (x *Export) result(m *Manifest) *Result {
	r := &Result{Manifest: m, Unread: x.unread}
	for _, b := range m.Batches {
		r.Counts.add(b.Counts)
		r.Left = append(r.Left, b.Left...)
		r.Replaced.Checkpoints += b.Checkpoints
	}
	r.Left = redact.SortNames(r.Left)
	return r
}

// sourcesDigest returns a digest of the folders that are read. The paths themselves are nobody else's business.
func (x *Export) sourcesDigest() string {
	var roots []string
	for _, s := range x.sessions {
		roots = append(roots, s.Root)
	}
	slices.Sort(roots)
	return digestOf(slices.Compact(roots)...)
}

func digestOf(texts ...string) string {
	h := sha256.New()
	for _, text := range texts {
		h.Write([]byte(text))
		h.Write([]byte{0})
	}
	return hex.EncodeToString(h.Sum(nil))
}

// takeStamps stamps all sessions, before any of them is read: what changes later is noticed by the next run. It returns
// the state of all of them.
func (x *Export) takeStamps() string {
	x.stamps = map[*source.Session]string{}
	texts := make([]string, len(x.sessions))
	for i, s := range x.sessions {
		text, err := x.stamp(s)
		if err != nil {
			text = err.Error() // reading it will fail too
		}
		x.stamps[s], texts[i] = text, text
	}
	return digestOf(texts...)
}

// readBatches reads the batches that have changed, and adds all of them to the manifest.
func (x *Export) readBatches(ctx context.Context, next *Manifest, isSame bool) error {
	batches := x.planBatches(stats.Families(ctx, x.sessions, x.options.Jobs))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if isSame {
		batches = x.keepBatches(batches, next)
	}
	return parallel.Run(ctx, len(batches), x.options.Jobs, x.newWorker, func(ctx context.Context, w *worker, i int) error {
		done, files, err := w.read(ctx, batches[i])
		if err != nil {
			return err
		}
		x.mutex.Lock()
		defer x.mutex.Unlock()
		next.Batches = append(next.Batches, done)
		next.Files = append(next.Files, files...)
		return nil
	})
}

// keepBatches adds the batches that have not changed to the manifest, and returns the others.
func (x *Export) keepBatches(batches []*batch, next *Manifest) []*batch {
	var changed []*batch
	known := map[string]Batch{}
	for _, b := range x.old.Batches {
		known[b.Name] = b
	}
	files := map[string][]File{}
	lost := map[string]bool{}
	for _, f := range x.old.Files {
		files[f.Batch] = append(files[f.Batch], f)
		lost[f.Batch] = lost[f.Batch] || !x.isInPlace(f)
	}
	for _, b := range batches {
		old, ok := known[b.name]
		if !ok || old.State != b.state || old.Incomplete || lost[b.name] {
			changed = append(changed, b)
			continue
		}
		next.Batches = append(next.Batches, old)
		next.Files = append(next.Files, files[b.name]...)
	}
	return changed
}

func (x *Export) addUnread(list []Unread) {
	x.mutex.Lock()
	defer x.mutex.Unlock()
	x.unread = append(x.unread, list...)
}
