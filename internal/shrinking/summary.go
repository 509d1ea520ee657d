package shrinking

import (
	"fmt"
	"time"

	"clawctl/internal/cli"
	"clawctl/internal/failure"
	"clawctl/pkg/window/compact"
	"clawctl/pkg/window/summary"
)

// SummaryOptions are the flags that say where a summary comes from.
type SummaryOptions struct {
	File    string // --summary
	Command string // --summarizer
	Timeout time.Duration
	Offline bool
}

// NewSummaryOptions returns the defaults.
func NewSummaryOptions() SummaryOptions { return SummaryOptions{Timeout: summarizerTimeout} }

// FileFlag is --summary; usage says which file it reads.
func (o *SummaryOptions) FileFlag(usage string) cli.Flag {
	return cli.RequiredTextFlag(&o.File, "summary", "FILE", usage)
}

// OtherFlags are the flags beside --summary.
func (o *SummaryOptions) OtherFlags() []cli.Flag {
	return []cli.Flag{
		cli.RequiredTextFlag(&o.Command, "summarizer", "COMMAND",
			"shell command that reads the conversation on stdin and prints the summary"),
		cli.DurationFlag(&o.Timeout, "timeout", "how long the summarizer may take each time"),
		cli.SwitchFlag(&o.Offline, "offline", "make an extract by fixed rules if there is no better summary"),
	}
}

// Check refuses two summaries.
func (o *SummaryOptions) Check() error {
	if o.File != "" && o.Command != "" {
		return cli.Conflict("--summary", "--summarizer")
	}
	return nil
}

// Summarizer returns that of the flags, nil if none is named.
func (o *SummaryOptions) Summarizer(a *cli.App) summary.Summarizer {
	if o.Command == "" {
		return nil
	}
	return newSummarizer(a, o.Command, o.Timeout)
}

// compaction returns the options of a compaction or checkpoint.
func (o *SummaryOptions) compaction(a *cli.App) (compact.Options, error) {
	options := compact.Options{Offline: o.Offline, Summarizer: o.Summarizer(a)}
	if o.File == "" {
		return options, nil
	}
	var err error
	if options.Given, err = cli.ReadMessageFile(a, "summary", o.File); err != nil {
		return options, err
	}
	if err := summary.Check(options.Given); err != nil {
		return options, o.refuse(err)
	}
	return options, nil
}

// refuse is the failure of a summary in a file.
func (o *SummaryOptions) refuse(err error) *failure.Error {
	path := o.File
	if path == "-" {
		path = cli.StdinName
	}
	return failure.New(failure.BadSummary, "%v", err).At(path)
}

// SummaryRules are what help says about every summary.
var SummaryRules = fmt.Sprintf("A summarizer is asked at most twice. A summary must have at least %d characters and "+
	"at most %d bytes.", summary.MinLength, summary.MaxLength)
