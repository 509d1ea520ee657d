package main

import "clawctl/internal/failure"

// importSources are what import reads: its operands, or what is meant without any.
func importSources(a *app, operands []string) ([]string, error) {
	if len(operands) > 0 {
		return operands, nil
	}
	c, err := a.configuration()
	if err != nil {
		return nil, err
	}
	if !c.Session.Inherit.Enabled {
		return nil, failure.Usage("clawctl import ~/.openclaw", "the configuration turns inherit off: name what to import")
	}
	return defaultSources(a)
}

// verifySources are what verify compares: its operands, or what is meant without any.
func verifySources(a *app, operands []string) ([]string, error) {
	if len(operands) > 0 {
		return operands, nil
	}
	return defaultSources(a)
}

// defaultSources is the source that the configuration names, or the state folder; never stdin.
func defaultSources(a *app) ([]string, error) {
	c, err := a.configuration()
	if err != nil {
		return nil, err
	}
	if named := c.Session.InheritSource(); named != "" && c.Session.Inherit.Enabled {
		return []string{expandHome(named)}, nil
	}
	state, _ := a.stateDir()
	if !state.Exists {
		return nil, a.noStateDir()
	}
	return []string{state.Path}, nil
}
