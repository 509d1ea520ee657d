package rebuild

import (
	"slices"
	"strings"

	"clawctl/pkg/dialect/claudecode"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext/javascript"
)

// What Claude Code makes of a group of entries.
const (
	claudeUser        uint8 = iota // results, what is added to a prompt, and prompts
	claudeLead                     // one of the messages that something added at the beginning consists of
	claudeAnswer                   // the rows of an answer
	claudeReminder                 // what is added in the name of the system
	claudeInterrupted              // results for the calls that have none at the end
	claudeSilence                  // the answer to those
)

// claudeGroups decides which rows form a message when the session is resumed. Claude Code answers what was left open.
func claudeGroups(c *Context) []group {
	groups := claudeSentGroups(c, c.claudeModel())
	n := len(groups)
	if n == 0 {
		return nil
	}
	last := groups[n-1]
	open := last.open
	if n > 1 && c.hasOnlyResults(&last) { // some of the calls have results
		open = groups[n-2].open
		groups[n-2].open, groups[n-1].open = nil, open
	} else if len(open) > 0 {
		groups[n-1].open = nil
		groups = append(groups, group{entries: last.entries, made: claudeInterrupted, open: open})
	}
	if len(open) > 0 || c.endsWithUser() {
		groups = append(groups, group{entries: last.entries, made: claudeSilence})
	}
	return c.beforeCommands(groups)
}

// claudeModel returns the model that a session is resumed with: that of the last answer which it still has, or missing.
func (c *Context) claudeModel() sym {
	for _, it := range slices.Backward(c.items) {
		if e := c.ix.at(it.entry); e.is(roleAssistant) && !e.isMirror() {
			return e.ref2
		}
	}
	return missing
}

// beforeCommands puts the answer to what was left open before the commands that the user ran after that.
func (c *Context) beforeCommands(groups []group) []group {
	n := len(groups)
	if n < 2 || groups[n-1].made != claudeSilence || groups[n-2].made != claudeUser {
		return groups
	}
	said := groups[n-2]
	at := len(said.entries)
	for at > 0 && c.isCommand(said.entries[at-1]) {
		at--
	}
	if at == 0 || at == len(said.entries) {
		return groups
	}
	commands := group{entries: said.entries[at:], made: claudeUser, system: said.system}
	groups[n-2].entries = said.entries[:at]
	return append(groups, commands)
}

// isCommand reports whether an entry says which command the user ran, or what that printed. No model answers it.
func (c *Context) isCommand(i int32) bool {
	e := c.ix.at(i)
	return e.kind == kindCustomMessage && e.has(unanswered)
}

// hasOnlyResults reports whether a group is a message with nothing but results.
func (c *Context) hasOnlyResults(g *group) bool {
	isOther := func(i int32) bool { return !c.hasResult(i) }
	return g.made == claudeUser && !slices.ContainsFunc(g.entries, isOther)
}

// endsWithUser reports whether no model has answered the last row of the user.
func (c *Context) endsWithUser() bool {
	says := c.claudeAnswersThatSay()
	for at := len(c.path) - 1; at >= 0; at-- {
		switch e := c.ix.at(c.path[at]); {
		case e.isAddition(), e.kind == kindCustomMessage && e.has(unanswered):
		case e.kind == kindCompaction, e.kind == kindCustomMessage && e.role == roleOther:
			return false
		case e.kind == kindCustomMessage:
			return true // what a task in the background reports
		case e.kind != kindMessage:
		case e.role != roleAssistant:
			return !e.has(unanswered)
		case e.isMirror() || says[c.ix.answers[c.path[at]]]:
			return false
		}
	}
	return false
}

// claudeSentGroups decides which rows form a message to a model.
func claudeSentGroups(c *Context, model sym) []group {
	var groups []group
	var results, prompts, reminders []int32
	takesSystem := !model.isName() || claudecode.TakesSystemMessages(c.ix.names.text(model))
	flush := func() {
		if said := append(results, prompts...); len(said) > 0 {
			groups = append(groups, c.claudeUserMessages(said, takesSystem)...)
		}
		if len(reminders) > 0 {
			groups = append(groups, group{entries: reminders, made: claudeReminder})
		}
		results, prompts, reminders = nil, nil, nil
	}
	open := c.openCalls()
	c.ofPrompt = map[int32]bool{}
	isPrompted := false // by the user, with nothing but additions since then
	for _, it := range c.claudeSayings(open) {
		if it.parted { // what is added later does not go before what was said here
			results, prompts = append(results, prompts...), nil
		}
		e := c.ix.at(it.entry)
		if e.isAddition() {
			c.ofPrompt[it.entry] = isPrompted
		} else {
			isPrompted = e.is(roleUser) && !e.has(unanswered) && !c.hasResult(it.entry)
		}
		switch {
		case e.is(roleAssistant):
			n := len(groups)
			if n > 0 && groups[n-1].made == claudeAnswer && results == nil && prompts == nil && reminders == nil &&
				c.ix.answers[groups[n-1].entries[0]] == c.ix.answers[it.entry] {
				groups[n-1].entries = append(groups[n-1].entries, it.entry)
				continue
			}
			flush()
			isOther := model.isName() && !c.isSameModel(e.ref2, model)
			groups = append(groups, group{entries: []int32{it.entry}, made: claudeAnswer, bare: isOther})
		case takesSystem && e.has(added) && e.has(apart):
			prompts = append(prompts, it.entry)
		case takesSystem && e.isReminder():
			reminders = append(reminders, it.entry)
		case e.isAddition(), c.hasResult(it.entry):
			results = append(results, it.entry)
		default:
			prompts = append(prompts, it.entry)
		}
	}
	flush()
	for at := range groups {
		groups[at].open = c.openOf(&groups[at], open)
	}
	return groups
}

// isSameModel reports whether two names are those of one model.
func (c *Context) isSameModel(a, b sym) bool {
	return a == b || a.isName() && b.isName() && claudecode.IsSameModel(c.ix.names.text(a), c.ix.names.text(b))
}

// isAddition reports whether an entry is what Claude Code adds to a conversation: an attachment.
func (e *entry) isAddition() bool {
	return e.has(added) || e.kind == kindCustomMessage && (e.role == roleCustom || e.role == roleSystem)
}

// isReminder reports whether an addition is sent in the name of the system.
func (e *entry) isReminder() bool {
	return e.has(addedBySystem) || e.kind == kindCustomMessage && e.role == roleSystem
}

// claudeSayings returns the items without what Claude Code leaves out: results without a call, second calls and results
// with an id, answers that say nothing, and calls without a result unless nothing follows them.
func (c *Context) claudeSayings(open map[sym]bool) []item {
	var items []item
	calls, results, says := map[sym]bool{}, map[sym]bool{}, c.claudeAnswersThatSay()
	isParted := false // an answer before the next item is left out
	last := c.endOfLastAnswer()
	for at, it := range c.items {
		e, isFirst := c.ix.at(it.entry), true
		isAnswer := e.is(roleAssistant)
		switch blocks := c.ix.blocksOf(it.entry); {
		case isAnswer && !says[c.ix.answers[it.entry]]:
			isFirst = false
		case isAnswer && len(blocks) == 1 && blocks[0].kind == jsonl.BlockToolCall:
			isFirst = !calls[blocks[0].id] && (!open[blocks[0].id] || at > last)
			calls[blocks[0].id] = true
		case isAnswer:
			for _, b := range blocks {
				calls[b.id] = calls[b.id] || b.kind == jsonl.BlockToolCall
			}
		case e.is(roleToolResult):
			isFirst = calls[e.ref] && !results[e.ref]
			results[e.ref] = true
		}
		if it.parted = it.parted || isParted; isFirst {
			items = append(items, it)
		}
		isParted = !isFirst && (isAnswer || it.parted)
	}
	return items
}

// endOfLastAnswer returns the number of the item before which no call is a part of the last answer: what follows is
// that answer, what was added, and the results of its first calls.
func (c *Context) endOfLastAnswer() int {
	hasAnswer := false // so far, from the end
	for at := len(c.items) - 1; at >= 0; at-- {
		switch e := c.ix.at(c.items[at].entry); {
		case e.is(roleAssistant):
			hasAnswer = true
		case e.kind == kindCustomMessage:
		case hasAnswer || !c.hasResult(c.items[at].entry):
			return at
		}
	}
	return 0
}

// claudeAnswersThatSay returns the answers with more than thinking and white space. One without any block counts.
func (c *Context) claudeAnswersThatSay() map[sym]bool {
	says := map[sym]bool{}
	for _, it := range c.items {
		blocks := c.ix.blocksOf(it.entry)
		isSaid := func(b block) bool {
			return b.kind != jsonl.BlockThinking && (b.kind != jsonl.BlockText || b.flags&blank == 0)
		}
		if answer := c.ix.answers[it.entry]; len(blocks) == 0 || slices.ContainsFunc(blocks, isSaid) {
			says[answer] = true
		}
	}
	return says
}

// claudeUserMessages returns the messages of rows of the user. They are one, unless something was added before all
// others that consists of several messages: then only the last of those continues.
func (c *Context) claudeUserMessages(rows []int32, takesSystem bool) []group {
	var groups []group
	last := 0
	if e := c.ix.at(rows[0]); e.isAddition() {
		last = max(int(e.ref2)-1, 0)
	}
	for part := range last {
		groups = append(groups, group{entries: rows[:1], made: claudeLead, part: part})
	}
	return append(groups, group{entries: rows, made: claudeUser, part: last, system: takesSystem})
}

// hasResult reports whether an entry has the result of a call.
func (c *Context) hasResult(i int32) bool {
	e := c.ix.at(i)
	return e.kind == kindMessage && (e.role == roleToolResult || e.role == roleUser && c.startsWithResult(i))
}

// openCalls returns the calls without a result.
func (c *Context) openCalls() map[sym]bool {
	open := map[sym]bool{}
	for _, it := range c.items {
		for _, b := range c.ix.blocksOf(it.entry) {
			if b.kind == jsonl.BlockToolCall {
				open[b.id] = true
			}
		}
	}
	for it, e := range c.entries() {
		if e.is(roleToolResult) {
			delete(open, e.ref)
		}
		for _, b := range c.ix.blocksOf(it.entry) {
			if b.kind == jsonl.BlockToolResult {
				delete(open, b.id)
			}
		}
	}
	return open
}

// openOf returns the calls of a group that have no result.
func (c *Context) openOf(g *group, open map[sym]bool) []sym {
	var calls []sym
	for _, i := range g.entries {
		for _, b := range c.ix.blocksOf(i) {
			if b.kind == jsonl.BlockToolCall && open[b.id] {
				calls = append(calls, b.id)
			}
		}
	}
	return calls
}

// What Claude Code says about calls that have no result at the end of a session.
const (
	claudeInterruption = "[Tool call interrupted: the session ended before this call's result was recorded, so its " +
		"outcome is unknown. Check whether it took effect before relying on it or running it again.]"
	claudeNoResponse = "No response requested."
	claudeNoContent  = "(no content)"
	claudeToolLoaded = "Tool loaded."
)

// claudeMessage writes the message that Claude Code sends for a group of rows.
func claudeMessage(c *Context, g group, body func(int32) *jsonl.Record) string {
	switch g.made {
	case claudeAnswer:
		return `{"role":"assistant","content":` + list(c.claudeBlocks(g, body)) + `}`
	case claudeLead:
		rec := body(g.entries[0])
		first, end := divided(rec, g.part)
		return `{"role":"user","content":` + list(c.claudeContent(g.entries[0], rec)[first:end]) + `}`
	case claudeReminder:
		return `{"role":"system","content":` + c.claudeReminders(g, body) + `}`
	case claudeInterrupted:
		return `{"role":"user","content":` + list(c.claudeInterruptions(g)) + `}`
	case claudeSilence:
		return `{"role":"assistant","content":` + textList(claudeNoResponse) + `}`
	}
	return `{"role":"user","content":` + list(append(c.claudePrompt(g, body), c.claudeInterruptions(g)...)) + `}`
}

// claudeInterruptions returns the results of the calls of a group that have none.
func (c *Context) claudeInterruptions(g group) (results []string) {
	for _, id := range g.open {
		results = append(results, `{"type":"tool_result","content":"`+quoteInner(claudeInterruption)+
			`","is_error":true,"tool_use_id":"`+quoteInner(c.ix.names.text(id))+`"}`)
	}
	return results
}

// claudeBlocks returns the blocks of an answer, without calls that have no result.
func (c *Context) claudeBlocks(g group, body func(int32) *jsonl.Record) []string {
	var blocks []string
	for _, i := range g.entries {
		for b := range body(i).Get("message").Get("content").Elements() {
			isThought := g.bare && strings.HasSuffix(b.Get("type").String(), "thinking")
			if !isThought && !c.isOpenCall(g, b) {
				blocks = append(blocks, string(b.UTF8()))
			}
		}
	}
	if len(blocks) == 0 {
		return []string{textBlock(claudeNoContent)}
	}
	return blocks
}

// isOpenCall reports whether a block is one of the calls of a group that have no result.
func (c *Context) isOpenCall(g group, b jsonl.Value) bool {
	if len(g.open) == 0 {
		return false
	}
	id, known := c.ix.names.find([]byte(b.Get("id").String()))
	return known && slices.Contains(g.open, id)
}

// claudePrompt returns the blocks of a message of the user: first the results, and a text for each that loads tools. A
// text that a row of the user or a file follows ends its line, and what is added behind a result becomes a part of it.
func (c *Context) claudePrompt(g group, body func(int32) *jsonl.Record) []string {
	var p prompt
	for at, i := range g.entries {
		rec, e := body(i), c.ix.at(i)
		content := c.claudeContent(i, rec)
		if by := c.ix.contentEntry(i); by != i {
			content = withResult(content, body(by).Get("message").Get("content"))
		}
		if at == 0 {
			first, _ := divided(rec, g.part)
			content = content[first:]
		}
		if slices.ContainsFunc(content, loadsTools) {
			content = append(content, textBlock(claudeToolLoaded))
		}
		if len(g.entries) == 1 {
			return content // in its own order
		}
		for _, message := range c.messagesOf(g, at, rec, content) {
			switch {
			case e.has(added) && e.has(apart) && g.system:
				said := untagged(message)
				p.endLine(said)
				p.add(said)
			case !e.isAddition(), e.has(apart) && g.system:
				p.endLine(message)
				p.add(message)
			case e.has(beside):
				p.add(message)
			default:
				p.addToResult(message)
			}
		}
	}
	return append(p.results, p.others...)
}

// loadsTools reports whether a block is a result that loads tools.
func loadsTools(block string) bool { return strings.Contains(block, `"tool_reference"`) }

// untagged returns blocks without the tags of reminders around their texts.
func untagged(message []string) []string {
	blocks := slices.Clone(message)
	for at, b := range blocks {
		if isTextBlock(b) {
			blocks[at] = textBlock(untaggedText(jsonl.Value(b).Get("text")))
		}
	}
	return blocks
}

// untaggedText returns the inside of a text without the tags of a reminder around it.
func untaggedText(text jsonl.Value) string {
	inside := strings.TrimPrefix(inner(text), `<system-reminder>\n`)
	return strings.TrimSuffix(strings.TrimSuffix(inside, `\n`), `\n</system-reminder>`)
}

// messagesOf divides the blocks of a row into the messages that it consists of.
func (c *Context) messagesOf(g group, at int, rec *jsonl.Record, content []string) (messages [][]string) {
	count := int(c.ix.at(g.entries[at]).ref2)
	if !c.ix.at(g.entries[at]).isAddition() || count < 2 || at == 0 {
		return [][]string{content}
	}
	for part := range count {
		first, end := divided(rec, part)
		messages = append(messages, content[first:end])
	}
	return messages
}

// A prompt is what the user says in a message. Results stand before anything else.
type prompt struct{ results, others []string }

// last returns the last block so far, or nil.
func (p *prompt) last() *string {
	switch {
	case len(p.others) > 0:
		return &p.others[len(p.others)-1]
	case len(p.results) > 0:
		return &p.results[len(p.results)-1]
	}
	return nil
}

// endLine ends the line of the last text if a message goes on with another one.
func (p *prompt) endLine(message []string) {
	if last := p.last(); last != nil && len(message) > 0 && isTextBlock(message[0]) && isTextBlock(*last) {
		*last = endLine(*last)
	}
}

func (p *prompt) add(message []string) {
	for _, block := range message {
		if jsonl.Value(block).Get("type").Is("tool_result") {
			p.results = append(p.results, block)
		} else {
			p.others = append(p.others, block)
		}
	}
}

// addToResult adds the texts of an addition to the result of a tool that is the last block, and anything else behind
// the last block.
func (p *prompt) addToResult(message []string) {
	last := p.last()
	isOther := func(b string) bool { return !isTextBlock(b) }
	if last == nil || isTextBlock(*last) || slices.ContainsFunc(message, isOther) {
		p.add(message)
		return
	}
	result := jsonl.Value(*last)
	if !result.Get("type").Is("tool_result") || loadsTools(*last) {
		p.add(message)
		return
	}
	o := objectOf(result)
	o.set("content", withTexts(result.Get("content"), message))
	*last = o.String()
}

// withTexts returns the content of a result with texts at its end.
func withTexts(content jsonl.Value, texts []string) string {
	if content.IsArray() {
		p := prompt{others: elements(content)}
		p.endLine(texts)
		return list(append(p.others, texts...))
	}
	lines := []string{trimmed(inner(content))}
	for _, text := range texts {
		lines = append(lines, trimmed(inner(jsonl.Value(text).Get("text"))))
	}
	lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" })
	return `"` + strings.Join(lines, `\n\n`) + `"`
}

// trimmed returns the inside of a JSON string without white space around it, as JavaScript trims it.
func trimmed(inside string) string {
	text := jsonl.Value(`"` + inside + `"`).String()
	if short := javascript.Trim(text); short != text {
		return quoteInner(short)
	}
	return inside
}

// divided returns where the blocks of one of the messages begin and end that a record consists of.
func divided(rec *jsonl.Record, part int) (first, end int) {
	at := 0
	for size := range rec.Get("division").Elements() {
		if first, end = end, end+int(size.Int()); at == part {
			return first, end
		}
		at++
	}
	return 0, 0
}

// What Claude Code writes around what a task in the background reports.
const (
	claudeNoticeBefore = "<system-reminder>\n" + claudecode.NoticeBegin
	claudeNoticeAfter  = "\n</system-reminder>"
)

// claudeContent returns the blocks that are sent for a row of the user. What a task in the background has reported is
// introduced in other words beside a prompt of the user, unless the row states how it was sent.
func (c *Context) claudeContent(i int32, rec *jsonl.Record) []string {
	blocks := claudeBlocksOf(rec)
	if c.ofPrompt[i] && !rec.Stated().Get("attachment").Get("rendered").Exists() {
		for at, b := range blocks {
			blocks[at] = strings.Replace(b, quoteInner(claudecode.NoticeBegin), quoteInner(claudecode.NoticeInTurn), 1)
		}
	}
	return blocks
}

// claudeBlocksOf returns the blocks of a row of the user.
func claudeBlocksOf(rec *jsonl.Record) []string {
	var content jsonl.Value
	switch {
	case rec.Type() == jsonl.TypeCustomMessage:
		content = rec.Get("content")
	case rec.Get("sentAs").Exists():
		content = rec.Get("sent")
	case rec.Role() == jsonl.RoleUser:
		content = rec.Get("message").Get("content") // as it is stated
	default:
		content = rec.Stated().Get("message").Get("content")
	}
	if content.IsString() && rec.Get("customType").Is("task-notification") {
		return []string{textBlock(quoteInner(claudeNoticeBefore) + inner(content) + quoteInner(claudeNoticeAfter))}
	}
	if content.IsString() {
		return []string{textBlock(inner(content))}
	}
	return elements(content)
}

// withResult returns blocks whose results have another content.
func withResult(blocks []string, content jsonl.Value) []string {
	for at, b := range blocks {
		o := objectOf(jsonl.Value(b))
		o.set("content", string(content.UTF8()))
		blocks[at] = o.String()
	}
	return blocks
}

func isTextBlock(block string) bool { return jsonl.Value(block).Get("type").Is("text") }

// endLine returns a text block whose text ends with a line end.
func endLine(block string) string {
	text := inner(jsonl.Value(block).Get("text"))
	if strings.HasSuffix(text, `\n`) {
		return block
	}
	o := objectOf(jsonl.Value(block))
	o.set("text", `"`+text+`\n"`)
	return o.String()
}

// claudeReminders returns the text of what is added in the name of the system, without the tags around each.
func (c *Context) claudeReminders(g group, body func(int32) *jsonl.Record) string {
	var texts []string
	for _, i := range g.entries {
		var lines []string
		for _, b := range c.claudeContent(i, body(i)) {
			lines = append(lines, untaggedText(jsonl.Value(b).Get("text")))
		}
		texts = append(texts, strings.Join(lines, `\n`))
	}
	return `"` + strings.Join(texts, `\n\n`) + `"`
}
