package codex

import (
	"slices"
	"strings"
	"sync"

	"clawctl/pkg/dialect/shape"
)

// Known is everything that Codex is known to write. Nobody looks into arguments, outputs and what is for the screen.
func Known() []shape.Object {
	const part, started, used, tokens = "Codex item", "Codex session", "Codex usage record", "Codex usage"
	const metadata, settings, world = "Codex metadata", "Codex thread settings", "Codex world state"
	line := shape.Free("timestamp", "ordinal")
	known := []shape.Object{
		shape.NewBy("record", "type"),
		shape.New(item+" record", line, shape.Nested("metadata", metadata), shape.Nested("payload", part)),
		shape.New(metadata, shape.Free("client_authored", "compaction_model_hash", "compaction_output",
			"fallback_token_limit_override",
			"history_sequence", "mcp_attribution", "retained_source", "sampled_through_sequence", "user_input_order")),
		shape.New(event+" record", line, shape.Nested("payload", "Codex event")),
		shape.New(meta+" record", line, shape.Nested("payload", started)),
		shape.New(turn+" record", line, shape.Nested("payload", "Codex turn")),
		shape.New(compact+" record", line, shape.Nested("payload", "Codex compaction")),
		shape.New(usage+" record", line, shape.Nested("payload", used)),
		shape.New(started, shape.Free("id", "session_id", "timestamp", "cwd", "runtime_workspace_roots", "originator",
			"cli_version", "source", "model_provider", "base_instructions", "instructions", "thread_source",
			"parent_thread_id", "forked_from_id", "forked_from_ordinal_exclusive", "history_base",
			"subagent_history_start_ordinal", "context_window", "multi_agent_version", "agent_nickname", "agent_role",
			"agent_path", "git", "account_scoped"), shape.Enum("history_mode", "legacy", "paginated")),
		shape.New("Codex turn", shape.Free("turn_id", "root_turn_id", "cwd", "model", "effort", "summary",
			"approval_policy", "approvals_reviewer", "sandbox_policy", "permission_profile", "collaboration_mode",
			"comp_hash", "disabled_plugin_ids", "multi_agent_version", "realtime_active", "user_instructions",
			"truncation_policy", "requested_approvals_reviewer")),
		shape.New("Codex compaction", shape.Free("message", "window_id", "window_number",
			"first_window_id", "previous_window_id", "compaction_response_id", "latest_token_usage_record",
			"retained_context", "resume_metadata"), shape.Nested("replacement_history", part),
			shape.Nested("replacement_history_metadata", metadata)),
		shape.New(settings, shape.Free("approval_policy", "approvals_reviewer", "collaboration_mode", "cwd",
			"disabled_plugin_ids", "model", "model_provider_id", "permission_profile", "reasoning_effort",
			"reasoning_summary", "requested_approvals_reviewer", "runtime_workspace_roots", "service_tier")),
		shape.New("world_state record", line, shape.Nested("payload", world)),
		shape.New(world, shape.Free("full"), shape.Nested("state", "Codex world")),
		shape.New("Codex world", shape.Free("agents_md", "apps_instructions", "collaboration_mode",
			"context_window_guidance", "environments", "environments_instructions", "git_attribution", "host_skills",
			"managed_developer_instructions", "model", "model_catalog", "multi_agent_mode", "multi_agent_usage_hint",
			"permissions", "persistent_mode", "plugins_instructions", "realtime", "skills", "tools")),
		shape.New(used, shape.Free("response_id", "session_id", "thread_id", "turn_id", "root_turn_id"),
			shape.Nested("usage", tokens), shape.Nested("turn_token_usage", tokens),
			shape.Nested("thread_token_usage", tokens)),
		shape.New(tokens, shape.Free("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens",
			"reasoning_output_tokens", "total_tokens")),
		shape.NewBy(part, "type"),
		shape.NewBy("Codex event", "type"),
	}
	for _, kind := range types[slices.Index(types, "world_state")+1:] {
		known = append(known, shape.New(kind+" record", line, shape.Free("payload")))
	}
	for kind, fields := range itemFields() {
		known = append(known, shape.New(kind+" "+part,
			shape.Free("id", "internal_chat_message_metadata_passthrough", "status"), shape.Free(fields...)))
	}
	for kind, fields := range eventFields() {
		known = append(known, shape.New(kind+" Codex event", shape.Free("turn_id", "root_turn_id"), shape.Free(fields...)))
	}
	known = append(known, shape.New("thread_settings_applied Codex event", shape.Free("turn_id", "root_turn_id",
		"thread_id"), shape.Nested("thread_settings", settings)))
	slices.SortFunc(known, func(a, b shape.Object) int { return strings.Compare(a.Place, b.Place) })
	return known
}

// itemFields are the fields of response items.
var itemFields = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"message": {"role", "content", "phase"}, "reasoning": {"summary", "content", "encrypted_content"},
		"function_call":        {"name", "namespace", "arguments", "call_id"},
		"function_call_output": {"call_id", "output"}, "custom_tool_call": {"name", "input", "call_id"},
		"custom_tool_call_output": {"call_id", "name", "output"}, "local_shell_call": {"call_id", "action"},
		"web_search_call": {"action"}, "tool_search_call": {"call_id", "execution", "arguments"},
		"tool_search_output": {"call_id", "execution", "tools"}, "image_generation_call": {"revised_prompt", "result"},
		"agent_message": {"author", "recipient", "content"}, "compaction": {"encrypted_content"},
		"compaction_summary": {"encrypted_content"}, "context_compaction": {"encrypted_content"},
		"configuration_update": {"configuration"}, "ghost_snapshot": {"ghost_commit"},
		"additional_tools": {"role", "tools"}, "compaction_trigger": {},
	}
})

var eventFields = sync.OnceValue(func() map[string][]string {
	return map[string][]string{
		"user_message": {"message", "images", "local_images", "audio", "local_audio", "text_elements", "kind"},
		count:          {"info", "rate_limits"}, "agent_message": {"message", "phase", "memory_citation"},
		"agent_reasoning": {"text"}, "agent_reasoning_section_break": {}, rollback: {"num_turns"},
		"item_completed": {"thread_id", "item", "started_at_ms", "completed_at_ms"},
		"task_started":   {"started_at", "turn_attribution", "model_context_window", "collaboration_mode_kind"},
		"task_complete": {"last_agent_message", "error", "started_at", "completed_at", "duration_ms",
			"time_to_first_token_ms"},
		"turn_aborted":      {"reason", "started_at", "completed_at", "duration_ms"},
		"context_compacted": {},
		"patch_apply_end":   {"call_id", "stdout", "stderr", "success", "changes", "status"},
		"mcp_tool_call_end": {"call_id", "invocation", "duration", "result"},
		"web_search_end":    {"call_id", "query", "action"},
	}
})
