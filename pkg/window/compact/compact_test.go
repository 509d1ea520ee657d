package compact

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"clawctl/pkg/read/fileuse"
	"clawctl/pkg/window"
	"clawctl/pkg/window/summary"
)

// A row is one entry of a test transcript: an id, a role or type, and a text. A call is `call ID TOOL PATH`, a result
// is `result ID`.
func transcript(rows ...string) string {
	var b strings.Builder
	b.WriteString(`{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n")
	parent := "null"
	for i, row := range rows {
		words := strings.SplitN(row, " ", 3)
		id, kind, text := words[0], words[1], append(words, "")[2]
		body := `"type":"message","message":{"role":"` + kind + `","content":"` + text + `"}`
		switch kind {
		case "assistant":
			body = `"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"` + text + `"}]}`
		case "call":
			f := strings.Fields(text + " read a.txt")
			body = fmt.Sprintf(`"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":%q,`+
				`"name":%q,"arguments":{"path":%q}}]}`, f[0], f[1], f[2])
		case "result":
			body = fmt.Sprintf(`"type":"message","message":{"role":"toolResult","toolCallId":%q,"toolName":"read",`+
				`"isError":false,"content":[{"type":"text","text":"answered"}]}`, text)
		case "compaction":
			body = `"type":"compaction","summary":"The summary of before.","tokensBefore":9,"firstKeptEntryId":"` + text +
				`","details":{"readFiles":["old.txt"],"modifiedFiles":["b.txt"]}`
		case "reset":
			body = `"type":"reset","reason":"daily","firstKeptEntryId":"` + text + `"`
		case "checkpoint":
			body = `"type":"checkpoint","checkpoint":{"summary":"The summary of a checkpoint.","tokensAtCheckpoint":` + text +
				`}`
		case "model_change":
			body = `"type":"model_change","provider":"p","modelId":"m"`
		}
		fmt.Fprintf(&b, `{"id":%q,"parentId":%s,"timestamp":"2026-05-01T10:00:%02d.000Z",%s}`+"\n", id, parent, i, body)
		if kind != "checkpoint" {
			parent = `"` + id + `"`
		}
	}
	return b.String()
}

var long = strings.Repeat("word ", 40) // 50 tokens by pi's estimate

func TestCut(t *testing.T) {
	talk := []string{"u1 user " + long, "a1 assistant " + long, "u2 user " + long, "a2 call c1", "r2 result c1",
		"a3 assistant " + long, "u3 user " + long, "a4 assistant " + long}
	for name, test := range map[string]struct {
		rows  []string
		keep  string
		first string
		split bool
		moved bool
	}{
		"a turn fits":                   {talk, "100", "u3", false, false},
		"splits a turn":                 {talk, "50", "a4", true, false},
		"forward from a result":         {talk, "151", "a3", true, false},
		"everything is kept":            {talk, "20000", "u1", false, false},
		"messages: a turn that is much": {talk, "3m", "a3", true, false},
		"messages: a whole turn":        {talk, "1m", "u3", false, false},
		"percent":                       {talk, "25%", "u3", false, false},
		// half of eight, but the cut would start with a result, so it moves back to the call
		"claw0": {talk, "claw0", "a2", true, true},
		"rows before it are pulled in": {[]string{"u1 user " + long, "m1 model_change", "u2 user " + long}, "50", "m1",
			true, false}, // OpenClaw looks at the entry of the cut alone
		"not before the last compaction": {
			[]string{"u1 user " + long, "u2 user " + long, "k compaction u2", "u3 user " + long}, "20000", "u2", false, false},
		"a boundary is not pulled in": {
			[]string{"u1 user " + long, "u2 user " + long, "k compaction u2", "u3 user " + long}, "50", "u3", false, false},
		"not before a reset": {
			[]string{"u1 user " + long, "u2 user " + long, "k reset u2", "u3 user " + long}, "20000", "u3", false, false},
		"a late result": {
			[]string{"u1 user " + long, "a1 call c1", "u2 user " + long, "r1 result c1", "u3 user " + long}, "100", "a1", true,
			true},
		"nothing but results follow": {
			[]string{"u1 user " + long, "a1 call c1", "r1 result c1"}, "1", "a1", true, false},
	} {
		s := read(t, transcript(test.rows...))
		keep, err := ParseKeep(test.keep)
		if test.keep == "claw0" {
			keep, err = Keep{Unit: Claw0}, nil
		}
		if err != nil {
			t.Fatal(err)
		}
		p := s.look().Plan(keep)
		if p.FirstKeptID != test.first || p.SplitTurn != test.split || (p.Moved != nil) != test.moved {
			t.Errorf("%s: %s, split %v, moved %v; want %s, %v, %v", name, p.FirstKeptID, p.SplitTurn, p.Moved, test.first,
				test.split, test.moved)
		}
	}
}

func TestParseKeep(t *testing.T) {
	for text, want := range map[string]Keep{"20000": {Tokens, 20000}, "50%": {Percent, 50}, "20m": {Messages, 20}} {
		if got, err := ParseKeep(text); err != nil || got != want || got.String() != text {
			t.Errorf("%s: %v %v", text, got, err)
		}
	}
	for _, text := range []string{"", "0", "-1", "100%", "0%", "5m%", "5%m", "m", "20k", "1.5"} {
		if got, err := ParseKeep(text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

// The numbers are those that claw0 itself returns.
func TestCutAsClaw0(t *testing.T) {
	for n, summarized := range map[int]int{1: 0, 4: 0, 5: 1, 6: 2, 7: 3, 8: 4, 9: 4, 20: 10, 41: 20} {
		var rows []string
		for i := range n {
			rows = append(rows, fmt.Sprintf("u%d user hello", i))
		}
		if p := read(t, transcript(rows...)).look().Plan(Keep{Unit: Claw0}); p.Summarized != summarized {
			t.Errorf("%d messages: %d summarized, want %d", n, p.Summarized, summarized)
		}
	}
}

func TestFilesOfASession(t *testing.T) {
	s := read(t, transcript("u0 user hello", "k compaction u0", "a1 call c1 read z.txt", "a2 call c2 write a.txt",
		"a3 call c3 mcp__files__Edit c.txt", "a4 call c4 exec no.txt",
		"a5 call c5 read c.txt", "u2 user "+long, "a6 call c6 read kept.txt"))
	got := s.look().Plan(Keep{Tokens, 10}).Details
	want := fileuse.Details{ReadFiles: []string{"old.txt", "z.txt"}, ModifiedFiles: []string{"a.txt", "b.txt", "c.txt"}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

const good = "A summary that is long enough."

// answers is a summarizer that returns one answer after the other. "!" makes it fail.
func answers(asked *int, list ...string) summary.Summarizer {
	return func(_ context.Context, prompt func(io.Writer) error) (string, error) {
		*asked++
		answer := list[min(*asked, len(list))-1]
		if answer == "!" {
			return "", errors.New("it failed")
		}
		return answer, prompt(io.Discard)
	}
}

func TestSummarySources(t *testing.T) {
	old, recent := "k1 checkpoint 1", "k1 checkpoint 1000000"
	with := func(checkpoint string) []string {
		return []string{"u1 user " + long, "a1 assistant " + long, checkpoint, "u2 user " + long, "a2 assistant " + long}
	}
	without := []string{"u1 user " + long, "a1 assistant " + long, "u2 user " + long, "a2 assistant " + long}
	for name, test := range map[string]struct {
		rows    []string
		given   string
		answers []string
		offline bool
		from    From
		first   string
		asked   int
		err     string
	}{
		"given": {rows: with(recent), given: good, from: FromGiven, first: "a2"},
		"asked": {rows: with(recent), answers: []string{good}, from: FromSummarizer,
			first: "a2", asked: 1},
		"asked again": {rows: without, answers: []string{"!", good}, from: FromSummarizer,
			first: "a2", asked: 2},
		"an empty answer is none": {rows: without, answers: []string{" \n", good}, from: FromSummarizer,
			first: "a2", asked: 2},
		"a recent checkpoint": {rows: with(recent), offline: true, from: FromCheckpoint, first: "u2"},
		"an old checkpoint":   {rows: with(old), offline: true, from: FromExtract, first: "a2"},
		"the last resort": {rows: with(old), answers: []string{"!"}, from: FromLastResort, first: "u2",
			asked: 2},
		"the last resort comes before": {rows: with(old), answers: []string{"!"}, offline: true, from: FromLastResort,
			first: "u2", asked: 2},
		"an extract instead": {rows: without, answers: []string{"!"}, offline: true, from: FromExtract,
			first: "a2", asked: 2},
		"nobody":                             {rows: without, err: "no summary"},
		"an old checkpoint alone is too old": {rows: with(old), err: "no summary"},
		"failed":                             {rows: without, answers: []string{"!"}, asked: 2, err: "it failed"},
		"too short": {rows: without, answers: []string{"short"}, asked: 2,
			err: "at least 20 characters"},
		"too long": {rows: without, given: strings.Repeat("x", summary.MaxLength+1),
			err: "at most 65536"},
		"nothing to do": {rows: without[:1], given: good, err: "nothing to summarize"},
		"another cycle's checkpoint": {rows: append(with(recent), "k compaction u2", "u3 user "+long,
			"a3 assistant "+long), err: "no summary"},
	} {
		s, asked := read(t, transcript(test.rows...)), 0
		o := Options{Keep: Keep{Tokens, 50}, Given: test.given, Offline: test.offline}
		if test.answers != nil {
			o.Summarizer = answers(&asked, test.answers...)
		}
		c, err := s.look().Compact(context.Background(), s.records, o)
		switch {
		case test.err != "" && (err == nil || !strings.Contains(err.Error(), test.err)):
			t.Errorf("%s: %v", name, err)
		case test.err == "" && err != nil:
			t.Errorf("%s: %v", name, err)
		case test.err == "" && (c.From != test.from || c.Plan.FirstKeptID != test.first ||
			c.Plan.FromCheckpoint != (test.from == FromCheckpoint || test.from == FromLastResort)):
			t.Errorf("%s: from %q, cut before %s", name, c.From, c.Plan.FirstKeptID)
		case asked != test.asked:
			t.Errorf("%s: asked %d times", name, asked)
		}
	}
}

// If a result follows the checkpoint, its call is kept with it, although the checkpoint covers the call.
func TestCheckpointWithinATurn(t *testing.T) {
	s := read(t, transcript("u1 user hello", "a1 call c1", "k1 checkpoint 1000", "r1 result c1", "a2 assistant done"))
	if p := s.look().planFromCheckpoint(); p.FirstKeptID != "a1" || p.Summarized != 1 || p.Kept != 3 {
		t.Errorf("%+v", p)
	}
}

func TestPrompt(t *testing.T) {
	s := read(t, transcript("u1 user What is it?", "a1 call c1", "r1 result c1", "k compaction u1",
		"u2 user And "+strings.Repeat("x", 10), "a2 assistant Nothing.", "u3 user Later"))
	survey := s.look()
	var b strings.Builder
	if err := survey.writePrompt(&b, s.records, survey.stretch.Len()-1, "Do it.\n",
		fileuse.Details{ReadFiles: []string{"a.txt"}}); err != nil {
		t.Fatal(err)
	}
	want := "Do it.\n" + previousInstruction + `
<previous-summary>
The summary of before.
</previous-summary>

<conversation>
[user]: What is it?
[assistant called read]: {"path":"a.txt"}
[tool_result]: answered
[user]: And xxxxxxxxxx
[assistant]: Nothing.
</conversation>

<read-files>
a.txt
</read-files>
`
	if b.String() != want {
		t.Errorf("got\n%s", b.String())
	}
}

func TestExtract(t *testing.T) {
	s := read(t, transcript("u1 user Plan the garden. We decided on leeks.", "a1 call c1 write plan.md", "r1 result c1",
		"a2 assistant Done. Let's use bed 2. Shall I order seeds?"))
	x, err := s.look().Extract(s.records, 4)
	if err != nil {
		t.Fatal(err)
	}
	want := `[Offline extract of 4 messages by clawctl. No model wrote it: ` +
		`it quotes the conversation by fixed rules and may miss what matters.]

## Goal
Plan the garden. We decided on leeks.

## Asked for
- Plan the garden. We decided on leeks.

## Decisions
- user: We decided on leeks.
- assistant: Let's use bed 2.

## Open questions
- assistant: Shall I order seeds?

## Files
- modified plan.md

## Last state
The user said: Plan the garden. We decided on leeks.
The assistant said: Done. Let's use bed 2. Shall I order seeds?
The last calls: write {"path":"plan.md"}`
	if x.String() != want {
		t.Errorf("got\n%s", x)
	}
}

func TestCheckpointReason(t *testing.T) {
	turns := func(n int) (rows []string) {
		for i := range n {
			rows = append(rows, fmt.Sprintf("u%d user %s", i, long))
		}
		return rows
	}
	rules := window.CheckpointRules{Percents: []float64{25, 50}, Turns: 3, MinTokens: 50}
	for name, test := range map[string]struct {
		rows   []string
		window int64
		due    string
	}{
		"too small":        {[]string{"u1 user hi"}, 8, ""},
		"over a threshold": {turns(2), 400, "the context passed 25% of the window"},
		"over two":         {turns(2), 200, "the context passed 50% of the window"},
		"below":            {turns(2), 100_000, ""},
		"many turns":       {turns(3), 100_000, "3 user messages since the last one"},
		"not twice":        {append(turns(2), "k checkpoint 108"), 400, ""},
		"again at the next threshold": {append(turns(2), "k checkpoint 101", "u8 user "+long, "u9 user "+long), 400,
			"the context passed 50% of the window"},
		"turns count since the last one": {append(turns(3), "k checkpoint 99000", "u8 user "+long), 100_000, ""},
		"a new cycle": {
			append(turns(2), "k checkpoint 108", "c compaction u1", "u8 user "+long), 400,
			"the context passed 25% of the window"},
	} {
		if due := read(t, transcript(test.rows...)).look().CheckpointReason(rules, test.window); due != test.due {
			t.Errorf("%s: %q, want %q", name, due, test.due)
		}
	}
}

func TestParseNotes(t *testing.T) {
	want := &Notes{good, []string{"a"}, []string{"b?"}, []string{"c"}}
	object := `{"summary":"` + good + `","topics":["a"],"openQuestions":["b?"],"keyDecisions":["c"]}`
	for _, answer := range []string{object, "```json\n" + object + "\n```", "Here it is:\n" + object +
		"\nI hope it helps.", " " + object} {
		if got, err := parseNotes(answer); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: %v %v", answer, got, err)
		}
	}
	for _, answer := range []string{"", "no", "{", `{"summary":"` + good + `"`, `{"summary":"short"}`, `{"topics":[]}`,
		`{"summary":7}`} {
		if got, err := parseNotes(answer); err == nil {
			t.Errorf("%s: %v", answer, got)
		}
	}
	if n, err := readNotes(good); err != nil || n.Summary != good {
		t.Error(n, err)
	}
	if _, err := readNotes("```\nno JSON in it, though it looks so\n```"); err == nil {
		t.Error("a code fence without JSON is accepted")
	}
}

func TestRecords(t *testing.T) {
	s := read(t, transcript("u1 user "+long, "a1 assistant <done> & "+long, "u2 user "+long))
	survey := s.look()
	c, err := survey.Compact(context.Background(), s.records, Options{Keep: Keep{Tokens, 10},
		Given: "  <What> was said & done.\n"})
	if err != nil {
		t.Fatal(err)
	}
	record, err := c.Record("u2", stampOf())
	want := `{"type":"compaction","id":"1793527200000_0e42","parentId":"u2","timestamp":"2026-11-01T10:00:00.000Z",` +
		`"summary":"<What> was said & done.","firstKeptEntryId":"u2","tokensBefore":153,"tokensAfter":56,` +
		`"details":{"readFiles":[],"modifiedFiles":[]}}` + "\n"
	if err != nil || string(record) != want {
		t.Errorf("%v\n%s%s", err, record, want)
	}
	record, err = survey.CheckpointRecord(&Notes{Summary: good, Topics: []string{"a"}}, "u2", stampOf())
	want = `{"type":"checkpoint","id":"1793527200000_0e42","parentId":"u2","timestamp":"2026-11-01T10:00:00.000Z",` +
		`"checkpoint":{"summary":"A summary that is long enough.","tokensAtCheckpoint":153,"messageCountAtCheckpoint":3,` +
		`"topics":["a"],"openQuestions":[],"keyDecisions":[]}}` + "\n"
	if err != nil || string(record) != want {
		t.Errorf("%v\n%s%s", err, record, want)
	}
}
