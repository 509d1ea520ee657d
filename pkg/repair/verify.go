package repair

import (
	"context"
	"fmt"
	"io"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/validate"
)

// mendedCodes are the problems that a repair knows how to mend.
var mendedCodes = func() (codes []string) {
	for _, c := range slices.Concat(recordCodes, linkCodes, conversationCodes) {
		codes = append(codes, string(c))
	}
	for _, c := range jsonl.Codes {
		codes = append(codes, string(c))
	}
	return append(codes, string(rebuild.ByteOrderMark))
}()

// Mends reports whether a repair knows how to mend problems with a code.
func Mends(code string) bool { return slices.Contains(mendedCodes, code) }

// listRest lists what is left of the problems that a repair would mend, and everything else that makes an API refuse
// the conversation.
func (d *draft) listRest() error {
	result, err := validate.Session(d.newReader(), d.opts.Session, d.opts.Selection)
	if err != nil {
		return err
	}
	for _, f := range result.Findings {
		refuses := f.Severity > validate.Info && slices.Contains(conversationCodes, rebuild.Code(f.Rule.Code))
		if f.Severity == validate.Error || refuses {
			d.plan.Left = append(d.plan.Left, Rest{f.Rule.Code, f.Line, f.Entry, reasonFor(f.Rule.Code)})
		}
	}
	return nil
}

// reasonFor says why problems with a code are left alone.
func reasonFor(code string) string {
	switch {
	case code == string(jsonl.TooLong):
		return "the line is too long to be checked"
	case code == string(jsonl.WrongCoded):
		return "the file is too large to be converted"
	case !Mends(code):
		return "a change of this transcript cannot mend it"
	}
	return "it cannot be mended without a guess"
}

// Verify checks a repaired text: it has none of the problems that were to be mended, except those that the plan leaves,
// and every record of the original that the plan does not name is there.
func (p *Plan) Verify(ctx context.Context, original, repaired *io.SectionReader, o Options) error {
	opts := jsonl.Options{BeforeRead: ctx.Err}
	missing := map[string]bool{}
	if err := eachID(original, opts, func(id string) { missing[id] = !p.gone[id] }); err != nil {
		return err
	}
	if err := eachID(repaired, opts, func(id string) { delete(missing, id) }); err != nil {
		return err
	}
	for id, matters := range missing {
		if matters {
			return fmt.Errorf("the record %s is no longer there", id)
		}
	}
	if _, err := repaired.Seek(0, io.SeekStart); err != nil {
		return err
	}
	result, err := validate.Session(jsonl.NewReader(repaired, opts), o.Session, o.Selection)
	if err != nil {
		return err
	}
	return p.verifyFindings(result.Findings)
}

// eachID calls do with the id of every entry.
func eachID(text io.Reader, opts jsonl.Options, do func(id string)) error {
	for rec, err := range jsonl.Records(text, opts) {
		if err != nil {
			return err
		}
		if rec.Legible() && rec.ID() != "" && rec.Type() != jsonl.TypeSession {
			do(rec.ID())
		}
	}
	return nil
}

// verifyFindings compares the errors of a repaired text with what the plan leaves.
func (p *Plan) verifyFindings(findings []validate.Finding) error {
	for _, f := range findings {
		isLeft := func(r Rest) bool { return r.Code == f.Rule.Code && r.Line == f.Line }
		if f.Severity == validate.Error && Mends(f.Rule.Code) && !slices.ContainsFunc(p.Left, isLeft) {
			return fmt.Errorf("line %d still has %s", f.Line, f.Rule.Code)
		}
	}
	return nil
}
