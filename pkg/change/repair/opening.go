package repair

import (
	"bytes"
	"slices"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
)

// mendOpening adds a message of the user before a conversation that begins with an answer.
func (d *draft) mendOpening(s *survey) (*sheet, error) {
	sh := &sheet{}
	if !s.has(rebuild.NotUserFirst) || !d.takes(rebuild.NotUserFirst) || s.isNumbered() || s.context.HasEdits() {
		return sh, nil
	}
	if p := s.ix.Dialect.Translated(); p != nil && p.NewPrompt == nil {
		return sh, nil // nobody knows how the program writes it
	}
	path := s.context.PathPlaces()
	at := slices.IndexFunc(path, func(p rebuild.Place) bool { return s.opensAt(p.Line) })
	if at <= s.context.Boundary() {
		return sh, nil // what is added before a reset is not seen
	}
	parent := ""
	if at > 0 {
		parent = path[at-1].Entry
	}
	return sh, d.eachRecord(func(rec *jsonl.Record) {
		if rec.Line == path[at].Line && d.isWorthTrying(rebuild.NotUserFirst, rec) {
			d.addOpening(sh, s, rec, parent)
		}
	})
}

// opensAt reports whether the conversation begins with an answer in a line.
func (s *survey) opensAt(line int64) bool {
	return slices.ContainsFunc(s.fixes[line], func(f rebuild.Fix) bool { return f.Code == rebuild.NotUserFirst })
}

// addOpening adds a message of the user before a record.
func (d *draft) addOpening(sh *sheet, s *survey, rec *jsonl.Record, parent string) {
	value := jsonl.Value(bytes.Clone(rec.Stated()))
	message := jsonl.Value(`{"role":"user","content":[` + string(textBlock(rebuild.OpeningLine)) + `]}`)
	switch record := jsonl.Value(`{"type":"message"}`); {
	case rec.Translator() != nil:
		sh.insert(rec.Offset, rec.Translator().NewPrompt(value, rebuild.OpeningLine))
	case s.isChained():
		sh.insert(rec.Offset, dated(record, value.Get("timestamp")).With("message", message))
	default:
		id := "repair-" + uuidOf("opening", s.ix.HeaderID(), rec.ID())
		record = record.WithText("id", id).With("parentId", linkOf(parent))
		sh.insert(rec.Offset, dated(record, value.Get("timestamp")).With("message", message))
		sh.replace(rec, value.WithText("parentId", id))
	}
	sh.note(rebuild.NotUserFirst, rec, "add a message of the user before the first answer", "")
}
