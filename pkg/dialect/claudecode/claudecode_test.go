package claudecode

import (
	"strings"
	"testing"

	"clawctl/pkg/jsontext"
)

// row returns a row with what every row of a conversation has.
func row(kind, more string) string {
	return `{"type":"` + kind + `","uuid":"b","parentUuid":"a","sessionId":"s",` + more + `}`
}

func TestTranslate(t *testing.T) {
	const begin = `"id":"b","parentId":"a"`
	for _, test := range []struct{ kind, line, want string }{
		{user, row(user, `"message":{"role":"user","content":"x"}`),
			`{"type":"message",` + begin + `,"message":{"role":"user","content":"x"}}`},
		{user, row(user, `"isMeta":true,"message":{"content":"x"}`),
			`{"type":"custom_message",` + begin + `,"customType":"meta","display":false,"content":"x"}`},
		{user, row(user, `"isCompactSummary":true,"message":{"content":[{"type":"text","text":"x"}]}`),
			`{"type":"compaction",` + begin + `,"firstKeptEntryId":"b","summary":"x"}`},
		{user, row(user, `"toolUseResult":{"n":1},"message":{"content":[{"type":"tool_result","tool_use_id":"c",`+
			`"content":"r","is_error":true}]}`),
			`{"type":"message",` + begin + `,"message":{"role":"toolResult","toolCallId":"c","content":"r",` +
				`"isError":true,"details":{"n":1}}}`},
		{assistant, row(assistant, `"isSidechain":true,"message":{"id":"m","model":"o","content":[],`+
			`"stop_reason":"tool_use","usage":{"input_tokens":1,"cache_read_input_tokens":2,`+
			`"cache_creation_input_tokens":3,"output_tokens":4}}`),
			`{"type":"message",` + begin + `,"appendMode":"side","answer":"m","message":{"role":"assistant",` +
				`"provider":"anthropic","api":"anthropic-messages","model":"o","usage":{"series":"m","input":1,` +
				`"cacheRead":2,"cacheWrite":3,"output":4},"stopReason":"toolUse","content":[]}}`},
		{assistant, row(assistant, `"isApiErrorMessage":true,"message":{"id":"m","model":"<synthetic>","content":[]}`),
			`{"type":"message",` + begin + `,"answer":"m","message":{"role":"assistant","provider":"openclaw",` +
				`"model":"<synthetic>","stopReason":"error","content":[]}}`},
		{system, row(system, `"subtype":"compact_boundary","logicalParentUuid":"l","compactMetadata":{`+
			`"preservedSegment":{"headUuid":"h","tailUuid":"t"}}`),
			`{"type":"custom","id":"b","parentId":"l","customType":"compact_boundary","role":"system",` +
				`"firstKeptEntryId":"h","lastKeptEntryId":"t","data":{"preservedSegment":{"headUuid":"h","tailUuid":"t"}}}`},
		{attachment, row(attachment, `"attachment":{"type":"date"},"rendered":[{"content":"x"}],"renderedRole":"system"`),
			`{"type":"custom_message",` + begin + `,"role":"system","customType":"date","display":false,` +
				`"content":[{"type":"text","text":"x"}]}`},
		{attachment, row(attachment, `"attachment":{"type":"date"}`),
			`{"type":"custom",` + begin + `,"customType":"date"}`},
		{attachment, row(attachment, `"attachment":{"type":"file","filename":"/a \"b\".png","content":{"type":"image",`+
			`"file":{"base64":"QUJD","type":"image/png"}}},"renderedRole":"user"`),
			`{"type":"custom_message",` + begin + `,"role":"custom","customType":"file","display":false,"content":[` +
				`{"type":"text","text":"` + strings.ReplaceAll(beforeInput, "\n", `\n`) +
				`{\"file_path\":\"/a \\\"b\\\".png\"}` + strings.ReplaceAll(afterInput, "\n", `\n`) + `"},` +
				`{"type":"image","source":{"type":"base64","data":"QUJD","media_type":"image/png"}}],"division":[1,1]}`},
		{attachment, row(attachment, `"attachment":{"type":"file","filename":"/a","content":{"type":"image","file":{}}}`),
			`{"type":"custom",` + begin + `,"customType":"file"}`},
		{lastPrompt, `{"type":"last-prompt","leafUuid":"b","sessionId":"s"}`, `{"type":"leaf","targetId":"b"}`},
		{costState, `{"type":"cost-state","sessionId":"s","totalCostUSD":0.5}`,
			`{"type":"usage","kind":"cost-state","usage":{"series":"s","cost":{"total":0.5}}}`},
		{"summary", `{"type":"summary","summary":"x","leafUuid":"b"}`,
			`{"type":"session_info","name":"x","suggested":true}`},
		{givenTitle, `{"type":"custom-title","customTitle":"x","sessionId":"s"}`, `{"type":"session_info","name":"x"}`},
		{"mode", `{"type":"mode","mode":"plan","sessionId":"s"}`, `{"type":"custom","customType":"mode"}`},
		{user, `{"type":"user","message":{"role":"user","content":"of another program"}}`, ``},
	} {
		if got := string(Translate(nil, test.kind, &jsontext.Outline{Text: jsontext.Value(test.line)})); got != test.want {
			t.Errorf("%s became\n%s, want\n%s", test.line, got, test.want)
		}
	}
}

func TestOwnsFolder(t *testing.T) {
	for folder, want := range map[string]bool{
		"/home/ada/.claude/projects/-home-ada":             true,
		"/home/ada/.claude/projects/-home-ada/s/subagents": true,
		"/home/ada/projects/notes":                         false,
	} {
		if OwnsFolder(folder) != want {
			t.Errorf("%s: %t", folder, !want)
		}
	}
}

// No place is described twice, so that its fields have one order.
func TestKnownPlaces(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range Known() {
		if seen[o.Place] {
			t.Error(o.Place, "is described twice")
		}
		seen[o.Place] = true
	}
}

func TestFiles(t *testing.T) {
	const project = "/home/ada/.claude/projects/-home-ada"
	for folder, want := range map[string]string{
		project: "", project + "/s1/subagents": "s1", project + "/s1/subagents/workflows/wf": "s1",
		project + "/s1/tool-results": "", "/subagents": "",
	} {
		if got := SpawnedBy(folder); got != want {
			t.Errorf("%s: %q, want %q", folder, got, want)
		}
	}
	for path, want := range map[[2]string]bool{
		{project + "/s1/subagents", "agent-1.meta.json"}: true, {project + "/s1/tool-results", "x.txt"}: true,
		{project, "x.meta.json"}: false, {"/home/ada/tool-results", "x.txt"}: false,
	} {
		if Keeps(path[0], path[1]) != want {
			t.Errorf("%v: %t", path, !want)
		}
	}
	agents, results := Beside(project, "s1")
	_, shared := Beside(project+"/s1/subagents/workflows/wf", "agent-1")
	if agents != project+"/s1/subagents" || results != project+"/s1/tool-results" || shared != results {
		t.Error(agents, results, shared)
	}
}
