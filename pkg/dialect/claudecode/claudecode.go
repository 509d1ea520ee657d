// Package claudecode translates the rows of Claude Code, which form a tree by uuid and parentUuid. An answer of the
// model is written as several rows with one message.id, a block each.
package claudecode

import (
	"bytes"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode/utf16"

	"clawctl/pkg/jsontext"
)

// The types of rows that are more than remarks.
const (
	user       = "user"
	assistant  = "assistant"
	system     = "system"
	attachment = "attachment"
	lastPrompt = "last-prompt"
	costState  = "cost-state"
	replacing  = "content-replacement"
)

// taskNotification is the kind of what a task in the background reports.
const taskNotification = "task-notification"

// givenTitle is the type of the rows with the name that the user gave the session.
const givenTitle = "custom-title"

// commandOutput begins a row with the output of a command such as /compact. No model is asked about it.
const commandOutput = `"<local-command-stdout>`

// titles are the types of rows that name the session, with the member that has the name.
var titles = map[string]string{givenTitle: "customTitle", "ai-title": "aiTitle", "summary": "summary"}

// remarks are the types of rows that are not part of the conversation, with a member that tells them from those of
// other programs.
var remarks = map[string]string{
	"progress": "parentUuid", "file-history-snapshot": "messageId", "queue-operation": "operation",
	"agent-name": "agentName", "permission-mode": "permissionMode", "mode": "mode", "tag": "tag", "pr-link": "sessionId",
	"worktree-state": "sessionId", "continued-in": "continuedInSessionId", "relocated": "sessionId",
	replacing: "sessionId", "api-request": "keep", "api-request-blob": "hash",
	"api-request-shape": "shapeHash", "tools-used": "tools", "atis-latch": "atis",
}

// ownNotes are the types of rows that the program reads by itself, with a member that tells them from those of others.
var ownNotes = sync.OnceValue(func() map[string]string {
	types := map[string]string{
		"file-history-delta": "messageId", "attribution-snapshot": "messageId", "late-allow-ended": "tool_use_id",
		"fork-context-ref": "agentId",
	}
	for _, kind := range []string{
		"agent-color", "agent-setting", "artifact-autoreact-ledger", "artifact-comment-monitor", "bridge-session",
		"data-flow-incomplete", "data-flow-records", "derived-from", "dev-mods", "ended-by-model", "frame-link",
		"history-suppression", "isolation-latch", "memory-mode", "observer-ref", "resume-head-vouch", "session-owner",
	} {
		types[kind] = "sessionId"
	}
	return types
})

// Types lists the types of the rows that Translate knows.
func Types() []string { return types() }

var types = sync.OnceValue(func() []string {
	types := []string{user, assistant, system, attachment, lastPrompt, costState}
	for _, more := range []map[string]string{titles, remarks, ownNotes()} {
		for kind := range more {
			types = append(types, kind)
		}
	}
	slices.Sort(types)
	return types
})

// Detect reports whether a row of one of the types is Claude Code's.
func Detect(kind string, row jsontext.Value) bool {
	line := &jsontext.Outline{Text: row}
	var f fields
	f.read(line)
	return f.isOf(kind, line)
}

// isOf reports whether a row of a type is Claude Code's.
func (f *fields) isOf(kind string, row *jsontext.Outline) bool {
	switch kind {
	case user, assistant, system, attachment:
		return f.uuid.IsString() && f.session.IsString()
	case lastPrompt:
		return f.session.IsString()
	case costState:
		return row.Get(row.Text, "totalCostUSD").Exists()
	case "summary":
		return row.Get(row.Text, "leafUuid").IsString() && row.Get(row.Text, "summary").IsString()
	}
	if member, ok := titles[kind]; ok {
		return row.Get(row.Text, member).IsString()
	}
	member, ok := remarks[kind]
	if !ok {
		member, ok = ownNotes()[kind]
	}
	return ok && row.Get(row.Text, member).Exists()
}

// Translate appends a row as a record of OpenClaw. It appends nothing if the row is not Claude Code's.
func Translate(dst []byte, kind string, row *jsontext.Outline) []byte {
	t := translation{dst: dst, line: row}
	t.row.read(row)
	if !t.row.isOf(kind, row) {
		return dst
	}
	switch kind {
	case user:
		t.user()
	case assistant:
		t.answer()
	case system:
		t.system()
	case attachment:
		t.attachment()
	case lastPrompt:
		t.begin("leaf")
		t.member("targetId", t.get("leafUuid"))
	case costState:
		t.cost()
	default:
		t.remark(kind)
	}
	return append(t.dst, '}')
}

// fields are what a row consists of.
type fields struct {
	uuid, parent, logicalParent, timestamp, message, content, subtype, metadata, attached, rendered jsontext.Value
	renderedRole, session                                                                           jsontext.Value
	result, isSidechain, isMeta, isSummary, isError, origin                                         jsontext.Value
}

func (f *fields) read(row *jsontext.Outline) {
	for key, v := range row.Fields(row.Text) {
		switch string(key) {
		case "uuid":
			f.uuid = v
		case "parentUuid":
			f.parent = v
		case "logicalParentUuid":
			f.logicalParent = v
		case "timestamp":
			f.timestamp = v
		case "message":
			f.message = v
		case "content":
			f.content = v
		case "subtype":
			f.subtype = v
		case "compactMetadata":
			f.metadata = v
		case "attachment":
			f.attached = v
		case "rendered":
			f.rendered = v
		case "renderedRole":
			f.renderedRole = v
		case "sessionId":
			f.session = v
		case "toolUseResult":
			f.result = v
		case "isSidechain":
			f.isSidechain = v
		case "isMeta":
			f.isMeta = v
		case "isCompactSummary":
			f.isSummary = v
		case "isApiErrorMessage":
			f.isError = v
		case "origin":
			f.origin = v
		}
	}
}

// A translation is a record that is being written.
type translation struct {
	dst  []byte
	line *jsontext.Outline
	row  fields
}

// get returns the value of a key of the row.
func (t *translation) get(key string) jsontext.Value { return t.line.Get(t.line.Text, key) }

// begin writes the beginning of a record, which every type has.
func (t *translation) begin(kind string) {
	t.dst = append(append(append(t.dst, `{"type":"`...), kind...), '"')
	t.member("id", t.row.uuid)
	t.member("parentId", t.row.parent)
	t.member("timestamp", t.row.timestamp)
	if t.row.parent.IsString() || kind == "message" {
		t.member("inSession", t.row.session)
	}
	if t.row.isSidechain.IsTrue() {
		t.dst = append(t.dst, `,"appendMode":"side"`...)
	}
}

func (t *translation) member(key string, v jsontext.Value) {
	if v.Exists() {
		t.dst = t.line.Append(append(append(append(t.dst, `,"`...), key...), `":`...), v)
	}
}

// user writes what is not an answer: a prompt, a result, or a text that Claude Code adds.
func (t *translation) user() {
	content := t.line.Get(t.row.message, "content")
	result, isResult := t.onlyResult(content)
	switch kind := t.addedKind(); {
	case t.row.isSummary.IsTrue():
		t.begin("compaction")
		t.member("firstKeptEntryId", t.row.uuid) // what it keeps is for its boundary to say
		t.member("summary", textOf(content))
	case kind != "":
		t.note(kind, content)
	case isResult:
		t.begin("message")
		if !isReplaceable(result.content) {
			t.dst = append(t.dst, `,"isFinal":true`...)
		}
		t.dst = append(t.dst, `,"message":{"role":"toolResult"`...)
		t.member("toolCallId", result.call)
		t.member("content", result.content)
		t.member("isError", result.isError)
		t.member("details", t.row.result)
		t.dst = append(t.dst, '}')
	default:
		t.begin("message")
		if bytes.HasPrefix(content, []byte(commandOutput)) {
			t.dst = append(t.dst, `,"isUnanswered":true`...)
		}
		t.dst = append(t.dst, `,"message":{"role":"user"`...)
		t.member("content", content)
		t.dst = append(t.dst, '}')
	}
}

// addedKind returns what kind of text Claude Code added as a row of the user, or "".
func (t *translation) addedKind() string {
	if t.row.isMeta.IsTrue() {
		return "meta"
	}
	if t.row.origin.Get("kind").Is(taskNotification) {
		return taskNotification
	}
	return ""
}

// note writes a message that is neither the user's nor the model's.
func (t *translation) note(kind string, content jsontext.Value) {
	t.begin("custom_message")
	if kind == taskNotification {
		t.dst = append(t.dst, `,"role":"user"`...) // a turn begins with it
	}
	t.dst = append(append(append(t.dst, `,"customType":"`...), kind...), `","display":false`...)
	t.member("content", content)
}

// A result is the result of a call.
type result struct{ kind, call, content, isError jsontext.Value }

// onlyResult returns the result of a content that has nothing else.
func (t *translation) onlyResult(content jsontext.Value) (r result, ok bool) {
	for key, v := range t.line.Fields(t.line.OnlyElement(content)) {
		switch string(key) {
		case "type":
			r.kind = v
		case "tool_use_id":
			r.call = v
		case "content":
			r.content = v
		case "is_error":
			r.isError = v
		}
	}
	return r, r.kind.Is("tool_result")
}

// What a result says that Claude Code has shortened before.
const (
	storedBeside = `"<persisted-output>`
	cleared      = `"[Old tool result content cleared]"`
)

// isReplaceable reports whether Claude Code replaces a result by a shorter one if a row says so. It does not if the
// result is empty, was shortened before, or has an image or a document.
func isReplaceable(content jsontext.Value) bool {
	if content.IsString() {
		return len(content) > len(`""`) && string(content) != cleared && !bytes.HasPrefix(content, []byte(storedBeside))
	}
	for block := range content.Elements() {
		if kind := block.Get("type"); kind.Is("image") || kind.Is("document") {
			return false
		}
	}
	return content.IsArray()
}

// textOf returns the text of a content: itself, or its first text.
func textOf(content jsontext.Value) jsontext.Value {
	if content.IsString() {
		return content
	}
	for block := range content.Elements() {
		if text := block.Get("text"); text.IsString() {
			return text
		}
	}
	return jsontext.Value(`""`)
}

// stopReasons are the reasons of the API as OpenClaw writes them.
var stopReasons = map[string]string{
	"end_turn": "stop", "stop_sequence": "stop", "tool_use": "toolUse", "max_tokens": "length", "refusal": "stop",
	"pause_turn": "stop",
}

// answer writes a row of an answer. Its usage is repeated, or grows, from row to row.
func (t *translation) answer() {
	var id, model, content, usage, stop jsontext.Value
	for key, v := range t.line.Fields(t.row.message) {
		switch string(key) {
		case "id":
			id = v
		case "model":
			model = v
		case "content":
			content = v
		case "usage":
			usage = v
		case "stop_reason":
			stop = v
		}
	}
	t.begin("message")
	t.member("answer", id)
	isSynthetic := model.Is("<synthetic>")
	if isSynthetic && !t.row.isError.IsTrue() {
		t.dst = append(t.dst, `,"isSent":true`...) // written when a session was resumed, to close a turn
	}
	t.dst = append(t.dst, `,"message":{"role":"assistant"`...)
	if isSynthetic {
		t.dst = append(t.dst, `,"provider":"openclaw","model":"<synthetic>"`...)
	} else {
		t.dst = append(t.dst, `,"provider":"anthropic","api":"anthropic-messages"`...)
		t.member("model", model)
		t.usage(id, usage)
	}
	switch reason := stopReasons[string(stop.Bytes())]; {
	case t.row.isError.IsTrue():
		t.dst = append(t.dst, `,"stopReason":"error"`...)
	case reason != "":
		t.dst = append(append(append(t.dst, `,"stopReason":"`...), reason...), '"')
	}
	t.member("content", content)
	t.dst = append(t.dst, '}')
}

// usage writes the counts of an answer.
func (t *translation) usage(id, usage jsontext.Value) {
	if !usage.IsObject() {
		return
	}
	t.dst = append(t.dst, `,"usage":{"series":`...)
	t.dst = append(t.dst, quoted(id)...)
	for key, v := range usage.Fields() {
		switch string(key) {
		case "input_tokens":
			t.member("input", v)
		case "output_tokens":
			t.member("output", v)
		case "cache_read_input_tokens":
			t.member("cacheRead", v)
		case "cache_creation_input_tokens":
			t.member("cacheWrite", v)
		case "cache_creation":
			if long := v.Get("ephemeral_1h_input_tokens"); long.IsNumber() {
				t.member("cacheWrite1h", long)
			}
		}
	}
	t.dst = append(t.dst, '}')
}

// quoted returns a string, or "" for what is none.
func quoted(v jsontext.Value) jsontext.Value {
	if !v.IsString() {
		return jsontext.Value(`""`)
	}
	return v
}

// cost writes the price of the session so far, which includes its subagents and the requests for summaries. A fork goes
// on with the price of the session that it was made from.
func (t *translation) cost() {
	t.begin("usage")
	t.dst = append(t.dst, `,"kind":"cost-state","usage":{"series":`...)
	t.dst = append(t.dst, quoted(t.get("sessionId"))...)
	if total := t.get("totalCostUSD"); total.IsNumber() {
		t.dst = append(append(append(t.dst, `,"cost":{"total":`...), total...), '}')
	}
	t.dst = append(t.dst, '}')
}

// system writes a row that is only for the reader, such as an error, or that says which command ran here.
func (t *translation) system() {
	if t.row.subtype.Is("compact_boundary") {
		t.boundary()
		return
	}
	switch subtype := quoted(t.row.subtype); {
	case subtype.Is("local_command") && !t.get("isDisplayOnly").IsTrue() && t.row.content.IsString():
		t.begin("custom_message")
		t.member("customType", subtype)
		t.dst = append(t.dst, `,"display":true,"isUnanswered":true`...)
		t.member("content", t.row.content)
	case subtype.Is("api_error"):
		t.begin("custom")
		t.member("customType", subtype)
		t.member("errorMessage", errorText(t.get("error")))
	default:
		t.begin("custom")
		t.member("customType", subtype)
		if !t.row.content.Is("") {
			t.member("data", t.row.content)
		}
	}
}

// errorText returns what an error of the API says, or nothing. Older versions nest it in different depths.
func errorText(v jsontext.Value) jsontext.Value {
	for _, path := range []string{"message", "error.error.message", "error.message", "cause.message", "cause.code"} {
		if text := memberAt(v, path); text.IsString() {
			return text
		}
	}
	return nil
}

// boundary writes the boundary of a compaction. It continues the conversation before it, and the model sees what
// follows, first of all the summary.
func (t *translation) boundary() {
	t.row.parent = t.row.logicalParent
	t.begin("custom")
	t.dst = append(t.dst, `,"customType":"compact_boundary","role":"system"`...)
	kept := t.row.metadata.Get("preservedSegment")
	t.member("firstKeptEntryId", kept.Get("headUuid"))
	t.member("lastKeptEntryId", kept.Get("tailUuid"))
	t.member("reason", t.row.metadata.Get("trigger"))
	t.member("tokensBefore", t.row.metadata.Get("preTokens"))
	t.member("tokensAfter", t.row.metadata.Get("postTokens"))
	t.member("data", t.row.metadata)
}

// attachment writes what was added to a conversation: as it was rendered, or as Claude Code renders it anew.
func (t *translation) attachment() {
	attached, a := t.row.attached, additionOf(t.row.attached)
	messages := renderedMessages(t.row.rendered)
	if messages == nil && a.written != nil {
		messages = a.written(attached)
	}
	if messages == nil || a.neverSent {
		t.begin("custom")
		t.member("customType", quoted(attached.Get("type")))
		t.member("data", a.readable(attached))
		return
	}
	role := `"system"`
	if t.row.renderedRole.Is("user") || !t.row.renderedRole.Exists() && a.byUser || slices.ContainsFunc(messages,
		said.hasOther) {
		role = `"custom"`
	}
	if attached.Get("type").Is(queuedCommand) && queuedBy(attached) == "" && attached.Get("prompt").Exists() {
		t.begin("message")
		if isTurn(attached) {
			t.dst, role = append(t.dst, `,"apart":true`...), `"custom"`
		}
		t.dst = append(append(t.dst, `,"sentAs":`...), role...)
		t.dst = append(t.dst, `,"message":{"role":"user"`...)
		t.member("content", attached.Get("prompt"))
		t.dst = append(t.dst, `},"sent":`...)
	} else {
		t.begin("custom_message")
		t.dst = append(append(t.dst, `,"role":`...), role...)
		t.member("customType", quoted(attached.Get("type")))
		t.dst = append(t.dst, `,"display":false`...)
		if a.apart && t.row.renderedRole.Is("user") {
			t.dst = append(t.dst, `,"apart":true`...)
		}
		if t.get("renderedBesideToolResult").IsTrue() {
			t.dst = append(t.dst, `,"beside":true`...)
		}
		t.dst = append(t.dst, `,"content":`...)
	}
	t.blocks(messages)
}

// readable returns the text of an attachment that is not sent, or nothing.
func (a *addition) readable(attached jsontext.Value) jsontext.Value {
	if a.text == "" {
		return nil
	}
	text := memberAt(attached, a.text)
	if text.IsNull() || text.Is("") || string(text) == "[]" {
		return nil
	}
	return text
}

// renderedMessages returns the messages that an attachment was rendered as, or nil if they are not as they should be.
func renderedMessages(rendered jsontext.Value) (messages []said) {
	if !rendered.IsArray() {
		return nil
	}
	for message := range rendered.Elements() {
		blocks := blocksOf(message.Get("content"))
		if blocks == nil {
			return nil
		}
		messages = append(messages, blocks)
	}
	return messages
}

// blocks writes the blocks of messages as a list, and how many of them each message has.
func (t *translation) blocks(messages []said) {
	var sizes []int
	t.dst = append(t.dst, '[')
	for _, message := range messages {
		for _, block := range message {
			if t.dst[len(t.dst)-1] != '[' {
				t.dst = append(t.dst, ',')
			}
			t.dst = append(t.dst, block...)
		}
		sizes = append(sizes, len(message))
	}
	t.dst = append(t.dst, ']')
	t.division(sizes)
}

// division writes how many blocks each of several messages has.
func (t *translation) division(sizes []int) {
	if len(sizes) < 2 {
		return
	}
	t.dst = append(t.dst, `,"division":[`...)
	for i, size := range sizes {
		if i > 0 {
			t.dst = append(t.dst, ',')
		}
		t.dst = strconv.AppendInt(t.dst, int64(size), 10)
	}
	t.dst = append(t.dst, ']')
}

// blocksOf returns the blocks of a content. A string is one block.
func blocksOf(content jsontext.Value) (blocks said) {
	if content.IsString() {
		return said{`{"type":"text","text":` + string(content) + `}`}
	}
	for block := range content.Elements() {
		blocks = append(blocks, string(block))
	}
	return blocks
}

// remark writes a row that is not part of the conversation.
func (t *translation) remark(kind string) {
	if member, ok := titles[kind]; ok {
		t.begin("session_info")
		t.member("name", t.get(member))
		if kind != givenTitle {
			t.dst = append(t.dst, `,"suggested":true`...)
		}
		return
	}
	t.begin("custom")
	t.dst = append(append(append(t.dst, `,"customType":"`...), kind...), '"')
	if kind == replacing {
		t.replacements()
	}
}

// replacements writes what the model gets instead of results, as results. Those with the id of an agent are for the
// transcript of that subagent.
func (t *translation) replacements() {
	if t.get("agentId").IsString() && !t.row.isSidechain.IsTrue() {
		t.dst = append(t.dst, `,"appendMode":"side"`...)
	}
	t.dst = append(t.dst, `,"messages":[`...)
	for r := range t.get("replacements").Elements() {
		call, content := r.Get("toolUseId"), r.Get("replacement")
		if !r.Get("kind").Is("tool-result") || !call.IsString() || !content.Exists() {
			continue
		}
		if t.dst[len(t.dst)-1] != '[' {
			t.dst = append(t.dst, ',')
		}
		t.dst = append(t.dst, `{"role":"toolResult"`...)
		t.member("toolCallId", call)
		t.member("content", content)
		t.dst = append(t.dst, '}')
	}
	t.dst = append(t.dst, ']')
}

// longestProject is how long the name of a project's folder may be before a sum of the whole path replaces its end.
const longestProject = 200

// HomeOf returns the folder with all of Claude Code's files, if Claude Code finds the file of a session there when it
// runs in cwd, which is where it looks first. The file is written with slashes.
func HomeOf(file, id, cwd string) (home string, ok bool) {
	folder, base := path.Split(file)
	projects, project := path.Split(path.Clean(folder))
	home, last := path.Split(path.Clean(projects))
	name := projectName(cwd)
	if cut := min(len(name), longestProject); cut < len(name) && len(project) > cut {
		name, project = name[:cut], project[:cut]
	}
	return path.Clean(home), base == id+".jsonl" && last == "projects" && cwd != "" && project == name
}

// projectName returns the name of the folder for the sessions of a project: its path with - for every UTF-16 unit that
// is not a letter or a digit of ASCII.
func projectName(cwd string) string {
	var b strings.Builder
	for _, unit := range utf16.Encode([]rune(cwd)) {
		switch {
		case unit >= '0' && unit <= '9', unit >= 'a' && unit <= 'z', unit >= 'A' && unit <= 'Z':
			b.WriteByte(byte(unit))
		default:
			b.WriteByte('-')
		}
	}
	return b.String()
}
