package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"clawctl/internal/parallel"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"

	"github.com/urfave/cli/v2"
)

func validateCommand() *command {
	return &command{
		name: "validate", group: "check", args: "[SOURCE]...", summary: "what is wrong with transcripts and stores, where, how bad, and what to do",
		about: "Checks every line, the order and links of records, tool calls and their results, what the Messages API would refuse, the accounting, " +
			"and for a folder how its sessions are registered. Each finding has a stable code; clawctl explain CODE says more about it.\n\n" +
			"A finding is an error if it loses history or makes a request or an import fail, a warning if it hides or distorts something, and info otherwise; " +
			"text shows info only with -v. It exits 1 where there is anything as bad as --fail-on or worse.\n\n" +
			"--select and --ignore take codes, beginnings of codes such as CL3, or levels: " + strings.Join(levels(), ", ") + ". " +
			"--write-baseline notes what is there today, and --baseline keeps silent about that from then on.",
		examples: []string{
			"clawctl validate",
			"clawctl validate SESSION.jsonl --select pairing,api",
			"clawctl validate ~/.openclaw --summary --fail-on warn",
			"clawctl validate transcripts --format sarif -o findings.sarif",
		},
		exits: []int{exitOK, exitFindings, exitUsage, exitNothing, exitDatabase, exitLocked, exitInterrupted},
		flags: append([]cli.Flag{
			&cli.StringFlag{Name: "fail-on", Value: "error", Usage: "exit 1 from this `SEVERITY` on: error, warn or info"},
			&cli.StringSliceFlag{Name: "select", Usage: "only these `RULES`; repeat it or separate with commas"},
			&cli.StringSliceFlag{Name: "ignore", Usage: "not these `RULES`"},
			&cli.BoolFlag{Name: "summary", Usage: "one line a session instead of one a finding"},
			&cli.StringFlag{Name: "baseline", Usage: "keep silent about the findings that `FILE` lists"},
			&cli.StringFlag{Name: "write-baseline", Usage: "write the findings to `FILE` as a baseline, and exit 0"},
			&cli.IntFlag{Name: "jobs", Usage: "read `N` transcripts at a time; default: one a core"},
		}, sourceFlags()...),
		formats: []string{"text", "ndjson", "json", "sarif", "github"},
		run:     runValidate,
	}
}

// levels lists the levels in order.
func levels() (list []string) {
	for _, r := range validate.Rules {
		if !slices.Contains(list, r.Level) {
			list = append(list, r.Level)
		}
	}
	return list
}

// A validateRun is one run of validate.
type validateRun struct {
	*app
	selection validate.Selection
	failOn    validate.Severity
	baseline  *baseline
	printer   printer
	worst     *reported

	sessions int
	counts   [3]int // findings by severity
	codes    map[string]int
}

func runValidate(a *app, ctx *cli.Context) error {
	defer keepSmall()()
	v := &validateRun{app: a, worst: &reported{done: true}, codes: map[string]int{}}
	var err error
	if v.selection, err = readSelection(ctx); err != nil {
		return err
	}
	failOn := slices.Index(validate.Severities, ctx.String("fail-on"))
	if failOn < 0 {
		return usageError("clawctl help validate", "--fail-on is error, warn or info, not %q", ctx.String("fail-on"))
	}
	v.failOn = validate.Severity(failOn)
	if v.baseline, err = openBaseline(ctx.String("baseline")); err != nil {
		return err
	}
	if path := ctx.String("write-baseline"); path != "" {
		if err := mayCreate(path, ctx.Bool("force"), a.commandLine("--force")); err != nil {
			return err
		}
		for _, arg := range ctx.Args().Slice() {
			if isSameFile(path, arg) {
				return usageError("clawctl help validate", "--write-baseline would replace %s", arg)
			}
		}
	}
	if v.printer, err = newPrinter(a, ctx.Bool("summary")); err != nil {
		return err
	}
	args := ctx.Args().Slice()
	if len(args) == 0 {
		if args, err = a.stateDir(); err != nil {
			return err
		}
	}
	if err := v.check(ctx, args); err != nil {
		return err
	}
	return v.finish(ctx.String("write-baseline"))
}

// readSelection reads --select and --ignore.
func readSelection(ctx *cli.Context) (s validate.Selection, err error) {
	for _, flag := range []struct {
		name string
		list *[]string
	}{{"select", &s.Only}, {"ignore", &s.Not}} {
		for _, names := range ctx.StringSlice(flag.name) {
			for _, name := range strings.Split(names, ",") {
				name = strings.TrimSpace(name)
				if !validate.IsKnown(name) {
					return s, usageError("clawctl explain", "--%s: no rule is called %q", flag.name, name)
				}
				*flag.list = append(*flag.list, name)
			}
		}
	}
	return s, nil
}

// check looks at one argument after the other. One that cannot be read does not stop those behind it.
func (v *validateRun) check(ctx *cli.Context, args []string) error {
	for _, arg := range args {
		f, err := v.find(ctx, []string{arg}, []source.Kind{source.Live}, false)
		if v.ctx.Err() != nil {
			return errInterrupted
		}
		if err != nil {
			v.blame(v.worst, err)
			continue
		}
		if !f.named {
			for _, p := range f.places {
				if err := v.report(nil, p.Path, validate.Store(p, v.selection)); err != nil {
					return err
				}
			}
		}
		if err := v.checkSessions(f.sessions, ctx.Int("jobs")); err != nil {
			return err
		}
	}
	return nil
}

// A judgement is what was found in a session.
type judgement struct {
	findings []validate.Finding
	err      error
}

// checkSessions judges sessions and reports them in their order.
func (v *validateRun) checkSessions(sessions []*source.Session, jobs int) error {
	return v.judgeAll(sessions, jobs, v.selection, func(i int, j judgement) error {
		v.sessions++
		v.blame(v.worst, j.err)
		return v.report(sessions[i], sessions[i].Place(), j.findings)
	})
}

// judgeAll judges several sessions at a time and passes the judgements to each in the order of the sessions.
func (a *app) judgeAll(sessions []*source.Session, jobs int, selection validate.Selection,
	each func(i int, j judgement) error) error {
	newReader := func() *jsonl.Reader { return &jsonl.Reader{} }
	judge := func(ctx context.Context, reader *jsonl.Reader, i int) judgement {
		return judge(ctx, reader, sessions[i], selection)
	}
	err := parallel.Ordered(a.ctx, len(sessions), jobs, newReader, judge, each)
	if errors.Is(err, context.Canceled) {
		return errInterrupted
	}
	return err
}

// judge reads one session.
func judge(ctx context.Context, reader *jsonl.Reader, s *source.Session, selection validate.Selection) judgement {
	in, err := s.Open()
	if err != nil {
		return judgement{err: inputError(s.Place(), err)}
	}
	defer in.Close()
	reader.Reset(in.Reader, jsonl.Options{BeforeRead: ctx.Err})
	result, err := validate.Session(reader, s, selection)
	if err != nil {
		return judgement{result.Findings, inputError(in.Name, err)}
	}
	return judgement{findings: result.Findings}
}

// report prints the findings of one session or place, those of the baseline left out.
func (v *validateRun) report(s *source.Session, path string, findings []validate.Finding) error {
	list := make([]located, 0, len(findings))
	for _, f := range findings {
		l := located{Finding: f, path: path}
		if f.Path != "" {
			l.path = f.Path
		}
		if l.session = f.Session; s != nil {
			l.session = s.Name()
		}
		if v.baseline.knows(l) {
			continue
		}
		v.counts[f.Severity]++
		v.codes[f.Rule.Code]++
		list = append(list, l)
	}
	if s == nil && len(list) == 0 {
		return nil
	}
	if err := v.printer.print(path, s, list); err != nil {
		return v.writeError(err)
	}
	return nil
}

// finish sums up.
func (v *validateRun) finish(baselinePath string) error {
	if err := v.printer.finish(v.worst.exit == exitOK); err != nil {
		return v.writeError(err)
	}
	if baselinePath != "" {
		if err := v.baseline.write(baselinePath); err != nil {
			return outputError(baselinePath, err)
		}
		v.note("%d findings noted in %s", len(v.baseline.seen), baselinePath)
	} else {
		v.sumUp()
	}
	if v.worst.exit != exitOK {
		return v.worst
	}
	for s := v.failOn; s <= validate.Error && baselinePath == ""; s++ {
		if v.counts[s] > 0 {
			return &reported{exit: exitFindings, done: true}
		}
	}
	return nil
}

// sumUp tells people how it went.
func (v *validateRun) sumUp() {
	if v.format != "" && v.format != "text" || v.sessions == 0 && v.worst.exit != exitOK {
		return
	}
	v.note("%s: %s", counted(v.sessions, "session"), severityWords(v.counts))
	if code := v.worstCode(); code != "" && !v.quiet {
		fmt.Fprintf(v.stderr, "%s clawctl explain %s\n", v.errTerm.paint(styleHint, "hint:"), code)
	}
}

// severityWords is "1 error, 2 warnings, 3 notes".
func severityWords(counts [3]int) string {
	if counts == [3]int{} {
		return "nothing found"
	}
	return counted(counts[validate.Error], "error") + ", " + counted(counts[validate.Warn], "warning") + ", " + counted(counts[validate.Info], "note")
}

// worstCode is the code of the worst finding, the most frequent of those.
func (v *validateRun) worstCode() (code string) {
	for i := range validate.Rules {
		r := &validate.Rules[i]
		if v.codes[r.Code] == 0 || r.Severity == validate.Info {
			continue
		}
		if best, ok := validate.Lookup(code); !ok || r.Severity > best.Severity || r.Severity == best.Severity && v.codes[r.Code] > v.codes[code] {
			code = r.Code
		}
	}
	return code
}

// A located finding knows its file and session.
type located struct {
	validate.Finding
	path, session string
}

// hint is the rule's command with the names of this finding in it.
func (l *located) hint() string {
	if l.path == stdinName {
		return "clawctl explain " + l.Rule.Code
	}
	folder := l.path
	if info, err := os.Stat(l.path); err != nil || !info.IsDir() {
		folder = l.path[:strings.LastIndexAny(l.path, `/\`)+1]
		if folder == "" {
			folder = "."
		}
	}
	if strings.Contains(l.Rule.Run, "ID") && !plainID.MatchString(l.Entry) || strings.Contains(l.Rule.Run, "LINE") && l.Line == 0 {
		return "clawctl explain " + l.Rule.Code
	}
	return strings.NewReplacer(
		"FOLDER", shellQuote(strings.TrimSuffix(folder, "/")), "FILE", shellQuote(l.path), "LINE", strconv.FormatInt(l.Line, 10), "ID", l.Entry,
	).Replace(l.Rule.Run)
}

// plainID is an id that can stand in a command as it is.
var plainID = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.:-]*$`)

// A printer writes findings in one format.
type printer interface {
	print(path string, s *source.Session, findings []located) error
	finish(complete bool) error // complete: everything could be read
}

func newPrinter(a *app, summary bool) (printer, error) {
	out := bufio.NewWriter(a.output)
	switch format := a.format; {
	case summary && (format == "sarif" || format == "github"):
		return nil, usageError("clawctl help validate", "--summary has the formats text and ndjson, not %s", format)
	case summary:
		return &summaryPrinter{app: a, out: out}, nil
	case format == "ndjson" || format == "json":
		return &ndjsonPrinter{out: out}, nil
	case format == "sarif":
		return &sarifPrinter{out: out, version: version}, nil
	case format == "github":
		return &githubPrinter{out: out}, nil
	}
	return &textPrinter{app: a, out: out}, nil
}
