// Package trajectory writes sessions in the forms that evaluation harnesses and training pipelines read.
//
//	path ─▶ entries ─▶ steps ─▶ ATIF
//	context ─▶ messages ─▶ an example for fine-tuning
//
// [Write] writes the active path of a session in the Agent Trajectory Interchange Format of Harbor, version 1.7. The
// format is specified in Harbor's RFC 0001. Version 1.8 adds audio, which transcripts do not have, so a document of
// version 1.7 is valid for readers of both. Every record of the path becomes a step, a part of a step, or a record in
// the extra data of the next step:
//
//	message of the user           a step of the user
//	answer of a model             a step of the agent: text, thinking, calls, model, tokens and price
//	message that no model sent    a step of the agent with llm_call_count 0
//	tool result                   an observation of the step with its call
//	result without a call         a step of the system with an observation
//	system prompt                 a step of the system
//	command that the user ran     a step of the system with an observation
//	compaction, branch summary    a step of the system with the summary as observation, and context_management
//	reset                         the same without a summary
//	message of an extension       a step of the system
//	anything else                 extra.records of the next step, or of the trajectory after the last one
//
// An answer and its results are one step, however far apart their records are. So the path is read twice: the first
// reading counts the results of every step, and the second one writes a step as soon as it has all of them. Memory
// grows with the distance between calls and results, and with the number of calls, not with the text.
//
// Whatever the format cannot express is counted by name in extra.left_out. Parts come from package parts and totals
// follow the rules of package stats, so a trajectory says what other commands say.
//
// [WriteExample] writes the context of a session, as package rebuild makes it for Chat Completions, as one line of a
// file for the fine-tuning of OpenAI's models.
package trajectory
