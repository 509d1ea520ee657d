package main

import (
	"strings"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/read/rank"
	finder "clawctl/pkg/read/search"
	"clawctl/pkg/tokens"
)

// asMarkdown is the format for agents.
const asMarkdown = "markdown"

// usualBest is how many messages a ranked search prints without --limit.
const usualBest = 10

// rankOptions are the flags of a ranked search.
type rankOptions struct {
	on     bool
	budget int
	query  *rank.Query
}

func (o *rankOptions) flags() []cli.Flag {
	return []cli.Flag{
		cli.SwitchFlag(&o.on, "rank", "PATTERN is words: print the messages that answer them best"),
		cli.CountFlag(&o.budget, "budget", "N", 1, "with --rank: print at most N tokens"),
	}
}

// checkRanked refuses flags that contradict --rank, or that need it.
func (o *searchOptions) checkRanked(a *cli.App) error {
	others := map[string]bool{
		"-e": len(o.patterns) > 0, "--and": len(o.and) > 0, "--not": len(o.not) > 0, "--invert": o.invert,
		"-w": o.word, "-s": o.matchCase, "-l": o.list, "-c": o.count, "-A, -B and -C": o.showsMessages(),
		"--file": o.file != "",
	}
	for _, name := range []string{"--file", "-e", "--and", "--not", "--invert", "-w", "-s", "-l", "-c", "-A, -B and -C"} {
		if o.ranked.on && others[name] {
			return cli.Usage("--rank and %s cannot be combined", name)
		}
	}
	switch {
	case !o.ranked.on && o.ranked.budget > 0:
		return cli.Usage("--budget needs --rank")
	case !o.ranked.on && a.Format == asMarkdown:
		return cli.Usage("--format markdown needs --rank")
	}
	return nil
}

// rankedQuery reads the words. All places are searched, memory files included.
func (o *searchOptions) rankedQuery(operands []string) (q *finder.Query, sources []string, err error) {
	if o.ranked.query, q, err = finder.RankedQuery(o.patterns[0]); err != nil {
		return nil, nil, cli.Usage("--rank %q: %v", o.patterns[0], err)
	}
	if o.ranked.query.IsEmpty() {
		return nil, nil, cli.Usage("--rank %q has no words", o.patterns[0])
	}
	if len(o.in) == 0 {
		o.in = []string{"all"}
	}
	return q, operands, nil
}

// rank takes a hit of a ranked search.
func (p *hitPrinter) rank(session int, h finder.Hit) error {
	p.ranking.Add(session, h)
	return nil
}

// printRanked prints the best hits, the best one first.
func (p *hitPrinter) printRanked(scan *finder.Scan) error {
	limit := p.limit
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
	if p.Format == asMarkdown || p.ranked.budget > 0 {
		return p.printAnswer(best)
	}
	return p.printBest(best)
}

// printBest prints hits as a search does, each with the command that opens it.
func (p *hitPrinter) printBest(best []finder.RankedHit) error {
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
	answer := finder.Answer{Budget: p.ranked.budget, Count: tokens.O200K.Count, Head: finder.AnswerHead,
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
