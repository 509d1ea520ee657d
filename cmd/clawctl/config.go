package main

// The configuration:
//
//   - One JSON file: that of --config, else of CLAWCTL_CONFIG, else clawctl/config.json in the user's folder for
//     configurations. One that was named must be there; the last may be missing.
//   - Flags win over the environment over the file over the defaults. `clawctl env` shows what is in force.
//   - It is read when a command first asks for it, so that a command that needs none works with a broken one.

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"clawctl/pkg/config"
)

// A sourced value says where it comes from.
type sourced struct{ value, from string }

// configuration returns what is in force.
func (a *app) configuration() (*config.Config, error) {
	if a.config != nil {
		return a.config, nil
	}
	path := a.configPath()
	text, err := os.ReadFile(path.value)
	switch {
	case path.value == "" || errors.Is(err, fs.ErrNotExist) && path.from == config.DefaultOrigin:
		a.config = config.Default()
		return a.config, nil
	case err != nil:
		var f *failure
		if errors.As(inputError(path.value, err), &f) {
			f.exit, f.hint = exitUsage, "clawctl help env"
		}
		return nil, f
	}
	if a.config, err = config.Read(text, path.value); err != nil {
		return nil, configError(err)
	}
	return a.config, nil
}

// configPath is the file that the configuration is read from, "" where no home is known.
func (a *app) configPath() sourced {
	if a.configFlag != "" {
		return sourced{expandHome(a.configFlag), "--config"}
	}
	if path := strings.TrimSpace(os.Getenv("CLAWCTL_CONFIG")); path != "" {
		return sourced{expandHome(path), "CLAWCTL_CONFIG"}
	}
	folder, err := os.UserConfigDir()
	if err != nil {
		return sourced{"", config.DefaultOrigin}
	}
	return sourced{filepath.Join(folder, "clawctl", "config.json"), config.DefaultOrigin}
}

// configError gives what is wrong with a configuration its code and hint.
func configError(err error) error {
	var e *config.Error
	if !errors.As(err, &e) {
		return err
	}
	f := &failure{exit: exitUsage, code: codeConfig, path: e.Path, line: int64(e.Line), text: e.Text, hint: "clawctl help env"}
	if near := nearest(e.Key, e.Known); e.Key != "" && near != "" {
		f.text += "; did you mean " + near + "?"
	}
	if e.Syntax {
		f.hint = "jq . " + shellQuote(e.Path)
	}
	return f
}

// storePath is where clawctl's own store lies: as a flag says, CLAWCTL_DB, the configuration where its store is SQLite, or
// the user's folder for data.
func (a *app) storePath(flag string) (sourced, error) {
	if flag != "" {
		return sourced{expandHome(flag), "the command line"}, nil
	}
	if path := strings.TrimSpace(os.Getenv("CLAWCTL_DB")); path != "" {
		return sourced{expandHome(path), "CLAWCTL_DB"}, nil
	}
	c, err := a.configuration()
	if err != nil {
		return sourced{}, err
	}
	if c.Session.Store == config.SQLite && c.Session.Path != "" {
		return sourced{expandHome(c.Session.Path), originOf(c, "session.path")}, nil
	}
	folder, err := dataFolder(runtime.GOOS, os.Getenv)
	if err != nil {
		return sourced{}, usageError("CLAWCTL_DB=sessions.db clawctl env", "no folder for data is known: %v", err)
	}
	return sourced{filepath.Join(folder, "clawctl", "sessions.db"), config.DefaultOrigin}, nil
}

// originOf is where a setting comes from.
func originOf(c *config.Config, name string) string {
	for _, s := range c.Settings() {
		if s.Name == name {
			return s.From
		}
	}
	return config.DefaultOrigin
}

// dataFolder is where the programs of a system keep the user's data. A relative XDG_DATA_HOME counts for nothing, as its
// specification says.
func dataFolder(system string, get func(string) string) (string, error) {
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
	return filepath.Join(home, cmp.Or(dataFolders[system], filepath.Join(".local", "share"))), nil
}

var dataFolders = map[string]string{
	"darwin":  filepath.Join("Library", "Application Support"),
	"windows": filepath.Join("AppData", "Local"),
}

// expandHome replaces a ~ at the beginning of a path by the home folder.
func expandHome(path string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || rest != "" && rest[0] != '/' && rest[0] != filepath.Separator {
		return path
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return path
	}
	return filepath.Join(home, rest)
}
