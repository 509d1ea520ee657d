package shrinking

import (
	"crypto/rand"
	"errors"
	"slices"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/reading"
	"clawctl/internal/writing"
	"clawctl/pkg/config"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/window/compact"
)

// RecordOptions are the flags of compact and checkpoint, which summarize a session in a record.
type RecordOptions struct {
	cli.SourceOptions
	reading.WindowOptions
	SummaryOptions
	Appending writing.AppendOptions
	ifNeeded  bool
}

// NewRecordOptions returns the defaults.
func NewRecordOptions() RecordOptions {
	return RecordOptions{
		WindowOptions: reading.NewWindowOptions(), SummaryOptions: NewSummaryOptions(), Appending: writing.NewAppendOptions(),
	}
}

// Flags describes them.
func (o *RecordOptions) Flags() []cli.Flag {
	return slices.Concat(
		[]cli.Flag{o.FileFlag("read the summary from FILE, - for stdin")},
		o.OtherFlags(),
		o.Appending.Flags(),
		[]cli.Flag{cli.SwitchFlag(&o.ifNeeded, "if-needed", "do nothing and exit 0 if it is not due")},
		o.WindowOptions.Flags("the context window for --if-needed in tokens"),
		o.SourceOptions.Flags(),
	)
}

// check refuses flags that exclude each other.
func (o *RecordOptions) check(operands []string) error {
	switch {
	case o.Appending.Enabled && o.Leaf != "":
		return cli.Conflict("--append", "--leaf")
	case o.File == "-" && reading.IsStdin(operands):
		return cli.Usage("stdin cannot be both the transcript and the summary")
	}
	return o.SummaryOptions.Check()
}

// A Run is one session for which compact or checkpoint makes a record.
type Run struct {
	*cli.App
	Transcript *reading.Transcript
	Context    *reading.SessionContext
	flags      *RecordOptions
	doing      string // what happens to the session, such as "compacted"
	Survey     *compact.Survey
	Summary    compact.Options
	Settings   *config.Config
}

// Open reads the summary, the configuration and the session, which it measures as a program does. nil is the one that
// wrote it.
func Open(
	a *cli.App, o *RecordOptions, operands []string, doing string, like rebuild.Program,
) (*Run, error) {
	if err := o.check(operands); err != nil {
		return nil, err
	}
	r := &Run{App: a, flags: o, doing: doing}
	var err error
	if r.Summary, err = o.compaction(a); err != nil {
		return nil, err
	}
	if r.Settings, err = a.Configuration(); err != nil {
		return nil, err
	}
	s := o.Appending.Search(o.SourceOptions)
	if r.Context, err = reading.OpenContext(a, operands, s, &o.WindowOptions, o.Appending.Allows); err != nil {
		return nil, err
	}
	r.Transcript = r.Context.Transcript
	if r.Survey, err = compact.NewSurvey(r.Context.Context, like, r.Transcript.Again, o.Counter()); err != nil {
		return nil, r.ReadFailed(err)
	}
	return r, nil
}

// IsNeeded decides whether anything is to be done: always without --if-needed, otherwise if it is due for the window.
func (r *Run) IsNeeded(isDue func(size int64) (bool, error)) (bool, error) {
	if !r.flags.ifNeeded {
		return true, nil
	}
	if r.Context.Candidates().AreEmpty() {
		return false, nil
	}
	w, err := r.Context.ChooseWindow()
	if err != nil {
		return false, err
	}
	return isDue(w.Tokens)
}

// MustHaveIDs refuses an empty session, and one whose entries a record could not follow.
func (r *Run) MustHaveIDs() error {
	if r.Survey.CountMessages() == 0 {
		return r.SummaryFailed(&compact.NothingError{})
	}
	return writing.MustNameEntries(r.Transcript)
}

// Stamp returns the clock and the randomness of a new record.
func (r *Run) Stamp() compact.Stamp {
	return compact.Stamp{Now: r.App.Now(), Random: rand.Reader}
}

// Deliver hands on the finished record: to stdout or the file of -o, or with --append to the store.
func (r *Run) Deliver(record []byte) error {
	var err error
	if r.flags.Appending.Enabled {
		err = writing.AddToStore(r.Transcript, record, r.flags.Appending.Lock, r.doing)
	} else {
		err = r.App.Print(writing.OnItsOwnLine(r.Transcript, record))
	}
	if err != nil {
		return err
	}
	return r.Transcript.Damage
}

// ReadFailed reports that reading the session again failed.
func (r *Run) ReadFailed(err error) error {
	if errors.Is(err, rebuild.ErrChanged) {
		return writing.Changed(r.Transcript, r.Transcript.Name, r.doing)
	}
	return r.Transcript.Failed(err)
}

// SummaryFailed reports why there is no summary.
func (r *Run) SummaryFailed(err error) error {
	var nothing *compact.NothingError
	switch {
	case errors.Is(err, rebuild.ErrChanged):
		return r.ReadFailed(err)
	case errors.As(err, &nothing):
		f := nothing.FailureAt(r.Transcript.Name)
		if nothing.Messages > 1 && r.Transcript.Kept == nil {
			f.Hint = "clawctl compact --plan --keep 1m " + failure.Quote(r.Transcript.Session.Place())
		}
		return f
	case errors.Is(err, compact.ErrNoSummary):
		return failure.From(r.Transcript.Name, err)
	case r.Summary.Given != "":
		return r.flags.refuse(err)
	}
	return failure.New(failure.SummarizerFailed, "%v", err).At(r.Transcript.Name).WithAgain("--offline")
}
