package reading

import (
	"context"
	"fmt"

	"clawctl/internal/cli"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
	"clawctl/pkg/validate"
)

// A Judgement is what validate says about a session.
type Judgement struct {
	validate.Result
	Err error
}

// JudgeAll judges sessions, several at the same time, and hands the judgements on in the order of the sessions.
func JudgeAll(
	a *cli.App, sessions []*source.Session, jobs int, selection validate.Selection, each func(i int, j Judgement) error,
) error {
	judge := func(_ context.Context, o *source.Opened) (validate.Result, error) {
		return validate.Session(o.Lines(), o.Session, selection)
	}
	return cli.ReadAll(a, "Checking", sessions, jobs, judge, func(i int, r validate.Result, err error) error {
		return each(i, Judgement{r, err})
	})
}

// VerdictOf says whether the session of a transcript can be continued, with the API that it uses or with another one.
func VerdictOf(t *Transcript, api rebuild.API) (validate.Verdict, error) {
	if !t.isWhole {
		if err := t.CompleteIndex(); err != nil {
			return validate.Verdict{}, err
		}
	}
	return validate.IndexOf(t.Index, t.Session, validate.Selection{API: api}).Verdict, nil
}

// RefuseFixes returns why a conversation may not be printed if no fix may be made: it needs one, or the session cannot
// be continued. leaf is the entry that the user chose, or "". hint is a command that lists the fixes.
func RefuseFixes(t *Transcript, plan *rebuild.Conversation, leaf, hint string) error {
	if len(plan.Fixes) > 0 {
		return plan.Refuse(t.Name).WithHint(hint)
	}
	if leaf != "" {
		return nil // the verdict is about the session's last entry
	}
	v, err := VerdictOf(t, plan.API)
	if err != nil {
		return err
	}
	return v.Refuse(t.Name)
}

// RuleFlag takes codes, beginnings of codes, or levels.
func RuleFlag(dst *[]string, name, usage string) cli.Flag {
	f := cli.ListFlag(dst, name, "RULES", usage, true)
	return f.Checked(func() error {
		for _, rule := range *dst {
			if !validate.IsKnown(rule) {
				return fmt.Errorf("must be a code such as CL301 or a level such as pairing, got %q", rule)
			}
		}
		return nil
	})
}
