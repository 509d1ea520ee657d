package claudecode

import (
	"strings"
	"testing"

	"clawctl/pkg/jsontext"
)

// What Claude Code 2.1.327 sends for attachments without a rendering, when it resumes a session. Messages are joined by
// a bar, and stand without the tags of reminders.
func TestWritten(t *testing.T) {
	t.Parallel()
	const read = `Called the Read tool with the following input: {"file_path":"/a.txt"}|` +
		`Result of calling the Read tool:` + "\n"
	file := func(more, content string) string {
		return `{"type":"file","filename":"/a.txt"` + more + `,"content":` + content + `}`
	}
	for attached, want := range map[string]string{
		file("", `{"type":"text","file":{"content":"red\nblue\n","numLines":3,"startLine":4,"totalLines":6}}`): read +
			"4\tred\n5\tblue\n6\t",
		file(`,"truncated":true`,
			`{"type":"text","file":{"content":"red","numLines":1,"startLine":1,"totalLines":9}}`): read +
			"1\tred|Note: The file /a.txt was too large and has been truncated to the first 2000 lines. No need to mention " +
			"the truncation. Use Read to read more of the file if you need.",
		file("", `{"type":"text","file":{"content":"","numLines":1,"startLine":1,"totalLines":1}}`): read +
			"<system-reminder>Warning: the file exists but the contents are empty.</system-reminder>",
		file("", `{"type":"text","file":{"content":"","numLines":0,"startLine":7,"totalLines":2}}`): read +
			"<system-reminder>Warning: the file exists but is shorter than the provided offset (7). The file has 2 " +
			"lines.</system-reminder>",
		file("",
			`{"type":"text","file":{"content":"a </system-reminder> b","numLines":1,"startLine":1,"totalLines":1}}`): read +
			"1\ta &lt;/system-reminder> b|Note: /a.txt is not shown exactly as it is on disk. Each closing system-reminder " +
			"tag in it starts with `<` on disk and is shown above with `&lt;` instead, so that it cannot end the reminder " +
			"around the text.",
		file("", `{"type":"pdf","file":{"filePath":"/a.txt","originalSize":123456}}`): read +
			"PDF file read: /a.txt (120.6KB)",
		file("", `{"type":"notebook","file":{"cells":[{"cellType":"code","source":"1+1","cell_id":"c1","language":"python",`+
			`"outputs":[{"text":"2"}]},{"cellType":"markdown","source":"# x","cell_id":"c2"}]}}`): read +
			`[{"text":"<cell id=\"c1\">1+1</cell id=\"c1\">\n\n2\n<cell id=\"c2\"><cell_type>markdown</cell_type># x` +
			`</cell id=\"c2\">","type":"text"}]`,
		`{"type":"directory","path":"/sub","content":"a\nb"}`: `Called the Bash tool with the following input: ` +
			`{"command":"ls /sub","description":"Lists files in /sub"}|Result of calling the Bash tool:` + "\na\nb",
		`{"type":"nested_memory","content":{"path":"/CLAUDE.md","content":"Be brief.\n"}}`: "Contents of /CLAUDE.md:\n\n" +
			"Be brief.\n",
		`{"type":"edited_text_file","filename":"/a.txt","snippet":"1\tred"}`: "Note: /a.txt changed on disk since you last " +
			"read it. That's usually deliberate, so take it as the current state rather than reverting it; if the change " +
			"looks wrong, say so rather than undoing it yourself \u2014 otherwise no need to call it out. Here are the " +
			"relevant changes (shown with line numbers):\n1\tred",
		`{"type":"queued_command","prompt":"also the zebras"}`: "The user sent a new message while you were working:\nalso " +
			"the zebras\n\nThis is how Claude Code surfaces messages the user sends mid-turn \u2014 within the running turn, " +
			"often alongside the next tool result, rather than as a separate conversation turn. Address the message above " +
			"as you continue this turn.",
		`{"type":"queued_command","prompt":"x","isMeta":true}`: "[MESSAGE FROM NON-USER SOURCE - NOT USER INPUT]\nx",
		`{"type":"queued_command","prompt":"x","origin":{"kind":"coordinator"}}`: "The coordinator sent a message while " +
			"you " +
			"were working:\nx\n\nAddress this before completing your current task.",
		`{"type":"queued_command","prompt":"x","commandMode":"task-notification"}`: NoticeBegin + "x",
		`{"type":"async_hook_response",` +
			`"response":{"systemMessage":"sys","hookSpecificOutput":{"additionalContext":"add"}}}`: "sys|add",
		`{"type":"hook_success","hookEvent":"UserPromptSubmit","hookName":"h","content":"x"}`: "h hook success: x",
		`{"type":"hook_success","hookEvent":"PostToolUse","hookName":"h","content":"x"}`:      "",
		`{"type":"hook_additional_context","hookName":"h",` +
			`"content":["a","b"]}`: "h hook additional context: a\nb",
		`{"type":"hook_additional_context","hookName":"h","content":[]}`: "",
		`{"type":"token_usage","used":1,"total":10,` +
			`"remaining":9}`: "Token usage: 1/10; 9 remaining",
		`{"type":"diagnostics","files":[{"uri":"file:///p/a.ts","diagnostics":[{"message":"bad","severity":"Error","range":` +
			`{"start":{"line":0,"character":1}},"source":"ts","code":"1"}]}]}`: "<new-diagnostics>The following new " +
			"diagnostic issues were detected:\n\na.ts:\n  \u2718 [Line 1:2] bad [1] (ts)</new-diagnostics>",
		`{"type":"task_status","taskId":"b1","taskType":"local_bash","status":"completed","description":"Wait",` +
			`"deltaSummary":"more","outputFilePath":"/x"}`: "Task b1 (type: local_bash) (status: completed) (description: " +
			"Wait) Delta: more Read the output file to retrieve the result: /x",
		`{"type":"plan_mode","reminderType":"full"}`: "",
		`{"type":"prompt_as_file","path":"/x"}`:      "",
	} {
		attached := jsontext.Value(strings.ReplaceAll(strings.ReplaceAll(attached, "\n", `\n`), "\t", `\t`))
		var got []string
		if write := additionOf(attached).written; write != nil {
			for _, message := range write(attached) {
				for _, block := range message {
					text := jsontext.Value(block).Get("text").String()
					got = append(got, strings.TrimSuffix(strings.TrimPrefix(text, reminderBegin), reminderEnd))
				}
			}
		}
		if text := strings.Join(got, "|"); text != want {
			t.Errorf("%s became\n%q, want\n%q", attached, text, want)
		}
	}
}
