package repair

import (
	"context"
	"fmt"
	"io"
	"slices"
	"sync"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/validate"
)

// mendedCodes are the problems that a repair knows how to mend.
var mendedCodes = sync.OnceValue(func() []failure.Code {
	return slices.Concat(recordCodes, linkCodes, refusedCodes(), jsonl.Codes, []failure.Code{rebuild.ByteOrderMark})
})

// mends reports whether a repair knows how to mend problems with a code.
func mends(code failure.Code) bool { return slices.Contains(mendedCodes(), code) }

// listRest lists what is left of the problems that a repair would mend, everything else that makes an API refuse the
// conversation, and notes.
func (d *draft) listRest() error {
	result, err := validate.Session(d.newReader(), d.opts.Session, d.opts.Selection)
	if err != nil {
		return err
	}
	d.plan.After = result.Verdict
	for _, f := range result.Findings {
		code := f.Rule.Code
		reason, isNote := noteReasons[code]
		severity := f.Stated()
		isProblem := severity == validate.Error || severity > validate.Info && slices.Contains(refusedCodes(), code)
		switch {
		case isNote:
			d.plan.Notes = append(d.plan.Notes, d.restOf(f, Note, reason))
		case isProblem:
			d.plan.Left = append(d.plan.Left, d.restOf(f, Left, d.reasonFor(code)))
		}
	}
	return nil
}

// restOf returns a finding of the repaired text that is left alone.
func (d *draft) restOf(f validate.Finding, state, reason string) Row {
	r := Row{
		State: state, EntryID: f.Entry, Code: f.Rule.Code, Change: "left alone: " + reason, repairedLine: f.Line,
	}
	if f.Line > 0 {
		r.Line = d.lineOf(d.origin(f.Offset))
	}
	return r
}

// refusedCodes are the problems of a conversation that make an API refuse it.
var refusedCodes = sync.OnceValue(func() []failure.Code {
	return append(slices.Clone(conversationCodes), rebuild.NotUserFirst)
})

// noteReasons say why something is left alone that an API would refuse, but that does no harm.
var noteReasons = map[failure.Code]string{
	rebuild.Mirror:       "OpenClaw itself leaves it out of requests",
	rebuild.OpenEnd:      "the next message of the user comes after it",
	rebuild.OtherThought: "OpenClaw sends it only to the provider that it came from",
}

// reasonFor says why problems with a code are left alone.
func (d *draft) reasonFor(code failure.Code) string {
	s, isPair := d.last, slices.Contains(lineCodes, code)
	switch {
	case s.problems > maxProblems:
		return fmt.Sprintf("the transcript has more than %d problems", maxProblems)
	case code == jsonl.TooLong:
		return "the line is too long to be checked"
	case code == jsonl.WrongCoded:
		return "the file is too large to be converted"
	case code == rebuild.BadImage:
		return "the image is too large, and nothing here can shrink it"
	case !mends(code):
		return "a change of this transcript cannot mend it"
	case s.context != nil && s.context.HasEdits() && slices.Contains(refusedCodes(), code):
		return "context edits decide what the model sees"
	case s.isNumbered() && (isPair || code == rebuild.NotUserFirst):
		return "compactions of version 1 count records, so none can be added, moved or removed"
	case code == rebuild.NotUserFirst:
		return "the reset keeps this answer, and nothing can be added before it"
	case !s.ix.HasTree() && !isPair:
		return s.ix.Writer() + "'s transcripts have no other way to say it"
	}
	return "it cannot be mended without a guess"
}

// verify checks a repaired text: it has none of the problems that were to be mended, except those that the plan leaves,
// and every record of the original that the plan does not name is there.
func (p *Plan) verify(ctx context.Context, original, repaired *io.SectionReader, o Options) error {
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
	reader := readers.Get().(*jsonl.Reader)
	defer readers.Put(reader)
	reader.Reset(repaired, opts)
	result, err := validate.Session(reader, o.Session, o.Selection)
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
	type place struct {
		code failure.Code
		line int64
	}
	left := map[place]bool{}
	for _, r := range p.Left {
		left[place{r.Code, r.repairedLine}] = true
	}
	for _, f := range findings {
		if f.Stated() == validate.Error && mends(f.Rule.Code) && !left[place{f.Rule.Code, f.Line}] {
			return fmt.Errorf("line %d still has %s", f.Line, f.Rule.Code)
		}
	}
	return nil
}
