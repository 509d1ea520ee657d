package redact

import (
	"bytes"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

// The lines of a session with a checkpoint.
const (
	checkpointKey = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789AB"
	plainPrompt   = `{"type":"message","id":"1","message":{"role":"user","content":"hello"}}` + "\n"
	secretPrompt  = `{"type":"message","id":"1","message":{"role":"user","content":"OPENAI_API_KEY=` + checkpointKey +
		`"}}` + "\n"
	checkpointAnswer = `{"type":"message","id":"2","message":{"role":"assistant","content":[],` +
		`"providerReplay":{"v":1,"type":"anthropic-compaction","data":"so far"},"stopReason":"stop"}}` + "\n"
	lastCheckpoint = `{"type":"message","id":"2","message":{"role":"assistant", "content":[] ,` +
		` "providerReplay" : {"type":"novelty"} }}` + "\n"
	rejectedAnswer = `{"type":"message","id":"2","message":{"role":"assistant","content":[],"providerReplay":{"v":1,` +
		`"type":"anthropic-compaction-suppression","data":"rejected","provider":"p","api":"a","model":"m"}}}` + "\n"
)

// A checkpoint goes if something up to it was replaced, and with nothing else.
func TestCheckpoints(t *testing.T) {
	dropped := strings.Replace(checkpointAnswer, `"providerReplay":{"v":1,"type":"anthropic-compaction","data":"so far"},`,
		"", 1)
	inside := strings.Replace(checkpointAnswer, "so far", "so far "+checkpointKey, 1)
	for name, c := range map[string]struct {
		lines         []string
		keep          bool
		want          string // of the last line
		dropped, kept int
	}{
		"nothing before it":  {[]string{plainPrompt, checkpointAnswer}, false, checkpointAnswer, 0, 0},
		"a secret before it": {[]string{secretPrompt, checkpointAnswer}, false, dropped, 1, 0},
		"a secret after it": {[]string{plainPrompt, checkpointAnswer, secretPrompt, plainPrompt}, false, plainPrompt,
			0, 0},
		"a secret inside of it": {[]string{plainPrompt, inside}, false, dropped, 1, 0},
		"the last member": {[]string{secretPrompt, lastCheckpoint}, false,
			`{"type":"message","id":"2","message":{"role":"assistant", "content":[] }}` + "\n", 1, 0},
		"a rejection": {[]string{secretPrompt, rejectedAnswer}, false, rejectedAnswer, 0, 0},
		"kept":        {[]string{secretPrompt, checkpointAnswer}, true, checkpointAnswer, 0, 1},
	} {
		text := strings.Join(c.lines, "")
		survey := NewSurvey()
		if _, err := survey.Session(strings.NewReader(text), jsonl.Options{}); err != nil {
			t.Fatal(err)
		}
		r := survey.Redactor()
		r.KeepCheckpoints = c.keep
		for range 2 { // the second session begins anew
			var out bytes.Buffer
			if err := r.Session(strings.NewReader(text), &out, jsonl.Options{}); err != nil {
				t.Fatal(err)
			}
			if !strings.HasSuffix(out.String(), "\n"+c.want) {
				t.Errorf("%s: %s, want %s", name, out.String(), c.want)
			}
		}
		if r.Counts.Checkpoints != 2*c.dropped || r.Counts.CheckpointsKept != 2*c.kept {
			t.Errorf("%s: dropped %d and kept %d", name, r.Counts.Checkpoints, r.Counts.CheckpointsKept)
		}
	}
}

// A secret in the text that was sent is replaced like any other.
func TestSentTextIsRedacted(t *testing.T) {
	const line = `{"type":"message","id":"1","message":{"role":"user","content":"hello","__openclaw":` +
		`{"modelPromptProjection":{"version":1,"text":"hello. OPENAI_API_KEY=` + checkpointKey + `"}}}}`
	masker := &Masker{}
	m, _ := masker.Record(new(jsonl.Parser).Parse([]byte(line), 1, 0)).Message()
	if text := m.SentContent().String(); strings.Contains(text, checkpointKey) || !strings.HasPrefix(text, "hello.") {
		t.Error(text)
	}
}
