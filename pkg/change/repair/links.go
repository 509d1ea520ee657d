package repair

import (
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
	m := d.newMender(s, linkCodes)
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
	return m.sheet, d.eachRecord(m.mend)
}

// mendLink makes a link of a record that leads nowhere lead where OpenClaw takes it.
func (m *recordMender) mendLink(rec *jsonl.Record, value jsonl.Value, found failure.Code) jsonl.Value {
	code, fixed, words := m.linkFault(rec, value, found)
	if fixed == nil || !m.draft.takes(code) || !m.draft.isWorthTrying(code, rec) {
		return value
	}
	m.sheet.note(code, rec, words, "")
	return fixed
}

// linkFault returns a record without one problem, the code of that problem, and what was done.
func (m *recordMender) linkFault(rec *jsonl.Record, value jsonl.Value, code failure.Code) (
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
