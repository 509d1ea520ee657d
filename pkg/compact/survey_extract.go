package compact

import (
	"strings"

	"clawctl/pkg/jsonl"
)

// Extract makes one of everything before a step. records must read the same transcript again.
func (s *Survey) Extract(records Records, end int) (*Extract, error) {
	x := &Extract{Details: s.details(end)}
	if s.Previous != nil {
		x.Previous = strings.TrimSpace(s.Previous.Summary)
	}
	err := s.Walk(records(), func(i int, rec *jsonl.Record) error {
		if i < end && s.isMessage(i) {
			x.messages++
			takeRecord(x, rec)
		}
		return nil
	})
	return x, err
}

// takeRecord adds what one record says to an extract.
func takeRecord(x *Extract, rec *jsonl.Record) {
	if m, ok := rec.Message(); ok && m.Role() == jsonl.RoleToolResult {
		x.Error = ""
		if m.Get("isError").IsTrue() {
			x.Error = quote(resultText(m), lineLength)
		}
	}
	for _, p := range partsOf(rec) {
		switch {
		case p.who == jsonl.RoleUser:
			x.user(p.text)
		case p.who == jsonl.RoleAssistant:
			x.assistant(p.text)
		case strings.HasPrefix(p.who, "assistant called "):
			x.called(strings.TrimPrefix(p.who, "assistant called "), p.text)
		}
	}
}

// extractNotes makes notes of an extract.
func extractNotes(x *Extract) *Notes {
	return &Notes{x.String(), x.Topics, x.Questions, x.Decisions}
}
