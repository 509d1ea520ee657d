package trajectory

import "encoding/json"

// schemaVersion is the version of ATIF that Write follows.
const schemaVersion = "ATIF-v1.7"

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

// A step is one turn of a trajectory.
type step struct {
	ID          int             `json:"step_id"`
	Timestamp   string          `json:"timestamp,omitempty"`
	Source      string          `json:"source"`
	Model       string          `json:"model_name,omitempty"`
	Effort      string          `json:"reasoning_effort,omitempty"`
	Message     json.RawMessage `json:"message"` // a string, or a list of content parts
	Reasoning   json.RawMessage `json:"reasoning_content,omitempty"`
	Calls       []toolCall      `json:"tool_calls,omitempty"`
	Observation *observation    `json:"observation,omitempty"`
	Metrics     *metrics        `json:"metrics,omitempty"`
	LLMCalls    *int            `json:"llm_call_count,omitempty"`
	Extra       extra           `json:"extra,omitempty"`
}

// A toolCall is a call in a step of the agent.
type toolCall struct {
	ID        string          `json:"tool_call_id"`
	Function  string          `json:"function_name"`
	Arguments json.RawMessage `json:"arguments"`
	Extra     extra           `json:"extra,omitempty"`
}

// An observation holds what came back in a step.
type observation struct {
	Results []*result `json:"results"`
}

// A result is the answer to one call, or something that the program did.
type result struct {
	Call      string          `json:"source_call_id,omitempty"`
	Content   json.RawMessage `json:"content,omitempty"` // a string, or a list of content parts
	Subagents []reference     `json:"subagent_trajectory_ref,omitempty"`
	Extra     extra           `json:"extra,omitempty"`
}

// A reference leads to the trajectory of a subagent.
type reference struct {
	Path      string `json:"trajectory_path"`
	SessionID string `json:"session_id,omitempty"`
	Extra     extra  `json:"extra,omitempty"`
}

// A contentPart is a text or an image in a message.
type contentPart struct {
	Type   string          `json:"type"`
	Text   json.RawMessage `json:"text,omitempty"`
	Source *imageSource    `json:"source,omitempty"`
}

// An imageSource names the file of an image.
type imageSource struct {
	MediaType string `json:"media_type"`
	Path      string `json:"path"`
}

// metrics are the tokens and the price of an answer.
type metrics struct {
	Prompt     int64    `json:"prompt_tokens"` // with those that were read from and written to a cache
	Completion int64    `json:"completion_tokens"`
	Cached     int64    `json:"cached_tokens"` // read from a cache
	Cost       *float64 `json:"cost_usd,omitempty"`
	Extra      extra    `json:"extra,omitempty"`
}

// finalMetrics are the totals of a trajectory.
type finalMetrics struct {
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
