// Package window determines the context window of a session's model, how much of it the context fills, and what that
// triggers: a checkpoint, a memory flush, or a compaction.
//
// The size of a window has one of three sources (window.go). A [Fill] compares the context with it
// (fill.go), a [Usage] adds what the context consists of (usage.go), and thresholds.go compares both with the
// configuration.
package window

import (
	"fmt"

	"clawctl/internal/failure"
	"clawctl/pkg/config"
	"clawctl/pkg/models"
)

// A Source says where the size of a window comes from.
type Source string

// The sources of a window's size, in order of precedence.
const (
	CommandLine  Source = "command line" // the user gave it
	Registration Source = "registration" // sessions.json, or the row of a database, has it for the session
	ModelTable   Source = "model"        // the catalogue of models has it
)

// A Window is the context window of a session.
type Window struct {
	Tokens int64
	Source Source
	Model  string // the model that answers, "" if none has answered yet
	Entry  string // the entry of the catalogue that has the size, "" if it has another source
	// IsAssumed says that the entry is about an older model of the same kind.
	IsAssumed bool
}

// AssumptionWords say which window is assumed for a model that is newer than the catalogue, "" for a known one.
func (w Window) AssumptionWords() string {
	if !w.IsAssumed {
		return ""
	}
	return fmt.Sprintf("the model %q is not known; assuming the window of %s, the newest known one of its kind; "+
		"--window states another", w.Model, w.Entry)
}

// Candidates are the possible sizes of a session's window.
type Candidates struct {
	CommandLine  int64  // 0 if the user gave none
	Registration int64  // 0 if the registration has none
	Provider     string // of the model that answers
	Model        string // the model that answers
}

// An unknownModelError says that the window of a model is unknown.
type unknownModelError struct{ Model string }

func (e *unknownModelError) Error() string {
	if e.Model == "" {
		return "no model has answered yet, so its context window is not known"
	}
	return fmt.Sprintf("the context window of the model %q is not known", e.Model)
}

// FailureAt is the failure of a command that needs the window.
func (e *unknownModelError) FailureAt(string) *failure.Error {
	return failure.Usage("", "%v", e).WithAgain("--window", "200k")
}

// Choose returns the window with the highest precedence. find looks a model up in the catalogue, if that is needed.
func (c Candidates) Choose(find FindModel) (Window, error) {
	if c.CommandLine > 0 {
		return Window{Tokens: c.CommandLine, Source: CommandLine, Model: c.Model}, nil
	}
	if c.Registration > 0 {
		return Window{Tokens: c.Registration, Source: Registration, Model: c.Model}, nil
	}
	known, err := find(c.Provider, c.Model)
	switch {
	case err != nil:
		return Window{Model: c.Model}, err
	case known == nil || known.Entry.Window == 0:
		return Window{Model: c.Model}, &unknownModelError{c.Model}
	}
	return Window{known.Entry.Window, ModelTable, c.Model, known.Name(), known.IsAssumed}, nil
}

// A FindModel returns what is known about a model, nil if nothing is. It fails if the catalogue cannot be read.
type FindModel func(provider, model string) (*models.Match, error)

// AreEmpty reports whether no model has answered and there is no other size. In that case nothing can be needed yet.
func (c Candidates) AreEmpty() bool {
	return c.CommandLine == 0 && c.Registration == 0 && c.Model == ""
}

// Reserve returns the number of tokens of a window that a compaction leaves free. If the configuration does not set it,
// a quarter of a small window is enough.
func Reserve(c *config.Config, window int64) int64 {
	reserve := int64(c.Session.Compaction.ReserveTokens)
	if c.IsSet("session.compaction.reserveTokens") {
		return reserve
	}
	return min(reserve, window/4)
}
