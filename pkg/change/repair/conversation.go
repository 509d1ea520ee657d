package repair

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
	"clawctl/pkg/rebuild"
)

// conversationCodes are the problems that mendConversation mends.
var conversationCodes = []failure.Code{
	rebuild.NoResult, rebuild.NoCall, rebuild.SecondReply, rebuild.ResultAway, rebuild.FailedCall, rebuild.BrokenCall,
	rebuild.ResultFirst, rebuild.NoContent, rebuild.BadSignature, rebuild.BadID, rebuild.BadName, rebuild.BadImage,
	rebuild.BadText, rebuild.OddBlock,
}

// lineCodes are those of them that are mended in transcripts without a tree, where a call or a result is a line.
var lineCodes = []failure.Code{
	rebuild.NoResult, rebuild.NoCall, rebuild.SecondReply, rebuild.ResultAway, rebuild.ResultFirst,
}

// mendConversation mends what an API refuses in the context.
func (d *draft) mendConversation(s *survey) (*sheet, error) {
	m := &conversationMender{
		draft: d, survey: s, sheet: &sheet{}, results: map[int64]pairNames{}, codes: conversationCodes,
		parents: relinks{}, nexts: relinks{},
	}
	if !s.ix.HasTree() {
		m.codes = lineCodes
	}
	if p := s.ix.Dialect.Translated(); p != nil && p.MissingResult == nil {
		return m.sheet, nil // nobody knows how the program writes it
	}
	if s.context == nil || !s.has(m.codes...) || s.context.HasEdits() {
		return m.sheet, nil
	}
	m.order = newOrder(s.context.PathPlaces(), !s.isChained())
	m.onlyNames = m.collectNames()
	if !m.onlyNames {
		m.collectMoves()
	}
	if s.has(rebuild.NoResult) {
		if err := d.collectIDs(); err != nil {
			return nil, err
		}
	}
	if err := d.eachRecord(m.mend); err != nil {
		return nil, err
	}
	m.order.write(m.sheet, m.survey)
	return m.sheet, nil
}

// A conversationMender goes over the records of a text once.
type conversationMender struct {
	draft     *draft
	survey    *survey
	sheet     *sheet
	order     *order
	codes     []failure.Code      // that are mended
	onlyNames bool                // this round renames calls, because results are found by their names
	results   map[int64]pairNames // the names of results of renamed calls, by line
	parents   relinks             // of records that were taken out
	nexts     relinks             // what follows them on the path
}

// pairNames are the names that a call and its result share.
type pairNames struct {
	id, name string
	call     int64 // offset
}

// wanted returns the fixes of a line that are to be made.
func (m *conversationMender) wanted(line int64) []rebuild.Fix {
	var list []rebuild.Fix
	for _, f := range m.survey.fixes[line] {
		isName := f.Code == rebuild.BadID || f.Code == rebuild.BadName
		if slices.Contains(m.codes, f.Code) && m.draft.takes(f.Code) && isName == m.onlyNames {
			list = append(list, f)
		}
	}
	return list
}

// collectNames collects the results of calls that get other names, and reports whether there are any calls.
func (m *conversationMender) collectNames() bool {
	var any bool
	m.onlyNames = true
	for line := range m.survey.fixes {
		for _, f := range m.wanted(line) {
			any = true
			if f.Result > 0 {
				names := m.results[f.Result].with(f)
				names.call = f.Offset
				m.results[f.Result] = names
			}
		}
	}
	return any
}

// with returns the names with the id or the name that an API allows.
func (n pairNames) with(f rebuild.Fix) pairNames {
	if f.Code == rebuild.BadID {
		n.id = f.ID
	} else {
		n.name = f.Name
	}
	return n
}

// collectMoves decides which results move to their calls.
func (m *conversationMender) collectMoves() {
	if m.survey.isNumbered() {
		return
	}
	for line := range m.survey.fixes {
		for _, f := range m.wanted(line) {
			if (f.Code == rebuild.ResultAway || f.Code == rebuild.ResultFirst) && f.Call > 0 && f.Block < 0 {
				m.order.move(line, f.Call, f.ID)
			}
		}
	}
	m.order.settle()
}

func (m *conversationMender) mend(rec *jsonl.Record) {
	if !rec.Legible() {
		return
	}
	text := bytes.Clone(rec.Stated())
	value := jsonl.Value(text)
	if names, ok := m.results[rec.Line]; ok && m.onlyNames {
		value = renamedResult(value, names)
		m.sheet.follow(names.call, rec.Offset)
	}
	value = m.relinked(rec, value)
	isKept := true
	if fixes := m.wanted(rec.Line); len(fixes) > 0 {
		value, isKept = m.mendMessage(rec, value, fixes)
	}
	m.order.take(rec, value, isKept, !bytes.Equal(value, text), m.sheet)
}

// relinked returns a record whose links do not lead to records that were taken out. The order has the parents of the
// path.
func (m *conversationMender) relinked(rec *jsonl.Record, value jsonl.Value) jsonl.Value {
	var keys []string
	if !m.order.has(rec.Line) {
		keys = append(keys, "parentId")
	}
	if rec.Type() == jsonl.TypeLeaf {
		keys = append(keys, "targetId", "appendParentId")
	}
	value, causes := m.parents.apply(value, keys...)
	value, kept := m.nexts.apply(value, "firstKeptEntryId")
	for _, cause := range append(causes, kept...) {
		m.sheet.follow(cause, rec.Offset)
	}
	return value
}

// takeOut moves a record of the path to the quarantine.
func (m *conversationMender) takeOut(rec *jsonl.Record, code failure.Code) {
	m.sheet.note(code, rec, "move the record to the quarantine file", lineCost(rec))
	id := rec.ID()
	m.draft.plan.gone[id] = true
	if parent := rec.Get("parentId"); id != "" && (parent.IsString() || parent.IsNull()) {
		m.parents[id] = relink{parent.String(), rec.Offset}
	}
	if next, ok := m.order.next(rec.Line); ok {
		m.nexts[id] = relink{next, rec.Offset}
	}
}

// mendMessage makes the fixes of one record. isKept is false if it goes to the quarantine.
func (m *conversationMender) mendMessage(rec *jsonl.Record, value jsonl.Value, fixes []rebuild.Fix) (
	_ jsonl.Value, isKept bool,
) {
	dropped := map[int]failure.Code{}   // blocks that cannot be sent
	names := map[int]pairNames{}        // new names of calls, by block
	isMended := map[failure.Code]bool{} // for all blocks
	stamp := value.Get("timestamp")     // looked for once, because a record may need many results
	for _, f := range fixes {
		switch f.Code {
		case rebuild.BadID, rebuild.BadName:
			names[f.Block] = m.noteName(rec, names[f.Block], f)
		case rebuild.BadText:
			m.sheet.note(f.Code, rec, "replace halves of characters with U+FFFD", "")
			if !isMended[f.Code] {
				value = jsonl.Value(jsontext.ReplaceLoneSurrogates(string(value)))
			}
		case rebuild.BadImage:
			if !isMended[f.Code] {
				value = m.mendImages(rec, value)
			}
		case rebuild.BadSignature, rebuild.BrokenCall, rebuild.FailedCall:
			dropped[f.Block] = f.Code
		case rebuild.OddBlock:
			if f.Block >= 0 { // not inside of a result in a message of the user
				dropped[f.Block] = f.Code
			}
		case rebuild.NoResult:
			m.addResult(rec, stamp, f)
		case rebuild.ResultAway, rebuild.ResultFirst:
			if m.order.moves(rec.Line) {
				m.sheet.note(f.Code, rec, "move the result after its call", "")
			} else if f.Code == rebuild.ResultFirst {
				return m.hide(rec, value, f, "")
			}
		case rebuild.NoCall, rebuild.SecondReply:
			return m.hide(rec, value, f, "")
		case rebuild.NoContent:
			dropped[blankBlocks] = f.Code
		}
		isMended[f.Code] = true
	}
	if len(dropped) > 0 {
		return m.dropBlocks(rec, value, dropped)
	}
	return renamedCalls(value, names), true
}

// hide leaves a message out of the context and keeps all of its text. A record that cannot be hidden goes to the
// quarantine.
func (m *conversationMender) hide(rec *jsonl.Record, value jsonl.Value, f rebuild.Fix, why string) (jsonl.Value, bool) {
	if f.Block >= 0 {
		return value, true // a result inside a message of the user
	}
	message := value.Get("message")
	canHide := slices.Contains([]string{jsonl.RoleUser, jsonl.RoleAssistant, jsonl.RoleToolResult},
		message.Get("role").String()) && m.survey.ix.CanExclude()
	if canHide && !message.Get("excludeFromContext").IsTrue() {
		m.sheet.note(f.Code, rec, "leave the message out of the context"+why, "")
		return value.With("message", message.With("excludeFromContext", []byte("true"))), true
	}
	if m.survey.isNumbered() || !m.order.has(rec.Line) {
		return value, true
	}
	m.takeOut(rec, f.Code)
	return value, false
}

// noteName adds the id or the name that an API allows to the new names of a call.
func (m *conversationMender) noteName(rec *jsonl.Record, names pairNames, f rebuild.Fix) pairNames {
	words := "change the id of the tool call to " + f.ID
	if f.Code == rebuild.BadName {
		words = "change the name of the tool call to " + f.Name
	}
	m.sheet.note(f.Code, rec, words, "")
	return names.with(f)
}

// renamedCalls gives calls their new names.
func renamedCalls(value jsonl.Value, names map[int]pairNames) jsonl.Value {
	if len(names) == 0 {
		return value
	}
	return inMessage(value, func(message jsonl.Value) jsonl.Value {
		return withBlocks(message, func(at int, block jsonl.Value) jsonl.Value {
			if id := names[at].id; id != "" {
				block = block.WithText("id", id)
			}
			if name := names[at].name; name != "" {
				block = block.WithText("name", name)
			}
			return block
		})
	})
}

// renamedResult gives a result the names of its call.
func renamedResult(value jsonl.Value, names pairNames) jsonl.Value {
	return inMessage(value, func(message jsonl.Value) jsonl.Value {
		if names.id != "" {
			message = message.WithText("toolCallId", names.id)
		}
		if names.name != "" {
			message = message.WithText("toolName", names.name)
		}
		return message
	})
}

// missingResult is what OpenClaw itself writes for a tool that never answered, so that it recognizes the record.
const missingResult = "[openclaw] missing tool result in session history; inserted synthetic error result for " +
	"transcript repair."

// addResult adds a result for a call that has none.
func (m *conversationMender) addResult(rec *jsonl.Record, stamp jsonl.Value, f rebuild.Fix) {
	id := "repair-" + uuidOf("result", m.survey.ix.HeaderID(), rec.ID(), f.ID, fmt.Sprint(f.Block))
	isPinned := m.survey.isNumbered() && !m.order.isLast(rec.Line)
	isAdded := m.order.answers[answer{rec.Line, f.ID}] || m.draft.ids[id]
	if isPinned || isAdded || m.survey.isChained() && !m.isFirstAnswer(rec, f) {
		return // it was added before, and OpenClaw does not see it
	}
	m.sheet.note(f.Code, rec, "add an error result for the tool call", "")
	switch record := jsonl.Value(`{"type":"message"}`); {
	case rec.Translator() != nil:
		m.order.add(rec, "", rec.Translator().MissingResult(m.survey.ix.Dialect, rec.Stated(), f.ID))
	case m.survey.isChained():
		m.order.add(rec, "", dated(record, stamp).With("message", newResult(rec, f)))
	default:
		record = record.WithText("id", id).With("parentId", linkOf(rec.ID()))
		m.order.add(rec, id, dated(record, stamp).With("message", newResult(rec, f)))
	}
}

// isFirstAnswer reports whether no result was added yet for a call in a record without an id.
func (m *conversationMender) isFirstAnswer(rec *jsonl.Record, f rebuild.Fix) bool {
	key := attempt{f.Code, m.draft.lineOf(m.draft.origin(rec.Offset)), fmt.Sprint(f.Block, f.ID)}
	m.draft.tried[key]++
	return m.draft.tried[key] == 1
}

// dated returns a record that is added for another one, with the time of that.
func dated(record, timestamp jsonl.Value) jsonl.Value {
	if timestamp.IsString() {
		return record.With("timestamp", timestamp)
	}
	return record
}

// newResult returns the message of a result for a call.
func newResult(rec *jsonl.Record, f rebuild.Fix) jsonl.Value {
	text := jsonl.Value(fmt.Appendf(nil, `{"role":"toolResult","toolCallId":%s,"toolName":%s,"content":[%s],`+
		`"details":{"openclawSyntheticMissingToolResult":true,"reason":"missing_tool_result"},"isError":true}`,
		jsonl.Quote(f.ID), jsonl.Quote(f.Name), []byte(textBlock(missingResult))))
	if at, ok := rec.Time(); ok {
		return text.With("timestamp", fmt.Appendf(nil, "%d", at.UnixNano()/int64(time.Millisecond)))
	}
	return text
}
