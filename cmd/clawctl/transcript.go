package main

import (
	"bytes"
	"io"
	"iter"
	"os"
	"runtime/debug"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"

	"github.com/urfave/cli/v2"
)

// oneSession resolves the argument of a command that works on exactly one session. Without an argument that is stdin for
// a command that reads it, and else the one session of the user's state folder.
func (a *app) oneSession(ctx *cli.Context, readsStdin bool) (*source.Session, error) {
	args := ctx.Args().Slice()
	name := ctx.Command.Name
	switch {
	case len(args) > 1:
		return nil, usageError("clawctl help "+name, "%s takes one session, not %d arguments", name, len(args))
	case len(args) == 0 && ctx.Bool("append"):
		own, err := a.storePath("")
		if err != nil {
			return nil, err
		}
		args = []string{own.value}
	case len(args) == 0 && !readsStdin:
		var err error
		if args, err = a.stateDir(); err != nil {
			return nil, err
		}
	case len(args) == 0 && isTerminal(a.stdin):
		return nil, usageError("clawctl help "+name, "no transcript given, and stdin is a terminal")
	case len(args) == 0:
		args = []string{"-"}
	}
	f, err := a.find(ctx, args, []source.Kind{source.Live}, true)
	if err != nil {
		return nil, err
	}
	if ctx.NArg() == 0 && len(f.sessions) > 1 && !f.named {
		if s, err := a.defaultSession(f.sessions); s != nil || err != nil {
			return s, err
		}
	}
	if len(f.sessions) > 1 {
		return nil, manySessions(args[0], f.sessions)
	}
	return f.sessions[0], mayAppend(ctx, f.sessions[0])
}

// defaultSession is the session that the configuration names for where none is named; nil where it names none of these.
func (a *app) defaultSession(sessions []*source.Session) (*source.Session, error) {
	c, err := a.configuration()
	if err != nil || c.Session.DefaultKey == "" {
		return nil, err
	}
	for _, s := range sessions {
		if s.Name() == c.Session.DefaultKey {
			return s, nil
		}
	}
	return nil, nil
}

// manySessions is the error for a place that holds more than the one session that is needed.
func manySessions(place string, sessions []*source.Session) error {
	return usageError("clawctl sessions "+shellQuote(place), "%s holds %d sessions, and one is needed: PLACE#SESSION names it.%s", place, len(sessions), nameList(sessions))
}

// nameList is the first ten names of sessions, each on a line of its own.
func nameList(sessions []*source.Session) string {
	names := ""
	for _, s := range sessions[:min(10, len(sessions))] {
		names += "\n  " + s.Name()
	}
	if len(sessions) > 10 {
		names += "\n  ..."
	}
	return names
}

// A transcript is one session that is read twice: once for its index, and again for the text that is wanted of it. What
// cannot be opened twice, such as a pipe, is kept in memory.
type transcript struct {
	*app
	session *source.Session
	index   *rebuild.Index
	name    string // in reports
	damage  error  // errDamaged, where some lines were
	unended bool   // the last line has no line end
	size    int64  // of its text
	kept    *bytes.Buffer
	input   *source.Input // being read
	reader  *jsonl.Reader
}

// openTranscript reads a session into an index. Damaged lines are reported and cost nothing but themselves.
func (a *app) openTranscript(s *source.Session) (*transcript, error) {
	t := &transcript{app: a, session: s, reader: &jsonl.Reader{}}
	in, err := s.Open()
	if err != nil {
		return nil, inputError(s.Place(), err)
	}
	defer in.Close()
	t.input, t.name = in, in.Name
	var stream io.Reader = in
	if !opensAgain(s) {
		t.kept = &bytes.Buffer{}
		stream = io.TeeReader(in, t.kept)
	}
	damage := &damageLog{app: a, name: in.Name}
	t.reader.Reset(stream, jsonl.Options{BeforeRead: t.beforeRead})
	t.index, err = rebuild.Scan(t.reader, func(rec *jsonl.Record) {
		damage.count(rec)
		t.unended = rec.Raw[len(rec.Raw)-1] != '\n'
	})
	if err != nil {
		return nil, t.failed(err)
	}
	t.size = t.reader.Offset()
	t.damage = damage.finish(t.reader.Dialect())
	if t.damage != nil && t.damage != errDamaged {
		return nil, t.damage
	}
	return t, nil
}

// opensAgain reports whether a session can be read a second time.
func opensAgain(s *source.Session) bool {
	if s.InDatabase {
		return true
	}
	info, err := os.Stat(s.Path)
	return err == nil && info.Mode().IsRegular()
}

// again reads the records once more.
func (t *transcript) again() iter.Seq2[*jsonl.Record, error] {
	return func(yield func(*jsonl.Record, error) bool) {
		var stream io.Reader
		if t.kept != nil {
			stream = bytes.NewReader(t.kept.Bytes())
		} else {
			in, err := t.session.Open()
			if err != nil {
				yield(nil, err)
				return
			}
			defer in.Close()
			t.input, stream = in, in
		}
		t.reader.Reset(stream, jsonl.Options{BeforeRead: t.beforeRead})
		for rec, err := range t.reader.All() {
			if !yield(rec, err) {
				return
			}
		}
	}
}

// beforeRead notices an interruption, and shows how far it is.
func (t *transcript) beforeRead() error {
	if err := t.ctx.Err(); err != nil {
		return err
	}
	t.progress.show(t.input.Name, t.input.Position(t.reader.Offset()), t.input.Size)
	return nil
}

// failed gives an error of reading or writing its report.
func (t *transcript) failed(err error) error {
	if t.ctx.Err() != nil {
		return errInterrupted
	}
	return t.readError(t.name, err)
}

// collectLess makes the garbage collector come late, for work that makes much garbage and keeps little: an import is a
// tenth faster for some 15 MB more. It returns what restores the old state.
func collectLess() func() {
	before := debug.SetGCPercent(150)
	return func() { debug.SetGCPercent(before) }
}

// keepSmall makes the garbage collector come early: an index is large and free of pointers, so that a collection takes
// a few milliseconds, and one that comes late doubles the memory. It returns what restores the old state.
func keepSmall() func() {
	before := debug.SetGCPercent(30)
	return func() { debug.SetGCPercent(before) }
}
