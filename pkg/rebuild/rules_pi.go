package rebuild

import (
	"slices"
	"strconv"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext/javascript"
	"clawctl/pkg/tokens"
)

// piRules are the rules of pi 1.5.
//
//   - The leaf is the last row of the file, of any type. There are no leaf, side and reset rows.
//   - The path follows parentId. A missing parent ends it, and a repeated id names its last row.
//   - The window begins with the last compaction: the prompt it holds, its summary, what it keeps without system
//     messages, and what follows.
//   - A context_edit in the window replaces the content of its target, or omits the target. The last one counts.
//   - Missing content is an empty list, or an empty text in a system message.
//   - No row is refused for its shape.
//   - Messages are sent in the order of the transcript. A call is answered before the next answer, so that a result
//     after that is a second one. Failed answers are left out without the results of their calls.
//
// pi never ends on a cycle of parents. clawctl ends the path there.
var piRules = commonRules.with(func(r *rules) {
	r.hasTree, r.hasHeader, r.hasManyRoots, r.hasPrompt, r.needsUsage, r.sendsApart = true, true, true, true, true, true
	r.isChained = func(e *entry) bool { return e.kind != kindSession }
	r.isEntry = func(e *entry) bool { return e.kind.isCanonical() || e.kind.isPi() }
	r.isForeign = func(e *entry) bool { return e.kind == kindLeaf || e.kind == kindReset || e.kind == kindRollback }
	r.isBoundary = func(e *entry) bool { return e.kind == kindCompaction }
	r.isShown, r.parents, r.eachLeaf, r.find, r.edit = piShows, piParents, eachPiLeaf, piContext, applyPiEdits
	r.refusal, r.refuses, r.corrects, r.native, r.stretch = piRefusal, piRefuses, piCorrects, piMessage, piStretch
	r.step, r.estimate = piStep, piEstimate // everything in its context has an estimate
})

func piContext(ix *Index, leaf string) (*Context, error) {
	last := ix.rowsByID()
	from := int32(ix.len()) - 1
	for from >= 0 && ix.at(from).kind == kindSession {
		from--
	}
	if leaf != "" {
		name, known := ix.names.find([]byte(leaf))
		if !known || last[name] == 0 {
			return nil, &LeafError{ID: leaf}
		}
		from = last[name] - 1
	}
	return ix.newContext(ix.piPath(from, last)), nil
}

// piPath returns the rows from the root to a row, and what the last compaction among them keeps.
func (ix *Index) piPath(from int32, last []int32) (path []int32, kept sym) {
	seen := make([]bool, ix.len())
	for at := from; at >= 0 && !seen[at]; {
		seen[at] = true
		path = append(path, at)
		parent := ix.at(at).parent
		if !parent.isName() {
			break
		}
		at = last[parent] - 1
	}
	kept = missing
	for _, at := range path {
		if e := ix.at(at); e.kind == kindCompaction {
			kept = e.ref
			break
		}
	}
	slices.Reverse(path)
	return path, kept
}

func piShows(e *entry, retained, _ bool) bool {
	switch e.kind {
	case kindMessage:
		switch e.role {
		case roleSystem:
			return !retained
		case roleBash:
			return !e.has(hidden)
		case roleUser, roleAssistant, roleToolResult, roleCustom:
			return true
		}
	case kindCustomMessage:
		return true
	case kindBranchSummary:
		return !e.has(emptySummary)
	}
	return false
}

// applyPiEdits applies the context edits of the window, and marks the answers whose recorded size an edit or a
// compaction made wrong.
func applyPiEdits(c *Context) {
	window, stale := c.path[max(0, c.kept):], c.boundary
	edits := map[sym]int32{}
	for at, entry := range window {
		if e := c.ix.at(entry); e.kind == kindContextEdit {
			stale = max(0, c.kept) + at
			if e.ref.isName() {
				edits[e.ref] = entry
			}
		}
	}
	if stale < 0 {
		return
	}
	c.markStale(stale)
	if len(edits) == 0 {
		return
	}
	edited := *c.ix
	edited.edits, c.omitted = map[int32]int32{}, map[int32]bool{}
	c.ix = &edited
	for _, entry := range window {
		e := c.ix.at(entry)
		edit, ok := edits[e.id]
		switch {
		case ok && c.ix.at(edit).ref2 == null:
			c.omitted[entry] = true
		case ok && e.isEditable() && c.ix.at(edit).ref2 == missing:
			c.refused = &RefusalError{OddShape, int64(c.ix.at(edit).line),
				"pi fails on this context edit: it has no replacement"}
		case ok && e.isEditable():
			c.ix.edits[entry] = edit
		}
	}
	c.items = slices.DeleteFunc(c.items, func(it item) bool { return c.omitted[it.entry] })
}

// isProjected reports whether pi's own context has an entry. It also has what the model does not see: commands that are
// excluded, and roles that pi does not know.
func (e *entry) isProjected() bool {
	return e.kind == kindMessage || e.kind == kindCustomMessage || e.kind == kindBranchSummary && !e.has(emptySummary)
}

// IsRetried reports whether pi keeps nothing from a step on, because only answers follow that were removed for another
// attempt.
func (s *Stretch) IsRetried(step int) bool {
	ix, omitted := s.c.ix, map[sym]bool{}
	answers := false
	for _, entry := range s.entries[step+1:] {
		e := ix.at(entry)
		if e.kind == kindCompaction || e.isProjected() && !s.c.omitted[entry] {
			return false
		}
		if e.isProjected() {
			omitted[e.id] = true
			answers = answers || e.is(roleAssistant)
		}
	}
	for _, entry := range s.entries[step+1:] {
		if e := ix.at(entry); e.kind == kindContextEdit && e.ref2 != null && !omitted[e.ref] {
			return false
		}
	}
	return answers
}

// markStale marks the items from before an entry of the path.
func (c *Context) markStale(before int) {
	old := make(map[int32]bool, before)
	for _, entry := range c.path[:before] {
		old[entry] = true
	}
	for i := range c.items {
		c.items[i].stale = old[c.items[i].entry]
	}
}

// isEditable reports whether a context edit can replace the content of an entry.
func (e *entry) isEditable() bool {
	switch e.role {
	case roleUser, roleAssistant, roleToolResult, roleCustom:
		return e.kind == kindMessage
	}
	return e.kind == kindCustomMessage
}

// contentEntry returns the entry that holds the content of an entry: itself, or a context edit.
func (ix *Index) contentEntry(i int32) int32 {
	if ix.edits == nil { // nearly always
		return i
	}
	if edit, ok := ix.edits[i]; ok {
		return edit
	}
	return i
}

// piRefusal returns an error if the first row is not a header, because pi opens no such file, or if pi fails on an
// edit.
func piRefusal(c *Context) error {
	if c.ix.header == 0 || c.ix.len() == 0 {
		return c.refused
	}
	return &RefusalError{NoHeader, int64(c.ix.at(0).line), "pi refuses the file: the first record is not a session header"}
}

// piMessage writes one entry as a message of pi. pi fills in missing content before it applies context edits, so what
// an edit leaves out stays out.
func piMessage(c *Context, it item, body func(int32) *jsonl.Record) string {
	e, rec := c.ix.at(it.entry), c.edited(it.entry, body)
	edited := c.ix.contentEntry(it.entry) != it.entry
	switch {
	case it.prompt:
		return verbatim(rec.Get("systemMessage"), rec)
	case e.kind == kindCompaction || e.kind == kindBranchSummary:
		return userMessage(textList(summaryText(e, rec)), piDate(rec.Get("timestamp")))
	case e.kind == kindCustomMessage && edited:
		return piCustom(rec.Get("content"), piDate(rec.Get("timestamp")))
	case e.kind == kindCustomMessage:
		return piCustom(orEmpty(rec.Get("content"), "[]"), piDate(rec.Get("timestamp")))
	}
	message := rec.Get("message")
	stamp := string(message.Get("timestamp").UTF8())
	switch e.role {
	case roleBash:
		return userMessage(textList(bashText(message)), stamp)
	case roleCustom:
		return piCustom(message.Get("content"), stamp)
	}
	if edited {
		return verbatim(message, rec)
	}
	return piPlain(e, message, rec)
}

// edited returns the record of an entry, with the content that a context edit gives to it.
func (c *Context) edited(i int32, body func(int32) *jsonl.Record) *jsonl.Record {
	rec, edit := body(i), c.ix.contentEntry(i)
	if edit == i {
		return rec
	}
	e, content := c.ix.at(i), body(edit).Get("replacement").Get("content")
	text := string(content.UTF8())
	if e.role == roleAssistant || e.role == roleToolResult {
		text = contentList(content)
	}
	if e.kind == kindCustomMessage {
		o := objectOf(rec.Value())
		o.replace("content", text)
		return new(jsonl.Parser).Parse([]byte(o.String()), rec.Line, rec.Offset)
	}
	return withContent(rec, text)
}

// withContent returns a record whose message has another content.
func withContent(rec *jsonl.Record, content string) *jsonl.Record {
	o, message := objectOf(rec.Value()), objectOf(rec.Get("message"))
	message.replace("content", content)
	o.set("message", message.String())
	return new(jsonl.Parser).Parse([]byte(o.String()), rec.Line, rec.Offset)
}

// orEmpty returns a content, or an empty one if there is none.
func orEmpty(content jsonl.Value, empty string) jsonl.Value {
	if !content.Exists() || content.IsNull() {
		return jsonl.Value(empty)
	}
	return content
}

// piCustom writes a custom message as one of the user.
func piCustom(content jsonl.Value, timestamp string) string {
	text := contentList(content)
	if text == "" {
		o := &object{}
		o.set("role", `"user"`)
		if timestamp != "" {
			o.set("timestamp", timestamp)
		}
		return o.String()
	}
	return userMessage(text, timestamp)
}

// piPlain writes a message of the system, the user, the model or a tool. Only missing content changes.
func piPlain(e *entry, message jsonl.Value, rec *jsonl.Record) string {
	if content := message.Get("content"); content.Exists() && !content.IsNull() {
		return verbatim(message, rec)
	}
	o := objectOf(message)
	o.set("content", "[]")
	if e.role == roleSystem {
		o.set("content", `""`)
	}
	return o.String()
}

// verbatim returns an object of a record as it is, but with each key once.
func verbatim(v jsonl.Value, rec *jsonl.Record) string {
	if rec.Repeated || rec.Damage != nil {
		return objectOf(v).String()
	}
	return string(v)
}

// piDate returns a date in milliseconds, as JavaScript writes it into JSON.
func piDate(v jsonl.Value) string {
	switch {
	case v.IsNumber():
		return string(v)
	case v.IsNull():
		return "0"
	case v.IsString():
		if ms, ok := javascript.ParseDate(v.String()); ok {
			return strconv.FormatInt(ms, 10)
		}
	}
	return "null"
}

// piStretch is the window in pi's order: the last compaction, what it keeps without system messages, and what follows.
func piStretch(c *Context) (entries []int32, start int) {
	entries = []int32{c.path[c.boundary]}
	for _, entry := range c.path[c.kept:c.boundary] {
		if !c.ix.at(entry).isSystem() {
			entries = append(entries, entry)
		}
	}
	return append(entries, c.path[c.boundary+1:]...), 1
}

// piStep is that of older versions for all messages that pi has. Custom messages begin a turn.
func piStep(c *Context, i int32) (s Step) {
	if !c.ix.at(i).isProjected() || c.omitted[i] {
		return s
	}
	s = countStep(c, i)
	s.Message, s.Fixed, s.Turn = true, true, s.Turn || c.ix.at(i).role == roleCustom
	return s
}

func piEstimate(_ *entry, rec *jsonl.Record) int { return tokens.EstimateRecord(rec) }

// piParents are the last rows with the ids that the entries name.
func piParents(ix *Index) []int32 {
	last := ix.rowsByID()
	parents := make([]int32, ix.len())
	for i, e := range ix.all() {
		parents[i] = -1
		if e.parent.isName() {
			parents[i] = last[e.parent] - 1
		}
	}
	return parents
}

// eachPiLeaf follows the rows: every one with an id is the leaf until the next.
func eachPiLeaf(ix *Index, note func(row int32, leaf sym)) {
	last := null
	for i, e := range ix.all() {
		note(i, last)
		if e.kind != kindSession && e.id.isName() {
			last = e.id
		}
	}
}
