package main

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/lazy"
	"clawctl/internal/reading"
	"clawctl/internal/ui"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

func newValidateCommand() *cli.Command {
	o := &validateOptions{failOn: "error"}
	c := &cli.Command{
		Name: "validate", Group: "check", Operands: "[SOURCE]...", Summary: "Check transcripts and their index for problems",
		About: "Checks every line, the order and links of records, tool calls and their results, what the API that the " +
			"session uses would refuse, the accounting, and for a folder its index. Each finding has a stable code. " +
			"clawctl explain CODE says what it means.\n\n" +
			"A finding is an error if it loses history or makes a request or an import fail, a warning if it hides or " +
			"distorts something, and a note otherwise. Text shows notes only with -v or --fail-on info. The command exits 1 " +
			"if a finding is at least as bad as --fail-on.\n\n" +
			"It also says whether the API would accept each conversation unchanged, and which API that is: the one of the " +
			"last answer, or --api. It may refuse a conversation even if validate finds no errors in it. " +
			"clawctl rebuild makes the fixes that are needed, and --brief shows the reason for each session.\n\n" +
			"More than 50 findings are shown as a table by code. --all lists them, and --statistics always shows the " +
			"table. Of one code, a session lists 10,000 findings at most and counts the others.\n\n" +
			"--select and --ignore take codes, beginnings of codes such as CL3, or levels: " +
			strings.Join(levels(), ", ") + ". " +
			"--write-baseline saves today's findings, and --baseline leaves those out from then on.",
		Examples: []cli.Example{
			{"Check all live sessions", "clawctl validate"},
			{"Check only tool calls and what the API refuses", "clawctl validate SESSION.jsonl --select pairing,api"},
			{"Print one line per session in CI", "clawctl validate ~/.openclaw --brief --fail-on warn"},
			{"Write a report for a code scanner", "clawctl validate transcripts --format sarif -o findings.sarif"},
		},
		Exits: []int{
			failure.ExitOK, failure.ExitFindings, failure.ExitUsage, failure.ExitNothing, failure.ExitDatabase,
			failure.ExitLocked, failure.ExitInterrupted,
		},
		Outcomes: map[int]string{
			failure.ExitOK:       "no finding reaches --fail-on",
			failure.ExitFindings: "some findings reach --fail-on",
		},
		Paged:   true,
		Flags:   o.flags(),
		Formats: []string{"text", "ndjson", "json", "sarif", "github"},
	}
	c.Run = func(a *cli.App, operands []string) error { return o.run(a, c, operands) }
	return c
}

// levels lists the levels of rules in order.
func levels() (list []string) {
	for _, r := range validate.Rules {
		if !slices.Contains(list, r.Level) {
			list = append(list, r.Level)
		}
	}
	return list
}

// validateOptions are the flags of validate.
type validateOptions struct {
	cli.SourceOptions
	reading.ProgramOption
	reading.APIOption
	failOn                  string
	selected, ignored       []string
	brief, statistics, all  bool
	baseline, writeBaseline string
	jobs                    int
}

func (o *validateOptions) flags() []cli.Flag {
	summary := cli.SwitchFlag(&o.brief, "summary", "")
	summary.Hidden = true // the old name of --brief
	flags := []cli.Flag{
		cli.ChoiceFlag(&o.failOn, "fail-on", "SEVERITY", failure.Severities, "exit 1 if a finding is at least this severe"),
		reading.RuleFlag(&o.selected, "select", "only these rules"),
		reading.RuleFlag(&o.ignored, "ignore", "skip these rules"),
		cli.SwitchFlag(&o.brief, "brief", "print one line per session instead of one per finding"),
		cli.SwitchFlag(&o.statistics, "statistics", "print a table by code"),
		cli.SwitchFlag(&o.all, "all", "list findings one by one, however many there are"),
		cli.TextFlag(&o.baseline, "baseline", "FILE", "leave out the findings that FILE lists"),
		cli.TextFlag(&o.writeBaseline, "write-baseline", "FILE", "write the findings to FILE as a baseline, and exit 0"),
		o.ProgramOption.Flag(),
		o.APIOption.Flag(),
		cli.JobsFlag(&o.jobs, "how many transcripts to read at a time"),
		summary,
	}
	return append(flags, o.SourceOptions.Flags()...)
}

// A validateRun is one run of validate.
type validateRun struct {
	app       *cli.App
	selection validate.Selection
	failOn    validate.Severity
	baseline  *baseline
	printer   findingPrinter
	outcome   failure.Tally
	summary   validateSummary
}

func (o *validateOptions) run(a *cli.App, c *cli.Command, operands []string) error {
	defer reading.KeepSmall()()
	v := &validateRun{
		app: a, selection: validate.Selection{Only: o.selected, Not: o.ignored, Program: o.Forced(), API: o.Asked()},
		failOn: validate.Severity(slices.Index(failure.Severities, o.failOn)),
	}
	if err := o.check(a, c, operands); err != nil {
		return err
	}
	if o.writeBaseline != "" {
		a.Output.Pager.Disable()
	}
	var err error
	if v.baseline, err = openBaseline(o.baseline); err != nil {
		return err
	}
	v.printer = o.newPrinter(a, v.failOn)
	arguments, err := cli.ArgumentsOf(a, operands, o.search())
	if err != nil {
		return err
	}
	for _, argument := range arguments {
		if err := v.checkArgument(argument, o); err != nil {
			return err
		}
	}
	return v.finish(o.writeBaseline)
}

func (o *validateOptions) search() cli.Search {
	return cli.Search{SourceOptions: o.SourceOptions, Defaults: cli.LiveOnly}
}

// check refuses flags that contradict each other, and a baseline that would replace something else.
func (o *validateOptions) check(a *cli.App, c *cli.Command, operands []string) error {
	switch {
	case o.statistics && o.all:
		return c.Conflict("--statistics", "--all")
	case o.brief && o.statistics:
		return c.Conflict("--brief", "--statistics")
	case o.brief && (a.Format == "sarif" || a.Format == "github"):
		return c.Usage("--brief has the formats text and ndjson, not %s", a.Format)
	case o.statistics && a.Format != "" && a.Format != "text":
		return c.Usage("--statistics has the format text only, not %s", a.Format)
	case o.writeBaseline == "":
		return nil
	}
	for _, operand := range operands {
		if cli.IsSameFile(o.writeBaseline, operand) {
			return c.Usage("--write-baseline would replace %s", operand)
		}
	}
	return cli.MayCreate(o.writeBaseline, a.Output.Options.Force, a.CommandLine("--force"))
}

// checkArgument checks what one argument leads to. One that cannot be read does not stop the next.
func (v *validateRun) checkArgument(argument string, o *validateOptions) error {
	m, err := cli.Find(v.app, argument, o.search())
	if v.app.Ctx.Err() != nil {
		return cli.Interrupted(v.app)
	}
	if err != nil {
		v.app.Blame(&v.outcome, err)
		return nil
	}
	if !m.ByName {
		for _, p := range m.Places {
			if err := v.report(nil, p.Path, validate.Result{Findings: validate.Store(p, v.selection)}); err != nil {
				return err
			}
		}
	}
	return reading.JudgeAll(v.app, m.Sessions, o.jobs, v.selection, func(i int, j reading.Judgement) error {
		if v.app.Blame(&v.outcome, j.Err); j.Err != nil {
			v.summary.unread++
		}
		return v.report(m.Sessions[i], m.Sessions[i].Place(), j.Result)
	})
}

// report prints the findings of one session or place, without those of the baseline.
func (v *validateRun) report(s *source.Session, path string, result validate.Result) error {
	c := checked{path: path, session: s, verdict: result.Verdict}
	for _, f := range result.Findings {
		found := finding{f}
		found.Path = cmp.Or(f.Path, path)
		if s != nil {
			found.Session = s.Name()
		}
		if found, isNew := v.baseline.leaveNew(found); isNew {
			c.findings = append(c.findings, found)
		}
	}
	v.summary.add(&c)
	if s == nil && len(c.findings) == 0 {
		return nil
	}
	if err := v.printer.print(c); err != nil {
		return cli.WriteError(v.app, err)
	}
	return nil
}

// finish sums up.
func (v *validateRun) finish(baselinePath string) error {
	if err := v.printer.finish(v.outcome.OK()); err != nil {
		return cli.WriteError(v.app, err)
	}
	if baselinePath != "" {
		if err := v.baseline.write(baselinePath); err != nil {
			return cli.OutputError(baselinePath, err)
		}
		v.app.Note("wrote %s to %s", ui.Count(v.baseline.count, "finding"), baselinePath)
		return v.outcome.Err()
	}
	if (v.app.Format == "" || v.app.Format == "text") && (v.summary.sessions > 0 || v.outcome.OK()) {
		v.app.Note("%s", v.summary.words())
		switch code := v.summary.worstCode(); {
		case code != "":
			v.app.Hint("clawctl explain " + string(code))
		case v.summary.states[validate.Refused] > 0 && v.summary.sessions > 1:
			v.app.Hint(v.app.CommandLine("--brief"))
		}
	}
	if !v.outcome.OK() {
		return v.outcome.Err()
	}
	for s := v.failOn; s <= validate.Error; s++ {
		if v.summary.counts[s] > 0 {
			return failure.Findings
		}
	}
	return nil
}

// checked is a session, or a place, with what was found in it.
type checked struct {
	path     string
	session  *source.Session // nil for a place
	findings []finding
	verdict  validate.Verdict
}

// A finding is one whose path and session are always set.
type finding struct{ validate.Finding }

// text is what is wrong, with the entry.
func (f *finding) text() string {
	if f.Entry == "" {
		return f.Message()
	}
	return f.Message() + " [entry " + f.Entry + "]"
}

// plainID is an id that can stand in a command as it is.
var plainID = lazy.Regexp(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)

// hint is the rule's command with the names of this finding in it.
func (f *finding) hint() string {
	run := f.Rule.Run
	needsID := strings.Contains(run, "ID") && !plainID().MatchString(f.Entry)
	if f.Path == cli.StdinName || needsID || strings.Contains(run, "LINE") && f.Line == 0 {
		return "clawctl explain " + string(f.Rule.Code)
	}
	folder := ""
	if strings.Contains(run, "FOLDER") { // other commands may be about a path that must not be touched
		folder = failure.Quote(folderOf(f.Path))
	}
	return strings.NewReplacer(
		"FOLDER", folder, "FILE", failure.Quote(f.Path),
		"LINE", strconv.FormatInt(f.Line, 10), "ID", f.Entry,
	).Replace(run)
}

// folderOf is the folder that a path lies in, or the path itself if it is one.
func folderOf(path string) string {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		return strings.TrimSuffix(path, "/")
	}
	folder := path[:strings.LastIndexAny(path, `/\`)+1]
	if folder == "" {
		return "."
	}
	return strings.TrimSuffix(folder, "/")
}

// A validateSummary counts what a run found.
type validateSummary struct {
	sessions int
	unread   int                  // sessions that could not be read to their end
	counts   [3]int               // findings by severity
	codes    map[failure.Code]int // of errors and warnings
	states   [3]int               // sessions by what the API would say
	apis     reading.APINames     // of sessions with something to send
	only     validate.Verdict
}

func (s *validateSummary) add(c *checked) {
	if s.codes == nil {
		s.codes = map[failure.Code]int{}
	}
	if c.session != nil {
		s.sessions++
		s.states[c.verdict.State]++
		s.only = c.verdict
		if c.verdict.State != validate.Empty {
			s.apis.Add(c.verdict.API)
		}
	}
	for _, f := range c.findings {
		s.counts[f.Severity] += 1 + f.More
		if f.Severity > validate.Info {
			s.codes[f.Rule.Code] += 1 + f.More
		}
	}
}

// words sum up the run: "2 sessions: 1 error, 2 warnings, 3 notes. The Anthropic Messages API would accept 1
// conversation and refuse 1."
func (s *validateSummary) words() string {
	text := ui.Count(s.sessions, "session") + ": "
	if s.unread > 0 {
		text += ui.Thousands(int64(s.unread)) + " not read to the end; otherwise "
	}
	text += severityWords(s.counts)
	if verdict := s.verdictWords(); verdict != "" {
		text += ". " + verdict + "."
	}
	return text
}

func (s *validateSummary) verdictWords() string {
	accepted, refused := s.states[validate.Accepted], s.states[validate.Refused]
	switch {
	case s.unread == s.sessions:
		return ""
	case s.sessions == 1:
		return verdictWords(s.only)
	case accepted+refused == 0:
		return ""
	case refused == 0:
		return s.apis.Subject() + " would accept every conversation"
	}
	text := s.apis.Subject() + " would accept " + ui.Count(accepted, "conversation") + " and refuse " +
		ui.Thousands(int64(refused))
	if empty := s.states[validate.Empty]; empty > 0 {
		text += "; " + ui.Count(empty, "session") + " without messages"
	}
	return text
}

// verdictWords say what the API would do with one conversation.
func verdictWords(v validate.Verdict) string {
	switch v.State {
	case validate.Accepted:
		return "The " + v.API.Title() + " would accept this conversation"
	case validate.Refused:
		text := "The " + v.API.Title() + " would refuse this conversation, because of " + string(v.Code)
		if v.Code == rebuild.RefusedDate {
			text = "OpenClaw would refuse this session, because of " + string(v.Code)
		}
		if v.Line > 0 {
			text += " on line " + ui.Thousands(v.Line)
		}
		return text + ": " + v.Words
	}
	return "There are no messages to send"
}

// severityWords is "1 error, 2 warnings, 3 notes".
func severityWords(counts [3]int) string {
	if counts == [3]int{} {
		return "no problems"
	}
	return ui.Count(counts[validate.Error], "error") + ", " + ui.Count(counts[validate.Warn], "warning") + ", " +
		ui.Count(counts[validate.Info], "note")
}

// worstCode is the code of the worst finding, the most frequent of those.
func (s *validateSummary) worstCode() (code failure.Code) {
	for i := range validate.Rules {
		r := &validate.Rules[i]
		if s.codes[r.Code] == 0 || r.Severity == validate.Info {
			continue
		}
		best, ok := validate.Lookup(code)
		if !ok || r.Severity > best.Severity || r.Severity == best.Severity && s.codes[r.Code] > s.codes[code] {
			code = r.Code
		}
	}
	return code
}
