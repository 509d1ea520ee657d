package main

import (
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

// authorOf is what is known about the author of a session before it is read.
func (o *programOption) authorOf(s *source.Session) rebuild.Author {
	return rebuild.Author{Forced: o.forced(), InPiFolder: s.IsInPiFolder()}
}
