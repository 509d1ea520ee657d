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

// An apiOption is --api: whose rules decide what can be sent.
type apiOption struct{ api string }

func (o *apiOption) flag() flag {
	f := choiceFlag(&o.api, "api", "API", rebuild.APIs, "apply the rules of this API to what is sent")
	return f.withDefault("the one that the session uses")
}

// asked is the API that the flag names.
func (o *apiOption) asked() rebuild.API { return rebuild.APINamed(o.api) }

// judgedBy names the API that a conversation was judged by, unless it is Anthropic's.
func judgedBy(api rebuild.API) string {
	if api == rebuild.AnthropicMessages || api == rebuild.NoAPI {
		return ""
	}
	return " (" + api.String() + ")"
}

// authorOf is what is known about the author of a session before it is read.
func (o *programOption) authorOf(s *source.Session) rebuild.Author {
	return rebuild.Author{Forced: o.forced(), InPiFolder: s.IsInPiFolder()}
}
