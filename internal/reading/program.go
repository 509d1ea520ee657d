package reading

import (
	"clawctl/internal/cli"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// A ProgramOption is --program: whose rules decide what the model sees.
type ProgramOption struct{ Program string }

// Flag describes it.
func (o *ProgramOption) Flag() cli.Flag {
	f := cli.ChoiceFlag(&o.Program, "program", "PROGRAM", rebuild.Programs, "apply the rules of this program")
	return f.WithDefault("the one that wrote the transcript")
}

// Forced is the program that the flag names.
func (o *ProgramOption) Forced() rebuild.Program { return rebuild.ProgramNamed(o.Program) }

// An APIOption is --api: whose rules decide what can be sent.
type APIOption struct{ api string }

// Flag describes it.
func (o *APIOption) Flag() cli.Flag {
	f := cli.ChoiceFlag(&o.api, "api", "API", rebuild.APIs, "apply the rules of this API to what is sent")
	return f.WithDefault("the one that the session uses")
}

// Asked is the API that the flag names.
func (o *APIOption) Asked() rebuild.API { return rebuild.APINamed(o.api) }

// AuthorOf is what is known about the author of a session before it is read.
func (o *ProgramOption) AuthorOf(s *source.Session) rebuild.Author {
	return rebuild.Author{Forced: o.Forced(), Folder: s.FolderOwner()}
}
