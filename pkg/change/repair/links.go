package repair

import (
	"bytes"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
)

// linkCodes are the problems that mendLinks mends.
var linkCodes = []failure.Code{
	rebuild.NoParent, rebuild.Cycle, rebuild.LateParent, rebuild.OddParent, rebuild.NoLeafTarget, rebuild.NoKept,
	rebuild.NothingKept,
}

// mendLinks gives links that lead nowhere the meaning that OpenClaw gives them.
func (d *draft) mendLinks(s *survey) (*sheet, error) {
	m := &linkMender{draft: d, sheet: &sheet{}}
	if !s.has(linkCodes...) || !s.ix.HasTree() || s.isChained() {
		return m.sheet, nil
	}
	lines := map[int64]bool{}
	for line, faults := range s.faults {
		for _, f := range faults {
			lines[line] = lines[line] || f.Code != rebuild.NoKept && f.Code != rebuild.NothingKept
		}
	}
	m.anchors = s.ix.Anchors(lines)
	return m.sheet, d.eachRecord(func(rec *jsonl.Record) {
		if faults := s.faults[rec.Line]; len(faults) > 0 && rec.Legible() {
			m.mend(rec, faults)
		}
	})
}

// A linkMender goes over the records of a text once.
type linkMender struct {
	draft   *draft
	sheet   *sheet
	anchors map[int64]rebuild.Anchor
}

func (m *linkMender) mend(rec *jsonl.Record, faults []rebuild.Fault) {
	text := bytes.Clone(rec.Stated())
	value := jsonl.Value(text)
	for _, f := range faults {
		code, fixed, words := m.mendFault(rec, value, f.Code)
		if fixed == nil || !m.draft.takes(code) || !m.draft.isWorthTrying(code, rec) {
			continue
		}
		value = fixed
		m.sheet.note(code, rec, words, "")
	}
	if !bytes.Equal(value, text) {
		m.sheet.replace(rec, value)
	}
}

// mendFault returns a record without one problem, the code of that problem, and what was done.
func (m *linkMender) mendFault(rec *jsonl.Record, value jsonl.Value, code failure.Code) (
	failure.Code, jsonl.Value, string,
) {
	anchor := m.anchors[rec.Line]
	switch code {
	case rebuild.LateParent, rebuild.NoParent, rebuild.OddParent:
		if anchor.Cyclic {
			code = rebuild.Cycle
		}
		return code, value.With("parentId", linkOf(anchor.Leaf)), parentWords(anchor.Leaf)
	case rebuild.Cycle:
		if parent, _ := rec.ParentID(); parent == rec.ID() {
			return code, value.With("parentId", linkOf(anchor.Leaf)), parentWords(anchor.Leaf)
		}
	case rebuild.NoLeafTarget:
		return code, withTarget(value, anchor.Leaf), targetWords(anchor.Leaf)
	case rebuild.NoKept:
		if rec.Type() == jsonl.TypeReset {
			return code, value.Without("firstKeptEntryId"), "keep nothing from before the reset, as OpenClaw does"
		}
		return code, value.WithText("firstKeptEntryId", rec.ID()), "keep only the summary, as OpenClaw does"
	case rebuild.NothingKept:
		return code, value.WithText("firstKeptEntryId", rec.ID()), "keep only the summary, as pi does"
	}
	return code, nil, ""
}

// parentWords says which parent a record gets.
func parentWords(id string) string {
	if id == "" {
		return "make it the first entry"
	}
	return "set the parent to " + id
}

// targetWords says which target a leaf record gets.
func targetWords(id string) string {
	if id == "" {
		return "remove the target: there is no entry before it"
	}
	return "set the target to " + id + ", which was current"
}

// withTarget makes a leaf record that leads nowhere one that changes nothing.
func withTarget(value jsonl.Value, leaf string) jsonl.Value {
	value = value.With("targetId", linkOf(leaf))
	value = value.Without("appendParentId").Without("appendMode")
	if parent := value.Get("parentId"); !parent.IsString() && !parent.IsNull() {
		value = value.With("parentId", linkOf(leaf))
	}
	return value
}
