package page

import (
	"path"
	"strconv"
	"strings"

	"clawctl/internal/portable"
	"clawctl/pkg/source"
)

// Names chooses the names of files that have one session each. The zero value has no file yet.
type Names struct {
	Mask  func(string) string // replaces secrets, because whoever sees a file sees its name; nil: nothing
	taken map[string]bool
}

// Reserve takes a name, without its end.
func (n *Names) Reserve(name string) {
	if n.taken == nil {
		n.taken = map[string]bool{}
	}
	n.taken[portable.Fold(name)] = true
}

// Of chooses the name of a session's file: the agent's folder, and what identifies the session. It is the same in every
// export, so links into a page stay valid.
func (n *Names) Of(s *source.Session, end string) string {
	name := n.safe(s.Name())
	if s.Agent != "" {
		name = path.Join(n.safe(s.Agent), n.safe(strings.TrimPrefix(s.Name(), "agent:"+s.Agent+":")))
	}
	unique := name
	for i := 2; n.taken[portable.Fold(unique)]; i++ {
		unique = name + "-" + strconv.Itoa(i)
	}
	n.Reserve(unique)
	return unique + end
}

// safe returns a name without secrets that every file system takes.
func (n *Names) safe(name string) string {
	if n.Mask != nil {
		name = n.Mask(name)
	}
	return portable.Slug(name)
}
