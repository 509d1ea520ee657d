package session

import (
	"bytes"
	"fmt"
	"io"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/validate"
)

// A Refusal says why a record does not fit into its session, in the words of a rule of validate.
type Refusal struct {
	Code   failure.Code
	Record int // its number among the new records, from 1
	Text   string
}

func (r *Refusal) Error() string { return fmt.Sprintf("record %d: %s", r.Record, r.Text) }

// FailureAt says where the rule is explained.
func (r *Refusal) FailureAt(place string) *failure.Error {
	return failure.New(r.Code, "refused: %v", r).At(place).WithExit(failure.ExitFindings).
		WithHint("clawctl explain " + string(r.Code))
}

// accepted are errors of a finished session that are none in one that goes on: a call gets its result later, or the
// user speaks first.
var accepted = map[failure.Code]bool{rebuild.NoResult: true}

// check adds lines to a text and returns the head of both. A rule that a new line breaks is a Refusal. lines is the
// number of lines of the text.
func check(text io.Reader, lines int64, news []byte, program string) (*head, error) {
	r := jsonl.NewReader(io.MultiReader(text, bytes.NewReader(news)), jsonl.Options{})
	forced := rebuild.ProgramNamed(program)
	ix, err := rebuild.ScanBy(rebuild.Author{Forced: forced}, r, nil)
	if err != nil {
		return nil, err
	}
	for _, f := range validate.Index(ix, validate.Selection{Program: forced}).Findings {
		if f.Stated() == validate.Error && f.Line > lines && !accepted[f.Rule.Code] {
			f.CorrectedBy = "" // what a program does about it does not matter here
			return nil, &Refusal{f.Rule.Code, int(f.Line - lines), f.Message()}
		}
	}
	return headOf(ix)
}
