// Package answering answers the calls of agents. Its tools are commands of clawctl that only read, limited to the
// sources of the server. Secrets are masked, every answer has at most a number of tokens, and what comes from
// transcripts is labelled as data.
package answering

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/change/redact"
	"clawctl/pkg/change/secrets"
	"clawctl/pkg/mcp"
	"clawctl/pkg/source"
)

// A Service is what a server answers from.
type Service struct {
	Raw      bool                  // secrets are not masked
	Most     int                   // tokens of an answer
	Version  func() string         // of clawctl
	Commands func() []*cli.Command // makes the commands of the tools, because each runs once

	app     *cli.App
	sources []string // what may be read; none: the state folder, or else the store
	values  cli.ValuesOption
	rules   []*secrets.Rule // of the values
	client  string          // whose configuration is printed instead
}

// The budget of an answer, in tokens.
const (
	UsualBudget = 4_000
	LeastBudget = 200
	MostBudget  = 20_000
)

// Tools returns what the server offers.
func (s *Service) Tools() []mcp.Tool {
	var list []mcp.Tool
	commands := s.Commands()
	for i := range tools() {
		t := &tools()[i]
		list = append(list, mcp.Tool{
			Name: t.name, Title: t.title, Description: t.about, Arguments: s.describe(t, commandNamed(commands, t.command)),
			Call: func(ctx context.Context, values mcp.Values) mcp.Result { return s.call(ctx, t, values) },
		})
	}
	return list
}

// describe returns the arguments of a tool. Choices are those of the flags.
func (s *Service) describe(t *tool, c *cli.Command) []mcp.Argument {
	var list []mcp.Argument
	for _, a := range t.arguments {
		if i := slices.IndexFunc(c.OwnFlags(), func(f cli.Flag) bool { return f.Name == a.flag }); i >= 0 {
			a.Choices = c.OwnFlags()[i].Choices
		}
		list = append(list, a.Argument)
	}
	return append(list, mcp.Argument{
		Name: "budget", Description: "the most tokens that the answer may have", Least: LeastBudget, Most: s.Most,
		Default: strconv.Itoa(min(UsualBudget, s.Most)),
	})
}

func commandNamed(commands []*cli.Command, name string) *cli.Command {
	i := slices.IndexFunc(commands, func(c *cli.Command) bool { return c.Name == name })
	return commands[i]
}

// Refuse answers a call with wrong arguments.
func (s *Service) Refuse(_ *mcp.Tool, err error) mcp.Result {
	return failed(min(UsualBudget, s.Most), failure.Usage("clawctl help mcp", "%v", err))
}

// call answers a call of a tool.
func (s *Service) call(ctx context.Context, t *tool, values mcp.Values) mcp.Result {
	budget := min(UsualBudget, s.Most)
	if n, err := strconv.Atoi(values["budget"]); err == nil {
		budget = n
	}
	run := s.run(ctx, t, values, budget)
	if problem := run.problem(); problem != nil {
		return failed(budget, problem)
	}
	masker := &redact.Masker{Raw: s.Raw, Rules: s.rules, KeepIDs: true}
	label := withLabel
	if t.isLabelled {
		label = strings.Clone
	}
	return mcp.Result{Text: bounded(label, masker.Text(run.body), masker.Text(run.remarks()), budget)}
}

// A run is a command that answered a call.
type run struct {
	inner  cli.Inner
	status int
	body   string
}

// run asks all sources at once or, if one session is meant, one after the other. Then the first source that has it
// answers.
func (s *Service) run(ctx context.Context, t *tool, values mcp.Values, budget int) *run {
	name := values["session"]
	if !t.isOne && name == "" {
		return s.ask(ctx, t, values, budget, s.sources)
	}
	places := sourceLists(s.sources)
	if source.LooksLikePath(name) || strings.Contains(name, "#") {
		place, found := s.locate(ctx, name)
		if found == "" {
			return &run{status: failure.ExitNothing, inner: cli.Inner{Failures: []*failure.Error{s.outside(name)}}}
		}
		places, values["session"] = sourceLists(place), found
	}
	var first *run
	for _, place := range places {
		r := s.ask(ctx, t, values, budget, place)
		if !r.foundNothing() || ctx.Err() != nil {
			return r
		}
		first = cmp.Or(first, r)
	}
	return first
}

// sourceLists returns each source alone, or no source once: that is the home.
func sourceLists(sources []string) [][]string {
	var list [][]string
	for _, place := range sources {
		list = append(list, []string{place})
	}
	if list == nil {
		list = [][]string{nil}
	}
	return list
}

// ask runs the command of a tool on sources.
func (s *Service) ask(ctx context.Context, t *tool, values mcp.Values, budget int, sources []string) *run {
	commands := s.Commands()
	out := t.output(values)
	r := &run{inner: cli.Inner{Commands: commands, Raw: s.Raw, Stdout: out}}
	args, operands := t.fill(values)
	args = append(args, s.common(commandNamed(commands, t.command))...)
	if t.budget != "" {
		args = append(args, "--"+t.budget+"="+strconv.Itoa(room(budget)))
	}
	r.status = s.app.RunInner(ctx, slices.Concat(args, []string{"--"}, operands, sources), &r.inner)
	r.body = out.body(room(budget))
	if remark := out.remark(); r.body == "" && remark != "" && r.status == failure.ExitOK {
		r.inner.Notes = append(r.inner.Notes, remark)
	}
	return r
}

// common are the flags of the server that a command has, too.
func (s *Service) common(c *cli.Command) []string {
	var flags []string
	has := func(name string) bool {
		return slices.ContainsFunc(c.OwnFlags(), func(f cli.Flag) bool { return f.Name == name })
	}
	if s.Raw && has("raw") {
		flags = append(flags, "--raw")
	}
	if s.values.File != "" && has("values") {
		flags = append(flags, "--values="+s.values.File)
	}
	return flags
}

// foundNothing reports whether the sources do not have the session.
func (r *run) foundNothing() bool {
	return r.status == failure.ExitNothing && r.body == ""
}

// problem returns why there is no answer, or nil. Damaged and missing parts are remarks of an answer.
func (r *run) problem() *failure.Error {
	switch {
	case r.body != "" || r.status == failure.ExitOK || r.status == failure.ExitFindings:
		return nil
	case len(r.inner.Failures) > 0:
		return r.inner.Failures[len(r.inner.Failures)-1]
	}
	return failure.New(failure.Nothing, "nothing was found")
}

// remarks are what the command said besides its answer, a line each.
func (r *run) remarks() string {
	var b strings.Builder
	for _, f := range r.inner.Failures {
		b.WriteString(ui.EscapeLine(f.Error()) + "\n")
	}
	for _, note := range r.inner.Notes {
		b.WriteString(note + "\n")
	}
	return b.String()
}
