package jsonl

import (
	"testing"
)

func answerWith(replay string) Message {
	line := `{"type":"message","id":"1","message":{"role":"assistant","content":[],"provider":"p","api":"a","model":"m",` +
		`"providerReplay":` + replay + `}}`
	m, _ := new(Parser).Parse([]byte(line), 1, 0).Message()
	return m
}

// owned adds to the members of a replay whose it is.
func owned(members string) string {
	return `{` + members + `,"provider":"p","api":"a","model":"m","baseUrlHash":"h1"}`
}

func TestReplayBlocks(t *testing.T) {
	const window = `[{\"type\":\"message\",\"role\":\"user\",\"content\":[]},` +
		`{\"type\":\"compaction\",\"id\":\"c1\",\"encrypted_content\":\"gAAA\"}]`
	for _, c := range []struct {
		replay string
		want   string
		kept   int
	}{
		{`"v":1,"type":"anthropic-compaction","data":"so \"far\"","replayIndex":2`,
			`{"type":"compaction","content":"so \"far\""}`, 0},
		{`"v":1,"type":"anthropic-compaction","data":"so far","encryptedContent":null`,
			`{"type":"compaction","content":"so far","encrypted_content":null}`, 0},
		{`"v":1,"type":"openai-responses-compaction","id":"c1","data":"gAAA"`, "", 0},
		{`"v":1,"type":"openai-responses-retained-compaction","id":"c1","data":"gAAA","compactedWindow":` +
			`{"state":"ready","output":"` + window + `"}`, "", 1},
	} {
		m := answerWith(owned(c.replay))
		r := m.Replay()
		if got := r.Block(); got != c.want || len(r.Kept()) != c.kept || r.State != ReplayCheckpoint || !r.FromAnswerer {
			t.Errorf("%s: %q (%v, %v), want %q", c.replay, got, r.State, r.FromAnswerer, c.want)
		}
	}
}

func TestReplayStates(t *testing.T) {
	const (
		compaction = `"v":1,"type":"anthropic-compaction","data":"so far"`
		retained   = `"v":1,"type":"openai-responses-retained-compaction","data":"gAAA"`
		window     = `"v":1,"type":"openai-responses-compaction","data":"gAAA","compactedWindow":`
	)
	for replay, want := range map[string]ReplayState{
		owned(compaction):                                            ReplayCheckpoint,
		owned(compaction + `,"replayIndex":0`):                       ReplayCheckpoint,
		owned(compaction + `,"replayIndex":-1`):                      OddReplay,
		owned(compaction + `,"replayIndex":1.5`):                     OddReplay,
		owned(compaction + `,"replayIndex":"1"`):                     OddReplay,
		owned(compaction + `,"replayIndex":1e99`):                    OddReplay,
		owned(`"type":"anthropic-compaction","data":"so far"`):       OddReplay,
		owned(`"v":2,"type":"anthropic-compaction","data":"so far"`): OddReplay,
		owned(`"v":1,"type":"anthropic-compaction","data":""`):       OddReplay,
		owned(`"v":1,"type":"anthropic-compaction","data":7`):        OddReplay,
		owned(`"v":1,"type":"novelty","data":"so far"`):              OddReplay,
		owned(retained): OddReplay,
		owned(window + `{"state":"refresh-required"}`):                                    OddReplay,
		owned(window + `{"state":"ready","output":"["}`):                                  OddReplay,
		owned(window + `{"state":"ready","output":"[]"}`):                                 OddReplay,
		owned(`"v":1,"type":"anthropic-compaction-suppression","data":"rejected"`):        ReplayRejected,
		owned(`"v":1,"type":"openai-responses-compaction-suppression","data":"rejected"`): ReplayRejected,
		owned(`"v":1,"type":"anthropic-compaction-suppression","data":"so far"`):          OddReplay,
		`{` + compaction + `}`: OddReplay,
		`null`:                 OddReplay, `"text"`: OddReplay, `[]`: OddReplay, `{}`: OddReplay,
	} {
		if got := answerWith(replay).Replay().State; got != want {
			t.Errorf("%s: %v, want %v", replay, got, want)
		}
	}
	if m := answerWith(`{` + compaction + `,"provider":"p","api":"a","model":"other"}`); m.Replay().FromAnswerer {
		t.Error("the checkpoint of another model")
	}
}
