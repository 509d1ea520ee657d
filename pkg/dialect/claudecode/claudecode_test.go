package claudecode

import (
	"testing"

	"clawctl/pkg/jsontext"
)

// row returns a row with what every row of a conversation has.
func row(kind, more string) string {
	return `{"type":"` + kind + `","uuid":"b","parentUuid":"a","sessionId":"s",` + more + `}`
}

func TestTranslate(t *testing.T) {
	const begin = `"id":"b","parentId":"a","inSession":"s"`
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
			`{"type":"custom","id":"b","parentId":"l","inSession":"s","customType":"compact_boundary","role":"system",` +
				`"firstKeptEntryId":"h","lastKeptEntryId":"t","data":{"preservedSegment":{"headUuid":"h","tailUuid":"t"}}}`},
		{attachment, row(attachment, `"attachment":{"type":"date"},"rendered":[{"content":"x"}],"renderedRole":"system"`),
			`{"type":"custom_message",` + begin + `,"role":"system","customType":"date","display":false,` +
				`"content":[{"type":"text","text":"x"}]}`},
		{attachment, row(attachment, `"attachment":{"type":"date","date":"2026-04-28"}`),
			`{"type":"custom_message",` + begin + `,"role":"system","customType":"date","display":false,"content":[` +
				`{"type":"text","text":"<system-reminder>\nToday's date is 2026-04-28.\n</system-reminder>"}]}`},
		{attachment, row(attachment, `"attachment":{"type":"date"}`),
			`{"type":"custom",` + begin + `,"customType":"date"}`},
		{attachment, row(attachment, `"attachment":{"type":"command_permissions","allowedTools":["Bash"]}`),
			`{"type":"custom",` + begin + `,"customType":"command_permissions"}`},
		{attachment, row(attachment, `"attachment":{"type":"hook_system_message","content":"seen"}`),
			`{"type":"custom",` + begin + `,"customType":"hook_system_message","data":"seen"}`},
		{attachment, row(attachment, `"attachment":{"type":"not_yet_known","words":"x"}`),
			`{"type":"custom",` + begin + `,"customType":"not_yet_known","data":{"type":"not_yet_known","words":"x"}}`},
		{attachment, row(attachment, `"attachment":{"type":"prompt_snapshot"},"rendered":[{"content":"x"}]`),
			`{"type":"custom",` + begin + `,"customType":"prompt_snapshot"}`},
		{attachment, row(attachment, `"attachment":{"type":"queued_command","prompt":"x","commandMode":"prompt"},`+
			`"rendered":[{"content":"y"}],"renderedRole":"user"`),
			`{"type":"message",` + begin + `,"sentAs":"custom","message":{"role":"user","content":"x"},` +
				`"sent":[{"type":"text","text":"y"}]}`},
		{attachment, row(attachment, `"attachment":{"type":"queued_command","prompt":"x","commandMode":"task-notification"},`+
			`"rendered":[{"content":"y"}],"renderedRole":"system"`),
			`{"type":"custom_message",` + begin + `,"role":"system","customType":"queued_command","display":false,` +
				`"content":[{"type":"text","text":"y"}]}`},
		{system, row(system, `"subtype":"local_command","content":"<command-name>/status</command-name>"`),
			`{"type":"custom_message",` + begin + `,"customType":"local_command","display":true,"isUnanswered":true,` +
				`"content":"<command-name>/status</command-name>"}`},
		{system, row(system, `"subtype":"local_command","isDisplayOnly":true,"content":"x"`),
			`{"type":"custom",` + begin + `,"customType":"local_command","data":"x"}`},
		{system, row(system, `"subtype":"api_error","error":{"status":529,"message":"529 Overloaded"}`),
			`{"type":"custom",` + begin + `,"customType":"api_error","errorMessage":"529 Overloaded"}`},
		{system, row(system, `"subtype":"api_error","error":{"status":529,"error":{"error":{"message":"Overloaded"}}}`),
			`{"type":"custom",` + begin + `,"customType":"api_error","errorMessage":"Overloaded"}`},
		{attachment, row(attachment, `"attachment":{"type":"file","filename":"/a \"b\".png","content":{"type":"image",`+
			`"file":{"base64":"QUJD","type":"image/png"}}},"renderedRole":"user"`),
			`{"type":"custom_message",` + begin + `,"role":"custom","customType":"file","display":false,"apart":true,` +
				`"content":[{"type":"text","text":"<system-reminder>\nCalled the Read tool with the following input: ` +
				`{\"file_path\":\"/a \\\"b\\\".png\"}\n</system-reminder>"},` +
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
