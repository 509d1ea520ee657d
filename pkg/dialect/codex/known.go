package codex

import "clawctl/pkg/dialect/shape"

// Known is everything that Codex is known to write. Nobody looks into arguments, outputs and what is for the screen.
func Known() []shape.Object { return shape.Sort(shape.Table(known)) }

const known = `
record, by type
record: compacted dynamic_tools_updated event_msg inter_agent_communication
		inter_agent_communication_metadata realtime_item response_item retained_context security_risk_score
		session_meta token_usage_record turn_context world_state
	timestamp ordinal
compacted record
	payload > Codex compaction
event_msg record
	payload > Codex event
response_item record
	metadata > Codex metadata
	payload > Codex item
session_meta record
	payload > Codex session
token_usage_record record
	payload > Codex usage record
turn_context record
	payload > Codex turn
world_state record
	payload > Codex world state
record: dynamic_tools_updated inter_agent_communication inter_agent_communication_metadata realtime_item
		retained_context security_risk_score
	payload
Codex item, by type
Codex item: additional_tools agent_message compaction compaction_summary compaction_trigger
		configuration_update context_compaction custom_tool_call custom_tool_call_output function_call
		function_call_output ghost_snapshot image_generation_call local_shell_call message reasoning
		tool_search_call tool_search_output web_search_call
	id internal_chat_message_metadata_passthrough status
additional_tools Codex item
	role tools
agent_message Codex item
	author recipient content
Codex item: compaction compaction_summary context_compaction
	encrypted_content
configuration_update Codex item
	configuration
custom_tool_call Codex item
	name input call_id
custom_tool_call_output Codex item
	call_id name output
function_call Codex item
	name namespace arguments call_id
function_call_output Codex item
	call_id output
ghost_snapshot Codex item
	ghost_commit
image_generation_call Codex item
	revised_prompt result
local_shell_call Codex item
	call_id action
message Codex item
	role content phase
reasoning Codex item
	summary content encrypted_content
tool_search_call Codex item
	call_id execution arguments
tool_search_output Codex item
	call_id execution tools
web_search_call Codex item
	action
Codex event, by type
Codex event: agent_message agent_reasoning agent_reasoning_section_break context_compacted item_completed
		mcp_tool_call_end patch_apply_end task_complete task_started thread_rolled_back thread_settings_applied
		token_count turn_aborted user_message web_search_end
	turn_id root_turn_id
agent_message Codex event
	message phase memory_citation
agent_reasoning Codex event
	text
item_completed Codex event
	thread_id item started_at_ms completed_at_ms
mcp_tool_call_end Codex event
	call_id invocation duration result
patch_apply_end Codex event
	call_id stdout stderr success changes status
task_complete Codex event
	last_agent_message error started_at completed_at duration_ms time_to_first_token_ms
task_started Codex event
	started_at turn_attribution model_context_window collaboration_mode_kind
thread_rolled_back Codex event
	num_turns
thread_settings_applied Codex event
	thread_id
	thread_settings > Codex thread settings
token_count Codex event
	info rate_limits
turn_aborted Codex event
	reason started_at completed_at duration_ms
user_message Codex event
	message images local_images audio local_audio text_elements kind
web_search_end Codex event
	call_id query action
Codex session
	id session_id timestamp cwd runtime_workspace_roots originator cli_version source model_provider
		base_instructions instructions thread_source parent_thread_id forked_from_id forked_from_ordinal_exclusive
		history_base subagent_history_start_ordinal context_window multi_agent_version agent_nickname agent_role
		agent_path git account_scoped
	history_mode = legacy paginated
Codex turn
	turn_id root_turn_id cwd model effort summary approval_policy approvals_reviewer sandbox_policy
		permission_profile collaboration_mode comp_hash disabled_plugin_ids multi_agent_version realtime_active
		user_instructions truncation_policy requested_approvals_reviewer
Codex compaction
	message window_id window_number first_window_id previous_window_id compaction_response_id
		latest_token_usage_record retained_context resume_metadata
	replacement_history > Codex item
	replacement_history_metadata > Codex metadata
Codex metadata
	client_authored compaction_model_hash compaction_output fallback_token_limit_override history_sequence
		mcp_attribution retained_source sampled_through_sequence user_input_order
Codex usage record
	response_id session_id thread_id turn_id root_turn_id
	usage > Codex usage
	turn_token_usage > Codex usage
	thread_token_usage > Codex usage
Codex usage
	input_tokens cached_input_tokens cache_write_input_tokens output_tokens reasoning_output_tokens total_tokens
Codex thread settings
	approval_policy approvals_reviewer collaboration_mode cwd disabled_plugin_ids model model_provider_id
		permission_profile reasoning_effort reasoning_summary requested_approvals_reviewer runtime_workspace_roots
		service_tier
Codex world state
	full
	state > Codex world
Codex world
	agents_md apps_instructions collaboration_mode context_window_guidance environments environments_instructions
		git_attribution host_skills managed_developer_instructions model model_catalog multi_agent_mode
		multi_agent_usage_hint permissions persistent_mode plugins_instructions realtime skills tools
`
