package repair

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
	"clawctl/pkg/validate"
)

// The states of rows.
const (
	Planned = "planned"
	Left    = "left"
	Note    = "note"
)

// A Row is the JSON form of a change of a transcript, or of a problem that is left alone.
type Row struct {
	SchemaVersion int          `json:"schema_version"`
	State         string       `json:"state"` // planned, left or note
	Path          string       `json:"path"`
	Line          int64        `json:"line,omitempty"` // of the original, or 0 if it is about all of it
	EntryID       string       `json:"entry_id,omitempty"`
	Code          failure.Code `json:"code"`
	Change        string       `json:"change"`         // what is done, or why nothing is
	Cost          string       `json:"cost,omitempty"` // what is no longer there afterwards
	// AlsoLines are the other lines of the original that change with it, such as links to a record that gets another id.
	AlsoLines []int64 `json:"also_lines,omitempty"`
	JudgedBy  string  `json:"judged_by,omitempty"` // the API whose rules decide what can be sent

	offset       int64 // in the text before the change
	repairedLine int64 // of the repaired text, if it is left alone
}

func (r Row) compareLines(other Row) int { return cmp.Compare(r.Line, other.Line) }

// Rows returns what is done and what is left alone, in the order of lines.
func (p *SessionPlan) Rows(withNotes bool) []Row {
	rows := slices.Concat(p.Plan.Mends, p.Plan.Left)
	if withNotes {
		rows = append(rows, p.Plan.Notes...)
	}
	for i := range rows {
		rows[i].SchemaVersion, rows[i].Path, rows[i].JudgedBy = 1, p.Session.Place(), p.Plan.API.String()
	}
	slices.SortStableFunc(rows, Row.compareLines)
	return rows
}

// Words say what is done, and which other lines change with it.
func (r *Row) Words() string {
	const shown = 3
	switch n := len(r.AlsoLines); {
	case n == 0:
		return r.Change
	case n > shown:
		return fmt.Sprintf("%s; also changes %d other lines from line %d on", r.Change, n, r.AlsoLines[0])
	}
	numbers := make([]string, len(r.AlsoLines))
	for i, line := range r.AlsoLines {
		numbers[i] = fmt.Sprint(line)
	}
	return r.Change + "; also changes line " + strings.Join(numbers, ", ")
}

// A Summary sums up the repair of several sessions.
type Summary struct {
	SchemaVersion int    `json:"schema_version"`
	State         string `json:"state"` // summary
	Sessions      int    `json:"sessions"`
	Changes       int    `json:"changes"`
	Files         int    `json:"files"` // with changes
	Left          int    `json:"left"`
	Written       int    `json:"written"`           // changes that were made
	Receipt       string `json:"receipt,omitempty"` // for clawctl undo
	Stuck         int    `json:"stuck,omitempty"`   // sessions that cannot be continued afterwards

	APIs []string `json:"apis,omitempty"` // whose rules decided what can be sent
}

// Summarize sums up the plans for some sessions. Those without a plan need no repair, or cannot be read.
func Summarize(sessions int, plans []*SessionPlan) *Summary {
	s := &Summary{SchemaVersion: 1, State: "summary", Sessions: sessions}
	for _, p := range plans {
		s.Changes += len(p.Plan.Mends)
		s.Left += len(p.Plan.Left)
		if len(p.Plan.Mends) > 0 {
			s.Files++
		}
		if p.Plan.After.State == validate.Stuck {
			s.Stuck++
		}
	}
	return s
}

// PlanWords sum up what would be done. remark follows the number of sessions.
func (s *Summary) PlanWords(remark string) string {
	text := ui.Count(s.Sessions, "session") + remark + ": "
	switch {
	case s.Changes == 0 && s.Left == 0 && s.Stuck == 0:
		return text + "nothing to repair"
	case s.Changes == 0:
		text += "nothing that can be repaired"
	default:
		text += fmt.Sprintf("%s in %s", ui.Count(s.Changes, "change"), ui.Count(s.Files, "session"))
	}
	return text + s.leftWords() + ". Nothing was written."
}

// DoneWords sum up what was done. remark follows the number of changes.
func (s *Summary) DoneWords(remark string) string {
	text := "made " + ui.Count(s.Written, "change") + remark + s.leftWords()
	if s.Receipt != "" {
		text += "; receipt " + s.Receipt
	}
	return text
}

// leftWords say how much is left alone, and how many sessions cannot be continued because of it.
func (s *Summary) leftWords() string {
	var text string
	if s.Left > 0 {
		text = ", " + ui.Count(s.Left, "problem") + " left alone"
	}
	if s.Stuck > 0 {
		text += ", " + ui.Count(s.Stuck, "session") + " still cannot be continued"
	}
	return text
}

// An IndexRow is the JSON form of a change of an index.
type IndexRow struct {
	SchemaVersion int          `json:"schema_version"`
	State         string       `json:"state"` // planned
	Path          string       `json:"path"`
	Session       string       `json:"session,omitempty"`
	Code          failure.Code `json:"code"`
	Change        string       `json:"change"`
	Cost          string       `json:"cost,omitempty"`
}
