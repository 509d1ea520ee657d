package cli

import "clawctl/internal/failure"

// ImportSources are what import reads: its operands, or what is meant without any.
func ImportSources(a *App, operands []string) ([]string, error) {
	if len(operands) > 0 {
		return operands, nil
	}
	c, err := a.Configuration()
	if err != nil {
		return nil, err
	}
	if !c.Session.Inherit.Enabled {
		hint := "clawctl help import"
		if state, _ := a.StateDir(); state.Exists {
			hint = a.CommandLine(state.Path)
		}
		return nil, failure.Usage(hint, "the configuration turns inherit off: name what to import")
	}
	return defaultSources(a)
}

// VerifySources are what verify compares: its operands, or what is meant without any.
func VerifySources(a *App, operands []string) ([]string, error) {
	if len(operands) > 0 {
		return operands, nil
	}
	return defaultSources(a)
}

// defaultSources is the source that the configuration names, or the state folder; never stdin.
func defaultSources(a *App) ([]string, error) {
	c, err := a.Configuration()
	if err != nil {
		return nil, err
	}
	if named := c.Session.InheritSource(); named != "" && c.Session.Inherit.Enabled {
		return []string{ExpandHome(named)}, nil
	}
	state, _ := a.StateDir()
	if !state.Exists {
		return nil, a.NoStateDir()
	}
	return []string{state.Path}, nil
}
