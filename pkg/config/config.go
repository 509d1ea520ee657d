// Package config reads clawctl's configuration: a JSON file with a `session` object, in either of two shapes, and
// defaults for everything the file does not set.
//
// One table (settings.go) has one line per setting: how it is read, how it is shown, and where it came from. A key
// that is not in the table is an error, and so is a value of the wrong type. Both are reported with their line
// (tree.go). The package takes bytes and names. The caller decides which file, flags and variables count.
package config

import "clawctl/pkg/models"

// A Config holds the settings in force: the defaults, overridden by those of a file.
type Config struct {
	Session SessionSettings
	Privacy Privacy
	Sources Sources
	Models  Models

	path  string         // of the file, "" if there is none
	lines map[string]int // the line on which the file sets each setting
}

// Privacy says what commands hide from whoever looks on.
type Privacy struct {
	Mask bool // what looks like a key or a password, also in show and tail
}

// Sources says what is read besides what a command names.
type Sources struct {
	Harness  bool     // the folders of the programs that did the work of OpenClaw's sessions
	Archives []string // archives of another store, or of one that was lost
}

// Models says what is known about models besides the catalogue that is part of clawctl.
type Models struct {
	File      string // a newer catalogue, or ""
	Overrides []models.Override
}

// SessionSettings says where sessions are kept and what happens when one fills its context window.
type SessionSettings struct {
	Store      string // sqlite or jsonl
	Path       string // of the store: a database, or a folder of transcripts
	DefaultKey string // the session to use if none is named, or ""
	TTL        Age    // how long a session may be unused until `prune --store` takes it, or 0 for ever
	Inherit    Inherit

	Checkpoint  Checkpoint
	MemoryFlush MemoryFlush
	Compaction  Compaction
}

// Inherit says where to take sessions of other programs from.
type Inherit struct {
	Enabled        bool
	Source, Format string
}

// Checkpoint says when to make a checkpoint and with which model.
type Checkpoint struct {
	Enabled                bool
	Model                  string
	FallbackToMain         bool
	TokenThresholdPercents []float64 // of the window, ascending
	TurnThreshold          int       // user messages
	MinTokensForGen        int
}

// MemoryFlush says when the model is asked to write important context to memory.
type MemoryFlush struct {
	Enabled            bool
	ShowInSystemPrompt bool             // show the model how full the context is
	Thresholds         []FlushThreshold // ascending
}

// A FlushThreshold is a prompt and the context size at which it is delivered.
type FlushThreshold struct {
	Percent  float64 // of the window
	Prompt   string
	InjectAs Delivery
	// Once means that the prompt is delivered only once between two compactions.
	Once bool
}

// Delivery is how a prompt reaches the model.
type Delivery string

// The ways to deliver a prompt.
const (
	System Delivery = "system" // in the system prompt
	User   Delivery = "user"   // as a user message
	Marked Delivery = "marked" // as a user message that says it was not written by the user
)

// Compaction says when to compact a context.
type Compaction struct {
	ReserveTokens    int
	PreferCheckpoint bool
}

// InheritSource returns where sessions are taken from: the folder of an inherited source, or the path of the store if
// it consists of JSONL files. It returns "" if neither is set.
func (s *SessionSettings) InheritSource() string {
	if s.Inherit.Source == "" && s.Store == JSONL {
		return s.Path
	}
	return s.Inherit.Source
}

// The kinds of store.
const (
	SQLite = "sqlite"
	JSONL  = "jsonl"
)

// Default returns the settings in force without a file.
func Default() *Config {
	return &Config{Session: SessionSettings{
		Store:   SQLite,
		Inherit: Inherit{Enabled: true, Format: JSONL},
		Checkpoint: Checkpoint{Enabled: true, FallbackToMain: true, TokenThresholdPercents: []float64{25, 50, 75},
			TurnThreshold: 15, MinTokensForGen: 10_000},
		MemoryFlush: MemoryFlush{Enabled: true, ShowInSystemPrompt: true, Thresholds: []FlushThreshold{
			{Percent: 50, InjectAs: System, Prompt: "Context at 50%. Consider noting key decisions to memory."},
			{Percent: 75, InjectAs: System, Prompt: "Context at 75%. Write important context to " +
				"memory/YYYY-MM-DD.md now."},
			{Percent: 90, InjectAs: User, Once: true, Prompt: "[SYSTEM: pre-compaction memory flush]\n" +
				"Context at 90%. Compaction imminent.\n" +
				"Store durable memories now (use memory/YYYY-MM-DD.md; create memory/ if needed).\n" +
				"If nothing to store, reply with NO_REPLY."},
		}},
		Compaction: Compaction{ReserveTokens: 4000, PreferCheckpoint: true},
	}}
}

// Read returns the defaults, overridden by the settings of a file. Errors and origins name the file path.
func Read(text []byte, path string) (*Config, error) {
	root, err := parse(text)
	if err != nil {
		err.Path = path
		return nil, err
	}
	c := Default()
	c.path, c.lines = path, map[string]int{}
	if err := c.readObject(root, ""); err != nil {
		err.Path = path
		return nil, err
	}
	return c, nil
}

// IsSet reports whether the file sets a setting.
func (c *Config) IsSet(name string) bool { return c.lines[name] > 0 }
