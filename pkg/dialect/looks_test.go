package dialect

import (
	"testing"

	"clawctl/pkg/jsontext"
)

func TestLooksLike(t *testing.T) {
	for line, want := range map[string]string{
		`{"id":"a","thread_name":"b"}`:                   "the list of names of Codex",
		`{"session_id":"a","ts":1,"text":"b"}`:           "the history of prompts of Codex",
		`{"display":"a","project":"/b"}`:                 "the history of prompts of Claude Code",
		`{"model":"a","messages":[]}`:                    "a request to a model",
		`{"messages":[]}`:                                "examples for fine-tuning",
		`{"schema_version":"1","agent":{},"steps":[{}]}`: "a trajectory for evaluation",
		`{"a":1}`: "", `[]`: "", ``: "",
	} {
		if got := LooksLike(jsontext.Value(line)); got != want {
			t.Errorf("%s looks like %q, want %q", line, got, want)
		}
	}
}
