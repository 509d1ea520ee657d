package cli

// Where settings come from:
//
//   - The configuration is one JSON file: that of --config, else of CLAWCTL_CONFIG, else clawctl/config.json in the
//     user's configuration folder. A file that was named must exist; the last may be missing.
//   - Flags win over the environment, that over the file, that over the defaults. `clawctl env` shows what is in force.
//   - It is read when a command first asks for it, so that a command that needs none works with a broken one.

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"clawctl/internal/failure"
	"clawctl/internal/openfile"
	"clawctl/internal/portable"
	"clawctl/pkg/config"
	"clawctl/pkg/dialect"
	"clawctl/pkg/models"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
)

// An environment is where this user keeps things, and the configuration.
type environment struct {
	configFlag   string         // --config
	config       *config.Config // once it was asked for
	catalogue    *models.Catalogue
	sourceLookup *source.Lookup // once it was asked for
}

// A setting is a value and where it comes from.
type setting struct{ Value, From string }

// StateDir returns the user's state folder, and the others that exist beside it.
func (e *environment) StateDir() (openclaw.StateDir, []openclaw.StateDir) {
	home, _ := os.UserHomeDir() // without one, a variable may still name the folder
	return openclaw.FindStateDir(os.Getenv, home)
}

// Programs returns where the programs of this user keep their sessions.
func (e *environment) Programs() dialect.Environment {
	home, _ := os.UserHomeDir()
	dir, _ := e.StateDir()
	if absolute, err := filepath.Abs(dir.Path); err == nil {
		dir.Path = absolute
	}
	return dialect.Environment{Get: os.Getenv, UserHome: home, StateDir: dir.Path}
}

// NoStateDir is the failure of a command that needs the state folder if there is none.
func (e *environment) NoStateDir() *failure.Error {
	dir, _ := e.StateDir()
	return failure.New(failure.NotFound, "no OpenClaw state folder").At(dir.Path).WithHint("clawctl env")
}

// noStore is the failure of a command that needs clawctl's store if there is none.
func (e *environment) noStore() error {
	own, err := e.StorePath("")
	if err != nil {
		return err
	}
	return failure.New(failure.NotFound, "no clawctl store").At(own.Value).WithHint("clawctl import")
}

// Configuration returns what is in force.
func (e *environment) Configuration() (*config.Config, error) {
	if e.config != nil {
		return e.config, nil
	}
	path := e.ConfigPath()
	text, err := openfile.Content(path.Value, maxText)
	switch {
	case path.Value == "" || errors.Is(err, fs.ErrNotExist) && path.From == config.DefaultOrigin:
		e.config = config.Default()
		return e.config, nil
	case err != nil:
		return nil, configFileError(path.From, path.Value, err)
	}
	if e.config, err = config.Read(text, path.Value); err != nil {
		e.config = nil
		return nil, failure.Reading(path.Value, err)
	}
	return e.config, nil
}

// Catalogue returns what is known about models: the table that is part of clawctl, below the file and the settings of
// the configuration.
func (e *environment) Catalogue() (*models.Catalogue, error) {
	if e.catalogue != nil {
		return e.catalogue, nil
	}
	c, err := e.Configuration()
	if err != nil {
		return nil, err
	}
	catalogue := models.BuiltIn()
	if c.Models.File != "" {
		path := ExpandHome(c.Models.File)
		newer, err := models.Load(path)
		if err != nil {
			return nil, catalogueError(originOf(c, "models.file"), path, err)
		}
		catalogue = newer.Over(catalogue)
	}
	e.catalogue = catalogue.With(c.Models.Overrides)
	return e.catalogue, nil
}

// AssumeModel is FindModel for a window, of which the caller says where it comes from. A model that is newer than the
// catalogue gets the entry of an older one.
func (e *environment) AssumeModel(provider, model string) (*models.Match, error) {
	catalogue, err := e.Catalogue()
	if err != nil {
		return nil, err
	}
	return catalogue.FindOrAssume(provider, model), nil
}

// FindModel looks a model up in the catalogue. It returns nil if the model is not known.
func (e *environment) FindModel(provider, model string) (*models.Match, error) {
	catalogue, err := e.Catalogue()
	if err != nil {
		return nil, err
	}
	return catalogue.Find(provider, model), nil
}

// catalogueError is the failure of a catalogue that the configuration names and that cannot be read.
func catalogueError(from, path string, err error) error {
	f := failure.Reading(path, err).WithExit(failure.ExitUsage)
	if f.Code == failure.NotFound {
		f.Text = "models.file of " + from + " takes a file or a folder, and there is none with this name"
		f.Hint = "clawctl help models"
	}
	return f
}

// configFileError is the failure of a configuration that a flag or a variable names and that cannot be read.
func configFileError(from, path string, err error) error {
	f := InputError(path, err).WithExit(failure.ExitUsage).WithHint("clawctl help config")
	if f.Code == failure.NotFound {
		f.Text = from + " takes a file, and there is none with this name"
	}
	return f
}

// ConfigPath is the file that the configuration is read from, "" if no home is known.
func (e *environment) ConfigPath() setting {
	if e.configFlag != "" {
		return setting{ExpandHome(e.configFlag), "--config"}
	}
	if path := strings.TrimSpace(os.Getenv("CLAWCTL_CONFIG")); path != "" {
		return setting{ExpandHome(path), "CLAWCTL_CONFIG"}
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return setting{"", config.DefaultOrigin}
	}
	return setting{filepath.Join(folder, "clawctl", "config.json"), config.DefaultOrigin}
}

// storeVariable names the store.
const storeVariable = "CLAWCTL_DB"

// StorePath is where clawctl's own store lies: as a flag says, CLAWCTL_DB, the configuration if its store is SQLite, or
// the user's data folder.
func (e *environment) StorePath(flag string) (setting, error) {
	if flag != "" {
		return setting{ExpandHome(flag), "the command line"}, nil
	}
	if path := strings.TrimSpace(os.Getenv(storeVariable)); path != "" {
		return setting{ExpandHome(path), storeVariable}, nil
	}
	c, err := e.Configuration()
	if err != nil {
		return setting{}, err
	}
	if c.Session.Store == config.SQLite && c.Session.Path != "" {
		return setting{ExpandHome(c.Session.Path), originOf(c, "session.path")}, nil
	}
	folder, err := DataFolder(runtime.GOOS, os.Getenv)
	if err != nil {
		return setting{}, failure.Usage("CLAWCTL_DB=sessions.db clawctl env", "no data folder is known: %v", err)
	}
	return setting{filepath.Join(folder, "clawctl", "sessions.db"), config.DefaultOrigin}, nil
}

// originOf is where a setting of the configuration comes from.
func originOf(c *config.Config, name string) string {
	for _, s := range c.Settings() {
		if s.Name == name {
			return s.From
		}
	}
	return config.DefaultOrigin
}

// DataFolder is where the programs of a system keep the user's data. A relative XDG_DATA_HOME is ignored, as its
// specification says.
func DataFolder(system string, get func(string) string) (string, error) {
	if folder := get("XDG_DATA_HOME"); filepath.IsAbs(folder) {
		return folder, nil
	}
	if system == "windows" && get("LocalAppData") != "" {
		return get("LocalAppData"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(home, cmp.Or(dataFolders()[system], filepath.Join(".local", "share"))), nil
}

var dataFolders = sync.OnceValue(func() map[string]string {
	return map[string]string{
		"darwin":  filepath.Join("Library", "Application Support"),
		"windows": filepath.Join("AppData", "Local"),
	}
})

// Absolute is a path from the root, which names a folder even if it is a dot.
func Absolute(path string) string {
	if full, err := filepath.Abs(path); err == nil {
		return full
	}
	return path
}

// ExpandHome replaces a ~ at the beginning of a path by the home folder.
func ExpandHome(path string) string {
	home, _ := os.UserHomeDir()
	return portable.ExpandHome(path, home)
}

// Archives are the archives that the configuration names.
func Archives(a *App) (paths []string, err error) {
	c, err := a.Configuration()
	if err != nil {
		return nil, err
	}
	for _, path := range c.Sources.Archives {
		paths = append(paths, ExpandHome(path))
	}
	return paths, nil
}
