// Package atifcheck checks trajectories against the rules of ATIF 1.7, for tests. The rules were written from Harbor's
// RFC 0001 and are ours. The package shares no code with package trajectory.
package atifcheck

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sync"
)

// A rule says what a field must be. Fields that are not in the table of their object are errors, as in Harbor's models.
type rule struct {
	required bool
	check    func(c *checker, path string, v any)
}

// The objects of the format.
var (
	root, agent, step, call, observation, result, reference, part, source, metrics, final map[string]rule
)

func init() {
	root = map[string]rule{
		"schema_version": {true, version}, "session_id": {false, text}, "trajectory_id": {false, text},
		"agent": {true, object(&agent)}, "steps": {true, steps}, "notes": {false, text},
		"final_metrics": {false, object(&final)}, "continued_trajectory_ref": {false, text}, "extra": {false, anyObject},
		"subagent_trajectories": {false, list(embedded)},
	}
	agent = map[string]rule{
		"name": {true, text}, "version": {true, text}, "model_name": {false, text},
		"tool_definitions": {false, list(anyObject)}, "extra": {false, anyObject},
	}
	step = map[string]rule{
		"step_id": {true, integer}, "timestamp": {false, timestamp}, "source": {true, oneOf("system", "user", "agent")},
		"model_name": {false, text}, "reasoning_effort": {false, effort}, "message": {true, content},
		"reasoning_content": {false, text}, "tool_calls": {false, list(object(&call))},
		"observation": {false, object(&observation)}, "metrics": {false, object(&metrics)},
		"llm_call_count": {false, natural}, "is_copied_context": {false, boolean}, "extra": {false, anyObject},
	}
	call = map[string]rule{
		"tool_call_id": {true, text}, "function_name": {true, text}, "arguments": {true, anyObject},
		"extra": {false, anyObject},
	}
	observation = map[string]rule{"results": {true, list(object(&result))}}
	result = map[string]rule{
		"source_call_id": {false, text}, "content": {false, content},
		"subagent_trajectory_ref": {false, list(resolvable)}, "extra": {false, anyObject},
	}
	reference = map[string]rule{
		"trajectory_id": {false, text}, "trajectory_path": {false, text}, "session_id": {false, text},
		"extra": {false, anyObject},
	}
	part = map[string]rule{
		"type": {true, oneOf("text", "image")}, "text": {false, text}, "source": {false, object(&source)},
	}
	source = map[string]rule{
		"media_type": {true, oneOf("image/jpeg", "image/png", "image/gif", "image/webp")}, "path": {true, text},
	}
	metrics = map[string]rule{
		"prompt_tokens": {false, integer}, "completion_tokens": {false, integer}, "cached_tokens": {false, integer},
		"cost_usd": {false, number}, "prompt_token_ids": {false, list(integer)},
		"completion_token_ids": {false, list(integer)}, "logprobs": {false, list(number)}, "extra": {false, anyObject},
	}
	final = map[string]rule{
		"total_prompt_tokens": {false, integer}, "total_completion_tokens": {false, integer},
		"total_cached_tokens": {false, integer}, "total_cost_usd": {false, number}, "total_steps": {false, natural},
		"extra": {false, anyObject},
	}
}

// Check returns what is wrong with a trajectory, each with the path of the value.
func Check(document []byte) []string {
	c := &checker{}
	decoder := json.NewDecoder(bytes.NewReader(document))
	decoder.UseNumber()
	var v any
	if err := decoder.Decode(&v); err != nil {
		return []string{"not JSON: " + err.Error()}
	}
	if decoder.More() {
		c.report("$", "something follows the document")
	}
	object(&root)(c, "$", v)
	return c.problems
}

// A checker collects problems.
type checker struct{ problems []string }

func (c *checker) report(path, format string, args ...any) {
	c.problems = append(c.problems, path+": "+fmt.Sprintf(format, args...))
}

func object(table *map[string]rule) func(*checker, string, any) {
	return func(c *checker, path string, v any) {
		m, ok := v.(map[string]any)
		if !ok {
			c.report(path, "must be an object")
			return
		}
		for name, r := range *table {
			if _, ok := m[name]; !ok && r.required {
				c.report(path, "%s is missing", name)
			}
		}
		for name, value := range m {
			r, ok := (*table)[name]
			if !ok {
				c.report(path, "unknown field %s", name)
				continue
			}
			r.check(c, path+"."+name, value)
		}
	}
}

// list checks every element of a list.
func list(check func(*checker, string, any)) func(*checker, string, any) {
	return func(c *checker, path string, v any) {
		elements, ok := v.([]any)
		if !ok {
			c.report(path, "must be a list")
		}
		for i, e := range elements {
			check(c, fmt.Sprintf("%s[%d]", path, i), e)
		}
	}
}

func text(c *checker, path string, v any) {
	if _, ok := v.(string); !ok {
		c.report(path, "must be a string")
	}
}

func boolean(c *checker, path string, v any) {
	if _, ok := v.(bool); !ok {
		c.report(path, "must be true or false")
	}
}

func anyObject(c *checker, path string, v any) {
	if _, ok := v.(map[string]any); !ok {
		c.report(path, "must be an object")
	}
}

func integer(c *checker, path string, v any) {
	n, ok := v.(json.Number)
	if _, err := n.Int64(); !ok || err != nil {
		c.report(path, "must be an integer")
	}
}

func natural(c *checker, path string, v any) {
	n, _ := v.(json.Number)
	if i, err := n.Int64(); err != nil || i < 0 {
		c.report(path, "must be an integer of at least 0")
	}
}

func number(c *checker, path string, v any) {
	n, _ := v.(json.Number)
	if f, err := n.Float64(); err != nil || math.IsInf(f, 0) {
		c.report(path, "must be a number")
	}
}

func oneOf(values ...string) func(*checker, string, any) {
	return func(c *checker, path string, v any) {
		if s, _ := v.(string); !slices.Contains(values, s) {
			c.report(path, "must be one of %v, got %v", values, v)
		}
	}
}

func version(c *checker, path string, v any) {
	if v != "ATIF-v1.7" {
		c.report(path, "must be ATIF-v1.7, got %v", v)
	}
}

// isoTime is what Python's datetime.fromisoformat accepts of ISO 8601.
var isoTime = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9]{4}-[01][0-9]-[0-3][0-9]T[0-2][0-9]:[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?` +
		`(Z|[+-][0-9]{2}:[0-9]{2})$`)
})

func timestamp(c *checker, path string, v any) {
	if s, _ := v.(string); !isoTime().MatchString(s) {
		c.report(path, "must be a time of ISO 8601, got %v", v)
	}
}

func effort(c *checker, path string, v any) {
	if _, ok := v.(string); !ok {
		number(c, path, v)
	}
}

// content checks a message: a string, or a list of parts.
func content(c *checker, path string, v any) {
	if _, ok := v.(string); ok {
		return
	}
	list(func(c *checker, path string, v any) {
		object(&part)(c, path, v)
		m, _ := v.(map[string]any)
		_, hasText := m["text"]
		_, hasSource := m["source"]
		if isText := m["type"] == "text"; hasText != isText || hasSource == isText {
			c.report(path, "a text part has a text, an image part has a source, and neither has both")
		}
	})(c, path, v)
}

// resolvable checks a reference to a subagent, which must lead to a document.
func resolvable(c *checker, path string, v any) {
	object(&reference)(c, path, v)
	m, _ := v.(map[string]any)
	if m["trajectory_id"] == nil && m["trajectory_path"] == nil {
		c.report(path, "trajectory_id or trajectory_path is missing")
	}
}

// embedded checks the trajectory of a subagent.
func embedded(c *checker, path string, v any) {
	object(&root)(c, path, v)
	if m, _ := v.(map[string]any); m["trajectory_id"] == nil {
		c.report(path, "trajectory_id is missing")
	}
}

// steps checks all steps, and that their numbers count from 1.
func steps(c *checker, path string, v any) {
	list(object(&step))(c, path, v)
	all, _ := v.([]any)
	if len(all) == 0 {
		c.report(path, "must have at least one step")
	}
	for i, v := range all {
		m, _ := v.(map[string]any)
		at := fmt.Sprintf("%s[%d]", path, i)
		if m["step_id"] != json.Number(fmt.Sprint(i+1)) {
			c.report(at, "step_id must be %d, got %v", i+1, m["step_id"])
		}
		agentOnly(c, at, m)
		sourceCalls(c, at, m)
	}
}

// agentOnly checks the fields that only steps of the agent have, and those that need a model.
func agentOnly(c *checker, path string, m map[string]any) {
	for _, name := range []string{"model_name", "reasoning_effort", "reasoning_content", "tool_calls", "metrics"} {
		if m[name] != nil && m["source"] != "agent" {
			c.report(path, "only steps of the agent have %s", name)
		}
	}
	if m["observation"] != nil && m["source"] == "user" {
		c.report(path, "steps of the user have no observation")
	}
	for _, name := range []string{"reasoning_content", "metrics"} {
		if m[name] != nil && m["source"] == "agent" && m["llm_call_count"] == json.Number("0") {
			c.report(path, "no model was called, so there is no %s", name)
		}
	}
}

// sourceCalls checks that ids of calls are unique in a step, and that results name calls of the same step.
func sourceCalls(c *checker, path string, m map[string]any) {
	ids := map[any]bool{}
	calls, _ := m["tool_calls"].([]any)
	for _, v := range calls {
		call, _ := v.(map[string]any)
		if ids[call["tool_call_id"]] {
			c.report(path, "two calls have the id %v", call["tool_call_id"])
		}
		ids[call["tool_call_id"]] = true
	}
	observed, _ := m["observation"].(map[string]any)
	results, _ := observed["results"].([]any)
	for _, v := range results {
		r, _ := v.(map[string]any)
		if id := r["source_call_id"]; id != nil && !ids[id] {
			c.report(path, "a result answers %v, which is not a call of the step", id)
		}
	}
}
