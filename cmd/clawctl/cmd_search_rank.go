package main

import (
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	finder "clawctl/pkg/read/search"
	"clawctl/pkg/tokens"
)

// asMarkdown is the format for agents.
const asMarkdown = "markdown"

// usualBest is how many messages a ranked search prints without --limit.
const usualBest = 10

// checkRanked refuses flags that contradict --rank, or that need it.
func (o *searchOptions) checkRanked(a *cli.App) error {
	others := map[string]bool{
		"-e": len(o.Patterns) > 0, "--and": len(o.And) > 0, "--not": len(o.Not) > 0, "--invert": o.Invert,
		"-w": o.Word, "-s": o.MatchCase, "-l": o.List, "-c": o.Count, "-A, -B and -C": o.showsMessages(),
		"--file": o.File != "",
	}
	for _, name := range []string{"--file", "-e", "--and", "--not", "--invert", "-w", "-s", "-l", "-c", "-A, -B and -C"} {
		if o.Rank && others[name] {
			return cli.Usage("--rank and %s cannot be combined", name)
		}
	}
	switch {
	case !o.Rank && o.Budget > 0:
		return cli.Usage("--budget needs --rank")
	case !o.Rank && a.Format == asMarkdown:
		return cli.Usage("--format markdown needs --rank")
	}
	return nil
}

// rankedQuery reads the words. All places are searched, memory files included.
func (o *searchOptions) rankedQuery(operands []string) (q *finder.Query, sources []string, err error) {
	if o.words, q, err = finder.RankedQuery(o.Patterns[0]); err != nil {
		return nil, nil, cli.Usage("--rank %q: %v", o.Patterns[0], err)
	}
	if o.words.IsEmpty() {
		return nil, nil, cli.Usage("--rank %q has no words", o.Patterns[0])
	}
	if len(o.In) == 0 {
		o.In = []string{"all"}
	}
	return q, operands, nil
}

// printRanked prints the best hits, the best one first.
func (p *hitPrinter) printRanked(scan *finder.Scan) error {
	limit := p.Limit
	if limit == 0 {
		limit = usualBest
	}
	best, err := p.ranking.Best(p.Ctx, scan, p.sessions, limit)
	if err != nil {
		return err
	}
	for _, h := range best {
		p.sums.Add(h.Hit)
	}
	p.sums.Found = finder.InSessions(best)
	if left := p.ranking.Len() - len(best); left > 0 {
		p.Note("%s with these words left out (--limit prints more)", ui.Count(left, "part"))
	}
	if p.Format == asMarkdown || p.Budget > 0 {
		return p.printAnswer(best)
	}
	if !p.WantsJSON() {
		return p.PrintStyled(p.layout.Best(p.sessions, best, p.showCommand))
	}
	for _, h := range best {
		if err := p.PrintJSON(finder.NewRankedRow(p.sessions[h.Session], h)); err != nil {
			return err
		}
	}
	return nil
}

// printAnswer prints whole messages as far as the budget goes.
func (p *hitPrinter) printAnswer(best []finder.RankedHit) error {
	answer := finder.Answer{Budget: p.Budget, Count: tokens.O200K.Count, Head: finder.AnswerHead,
		Write: finder.Citation.Markdown}
	if p.WantsJSON() {
		answer.Head = ""
		answer.Write = func(c finder.Citation) string { return cli.JSONLine(finder.NewCitedRow(c)) }
	}
	for i, h := range best {
		answer.Add(p.sessions[h.Session], h)
		if i == 0 {
			p.example, p.exampleOf = h.Hit, p.sessions[h.Session]
		}
	}
	if answer.Shown == 0 && answer.LeftOut > 0 {
		return failure.Usage(p.CommandWithout("--budget", "--budget", "2000"), "--budget %d has no room for a message",
			answer.Budget)
	}
	if answer.LeftOut > 0 {
		p.Note("%s left out because of --budget", ui.Count(answer.LeftOut, "message"))
	}
	text := answer.Text()
	if !p.WantsJSON() {
		text += answer.Note()
	}
	return p.Print(strings.TrimPrefix(text, "\n"))
}
