package claw0

import "clawctl/pkg/dialect/shape"

// Known is everything that claw0 is known to write: its lines, and the entries of its indexes.
func Known() []shape.Object {
	const block = "block"
	time := shape.Free("ts", "timestamp", "created")
	return []shape.Object{
		shape.NewBy("record", "type"),
		shape.New("session record", shape.Free("id", "key", "created")),
		shape.New("user record", time, shape.Nested("content", block)),
		shape.New("assistant record", time, shape.Nested("content", block)),
		shape.New("tool_use record", time, shape.Free("tool_use_id", "id", "name", "input")),
		shape.New("tool_result record", time, shape.Free("tool_use_id", "content", "output", "is_error", "isError")),
		shape.NewBy(block, "type"),
		shape.New("text block", shape.Free("text")),
		shape.New("thinking block", shape.Free("thinking", "signature")),
		shape.New("redacted_thinking block", shape.Free("data")),
		shape.New("image block", shape.Free("source")),
		shape.New("tool_use block", shape.Free("id", "name", "input")),
		shape.New("tool_result block", shape.Free("tool_use_id", "content", "is_error")),
		shape.New("index entry", shape.Free("session_key", "session_id", "created_at", "updated_at", "message_count",
			"transcript_file", "label", "last_active")),
	}
}
