package redact

import (
	"bytes"
	"slices"
	"strings"
	"sync"

	"clawctl/pkg/change/secrets"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// A line is a JSON text that is being redacted.
type line struct {
	redactor *Redactor
	text     []byte
	findings []secrets.Leak // in order
	isIndex  bool           // the text is a sessions.json, whose keys are the names of sessions
	isAgain  bool           // the names that stay are noted already
}

// An edit replaces bytes of the text.
type edit struct {
	start, end int
	with       []byte
}

type scope struct {
	key   string // of the member it is the value of
	depth int    // of objects
	fixed bool   // it is a part of the format
}

// JSON returns a JSON text without its secrets. It returns the same slice if there are none.
func (r *Redactor) JSON(text []byte, isIndex bool) []byte {
	return r.rewrite(text, findIn(r.detector, text), isIndex)
}

// mostPasses is how often a text is searched again after something in it was replaced. A placeholder may be where a
// line was as wide as the widest, or before what looks like the value of a name then.
const mostPasses = 8

// rewrite returns a JSON text without the secrets that were found in it, and without those that are found then.
func (r *Redactor) rewrite(text []byte, findings []secrets.Leak, isIndex bool) []byte {
	for pass := 0; pass < mostPasses && len(findings) > 0; pass++ {
		l := &line{redactor: r, text: text, findings: findings, isIndex: isIndex, isAgain: pass > 0}
		edits := l.edits()
		if len(edits) == 0 {
			break
		}
		text = apply(text, edits)
		findings = findIn(r.detector, text)
	}
	return text
}

// edits returns the edits of the whole text.
func (l *line) edits() (edits []edit) {
	if len(l.findings) > 0 {
		_, edits = l.value(l.skipSpace(0), scope{fixed: true})
	}
	return edits
}

// apply makes the edits, which are in order.
func apply(text []byte, edits []edit) []byte {
	if len(edits) == 0 {
		return text
	}
	out := make([]byte, 0, len(text))
	from := 0
	for _, e := range edits {
		out = append(append(out, text[from:e.start]...), e.with...)
		from = e.end
	}
	return append(out, text[from:]...)
}

func (l *line) skipSpace(at int) int { return jsontext.SkipSpace(l.text, at) }

// hasFinding reports whether there is a secret between two indexes.
func (l *line) hasFinding(start, end int) bool {
	i, _ := slices.BinarySearchFunc(l.findings, start, func(f secrets.Leak, at int) int { return f.Start - at })
	return i < len(l.findings) && l.findings[i].Start < end
}

// value returns the end of the value at an index, and the edits in it.
func (l *line) value(at int, in scope) (end int, edits []edit) {
	switch l.text[at] {
	case '{':
		return l.object(at, in)
	case '[':
		return l.array(at, in)
	case '"':
		end = jsontext.StringEnd(l.text, at+1)
		isToolName := in.key == "name" && in.depth > 1 && !l.isIndex
		return end + 1, l.replace(at+1, in.fixed && (fixed()[in.key] || isToolName), ID)
	}
	for end = at; end < len(l.text) && bytes.IndexByte([]byte(",]} \t\r\n"), l.text[end]) < 0; end++ {
	}
	return end, l.number(at, end, in)
}

// number returns the edit of a number that has a secret, such as a PIN that the user named. It becomes a string, unless
// it is a part of the format, whose readers want a number there.
func (l *line) number(at, end int, in scope) []edit {
	matches := l.matchesIn(at, end)
	if len(matches) == 0 {
		return nil
	}
	if in.fixed {
		label := []byte(in.key + ": ")
		for i := range matches {
			matches[i].Start += len(label)
			matches[i].End += len(label)
		}
		l.stay(Number, append(label, l.text[at:end]...), matches)
		return nil
	}
	for _, m := range matches {
		l.redactor.Counts.Places[m.Rule.Name]++
	}
	return []edit{{at, end, []byte(`"` + l.redactor.mask(l.text[at:end], matches) + `"`)}}
}

// matchesIn returns the secrets between two indexes that are outside of strings, as matches in that text.
func (l *line) matchesIn(start, end int) []secrets.Match {
	var list []secrets.Match
	after, _ := slices.BinarySearchFunc(l.findings, start+1, func(f secrets.Leak, at int) int { return f.Start - at })
	if after == 0 {
		return nil
	}
	f := l.findings[after-1]
	for _, m := range f.Matches {
		if first, last := f.Start+m.Start, f.Start+m.End; first >= start && last <= end {
			list = append(list, secrets.Match{Start: first - start, End: last - start, Rule: m.Rule})
		}
	}
	return list
}

// replace returns the edits of a string, unless it must stay as a name of some kind.
func (l *line) replace(at int, stays bool, kind NameKind) []edit {
	var edits []edit
	i, found := slices.BinarySearchFunc(l.findings, at, func(f secrets.Leak, at int) int { return f.Start - at })
	if !found {
		return nil
	}
	f := l.findings[i]
	if stays && !l.redactor.masksIDs {
		l.stay(kind, f.Text, f.Matches)
		return nil
	}
	from := position{raw: f.Start}
	for _, m := range unmarked(f.Text, f.Matches) {
		l.redactor.Counts.Places[m.Rule.Name]++
		from = from.forward(l.text, m.Start)
		start := from.raw
		from = from.forward(l.text, m.End)
		edits = append(edits, edit{start, from.raw, []byte(l.redactor.stand(m, f.Text))})
	}
	return edits
}

// stay notes a text that stays.
func (l *line) stay(kind NameKind, text []byte, matches []secrets.Match) {
	if !l.isAgain {
		l.redactor.keep(kind, text, matches)
	}
}

// A position is an index of a raw string, and of its decoded text.
type position struct{ raw, decoded int }

// forward returns the first position at or after an index of the decoded text.
func (p position) forward(text []byte, decoded int) position {
	for p.decoded < decoded {
		size := 1
		if text[p.raw] == '\\' {
			size = jsontext.EscapeLen(text[p.raw:])
			p.decoded += len(jsontext.Decode(nil, text[p.raw:p.raw+size]))
		} else {
			p.decoded++
		}
		p.raw += size
	}
	return p
}

// array returns the edits of an array. Blocks that must go are taken out.
func (l *line) array(at int, in scope) (end int, edits []edit) {
	var spans [][2]int
	dropped := map[int]bool{}
	inner := scope{key: in.key, depth: in.depth, fixed: in.fixed}
	for at = l.skipSpace(at + 1); l.text[at] != ']'; {
		end, more := l.value(at, inner)
		if in.fixed && in.key == "content" && l.mustGo(at, end) {
			dropped[len(spans)] = true
			more = nil
		}
		spans = append(spans, [2]int{at, end})
		edits = append(edits, more...)
		if at = l.skipSpace(end); l.text[at] == ',' {
			at = l.skipSpace(at + 1)
		}
	}
	if len(dropped) > 0 {
		l.redactor.Counts.Thinking += len(dropped)
		edits = append(edits, without(spans, dropped)...)
		slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	}
	return at + 1, edits
}

// leftOut is what stands for the only block of a message.
const leftOut = `{"type":"text","text":"[redacted:thinking]"}`

// without returns the edits that take elements out of an array, or members out of an object.
func without(spans [][2]int, dropped map[int]bool) (edits []edit) {
	if len(spans) == len(dropped) {
		return []edit{{spans[0][0], spans[len(spans)-1][1], []byte(leftOut)}}
	}
	for _, cut := range jsontext.Cuts(spans, func(i int) bool { return dropped[i] }) {
		edits = append(edits, edit{cut[0], cut[1], nil})
	}
	return edits
}

// object returns the edits of an object. A signature of what has changed is taken out.
func (l *line) object(at int, in scope) (end int, edits []edit) {
	var members [][2]int
	signed := map[int]bool{}
	inner := scope{depth: in.depth + 1, fixed: in.fixed}
	for at = l.skipSpace(at + 1); l.text[at] != '}'; {
		start := at
		keyEnd := jsontext.StringEnd(l.text, at+1)
		inner.key = string(jsontext.Decode(nil, l.text[at+1:keyEnd]))
		edits = append(edits, l.replace(at+1, in.fixed && l.isIndex && inner.depth == 1, SessionKey)...)
		at = l.skipSpace(l.skipSpace(keyEnd+1) + 1)
		value := inner
		if l.text[at] == '{' || l.text[at] == '[' {
			value.fixed = in.fixed && (structural()[inner.key] || l.isIndex && inner.depth == 1 || fixed()[inner.key])
		}
		valueEnd, more := l.value(at, value)
		if in.fixed && jsonl.IsSealed(inner.key) {
			signed[len(members)] = true
		}
		members = append(members, [2]int{start, valueEnd})
		edits = append(edits, more...)
		if at = l.skipSpace(valueEnd); l.text[at] == ',' {
			at = l.skipSpace(at + 1)
		}
	}
	if !l.redactor.masks && len(edits) > 0 && len(signed) > 0 && len(signed) < len(members) {
		edits = l.unsign(edits, members, signed)
	}
	return at + 1, edits
}

// unsign adds the edits that take signatures out, instead of those inside of them.
func (l *line) unsign(edits []edit, members [][2]int, signed map[int]bool) []edit {
	l.redactor.Counts.Signatures += len(signed)
	edits = slices.DeleteFunc(edits, func(e edit) bool {
		i, _ := slices.BinarySearchFunc(members, e.end, func(m [2]int, end int) int { return m[1] - end })
		return signed[i]
	})
	edits = append(edits, without(members, signed)...)
	slices.SortFunc(edits, func(a, b edit) int { return a.start - b.start })
	return edits
}

// mustGo reports whether the block at an index has signed or encrypted thoughts with a secret in them.
func (l *line) mustGo(at, end int) bool {
	if l.redactor.masks || l.text[at] != '{' || !l.hasFinding(at, end) {
		return false
	}
	kind, signed := "", false
	for key, value := range jsonl.Value(l.text[at:end]).Members() {
		switch {
		case key == "type":
			kind = value.String()
		case jsonl.IsSealed(key) && len(value) > 2, key == "redacted" && value.IsTrue(), key == "data":
			signed = true
		}
	}
	return signed && slices.Contains([]string{"thinking", "redacted_thinking", "reasoning"}, kind)
}

// fixed are the fields of records, messages and blocks that never change: what programs refer to, and what they read as
// one of a few words.
var fixed = sync.OnceValue(func() map[string]bool {
	return setOf(`
		id parentId sessionId session_id targetId fromId firstKeptEntryId appendParentId toolCallId toolUseId
		tool_call_id tool_use_id callId call_id responseId idempotencyKey key timestamp ts created updatedAt type role
		api provider model modelId modelProvider responseModel stopReason rawStopReason customType mimeType media_type
		appendMode thinkingLevel toolName tool reason channel chatType spawnedBy usageFamilySessionIds uuid parentUuid
		logicalParentUuid leafUuid agentId requestId subtype tail thread_id`)
})

// structural are the fields whose objects are parts of the format. In all others, such as arguments and details, a
// field may have any name and any meaning.
var structural = sync.OnceValue(func() map[string]bool {
	return setOf(`
		message content usage cost nestedCalls calls source replacement checkpoint payload replacement_history
		history_base`)
})

// setOf returns the words of a text.
func setOf(text string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(text) {
		set[word] = true
	}
	return set
}
