package trajectory

import "clawctl/pkg/read/parts"

// addRecord adds a record that is not a message. Only an empty message of an extension has no parts.
func (b *builder) addRecord(e *parts.Entry) {
	if len(e.Parts) == 0 {
		b.addText(e, fromSystem)
		return
	}
	switch p := &e.Parts[0]; p.Kind {
	case parts.Compaction:
		b.addBoundary(e, "Earlier messages were replaced by a summary.", "compaction", b.boundary(p))
	case parts.Reset:
		b.addBoundary(e, "The conversation began anew.", "reset", b.boundary(p))
	case parts.BranchSummary:
		b.addBoundary(e, "The summary of an abandoned branch was added.", "injection", extra{"boundary": "append"})
	case parts.Custom:
		if p.Hidden {
			b.keep(e)
		} else {
			b.addText(e, fromSystem)
		}
	case parts.ThinkingLevel:
		b.effort = p.Text()
		b.keep(e)
	default:
		b.keep(e)
	}
}

// keep keeps a record that is not a step for the next step.
func (b *builder) keep(e *parts.Entry) {
	b.totals.addOutside(new(extra))
	if b.surveys {
		return
	}
	for i := range e.Parts {
		if p := &e.Parts[i]; p.Kind != parts.Damage {
			b.records = append(b.records, b.record(e, p))
		}
	}
}

// addBoundary adds a step that changes what the model sees.
func (b *builder) addBoundary(e *parts.Entry, message, kind string, management extra) {
	s := b.begin(e, fromSystem)
	s.Message = quoted(message)
	management.set("type", kind)
	s.Extra.set("context_management", management)
	first := &e.Parts[0]
	b.addFacts(&s.Extra, first)
	var summary content
	b.addTextTo(&summary, first)
	s.observe(&result{Content: summary.value(betweenTexts)})
	b.totals.addOutside(&s.Extra)
	for i := range e.Parts[1:] {
		b.addOddPart(&s.Extra, e, &e.Parts[1+i])
	}
}

// boundary says what a compaction or reset does to the context. It replaces everything, unless it keeps the steps from
// one on.
func (b *builder) boundary(p *parts.Part) extra {
	id := p.Field("first_kept").String()
	if b.surveys && id != "" {
		b.plan.kept[id] = true
	}
	if step := b.firstKept[id]; step > 0 && step <= b.steps {
		return extra{"boundary": "truncate", "first_kept_step": step}
	}
	return extra{"boundary": "replace"}
}
