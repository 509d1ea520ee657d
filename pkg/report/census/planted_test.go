package census

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// A transcript has lines with every object that its program writes.
type transcript struct {
	writer, dialect string
	lines           []string
}

const (
	piUsage = `"usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,"cacheWrite1h":0,"reasoning":1,` +
		`"totalTokens":3,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0,"totalFromProvider":false}}`
	claudeRow = `"parentUuid":null,"sessionId":"s","timestamp":"2026-01-01T00:00:01.000Z","cwd":"/w","version":"FREE"`
	marks     = `"__openclaw":{"id":"m","runId":"r","modelPromptProjection":{"version":1,"text":"FREE"}}`
)

// transcripts are examples of every dialect. The text of a value that may be anything is FREE.
var transcripts = []transcript{
	{"openclaw", "openclaw-v1", []string{
		`{"type":"session","id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w","provider":"p","modelId":"m",` +
			`"thinkingLevel":"off","branchedFrom":"/x"}`,
		`{"type":"message","timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"user","content":"FREE"}}`,
		`{"type":"compaction","timestamp":"2026-01-01T00:00:02.000Z","summary":"FREE","firstKeptEntryIndex":1,` +
			`"tokensBefore":5}`,
	}},
	{"openclaw", "openclaw-v2", []string{
		`{"type":"session","version":2,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}`,
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":` +
			`"hookMessage","content":[{"type":"text","text":"FREE"}],"display":true,"timestamp":1}}`,
	}},
	{"openclaw", "openclaw-v4", []string{
		`{"type":"session","version":4,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w","parentSession":"/x"}`,
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","appendMode":"side","message":` +
			`{"role":"user","content":[{"type":"text","text":"FREE"},{"type":"image","data":"FREE","mimeType":"image/png"},` +
			`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"FREE"}}],"timestamp":1,` +
			`"provenance":{"kind":"external_user"},"idempotencyKey":"k","excludeFromContext":true,` + marks + `}}`,
		`{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant",` +
			`"content":[{"type":"thinking","thinking":"FREE","thinkingSignature":"FREE"},{"type":"toolCall","id":"c",` +
			`"name":"exec","arguments":{"FREE":{"FREE":1}},"partialJson":"FREE","executionMode":"parallel"},` +
			`{"type":"tool_use","id":"d","name":"x","input":{"FREE":[]}},{"type":"redacted_thinking","data":"FREE"}],` +
			`"api":"x","provider":"p","model":"m","usage":{"input":1,"output":2,"cacheRead":0,"cacheWrite":0,` +
			`"totalTokens":3,"cacheTelemetry":{"state":"available"},"contextUsage":{"state":"available","promptTokens":1,` +
			`"totalTokens":3},"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0,` +
			`"totalOrigin":"provider-billed"},"cache":{"read":0,"write":0}},"stopReason":"toolUse","timestamp":1,` +
			`"diagnostics":[{"FREE":1}],"openclawDelivery":{"FREE":1},"openclawAbort":{"aborted":true,"origin":"rpc"},` +
			`"providerReplay":{"v":1,"type":"anthropic-compaction","data":"FREE","provider":"p","api":"a","model":"m"}}}`,
		`{"type":"message","id":"e","parentId":"b","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"toolResult",` +
			`"toolCallId":"c","toolName":"exec","content":[{"type":"FREE","x":"FREE"}],"details":{"FREE":{"type":"FREE"}},` +
			`"isError":false,"timestamp":1}}`,
		`{"type":"message","id":"f","parentId":"e","timestamp":"2026-01-01T00:00:04.000Z","message":{"role":` +
			`"bashExecution","command":"FREE","output":"FREE","exitCode":0,"cancelled":false,"truncated":false,` +
			`"timestamp":1}}`,
		`{"type":"message","id":"g","parentId":"f","timestamp":"2026-01-01T00:00:05.000Z","message":{"role":"custom",` +
			`"customType":"FREE","content":"FREE","display":true,"details":{"FREE":1},"timestamp":1}}`,
		`{"type":"compaction","id":"h","parentId":"g","timestamp":"2026-01-01T00:00:06.000Z","summary":"FREE",` +
			`"firstKeptEntryId":"e","tokensBefore":9,"tokensAfter":3,"details":{"FREE":[]},"fromHook":false,` + marks + `}`,
		`{"type":"reset","id":"i","parentId":"h","timestamp":"2026-01-01T00:00:07.000Z","reason":"daily",` +
			`"firstKeptEntryId":"e"}`,
		`{"type":"branch_summary","id":"j","parentId":"i","timestamp":"2026-01-01T00:00:08.000Z","fromId":"a",` +
			`"summary":"FREE","details":{"FREE":1},"fromHook":true}`,
		`{"type":"custom_message","id":"k","parentId":"j","timestamp":"2026-01-01T00:00:09.000Z","customType":"FREE",` +
			`"content":[{"type":"text","text":"FREE"}],"display":false,"details":{"FREE":1}}`,
		`{"type":"model_change","id":"l","parentId":"k","timestamp":"2026-01-01T00:00:10.000Z","provider":"p",` +
			`"modelId":"m"}`,
		`{"type":"thinking_level_change","id":"m","parentId":"l","timestamp":"2026-01-01T00:00:11.000Z",` +
			`"thinkingLevel":"xhigh"}`,
		`{"type":"custom","customType":"FREE","data":{"FREE":{"FREE":1}},"id":"n","parentId":"m",` +
			`"timestamp":"2026-01-01T00:00:12.000Z"}`,
		`{"type":"label","id":"o","parentId":"n","timestamp":"2026-01-01T00:00:13.000Z","targetId":"a","label":"FREE"}`,
		`{"type":"session_info","id":"p","parentId":"o","timestamp":"2026-01-01T00:00:14.000Z","name":"FREE"}`,
		`{"type":"leaf","id":"q","parentId":"p","timestamp":"2026-01-01T00:00:15.000Z","targetId":"a"}`,
	}},
	{"pi", "openclaw-v3", []string{
		`{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}`,
		`{"type":"message","id":"a","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","message":{"role":"system",` +
			`"content":"","sections":{"FREE":"FREE"},"toolsAdded":[{"name":"x","description":"FREE","parameters":` +
			`{"type":"FREE"}}],"toolsRemoved":[{"name":"y"}],"timestamp":1}}`,
		`{"type":"message","id":"b","parentId":"a","timestamp":"2026-01-01T00:00:02.000Z","message":{"role":"assistant",` +
			`"content":[{"type":"toolCall","id":"c","name":"x","arguments":{"FREE":1},"namespace":"FREE"}],"api":"x",` +
			`"provider":"p","model":"m",` + piUsage + `,"stopReason":"deferred","deferred":{"provider":"p","modelId":"m",` +
			`"api":"a","id":"r","data":{"FREE":1}},"rawStopReason":"FREE","timestamp":1}}`,
		`{"type":"message","id":"d","parentId":"b","timestamp":"2026-01-01T00:00:03.000Z","message":{"role":"toolResult",` +
			`"toolCallId":"c","toolName":"x","content":{"FREE":"FREE"},"isError":false,` + piUsage + `,` +
			`"nestedCalls":{"calls":[{"id":"c/1","name":"y","arguments":{"FREE":1},"status":"ok"}],"complete":true},` +
			`"timestamp":1}}`,
		`{"type":"compaction","id":"e","parentId":"d","timestamp":"2026-01-01T00:00:04.000Z","summary":"FREE",` +
			`"firstKeptEntryId":"e","tokensBefore":9,` + piUsage + `,"systemMessage":{"role":"system","content":"",` +
			`"sections":{"FREE":null},"timestamp":1}}`,
		`{"type":"usage","id":"f","parentId":"e","timestamp":"2026-01-01T00:00:05.000Z","kind":"FREE","provider":"p",` +
			`"model":"m",` + piUsage + `,"note":"FREE"}`,
		`{"type":"context_edit","id":"g","parentId":"f","timestamp":"2026-01-01T00:00:06.000Z","targetId":"d",` +
			`"replacement":{"content":[{"FREE":"FREE"}]}}`,
	}},
	{"goclaw", "goclaw", []string{
		`{"type":"session","version":3,"id":"s","key":"goclaw:main:ada","timestamp":"2026-01-01T00:00:00.000Z","cwd":"/w"}`,
		`{"type":"checkpoint","id":"1767225600000_ab","parentId":null,"timestamp":"2026-01-01T00:00:01.000Z","checkpoint":` +
			`{"summary":"FREE","tokensAtCheckpoint":1,"messageCountAtCheckpoint":1,"topics":["FREE"],"openQuestions":[],` +
			`"keyDecisions":[]}}`,
		`{"type":"compaction","id":"1767225600001_ab","parentId":"1767225600000_ab","timestamp":"2026-01-01T00:00:02.000Z",` +
			`"summary":"FREE","firstKeptEntryId":"1767225600000_ab","tokensBefore":9,"fromCheckpoint":true}`,
	}},
	{"claw0", "claw0-flat", []string{
		`{"type":"session","id":"s","key":"main:cli:ada","created":"2026-01-01T00:00:00"}`,
		`{"type":"user","content":"FREE","ts":"2026-01-01T00:00:01"}`,
		`{"type":"tool_use","tool_use_id":"t","name":"x","input":{"FREE":1},"ts":"2026-01-01T00:00:02"}`,
		`{"type":"tool_result","tool_use_id":"t","output":"FREE","ts":"2026-01-01T00:00:03"}`,
	}},
	{"claw0", "claw0-guard", []string{
		`{"type":"user","content":"FREE","ts":1767225601.5}`,
		`{"type":"assistant","content":[{"type":"text","text":"FREE"},{"type":"tool_use","id":"t","name":"x","input":` +
			`{"FREE":1}}],"ts":1767225602.5}`,
		`{"type":"tool_result","tool_use_id":"t","content":{"FREE":1},"ts":1767225603.5}`,
	}},
	{"claude-code", "claude-code", []string{
		`{"type":"user","uuid":"u1",` + claudeRow + `,"isSidechain":false,"userType":"external","promptId":"p",` +
			`"message":{"role":"FREE","content":[{"type":"text","text":"FREE"},{"type":"image","source":{"FREE":1}}]}}`,
		`{"type":"assistant","uuid":"a1",` + claudeRow + `,"requestId":"r","message":{"id":"m1","role":"FREE","model":"x",` +
			`"content":[{"type":"thinking","thinking":"FREE","signature":"FREE"},{"type":"tool_use","id":"t","name":"x",` +
			`"input":{"FREE":1}}],"stop_reason":"tool_use","usage":{"input_tokens":1,"output_tokens":2,` +
			`"cache_creation":{"FREE":1}}}}`,
		`{"type":"user","uuid":"u2",` + claudeRow + `,"toolUseResult":{"FREE":1},"message":{"role":"FREE","content":` +
			`[{"type":"tool_result","tool_use_id":"t","content":"FREE"}]}}`,
		`{"type":"system","uuid":"y1",` + claudeRow + `,"subtype":"compact_boundary","content":"FREE","level":"info",` +
			`"compactMetadata":{"FREE":1}}`,
		`{"type":"attachment","uuid":"x1",` + claudeRow + `,"attachment":{"FREE":1}}`,
		`{"type":"api-request","id":"q","keep":1,"sessionId":"s","timestamp":"2026-01-01T00:00:02.000Z","params":{"FREE":1}}`,
		`{"type":"last-prompt","lastPrompt":"FREE","leafUuid":"u2","sessionId":"s"}`,
	}},
	{"codex", "codex", []string{
		`{"timestamp":"2026-01-01T00:00:00.000Z","type":"session_meta","payload":{"id":"t","session_id":"t","timestamp":` +
			`"2026-01-01T00:00:00.000Z","cwd":"/w","originator":"x","cli_version":"0.1.0","source":"exec",` +
			`"history_mode":"legacy","git":{"FREE":1}}}`,
		`{"timestamp":"2026-01-01T00:00:01.000Z","type":"turn_context","payload":{"turn_id":"1","cwd":"/w","model":"m",` +
			`"sandbox_policy":{"FREE":1}}}`,
		`{"timestamp":"2026-01-01T00:00:02.000Z","type":"response_item","payload":{"type":"message","role":"FREE",` +
			`"content":[{"type":"FREE","text":"FREE"}]}}`,
		`{"timestamp":"2026-01-01T00:00:03.000Z","type":"response_item","payload":{"type":"function_call","name":"x",` +
			`"arguments":"FREE","call_id":"c"}}`,
		`{"timestamp":"2026-01-01T00:00:04.000Z","type":"event_msg","payload":{"type":"user_message","message":"FREE",` +
			`"images":["FREE"]}}`,
		`{"timestamp":"2026-01-01T00:00:05.000Z","type":"compacted","payload":{"message":"FREE","replacement_history":` +
			`[{"type":"message","role":"FREE","content":["FREE"]}]}}`,
	}},
}

// entries are entries of indexes.
var entries = []string{
	`{"sessionId":"s","updatedAt":1,"sessionFile":"/x","status":"interrupted","chatType":"direct","archivedAt":1,` +
		`"archiveReason":"manual","snoozedUntil":2,"delivery":{"FREE":1},"skillsSnapshot":{"FREE":1}}`,
	`{"session_key":"k","session_id":"s","created_at":"x","updated_at":"x","message_count":1,"transcript_file":"x"}`,
}

// enumerations are the keys whose values are known.
var enumerations = []string{
	"type", "role", "version", "v", "appendMode", "thinkingLevel", "stopReason", "reason", "state", "totalOrigin", "kind",
	"executionMode", "status", "chatType", "archiveReason", "stop_reason", "history_mode",
}

// A planter changes one thing in a copy of a line, a different one each time.
type planter struct {
	at, n int
	want  string // what it planted
}

// isFree reports whether a key or an object is a value of any form.
func isFree(v any) bool {
	object, ok := v.(map[string]any)
	list, isList := v.([]any)
	if isList && len(list) > 0 {
		return isFree(list[0])
	}
	if _, has := object["FREE"]; has {
		return true
	}
	text, isText := v.(string)
	return isText && text == "FREE" || ok && object["type"] == "FREE"
}

func (p *planter) turn() bool { p.n++; return p.n == p.at+1 }

// plant walks a value and returns it with its change.
func (p *planter) plant(v any) {
	switch v := v.(type) {
	case []any:
		for _, element := range v {
			p.plant(element)
		}
	case map[string]any:
		if p.turn() {
			p.want = fmt.Sprintf("planted%d", p.at)
			v[p.want] = "FREE"
			return
		}
		keys := make([]string, 0, len(v))
		for key := range v {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			if p.member(v, key); p.want != "" {
				return
			}
		}
	}
}

func (p *planter) member(object map[string]any, key string) {
	value := object[key]
	switch {
	case isFree(value):
	case slices.Contains(enumerations, key) && !isObject(value):
		if p.turn() {
			p.want = fmt.Sprintf("9%d", p.at)
			object[key] = json.Number(p.want)
			if _, isText := value.(string); isText {
				p.want = fmt.Sprintf("planted-%d", p.at)
				object[key] = p.want
			}
		}
	default:
		p.plant(value)
	}
}

func isObject(v any) bool {
	_, ok := v.(map[string]any)
	return ok
}

// planted returns every change of a line, with what each plants.
func planted(t *testing.T, line string) map[string]string {
	changes := map[string]string{}
	for at := 0; ; at++ {
		var v any
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		p := planter{at: at}
		if p.plant(v); p.want == "" {
			return changes
		}
		text, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		changes[p.want] = string(text)
	}
}

// takeCensus takes the census of a transcript.
func takeCensus(t *testing.T, text string, entry string) *Census {
	t.Helper()
	s := &source.Session{Key: "k", Path: "f.jsonl"}
	s.Entry.Raw = jsonl.Value(entry)
	result, err := Read(jsonl.NewReader(strings.NewReader(text), jsonl.Options{}), s)
	if err != nil {
		t.Fatal(err)
	}
	c := &Census{}
	c.Add(s, rebuild.Author{}, result)
	return c
}

func TestNothingUnknown(t *testing.T) {
	for _, tr := range transcripts {
		for _, row := range takeCensus(t, strings.Join(tr.lines, "\n")+"\n", "").Rows() {
			t.Errorf("%s: %+v", tr.dialect, *row)
		}
	}
	for _, entry := range entries {
		for _, row := range takeCensus(t, "", entry).Rows() {
			t.Errorf("%s: %+v", entry, *row)
		}
	}
}

// Every type, field and value that is planted in a line of any dialect is listed, and nothing else.
func TestPlanted(t *testing.T) {
	total := 0
	for _, tr := range transcripts {
		for i, line := range tr.lines {
			for want, changed := range planted(t, line) {
				lines := slices.Clone(tr.lines)
				lines[i] = changed
				rows := takeCensus(t, strings.Join(lines, "\n")+"\n", "").Rows()
				if len(rows) != 1 || rows[0].Name != want || rows[0].Count != 1 || rows[0].Line != int64(i+1) {
					t.Errorf("%s: %s: %s", tr.dialect, changed, words(rows))
				}
				total++
			}
		}
		row := plantLast(t, tr)
		if row.Program != tr.writer || row.Form != tr.dialect {
			t.Errorf("%s was written by %s as %s", tr.dialect, row.Program, row.Form)
		}
	}
	for _, entry := range entries {
		for want, changed := range planted(t, entry) {
			rows := takeCensus(t, "", changed).Rows()
			if len(rows) != 1 || rows[0].Name != want || rows[0].Form != "index" || rows[0].Place != "index entry" {
				t.Errorf("%s: %s", changed, words(rows))
			}
			total++
		}
	}
	if total < 120 {
		t.Errorf("only %d changes", total)
	}
}

// plantLast plants a field in the last line of a transcript, and returns its row.
func plantLast(t *testing.T, tr transcript) *Row {
	last := len(tr.lines) - 1
	text := strings.Join(tr.lines[:last], "\n") + "\n" + `{"planted":1,` + tr.lines[last][1:] + "\n"
	rows := takeCensus(t, text, "").Rows()
	if len(rows) != 1 {
		t.Fatalf("%s: %s", tr.dialect, words(rows))
	}
	return rows[0]
}

func words(rows []*Row) string {
	var list []string
	for _, row := range rows {
		list = append(list, fmt.Sprintf("%s %q %s, %d times", row.Kind, row.Place, row.Label(), row.Count))
	}
	return strings.Join(list, "; ")
}
