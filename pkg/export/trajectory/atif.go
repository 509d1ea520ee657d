package trajectory

import "encoding/json"

// SchemaVersion is the version of ATIF that Write follows.
const SchemaVersion = "ATIF-v1.7"

// The sources of steps.
const (
	fromSystem = "system"
	fromUser   = "user"
	fromAgent  = "agent"
)

// An Agent is the program that ran a session.
type Agent struct {
	Name    string            `json:"name"`
	Version string            `json:"version"`
	Model   string            `json:"model_name,omitempty"`
	Tools   []json.RawMessage `json:"tool_definitions,omitempty"`
	Extra   extra             `json:"extra,omitempty"`
}

// A Step is one turn of a trajectory.
type Step struct {
	ID          int             `json:"step_id"`
	Timestamp   string          `json:"timestamp,omitempty"`
	Source      string          `json:"source"`
	Model       string          `json:"model_name,omitempty"`
	Effort      string          `json:"reasoning_effort,omitempty"`
	Message     json.RawMessage `json:"message"` // a string, or a list of content parts
	Reasoning   json.RawMessage `json:"reasoning_content,omitempty"`
	Calls       []ToolCall      `json:"tool_calls,omitempty"`
	Observation *Observation    `json:"observation,omitempty"`
	Metrics     *Metrics        `json:"metrics,omitempty"`
	LLMCalls    *int            `json:"llm_call_count,omitempty"`
	Extra       extra           `json:"extra,omitempty"`
}

// A ToolCall is a call in a step of the agent.
type ToolCall struct {
	ID        string          `json:"tool_call_id"`
	Function  string          `json:"function_name"`
	Arguments json.RawMessage `json:"arguments"`
	Extra     extra           `json:"extra,omitempty"`
}

// An Observation holds what came back in a step.
type Observation struct {
	Results []*Result `json:"results"`
}

// A Result is the answer to one call, or something that the program did.
type Result struct {
	Call      string          `json:"source_call_id,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"` // a string, or a list of content parts
	Subagents []Reference     `json:"subagent_trajectory_ref,omitempty"`
	Extra     extra           `json:"extra,omitempty"`
}

// A Reference leads to the trajectory of a subagent.
type Reference struct {
	Path      string `json:"trajectory_path"`
	SessionID string `json:"session_id,omitempty"`
	Extra     extra  `json:"extra,omitempty"`
}

// A ContentPart is a text or an image in a message.
type ContentPart struct {
	Type   string          `json:"type"`
	Text   json.RawMessage `json:"text,omitempty"`
	Source *ImageSource    `json:"source,omitempty"`
}

// An ImageSource names the file of an image.
type ImageSource struct {
	MediaType string `json:"media_type"`
	Path      string `json:"path"`
}

// Metrics are the tokens and the price of an answer.
type Metrics struct {
	Prompt     int64    `json:"prompt_tokens"` // with those that were read from and written to a cache
	Completion int64    `json:"completion_tokens"`
	Cached     int64    `json:"cached_tokens"` // read from a cache
	Cost       *float64 `json:"cost_usd,omitempty"`
	Extra      extra    `json:"extra,omitempty"`
}

// FinalMetrics are the totals of a trajectory.
type FinalMetrics struct {
	Prompt     int64    `json:"total_prompt_tokens"`
	Completion int64    `json:"total_completion_tokens"`
	Cached     int64    `json:"total_cached_tokens"`
	Cost       *float64 `json:"total_cost_usd,omitempty"`
	Steps      int      `json:"total_steps"`
	Extra      extra    `json:"extra,omitempty"`
}

// extra is what the format has no field for.
type extra map[string]any

// set adds a value, and makes the map if there is none.
func (x *extra) set(name string, value any) {
	if *x == nil {
		*x = extra{}
	}
	(*x)[name] = value
}
