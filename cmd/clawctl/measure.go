package main

import (
	"fmt"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/config"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window"
)

// windowOptions are the flags of commands that compare one session with its context window.
type windowOptions struct {
	counterOption
	programOption
	size *int64 // --window
	leaf string
}

func newWindowOptions() windowOptions {
	return windowOptions{counterOption: counterOption{encoding: encodings[0]}}
}

// flags describes them; usage says what the window is for.
func (o *windowOptions) flags(usage string) []flag {
	return []flag{
		tokensFlag(&o.size, "window", 1, usage).withDefault("that of the session, or of its model"),
		requiredTextFlag(&o.leaf, "leaf", "ID", "end at this entry").withDefault("the session's last"),
		o.counterOption.flag("how to count"),
		o.programOption.flag(),
	}
}

// A nextOption is --next: the message that is about to be sent.
type nextOption struct{ path string }

func (o *nextOption) flag() flag {
	return requiredTextFlag(&o.path, "next", "FILE", "add the message that is about to be sent, from FILE, - for stdin")
}

// isSet reports whether the flag was given.
func (o *nextOption) isSet() bool { return o.path != "" }

// read returns the message, "" without the flag.
func (o *nextOption) read(a *app, c *command, operands []string) (string, error) {
	if o.path == "-" && isStdin(operands) {
		return "", c.usage("stdin cannot be both the transcript and the next message")
	}
	return readTextFile(a, o.path)
}

// isStdin reports whether the transcript is to be read from stdin.
func isStdin(operands []string) bool { return len(operands) > 0 && operands[0] == "-" }

// A reserveOption is --reserve: how much of the window stays free.
type reserveOption struct{ tokens *int64 }

func (o *reserveOption) flag() flag {
	f := tokensFlag(&o.tokens, "reserve", 0, "a compaction is due if fewer tokens than this are left of the window")
	return f.withDefault("from the configuration")
}

// of returns the reserve of a window.
func (o *reserveOption) of(size int64, settings *config.Config, c *command) (int64, error) {
	switch {
	case o.tokens == nil:
		return window.Reserve(settings, size), nil
	case *o.tokens >= size:
		return 0, c.usage("--reserve must be less than the window of %s tokens, got %s",
			ui.Thousands(size), ui.Thousands(*o.tokens))
	}
	return *o.tokens, nil
}

// A sessionContext is a session and what its model sees of it.
type sessionContext struct {
	*transcript
	context *rebuild.Context
	options *windowOptions
}

// openContext finds and reads the session of a command that works on exactly one.
func openContext(
	a *app, c *command, operands []string, s search, o *windowOptions, appending *appendOptions,
) (*sessionContext, error) {
	session, err := oneSession(a, c.name, operands, s)
	if err != nil {
		return nil, err
	}
	if err := appending.allows(session); err != nil {
		return nil, err
	}
	t, err := openHistory(a, session, o.programOption)
	if err != nil {
		return nil, err
	}
	context, err := t.contextAt(o.leaf)
	if err != nil {
		return nil, err
	}
	return &sessionContext{t, context, o}, nil
}

// candidates are the sizes that the command line, the session's registration and its model state.
func (s *sessionContext) candidates() window.Candidates {
	c := window.Candidates{Registration: s.session.Entry.ContextTokens, Model: s.context.Answering.ID}
	if s.options.size != nil {
		c.CommandLine = *s.options.size
	}
	return c
}

// chooseWindow returns the context window.
func (s *sessionContext) chooseWindow() (window.Window, error) {
	w, err := s.candidates().Choose()
	if err == nil {
		return w, nil
	}
	text := "no model has answered yet, so its context window is not known"
	if w.Model != "" {
		text = fmt.Sprintf("the context window of the model %q is not known", w.Model)
	}
	return w, failure.Usage(s.commandLine("--window", "200k"), "%s", text)
}

// measure adds up the context and the message that is about to be sent.
func (s *sessionContext) measure(w window.Window, next string) (*window.Usage, error) {
	counter := s.options.counter()
	usage, err := window.Measure(s.context, s.index.LastCheckpoint(), s.againFor(s.context), counter)
	if err != nil {
		return nil, s.failed(err)
	}
	usage.Window = w.Tokens
	if next != "" {
		usage.Next = int64(counter.Count(next)) + tokens.MessageOverhead
	}
	return usage, nil
}
