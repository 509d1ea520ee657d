// Package window knows how many tokens a session's model takes, how many of them the context fills, and what that
// calls for: a checkpoint, a memory flush, or a compaction.
//
// The size of a window has one of three sources (window.go, models.go). A [Fill] sets the context against it (fill.go),
// a [Usage] adds what the context is made of (usage.go), and thresholds.go compares both with the configuration.
package window

import (
	"fmt"

	"clawctl/pkg/config"
)

// A Source says where the size of a window comes from.
type Source string

// The sources of a window's size, in the order in which they count.
const (
	CommandLine  Source = "command line" // the user gave it
	Registration Source = "registration" // sessions.json, or the row of a database, states it for the session
	ModelTable   Source = "model"        // the table of models has it
)

// A Window is the context window of a session.
type Window struct {
	Tokens int64
	Source Source
	Model  string // the model that answers, "" if none has answered yet
}

// Candidates are the sizes among which the window of a session is chosen.
type Candidates struct {
	CommandLine  int64  // 0 if the user gave none
	Registration int64  // 0 if the session is not registered with one
	Model        string // the model that answers
}

// An UnknownModelError reports that nothing states the window of a model.
type UnknownModelError struct{ Model string }

func (e *UnknownModelError) Error() string {
	return fmt.Sprintf("the window of the model %q is not known", e.Model)
}

// Choose returns the window that counts. Its error is an [UnknownModelError].
func (c Candidates) Choose() (Window, error) {
	if c.CommandLine > 0 {
		return Window{c.CommandLine, CommandLine, c.Model}, nil
	}
	if c.Registration > 0 {
		return Window{c.Registration, Registration, c.Model}, nil
	}
	if n, known := OfModel(c.Model); known {
		return Window{n, ModelTable, c.Model}, nil
	}
	return Window{Model: c.Model}, &UnknownModelError{c.Model}
}

// AreEmpty reports whether no model has answered and nothing else states a size. Then nothing can be needed yet.
func (c Candidates) AreEmpty() bool {
	return c.CommandLine == 0 && c.Registration == 0 && c.Model == ""
}

// Reserve returns how many tokens of a window a compaction leaves free. If the configuration does not set it, a quarter
// of a small window is enough.
func Reserve(c *config.Config, window int64) int64 {
	reserve := int64(c.Session.Compaction.ReserveTokens)
	if c.IsSet("session.compaction.reserveTokens") {
		return reserve
	}
	return min(reserve, window/4)
}
