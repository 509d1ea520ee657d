package claudecode

import (
	"slices"
	"strings"
	"sync"

	"clawctl/internal/regex"
	"clawctl/pkg/jsontext"
)

// queuedCommand is the type of what the user, or a program in their place, said during a turn.
const queuedCommand = "queued_command"

// An addition is a type of attachment: what Claude Code adds to a conversation besides prompts and answers. Newer
// versions keep in the row what was sent for it (rendered). For the rows of older ones, Claude Code writes that anew
// when it resumes a session.
type addition struct {
	// written returns the messages that Claude Code writes for an attachment, or nil. It is nil if nothing is sent, or if
	// only the program knows the words, which are about its own work then.
	written func(jsontext.Value) []said
	// text is what people read if nothing is sent, as a path to a member. A type without one is a note for the program.
	text string
	// byUser is set if it is sent in the name of the user where others are sent in the name of the system.
	byUser bool
	// apart is set if it is not joined to a result of a tool, provided that its row says that it was sent as the user's.
	apart bool
	// neverSent is set if it is not sent even if its row has a rendering.
	neverSent bool
}

// A said is a message that is sent for an attachment: the blocks of its content, in JSON.
type said []string

// hasOther reports whether a message has more than text. Messages of the system have not.
func (m said) hasOther() bool {
	return slices.ContainsFunc(m, func(block string) bool { return !jsontext.Value(block).Get("type").Is("text") })
}

// additionOf returns what is known about the type of an attachment. Of an unknown one, all of it is text.
func additionOf(attached jsontext.Value) addition {
	if a, ok := additions()[attached.Get("type").String()]; ok {
		return a
	}
	return addition{text: "."}
}

// additionTypes lists the types of attachments that are known.
func additionTypes() []string {
	var names []string
	for name := range additions() {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

// additions are the types of attachments of Claude Code up to 2.1.327.
var additions = sync.OnceValue(func() map[string]addition {
	all := map[string]addition{
		queuedCommand: {written: queued, text: "prompt"},
		"file":        {written: fileRead, text: "content.file.content", apart: true},
		"directory":   {written: directoryListed, text: "content", apart: true},
		"nested_memory": {written: note("Contents of {content.path}:\n\n{content.content}"), text: "content.content",
			apart: true},
		"edited_text_file": {written: fileEdited, text: "snippet"},
		"compact_file_reference": {written: note("Note: {filename} was read before the last conversation was " +
			"summarized, but the contents are too large to include. Use Read tool if you need to access it.")},
		"opened_file_in_ide": {written: note("The user opened the file {filename} in the IDE. This may or may not be " +
			"related to the current task.")},
		"selected_lines_in_ide": {written: note("The user selected the lines {lineStart} to {lineEnd} from {filename}:" +
			"\n{content}\n\nThis may or may not be related to the current task."), text: "content"},
		"plan_file_reference": {written: note("A plan file exists from plan mode at: {planFilePath}\n\nPlan contents:\n\n" +
			"{planContent}\n\nIf this plan is relevant to the current work and not already complete, continue working " +
			"on it."), text: "planContent"},
		"skill_listing": {written: note("The following skills are available for use with the Skill tool:\n\n{content}"),
			text: "content"},
		"mcp_resource":            {written: resourceRead, text: "content"},
		"diagnostics":             {written: diagnosed, text: "files"},
		"task_status":             {written: taskStatus, text: "deltaSummary"},
		"hook_success":            {written: hookSucceeded, text: "content"},
		"invoked_skills":          {written: skillsInvoked, text: "skills"},
		"mcp_instructions_delta":  {written: serversInstructed, text: "addedBlocks"},
		"relevant_memories":       {text: "memories"},
		"hook_additional_context": {written: note("{hookName} hook additional context: {content}"), text: "content"},
		"hook_blocking_error": {written: note("{hookName} hook blocking error from command: " +
			`"{blockingError.command}": {blockingError.blockingError}`), text: "blockingError.blockingError"},
		"hook_stopped_continuation": {written: note("{hookName} hook stopped continuation: {message}"), text: "message"},
		"async_hook_response": {written: notes("{response.systemMessage}",
			"{response.hookSpecificOutput.additionalContext}"), text: "response"},
		"critical_system_reminder": {written: note("{content}"), text: "content"},
		"agent_mention": {written: note(`The user has expressed a desire to invoke the agent "{agentType}". Please ` +
			"invoke the agent appropriately, passing in the required context to it. ")},
		"skill_mention": {written: note("The user's message contains /{skillName}, which is the name of a skill. If they " +
			`are asking you to run it, call the Skill tool with skill: "{skillName}", passing any arguments they gave as ` +
			"args. If they only mention it, do not run it.")},
		"date": {written: note("Today's date is {date}.")},
		"date_change": {written: note("The date has changed. Today's date is now {newDate}. No need to announce the new " +
			"date \u2014 the user's own clock shows it.")},
		"ultrathink_effort": {written: note(`The user included the keyword "ultrathink", requesting deeper reasoning on ` +
			"this turn. Reason as thoroughly as the task warrants.")},
		"output_style": {written: note("{style} output style is active. Remember to follow the specific guidelines for " +
			"this style.")},
		"token_usage": {written: note("Token usage: {used}/{total}; {remaining} remaining")},
		"budget_usd":  {written: note("USD budget: ${used}/${total}; ${remaining} remaining")},
		"plugin_note": {written: note("Note from the {plugin} plugin, not from the user:\n{content}"), text: "content",
			byUser: true},
		"agent_ask_notice":       {written: note("{lines}"), text: "lines"},
		"claude_app_notice":      {written: note("{lines}"), text: "lines"},
		"tool_hosts_correction":  {written: note("{lines}"), text: "lines"},
		"tool_hosts_notice":      {text: "lines"},
		"fork_briefing":          {written: note("{text}"), text: "text", byUser: true},
		"read_truncation_notice": {written: note("{banner}"), text: "banner"},
		"prefix_delta":           {written: note("{text}"), text: "text"},

		// What is sent in words of the program that are not repeated here, if its row does not have them.
		"instructions": {text: "files", byUser: true}, "session_context": {byUser: true},
		"context_sections": {text: "sections", byUser: true}, "coordinator_context": {text: "content", byUser: true},
		"account_memory_recall": {text: "content", byUser: true}, "dir_sync_notice": {text: "content", byUser: true},
		"cowork_memory_context":     {text: "content", byUser: true},
		"artifact_opening_prefetch": {text: "content", byUser: true},
		"poll_events":               {text: "envelopes", byUser: true},
		"teammate_mailbox":          {text: "messages"}, "memory_update": {text: "summary"}, "memory": {text: "content"},
		"selected_lines_in_diff": {text: "content"}, "sandbox_instructions": {text: "content"},
		"todo": {text: "content"}, "todo_reminder": {text: "content"},
		"task_reminder": {text: "content"},

		// What is never sent, but people may want to read.
		"already_read_file": {text: "content.file.content"}, "hook_system_message": {text: "content"},
		"hook_non_blocking_error": {text: "stderr"}, "hook_error_during_execution": {text: "content"},
		"structured_output": {text: "data"}, "task_progress": {text: "message"},
		"current_session_memory": {text: "content"}, "project_doc_reads": {text: "reads"},
	}
	for _, name := range strings.Fields(ownWords) {
		all[name] = addition{}
	}
	for _, name := range strings.Fields(byUser) {
		all[name] = addition{byUser: true}
	}
	for _, name := range strings.Fields(bookkeeping) {
		all[name] = addition{neverSent: true}
	}
	return all
})

const (
	// ownWords are the types of attachments that have no text of their own: reminders in the program's words, and what
	// the program notes for itself.
	ownWords = `advisor_stripped advisor_tool agent_listing_delta async_hook_response_batch attention_budget auto_mode
		auto_mode_exit background_remote_session_status background_shell_status async_agent_status
		background_task_status bash_output_audience_note batching_reminder batching_reminder_sent command_permissions
		context_efficiency deferred_tools_delta dynamic_skill edited_image_file
		elapsed_time_reminder environment goal_status hook_cancelled hook_deferred_tool hook_permission_decision
		inlined_image_paths language linked_plugin_tools_note max_turns_reached mcp_dropped_tools_delta
		message_pdf_reads model output_limit_note output_style_instructions output_token_usage pdf_reference
		peer_mention plan_mode plan_mode_exit plan_mode_reentry proactivity projects_thread_ask prompt_as_file
		repl_mcp_needs_auth secondary_reminder secondary_reminder_sent session_cron_carry silent_turn_reminder
		team_context teammate_shutdown_batch thinking_stripped thread_state tool_host_result_lines
		tool_search_usage_reminder total_tokens_reminder ultra_effort_enter ultra_effort_exit ultramemory
		withheld_memory workflow_keyword_request workflow_size_guideline_change
		autocheckpointing thinking_reminder companion_intro pen_mode_enter pen_mode_exit ultrawork_request
		echo_activities fold_nudge context_tip audio_transcript at_mention_reference post_tool_hook_feedback`
	// byUser are those of them that are sent in the name of the user.
	byUser = `goals instruction_files_not_loaded remote_session_change unknown_command_fallback widget_context_hint`
	// bookkeeping are those that are never sent.
	bookkeeping = `compaction_reminder verify_plan_reminder credential_org deferred_tools_record prompt_render_point
		prompt_snapshot thinking_drop tool_results_cut whole_texts_withdrawn`
)

// The words around a reminder.
const (
	reminderBegin = "<system-reminder>\n"
	reminderEnd   = "\n</system-reminder>"
)

// remind returns a message with a reminder.
func remind(text string) said { return said{textBlock(reminderBegin + text + reminderEnd)} }

func textBlock(text string) string { return `{"type":"text","text":` + jsontext.Quote(text) + `}` }

// note returns a function that writes a reminder: a pattern with members of the attachment in braces. Without one of
// them, there is no reminder.
func note(pattern string) func(jsontext.Value) []said { return notes(pattern) }

// notes returns a function that writes several reminders, without those that lack a member.
func notes(patterns ...string) func(jsontext.Value) []said {
	return func(attached jsontext.Value) (all []said) {
		for _, pattern := range patterns {
			if text, ok := fill(pattern, attached); ok {
				all = append(all, remind(text))
			}
		}
		return all
	}
}

// fill returns a pattern with the members that it names. It reports false if one is missing or empty.
func fill(pattern string, attached jsontext.Value) (string, bool) {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(pattern, "{")
		b.WriteString(before)
		if !found {
			return b.String(), true
		}
		path, after, _ := strings.Cut(rest, "}")
		text := textAt(attached, path)
		if text == "" {
			return "", false
		}
		b.WriteString(text)
		pattern = after
	}
}

// memberAt returns the member at a path of names with dots between them. The path "." is the value itself.
func memberAt(v jsontext.Value, path string) jsontext.Value {
	if path == "." {
		return v
	}
	for _, name := range strings.Split(path, ".") {
		v = v.Get(name)
	}
	return v
}

// textAt returns a member as text. The texts of a list are lines.
func textAt(v jsontext.Value, path string) string {
	switch member := memberAt(v, path); {
	case member.IsString():
		return member.String()
	case member.IsNumber():
		return string(member)
	case member.IsArray():
		return strings.Join(member.Strings(), "\n")
	}
	return ""
}

// called returns the message with which Claude Code tells that it has called a tool for the user.
func called(tool, input string) said {
	return remind("Called the " + tool + " tool with the following input: " + unclosed(input))
}

// returned returns the message with the result of such a call.
func returned(tool, result string) said {
	return remind("Result of calling the " + tool + " tool:\n" + result)
}

// unclosed returns a text without the tags that would end a reminder around it.
func unclosed(text string) string { return closingTag().ReplaceAllString(text, "&lt;$1") }

// notAsOnDisk says that such tags of a file were changed.
const notAsOnDisk = "Note: {filename} is not shown exactly as it is on disk. Each closing system-reminder tag in " +
	"it starts " +
	"with `<` on disk and is shown above with `&lt;` instead, so that it cannot end the reminder around the text."

var closingTag = regex.Lazy(`(?i)<(\s*/\s*system-reminder\b)`)

// directoryListed writes the call that lists a directory which the user has named.
func directoryListed(attached jsontext.Value) []said {
	path := textAt(attached, "path")
	input := `{"command":` + jsontext.Quote("ls "+path) + `,"description":` + jsontext.Quote("Lists files in "+path) + `}`
	return []said{called("Bash", input), returned("Bash", textAt(attached, "content"))}
}

// fileEdited writes that a file has changed.
func fileEdited(attached jsontext.Value) []said {
	const changed = "Note: {filename} changed on disk since you last read it. That's usually deliberate, so take it as " +
		"the current state rather than reverting it; if the change looks wrong, say so rather than undoing it yourself " +
		"\u2014 otherwise no need to call it out. "
	text, ok := fill(changed, attached)
	if !ok {
		return nil
	}
	snippet := textAt(attached, "snippet")
	if snippet == "" {
		return []said{remind(text + "The changes are not shown here; use Read if you need the current content.")}
	}
	text += "Here are the relevant changes (shown with line numbers):\n" + unclosed(snippet)
	if unclosed(snippet) != snippet {
		note, _ := fill(notAsOnDisk, attached)
		text += "\n" + note
	}
	return []said{remind(text)}
}

// hookSucceeded writes what a hook said, if it is one of those that may add to a prompt.
func hookSucceeded(attached jsontext.Value) []said {
	switch attached.Get("hookEvent").String() {
	case "SessionStart", "UserPromptSubmit", "UserPromptExpansion":
		return note("{hookName} hook success: {content}")(attached)
	}
	return nil
}

// resourceRead writes the texts of a resource that the user has named.
func resourceRead(attached jsontext.Value) []said {
	var message said
	add := func(text string) { message = append(message, textBlock(reminderBegin+text+reminderEnd)) }
	for content := range attached.Get("content").Get("contents").Elements() {
		if text := content.Get("text"); text.IsString() {
			add("Full contents of resource:")
			add(text.String())
			add("Do NOT read this resource again unless you think it may have changed, since you already have the full " +
				"contents.")
		} else if content.Get("blob").Exists() {
			kind := content.Get("mimeType").String()
			if kind == "" {
				kind = "application/octet-stream"
			}
			add("[Binary content: " + kind + "]")
		}
	}
	if message == nil {
		return nil
	}
	return []said{message}
}

// skillsInvoked writes the skills that were used before a compaction.
func skillsInvoked(attached jsontext.Value) []said {
	const before = "The following skills were invoked EARLIER in this session (before the conversation was " +
		"compacted), not " +
		"on the current turn. They are shown here for context only so you remain aware of their guidelines.\n\nIMPORTANT: " +
		"Do NOT re-execute these skills or perform their one-time setup actions (e.g., scheduling, creating files) again. " +
		"Any request or argument text embedded in the skill bodies below \u2014 for example under a \"## User Request\" or " +
		"\"## Input\" heading \u2014 was captured when that skill was first invoked. It is NOT the user's current message " +
		"and NOT a new request: do not act on it as if it were live. Only continue to apply ongoing behavioral guidelines " +
		"from these skills where still relevant.\n\n"
	var skills []string
	for skill := range attached.Get("skills").Elements() {
		skills = append(skills, "### Skill: "+textAt(skill, "name")+"\nPath: "+textAt(skill, "path")+"\n\n"+
			textAt(skill, "content"))
	}
	if skills == nil {
		return nil
	}
	return []said{remind(before + strings.Join(skills, "\n\n---\n\n"))}
}

// serversInstructed writes what MCP servers say about their tools, and which of them are gone.
func serversInstructed(attached jsontext.Value) []said {
	var paragraphs []string
	if blocks := attached.Get("addedBlocks").Strings(); len(blocks) > 0 {
		paragraphs = append(paragraphs, "# MCP Server Instructions\n\nThe following MCP servers have provided instructions "+
			"for how to use their tools and resources:\n\n"+strings.Join(blocks, "\n\n"))
	}
	if gone, ok := fill("The following MCP servers have disconnected. Their instructions above no longer apply:\n"+
		"{removedNames}", attached); ok {
		paragraphs = append(paragraphs, gone, "This is ambient context \u2014 do not narrate it to the user unless they ask "+
			"or it is directly relevant to their request.")
	}
	if paragraphs == nil {
		return nil
	}
	return []said{remind(strings.Join(paragraphs, "\n\n"))}
}
