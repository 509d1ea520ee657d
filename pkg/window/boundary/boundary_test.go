package boundary

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/tokens"
)

// list describes the boundaries of a transcript.
func list(t *testing.T, text []byte) []Boundary {
	t.Helper()
	opts := jsonl.Options{}
	ix, err := rebuild.Scan(jsonl.NewReader(bytes.NewReader(text), opts), nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ix.Context("")
	if err != nil {
		t.Fatal(err)
	}
	all, err := List(c, jsonl.Records(bytes.NewReader(text), opts), Options{Counter: tokens.Heuristic{}})
	if err != nil {
		t.Fatal(err)
	}
	for i := range all {
		checkLost(t, &all[i], c, text)
	}
	return all
}

// checkLost compares the messages that are shown as lost with those that were counted.
func checkLost(t *testing.T, b *Boundary, c *rebuild.Context, text []byte) {
	t.Helper()
	lost := 0
	err := b.Lost(c, jsonl.Records(bytes.NewReader(text), jsonl.Options{}), func(_ *jsonl.Record, isBoundary bool) error {
		if !isBoundary {
			lost++
		}
		return nil
	})
	if err != nil || lost != b.Dropped.Messages {
		t.Errorf("boundary %d: %d messages are lost, %d are counted (%v)", b.Number, lost, b.Dropped.Messages, err)
	}
}

// words are what the test compares.
func words(b *Boundary) string {
	return fmt.Sprintf("%s %q %v>%v turns %d results %d files %d/%d calls %d/%d %s", b.Kind, b.whyWords(),
		tokenWords(b.TokensBefore), tokenWords(b.TokensAfter), b.Dropped.Turns, b.Dropped.ToolResults,
		b.Dropped.Files.Mentioned, b.Dropped.Files.Count, b.Dropped.OpenCalls.Mentioned, b.Dropped.OpenCalls.Count,
		b.stateWords())
}

func TestListOfEveryProgram(t *testing.T) {
	const claude = `{"type":"user","uuid":"a","parentUuid":null,"timestamp":"2026-01-01T00:00:00Z",` +
		`"message":{"role":"user","content":"Mend it."}}
{"type":"assistant","uuid":"b","parentUuid":"a","timestamp":"2026-01-01T00:00:01Z","message":{"id":"m1",` +
		`"role":"assistant","model":"x","content":[{"type":"tool_use","id":"t1","name":"Read",` +
		`"input":{"file_path":"/w/roof.md"}}],"usage":{"input_tokens":90,"output_tokens":10}}}
{"type":"user","uuid":"c","parentUuid":"b","timestamp":"2026-01-01T00:00:02Z","message":{"role":"user",` +
		`"content":[{"type":"tool_result","tool_use_id":"t1","content":"tiles"}]}}
{"type":"assistant","uuid":"d","parentUuid":"c","timestamp":"2026-01-01T00:00:03Z","message":{"id":"m2",` +
		`"role":"assistant","model":"x","content":[{"type":"text","text":"Done."}]}}
{"type":"system","subtype":"compact_boundary","uuid":"e","parentUuid":null,"logicalParentUuid":"d",` +
		`"timestamp":"2026-01-01T00:00:04Z","compactMetadata":{"trigger":"manual","preTokens":100,"postTokens":20,` +
		`"preservedSegment":{"headUuid":"d","anchorUuid":"f","tailUuid":"d"}}}
{"type":"user","uuid":"f","parentUuid":"e","isCompactSummary":true,"timestamp":"2026-01-01T00:00:05Z",` +
		`"message":{"role":"user","content":"Read roof.md."}}
`
	for _, c := range []struct{ name, text, want string }{
		{"OpenClaw", fixture(t, "../../../testdata/transcripts/openclaw-v3.jsonl"), ""},
		{"Claude Code", strings.ReplaceAll(claude, `"uuid"`, `"sessionId":"s","uuid"`),
			`compaction "manual" 100>20 turns 1 results 1 files 1/1 calls 0/0 ok`},
		{"Codex", codex(`"message":"The word is walnut."`), `compaction "" 12>` +
			` turns 0 results 0 files 0/0 calls 0/0 ok`},
		{"Codex, sealed", codex(`"message":""`), `compaction "" 12> turns 0 results 0 files 0/0 calls 0/0 sealed`},
	} {
		var got []string
		for _, b := range list(t, []byte(c.text)) {
			got = append(got, words(&b))
		}
		if c.want != "" && strings.Join(got, "\n") != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, strings.Join(got, "\n"), c.want)
		}
	}
}

// codex is a thread whose compaction repeats what the user said.
func codex(message string) string {
	item := `{"type":"message","role":"user","content":[{"type":"input_text","text":"Remember walnut."}]}`
	line := func(kind, payload string) string {
		return `{"timestamp":"2026-01-01T00:00:00Z","type":"` + kind + `","payload":` + payload + "}\n"
	}
	return line("session_meta", `{"id":"01a1e6b8-0000-7000-8000-000000000001","timestamp":"2026-01-01T00:00:00Z"}`) +
		line("response_item", item) + line("response_item", `{"type":"message","role":"assistant","content":`+
		`[{"type":"output_text","text":"Noted."}]}`) +
		line("compacted", `{`+message+`,"replacement_history":[`+item+`],`+
			`"latest_token_usage_record":{"usage":{"input_tokens":12}}}`)
}

func fixture(t *testing.T, path string) string {
	t.Helper()
	text := testkit.Read(t, path)
	return string(text)
}
