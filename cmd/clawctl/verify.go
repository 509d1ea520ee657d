package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"clawctl/pkg/migrate"
	"clawctl/pkg/source"

	"github.com/urfave/cli/v2"
)

func verifyCommand() *command {
	return &command{
		name: "verify", group: "move", args: "[SOURCE]...", summary: "prove by content that every record of a source is in SQLite, or name the lines that are nowhere else",
		about: "Compares transcripts with clawctl's store or with OpenClaw's databases, record by record, and says of each: identical; equivalent, where only numbers are spelled otherwise, as OpenClaw rewrites them; extra, where the target has more; " +
			"prefix, where the target is behind; conflict, with the first line that differs; absent. Lines that are not where they should be are looked for in all sessions of the target: a source is safe to delete if every record of it is there. " +
			"Against clawctl's store every byte and the order count.\n\n" +
			"Without SOURCE the files of your state folder are compared, which after OpenClaw's own migration are its left-overs; --against is clawctl's store if it exists, else the databases of the state folder.",
		examples: []string{
			"clawctl verify",
			"clawctl verify ~/.openclaw --against ~/.openclaw --only problems",
			"clawctl verify --against ~/.openclaw --list-safe -0 | xargs -0 -r ls -l",
		},
		exits: []int{exitOK, exitFindings, exitUsage, exitNothing, exitDatabase, exitLocked, exitInterrupted},
		flags: append([]cli.Flag{
			&cli.StringFlag{Name: "against", Usage: "a store of clawctl's, a database of OpenClaw's, or a state `FOLDER` with databases"},
			&cli.StringFlag{Name: "only", Usage: "list only `problems`, or only what is safe"},
			&cli.BoolFlag{Name: "list-safe", Usage: "print the paths of the files that are safe to delete, and nothing else; never those of live sessions that are registered"},
			&cli.BoolFlag{Name: "null", Aliases: []string{"0"}, Usage: "end each path of --list-safe with a NUL, for xargs -0"},
			&cli.IntFlag{Name: "jobs", Usage: "compare `N` transcripts at a time; default: one a core"},
		}, sourceFlags()...),
		formats: reportFormats,
		run:     runVerify,
	}
}

func runVerify(a *app, ctx *cli.Context) error {
	if only := ctx.String("only"); only != "" && only != "problems" && only != "safe" {
		return usageError("clawctl help verify", "--only is problems or safe, not %q", only)
	}
	args := ctx.Args().Slice()
	if len(args) == 0 {
		var err error
		if args, err = a.stateDir(); err != nil {
			return err
		}
	}
	worst := &reported{done: true}
	f, err := a.findSources(ctx, args, worst)
	if err != nil {
		return err
	}
	target, path, err := a.verifyTarget(ctx.String("against"), args[0])
	if err != nil {
		return a.orImport(ctx, args, err)
	}
	sessions := target.Without(f.sessions)
	if len(sessions) == 0 {
		if worst.exit != exitOK {
			return worst
		}
		return &failure{exit: exitNothing, code: codeNothing, path: args[0], text: "nothing to compare: no transcript beside the target", hint: "clawctl sessions " + shellQuote(args[0])}
	}
	proofs, err := a.verify(sessions, target, ctx.Int("jobs"))
	if err != nil {
		if a.ctx.Err() != nil {
			return errInterrupted
		}
		return inputError(path, err)
	}
	return a.printProofs(ctx, path, proofs, worst)
}

// verifyTarget opens what sources are compared with.
func (a *app) verifyTarget(against, source string) (*migrate.Target, string, error) {
	if against == "" {
		own, err := a.storePath("")
		if err != nil {
			return nil, "", err
		}
		path, _, _, _ := splitPlace(source)
		if against = migrate.ChooseTarget(a.ctx, own.value, path).Chosen.Path; against == "" {
			return nil, "", noDatabase(source)
		}
	}
	target, err := migrate.OpenTarget(a.ctx, against)
	if err != nil {
		return nil, "", verifyTargetError(against, err)
	}
	a.keep(target)
	return target, against, nil
}

// orImport gives the error that there is nothing to compare with its hint: the import of these sources into the store
// that is looked for by default, or a look at what --against names. What came through a pipe no command can name.
func (a *app) orImport(ctx *cli.Context, args []string, err error) error {
	var f *failure
	if !errors.As(err, &f) || f.code != codeNothing || slices.Contains(args, "-") {
		return err
	}
	if ctx.String("against") != "" {
		f.hint = "clawctl sessions " + shellQuote(f.path)
		return f
	}
	words := []string{"clawctl", "import"}
	if defaults, err := a.importSources(ctx); err != nil || !slices.Equal(defaults, args) || ctx.NArg() > 0 {
		for _, arg := range args {
			words = append(words, shellQuote(arg))
		}
	}
	f.hint = strings.Join(words, " ")
	return f
}

// verifyTargetError is the error for a target that cannot be opened.
func verifyTargetError(path string, err error) error {
	var none *migrate.NoSessionsError
	switch {
	case errors.Is(err, migrate.ErrNotDatabase):
		return usageError("clawctl help verify", "%s is %v", path, err)
	case errors.As(err, &none) && none.Problem != nil:
		return problemFailure(*none.Problem)
	case errors.As(err, &none):
		return noDatabase(path)
	}
	return inputError(path, err)
}

func noDatabase(path string) error {
	if path == "-" {
		path = stdinName
	}
	return &failure{exit: exitNothing, code: codeNothing, path: path, text: "no database with sessions there, and no store of clawctl's"}
}

func (a *app) verify(sessions []*source.Session, target *migrate.Target, jobs int) ([]migrate.Proof, error) {
	var total, read int64
	for _, s := range sessions {
		total += s.Bytes
	}
	defer a.progress.clear()
	defer collectLess()()
	return migrate.Verify(a.ctx, sessions, target, migrate.VerifyOptions{Jobs: jobs, Progress: func(n int64) {
		read += n
		a.progress.show("comparing", read, total)
	}})
}

// A proofRow is the JSON form of a proof.
type proofRow struct {
	SchemaVersion int              `json:"schema_version"`
	Verdict       migrate.Relation `json:"verdict"`
	Safe          bool             `json:"safe"`
	InUse         bool             `json:"in_use,omitempty"`
	Source        string           `json:"source"`
	Session       string           `json:"session"`
	Kind          source.Kind      `json:"kind"`
	Target        string           `json:"target,omitempty"`
	Line          int64            `json:"line,omitempty"`
	Lines         int64            `json:"lines"`
	OnlyHere      int64            `json:"only_here"`
	OnlyHereLines []int64          `json:"only_here_lines,omitempty"`
	Error         string           `json:"error,omitempty"`
}

// proofSums is the last object of --json.
type proofSums struct {
	SchemaVersion int                      `json:"schema_version"`
	Summary       bool                     `json:"summary"`
	Sources       int                      `json:"sources"`
	Safe          int                      `json:"safe"`
	InUse         int                      `json:"in_use"` // of these, those that are no files to delete
	OnlyHere      int64                    `json:"only_here"`
	Verdicts      map[migrate.Relation]int `json:"verdicts"`
}

func (a *app) printProofs(ctx *cli.Context, path string, proofs []migrate.Proof, worst *reported) error {
	sums := proofSums{SchemaVersion: 1, Summary: true, Verdicts: map[migrate.Relation]int{}}
	r := &report{columns: []column{{"verdict", false}, {"lines", true}, {"source", false}, {"what it means", false}}}
	var safe strings.Builder
	registered := source.Registrations{}
	for i := range proofs {
		p := &proofs[i]
		inUse := registered.MayList(p.Session)
		sums.take(p, inUse)
		if p.Safe() && isFile(p.Session) && !inUse {
			safe.WriteString(p.Session.Path + pathEnds[ctx.Bool("null")])
		}
		if only := ctx.String("only"); only == "problems" && p.Safe() || only == "safe" && !p.Safe() {
			continue
		}
		row := newProofRow(p)
		row.InUse = inUse
		r.add(row, proofVerdict(p), fmt.Sprint(p.Lines), row.Source, proofWords(p, inUse))
	}
	var err error
	switch {
	case ctx.Bool("list-safe"):
		err = a.print(safe.String())
	default:
		if a.json {
			r.add(sums)
		}
		err = a.printReport(r)
	}
	if err != nil {
		return err
	}
	inUse := ""
	if sums.InUse > 0 {
		inUse = fmt.Sprintf(", %d in use and wholly there", sums.InUse)
	}
	a.note("%s against %s: %d safe to delete%s, %d not; %s found nowhere else", count(sums.Sources, "transcript"), path, sums.Safe-sums.InUse, inUse, sums.Sources-sums.Safe, count(int(sums.OnlyHere), "record"))
	if sums.Safe < sums.Sources {
		a.blame(worst, &reported{exit: exitFindings, done: true})
	}
	if worst.exit == exitOK {
		return nil
	}
	return worst
}

// isFile tells what can be deleted: neither a part of a database nor what came through a pipe.
func isFile(s *source.Session) bool { return !s.InDatabase && opensAgain(s) }

// pathEnds end the paths of a list.
var pathEnds = map[bool]string{false: "\n", true: "\x00"}

func (s *proofSums) take(p *migrate.Proof, inUse bool) {
	s.Sources++
	s.Verdicts[p.Relation]++
	s.OnlyHere += p.Missing
	if p.Safe() {
		s.Safe++
		if inUse {
			s.InUse++
		}
	}
}

func newProofRow(p *migrate.Proof) proofRow {
	row := proofRow{
		SchemaVersion: 1, Verdict: p.Relation, Safe: p.Safe(), Source: p.Session.Place(), Session: p.Session.Name(), Kind: p.Session.Kind,
		Line: p.Line, Lines: p.Lines, OnlyHere: p.Missing, OnlyHereLines: p.OnlyHere,
	}
	if p.Target != nil {
		row.Target = p.Target.Name()
	}
	if p.Err != nil {
		var f *failure
		errors.As(inputError(row.Source, p.Err), &f)
		row.Error = f.text
	}
	return row
}

func proofVerdict(p *migrate.Proof) string {
	if p.Line > 0 {
		return fmt.Sprintf("%s at line %d", p.Relation, p.Line)
	}
	return string(p.Relation)
}

// proofWords says what a proof means for whoever wants to delete the source. What a gateway may go on with is no file to
// delete.
func proofWords(p *migrate.Proof, inUse bool) string {
	switch {
	case p.Err != nil:
		return "not compared: " + newProofRow(p).Error
	case p.Safe() && inUse:
		return "in use, and every record is in the database"
	case p.Safe():
		return "safe to delete: every record is in the database"
	case p.Missing == 0:
		return "every record is in the database, but not as it stands here"
	}
	return fmt.Sprintf("only here: %s", lineList(p.OnlyHere, p.Missing))
}

// lineList names lines in a few words: 3, 7-9 and 12 more.
func lineList(lines []int64, total int64) string {
	var parts []string
	shown := int64(0)
	for i := 0; i < len(lines) && len(parts) < 5; {
		j := i
		for j+1 < len(lines) && lines[j+1] == lines[j]+1 {
			j++
		}
		part := fmt.Sprint(lines[i])
		if j > i {
			part = fmt.Sprintf("%d-%d", lines[i], lines[j])
		}
		parts = append(parts, part)
		shown += int64(j - i + 1)
		i = j + 1
	}
	text := "line " + strings.Join(parts, ", ")
	if total > 1 {
		text = "lines " + strings.Join(parts, ", ")
	}
	if total > shown {
		text += fmt.Sprintf(" and %d more", total-shown)
	}
	return text
}
