// Package config is clawctl's configuration: one JSON file with the `session` object of the owner's specification, in
// both shapes that it has there, over defaults.
//
// Every setting has one line in one table (settings.go): how it is read, how it is shown, where it came from. A key
// that the table does not know is an error, as is a value of another type; both are told with their line (tree.go).
// The package takes bytes and names; which file counts, and what flags and the environment say, is decided elsewhere.
package config

// A Config is what is in force: the defaults, and what a file says instead.
type Config struct {
	Session Session

	path  string         // of the file, "" where there is none
	lines map[string]int // where the file sets a setting
}

// Session is where sessions are kept, and what is done when one fills its window.
type Session struct {
	Store      string // sqlite or jsonl
	Path       string // of the store: a database, or a folder of transcripts
	DefaultKey string // the session that is meant where none is named, "" for none
	Inherit    Inherit

	Checkpoint  Checkpoint
	MemoryFlush MemoryFlush
	Compaction  Compaction
}

// Inherit is where sessions of another program are taken from.
type Inherit struct {
	Enabled        bool
	Source, Format string
}

// Checkpoint is when a checkpoint is due, and who writes it.
type Checkpoint struct {
	Enabled                bool
	Model                  string
	FallbackToMain         bool
	TokenThresholdPercents []float64 // of the window, ascending
	TurnThreshold          int       // messages of the user's
	MinTokensForGen        int
}

// MemoryFlush is when the model is asked to write down what it must not forget.
type MemoryFlush struct {
	Enabled            bool
	ShowInSystemPrompt bool             // how full the context is
	Thresholds         []FlushThreshold // ascending
}

// A FlushThreshold is one prompt, and from which size of the context on it is due.
type FlushThreshold struct {
	Percent  float64 // of the window
	Prompt   string
	InjectAs Delivery
	// Once is set where the prompt is delivered once between two compactions.
	Once bool
}

// Delivery is how a prompt reaches the model.
type Delivery string

// The ways to deliver a prompt.
const (
	System Delivery = "system" // in the system prompt
	User   Delivery = "user"   // as a message of the user's
	Marked Delivery = "marked" // as a message of the user's that says that it is none
)

// Compaction is when a context is compacted, and from what.
type Compaction struct {
	ReserveTokens    int
	PreferCheckpoint bool
}

// InheritSource returns where sessions are taken from, "" where nothing says so: the folder of an inherited source, or
// the path of a store that is JSONL itself.
func (s *Session) InheritSource() string {
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

// Default returns what is in force without a file.
func Default() *Config {
	return &Config{Session: Session{
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

// Read returns the defaults with what a file says instead. path is the file's name in errors and origins.
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
