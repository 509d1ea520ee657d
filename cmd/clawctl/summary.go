package main

import (
	"fmt"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/pkg/compact"
	"clawctl/pkg/summary"
)

// summaryOptions are the flags that say where a summary comes from.
type summaryOptions struct {
	file    string // --summary
	command string // --summarizer
	timeout time.Duration
	offline bool
}

func newSummaryOptions() summaryOptions { return summaryOptions{timeout: summarizerTimeout} }

// fileFlag is --summary; usage says which file it reads.
func (o *summaryOptions) fileFlag(usage string) cli.Flag {
	return cli.RequiredTextFlag(&o.file, "summary", "FILE", usage)
}

// otherFlags are the flags beside --summary.
func (o *summaryOptions) otherFlags() []cli.Flag {
	return []cli.Flag{
		cli.RequiredTextFlag(&o.command, "summarizer", "COMMAND",
			"shell command that reads the conversation on stdin and prints the summary"),
		cli.DurationFlag(&o.timeout, "timeout", "how long the summarizer may take each time"),
		cli.SwitchFlag(&o.offline, "offline", "make an extract by fixed rules if there is no better summary"),
	}
}

// check refuses two summaries.
func (o *summaryOptions) check(c *cli.Command) error {
	if o.file != "" && o.command != "" {
		return c.Conflict("--summary", "--summarizer")
	}
	return nil
}

// summarizer returns that of the flags, nil if none is named.
func (o *summaryOptions) summarizer(a *cli.App) summary.Summarizer {
	if o.command == "" {
		return nil
	}
	return newSummarizer(a, o.command, o.timeout)
}

// compaction returns the options of a compaction or checkpoint.
func (o *summaryOptions) compaction(a *cli.App) (compact.Options, error) {
	options := compact.Options{Offline: o.offline, Summarizer: o.summarizer(a)}
	if o.file == "" {
		return options, nil
	}
	var err error
	if options.Given, err = cli.ReadTextFile(a, o.file); err != nil {
		return options, err
	}
	if err := summary.Check(options.Given); err != nil {
		return options, o.refuse(err)
	}
	return options, nil
}

// refuse is the failure of a summary in a file.
func (o *summaryOptions) refuse(err error) *failure.Error {
	path := o.file
	if path == "-" {
		path = cli.StdinName
	}
	return failure.New(failure.BadSummary, "%v", err).At(path)
}

// summaryRules are what help says about every summary.
var summaryRules = fmt.Sprintf("A summarizer is asked at most twice. A summary must have at least %d characters and "+
	"at most %d bytes.", summary.MinLength, summary.MaxLength)
