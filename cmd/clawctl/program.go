package main

import (
	"slices"
	"strings"

	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// A programOption is --program: whose rules decide what the model sees.
type programOption struct{ program string }

func (o *programOption) flag() flag {
	f := choiceFlag(&o.program, "program", "PROGRAM", rebuild.Programs, "apply the rules of this program")
	return f.withDefault("the one that wrote the transcript")
}

// forced is the program that the flag names.
func (o *programOption) forced() rebuild.Program { return rebuild.ProgramNamed(o.program) }

// An apiOption is --api: whose rules decide what can be sent.
type apiOption struct{ api string }

func (o *apiOption) flag() flag {
	f := choiceFlag(&o.api, "api", "API", rebuild.APIs, "apply the rules of this API to what is sent")
	return f.withDefault("the one that the session uses")
}

// asked is the API that the flag names.
func (o *apiOption) asked() rebuild.API { return rebuild.APINamed(o.api) }

// apiNames are the APIs that conversations were judged by, each once, in the order in which they came up.
type apiNames []string

func (n *apiNames) add(api rebuild.API) {
	if name := api.String(); name != "" && !slices.Contains(*n, name) {
		*n = append(*n, name)
	}
}

// subject names the APIs at the beginning of a sentence.
func (n apiNames) subject() string {
	if len(n) == 1 {
		return "The " + rebuild.APINamed(n[0]).Title()
	}
	return "Their APIs (" + strings.Join(n, ", ") + ")"
}

// remark names the APIs after what was judged by them.
func (n apiNames) remark() string {
	switch len(n) {
	case 0:
		return ""
	case 1:
		return " (API: " + n[0] + ")"
	}
	return " (APIs: " + strings.Join(n, ", ") + ")"
}

// authorOf is what is known about the author of a session before it is read.
func (o *programOption) authorOf(s *source.Session) rebuild.Author {
	return rebuild.Author{Forced: o.forced(), Folder: s.FolderOwner()}
}
