package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/export/dataset"
	"clawctl/pkg/source"
)

// splitHosts takes the names off arguments of the form NAME=PATH. It returns the arguments without names, and the names
// by path. An existing path always wins, so only an argument that is none, and has one after the =, has a name.
func splitHosts(arguments []string) (places []string, given map[string]string, err error) {
	given = map[string]string{}
	for _, argument := range arguments {
		name, place, ok := strings.Cut(argument, "=")
		place = ExpandHome(place)
		path, _, _, missing := source.SplitPlace(place)
		if !ok || missing != nil || place == "" || IsPath(argument) {
			places = append(places, argument)
			continue
		}
		host, err := CheckHost(name)
		if err != nil {
			return nil, nil, failure.Usage("clawctl help sources", "the name of a host %v", err)
		}
		given[path] = host
		places = append(places, place)
	}
	return places, given, nil
}

// CheckHost returns the name of a host in lower case.
func CheckHost(name string) (string, error) {
	name = strings.ToLower(name)
	if !dataset.ValidHost(name) {
		return "", fmt.Errorf("must be up to 64 letters, digits, dots, hyphens and underscores, got %q", name)
	}
	return name, nil
}

// FindHosts is FindTranscripts for commands that tell hosts apart.
func FindHosts(a *App, operands []string, s Search) (*source.Match, error) {
	places, given, err := splitHosts(operands)
	if err != nil {
		return nil, err
	}
	m, err := FindTranscripts(a, places, s)
	if err != nil {
		return m, err
	}
	nameHosts(m, given)
	return m, nil
}

// nameHosts names the host of every session: the name that was given for its source, or else the name of the source's
// folder or file. If several sources have that, it is the shortest end of the source's path that no other source has.
func nameHosts(m *source.Match, given map[string]string) {
	paths := map[*source.Session]string{}
	for _, p := range m.Places {
		for _, s := range p.Sessions {
			paths[s] = p.Path
		}
	}
	ends := NewPathEnds(given)
	for _, s := range m.Sessions {
		if paths[s] == "" {
			paths[s] = s.Path // named itself
		}
		ends.Add(paths[s])
	}
	names := ends.Names()
	for _, s := range m.Sessions {
		s.Host = names[paths[s]]
	}
}

// PathEnds finds the shortest ends of paths that differ from each other.
type PathEnds struct {
	given map[string]string   // names that paths have already
	parts map[string][]string // the elements of the other paths
}

// NewPathEnds returns the ends of no path. given are the names that users chose.
func NewPathEnds(given map[string]string) *PathEnds { return &PathEnds{given, map[string][]string{}} }

// Add adds a path, unless it is known or has a name.
func (e *PathEnds) Add(path string) {
	if e.given[path] != "" || e.parts[path] != nil {
		return
	}
	clean := filepath.Clean(path)
	if absolute, err := filepath.Abs(path); err == nil && strings.Trim(filepath.Base(clean), ".") == "" {
		clean = absolute // "." and ".." are no names
	}
	e.parts[path] = strings.Split(filepath.ToSlash(clean), "/")
}

// Names returns the name of every path. Ends that are the same grow by an element until they differ.
func (e *PathEnds) Names() map[string]string {
	names, lengths := map[string]string{}, map[string]int{}
	for grown := true; grown; {
		owners := e.owners(names)
		grown = false
		for path, parts := range e.parts {
			if name, ok := names[path]; ok && (len(owners[name]) == 1 || lengths[path] == len(parts)) {
				continue
			}
			lengths[path]++
			names[path], grown = pathEnd(parts, lengths[path]), true
		}
	}
	for path, name := range e.given {
		names[path] = name
	}
	return names
}

// pathEnd returns the last elements of a path. The last one alone has no dot in front of it, so that ~/.openclaw is
// openclaw, and ~/.pi/agent/sessions is pi.
func pathEnd(parts []string, length int) string {
	end := strings.Join(parts[len(parts)-length:], "/")
	switch {
	case length > 1:
		return end
	case len(parts) >= len(piFolder) && slices.Equal(parts[len(parts)-len(piFolder):], piFolder):
		return "pi"
	}
	return strings.TrimPrefix(end, ".")
}

// piFolder is where pi keeps its sessions in a home folder.
var piFolder = []string{".pi", "agent", "sessions"}

// owners returns the different places that have each name.
func (e *PathEnds) owners(names map[string]string) map[string]map[string]bool {
	owners := map[string]map[string]bool{}
	add := func(name, owner string) {
		if owners[name] == nil {
			owners[name] = map[string]bool{}
		}
		owners[name][owner] = true
	}
	for path, name := range names {
		add(name, strings.Join(e.parts[path], "/"))
	}
	for _, name := range e.given {
		add(name, "")
	}
	return owners
}
