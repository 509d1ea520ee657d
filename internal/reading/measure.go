package reading

import (
	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/config"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window"
)

// WindowOptions are the flags of commands that compare one session with its context window.
type WindowOptions struct {
	CounterOption
	ProgramOption
	Size *int64 // --window
	Leaf string
}

// NewWindowOptions returns the defaults.
func NewWindowOptions() WindowOptions {
	return WindowOptions{CounterOption: CounterOption{Encoding: Encodings[0]}}
}

// Flags describes them; usage says what the window is for.
func (o *WindowOptions) Flags(usage string) []cli.Flag {
	return []cli.Flag{
		cli.TokensFlag(&o.Size, "window", 1, usage).WithDefault("that of the session, or of its model"),
		cli.RequiredTextFlag(&o.Leaf, "leaf", "ID", "end at this entry").WithDefault("the session's last"),
		o.CounterOption.Flag("how to count"),
		o.ProgramOption.Flag(),
	}
}

// A NextOption is --next: the message that is about to be sent.
type NextOption struct{ path string }

// Flag describes it.
func (o *NextOption) Flag() cli.Flag {
	return cli.RequiredTextFlag(&o.path, "next", "FILE",
		"add the message that is about to be sent, from FILE, - for stdin")
}

// Read returns the message, "" without the flag.
func (o *NextOption) Read(a *cli.App, operands []string) (string, error) {
	if o.path == "-" && IsStdin(operands) {
		return "", cli.Usage("stdin cannot be both the transcript and the next message")
	}
	return cli.ReadMessageFile(a, "next", o.path)
}

// IsStdin reports whether the transcript is to be read from stdin.
func IsStdin(operands []string) bool { return len(operands) > 0 && operands[0] == "-" }

// A ReserveOption is --reserve: how much of the window stays free.
type ReserveOption struct{ tokens *int64 }

// Flag describes it.
func (o *ReserveOption) Flag() cli.Flag {
	f := cli.TokensFlag(&o.tokens, "reserve", 0, "a compaction is due if fewer tokens than this are left of the window")
	return f.WithDefault("from the configuration")
}

// Of returns the reserve of a window.
func (o *ReserveOption) Of(size int64, settings *config.Config) (int64, error) {
	switch {
	case o.tokens == nil:
		return window.Reserve(settings, size), nil
	case *o.tokens >= size:
		return 0, cli.Usage("--reserve must be less than the window of %s tokens, got %s",
			ui.Thousands(size), ui.Thousands(*o.tokens))
	}
	return *o.tokens, nil
}

// A SessionContext is a session and what its model sees of it.
type SessionContext struct {
	app        *cli.App
	Transcript *Transcript
	Context    *rebuild.Context
	options    *WindowOptions
	// Asked is the session that was named. It is another one than that of the transcript if a program did its work.
	Asked *source.Session
}

// OpenContext finds and reads the session of a command that works on exactly one.
func OpenContext(
	a *cli.App, operands []string, s cli.Search, o *WindowOptions,
	allows func(*source.Session) error,
) (*SessionContext, error) {
	session, err := OneSession(a, operands, s)
	if err != nil {
		return nil, err
	}
	if err := allows(session); err != nil {
		return nil, err
	}
	asked := session
	if s.Harness != nil {
		if session, err = cli.ContextOf(a, session, *s.Harness); err != nil {
			return nil, err
		}
	}
	t, err := OpenHistory(a, session, o.ProgramOption)
	if err != nil {
		return nil, err
	}
	context, err := t.ContextAt(o.Leaf)
	if err != nil {
		return nil, err
	}
	return &SessionContext{a, t, context, o, asked}, nil
}

// Harness is the program that did the work of the session that was named, if the context is that of its own session.
func (s *SessionContext) Harness() string {
	if s.Asked == s.Transcript.Session {
		return ""
	}
	return s.Transcript.Index.Program.Title
}

// Candidates are the sizes that the command line, the session's registration and its model state.
func (s *SessionContext) Candidates() window.Candidates {
	c := window.Candidates{
		Registration: s.Transcript.Session.Entry.ContextTokens,
		Provider:     s.Context.Answering.Provider, Model: s.Context.Answering.ID,
	}
	if s.options.Size != nil {
		c.CommandLine = *s.options.Size
	}
	return c
}

// ChooseWindow returns the context window. One that is assumed is never used without a note.
func (s *SessionContext) ChooseWindow() (window.Window, error) {
	w, err := s.Candidates().Choose(s.app.AssumeModel)
	if err != nil {
		return w, failure.Reading(s.Transcript.Name, err)
	}
	if words := w.AssumptionWords(); words != "" {
		s.app.Note("%s: %s", s.Transcript.Name, words)
	}
	return w, nil
}

// Measure adds up the context and the message that is about to be sent. What a checkpoint of the provider replaces does
// not count.
func (s *SessionContext) Measure(w window.Window, next string) (*window.Usage, error) {
	counter := s.options.Counter()
	resumption, _ := s.Context.ResumeOwn()
	usage, err := window.Measure(s.Context, s.Transcript.Index.LastCheckpoint(), s.Transcript.AgainFor(s.Context), counter)
	if err != nil {
		return nil, s.Transcript.Failed(err)
	}
	usage.Window, usage.Resumption = w.Tokens, resumption
	if next != "" {
		usage.Next = int64(counter.Count(next)) + tokens.MessageOverhead
	}
	return usage, nil
}
