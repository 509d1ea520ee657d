package compact

import (
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/window/summary"
)

// Extract returns an extract of everything before a step. records must read the same transcript again.
func (s *Survey) Extract(records Records, end int) (*summary.Extract, error) {
	x := &summary.Extract{Details: s.details(end)}
	if s.Previous != nil {
		x.Previous = strings.TrimSpace(s.Previous.Summary)
	}
	err := s.stretch.Walk(records(), func(i int, rec *jsonl.Record) error {
		if i < end && s.isMessage(i) {
			x.Messages++
			takeRecord(x, rec)
		}
		return nil
	})
	return x, err
}

func takeRecord(x *summary.Extract, rec *jsonl.Record) {
	if m, ok := rec.Message(); ok && m.Role() == jsonl.RoleToolResult {
		x.Error = ""
		if m.Get("isError").IsTrue() {
			x.Error = summary.Excerpt(resultText(m), summary.LineLength)
		}
	}
	for _, p := range passagesOf(rec) {
		switch {
		case p.speaker == jsonl.RoleUser:
			x.AddUser(p.text)
		case p.speaker == jsonl.RoleAssistant:
			x.AddAssistant(p.text)
		case strings.HasPrefix(p.speaker, "assistant called "):
			x.AddCall(strings.TrimPrefix(p.speaker, "assistant called "), p.text)
		}
	}
}

func extractNotes(x *summary.Extract) *Notes {
	return &Notes{x.String(), x.Topics, x.Questions, x.Decisions}
}
