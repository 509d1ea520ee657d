package stats

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"clawctl/pkg/source"
)

// codexTurn is a prompt, an answer, and what the counter shows after it.
func codexTurn(second int, text string, total, last int) []string {
	return []string{
		codexLine(second, "turn_context", `{"cwd":"/w","model":"gpt-5"}`),
		codexSays(second, "user", text),
		codexSays(second+1, "assistant", "re: "+text+fmt.Sprint(total)),
		codexCount(second+2, codexTokens{total}, codexTokens{last}),
	}
}

// copiedFrom gives the lines of a thread the time at which a fork of it began.
func copiedFrom(second int, lines ...string) (copied []string) {
	stamp := codexLine(second, "", "{}")[:len(`{"timestamp":"2026-05-01T10:00:00.000Z"`)]
	for _, line := range lines {
		copied = append(copied, stamp+line[len(stamp):])
	}
	return copied
}

// rollout writes the file of a thread whose id ends with a digit.
func rollout(t *testing.T, folder string, digit int, lines ...[]string) *source.Session {
	t.Helper()
	return transcript(t, folder, fmt.Sprintf("rollout-2026-05-01T10-00-00-%s.jsonl", threadID(digit)),
		slices.Concat(lines...)...)
}

func threadID(digit int) string { return fmt.Sprintf("019d0000-0000-7000-8000-%012d", digit) }

// What forks and subagents of older versions of Codex repeat counts once, in the thread that said it first.
func TestReplaysCountOnce(t *testing.T) {
	header := func(second, digit int, more string) []string {
		return []string{codexHeader(second, threadID(digit), more)}
	}
	forked := func(second, digit, from int) []string {
		return header(second, digit, fmt.Sprintf(`,"forked_from_id":%q`, threadID(from)))
	}
	first := slices.Concat(header(0, 1, ""), codexTurn(1, "a", 60, 60), codexTurn(5, "c", 100, 40))
	own := codexTurn(101, "e", 150, 50)
	fork := slices.Concat(forked(100, 2, 1), copiedFrom(100, first...))
	spawned := slices.Concat(header(100, 2, fmt.Sprintf(`,"parent_thread_id":%q`, threadID(1))), copiedFrom(100, first...))
	prompts := []string{first[0], first[2], first[4], first[6], first[8]} // without answers
	for _, test := range []struct {
		name  string
		files map[int][][]string // of threads, by the last digit of their ids
		want  string             // tokens, messages, turns, and messages of each thread
	}{
		{"a fork", map[int][][]string{1: {first}, 2: {fork, own}}, "150 6 3 [4 2]"},
		{"a fork that was made first, by its name", map[int][][]string{1: {forked(100, 1, 2),
			copiedFrom(100, slices.Concat(header(0, 2, ""), first[1:])...), own}, 2: {header(0, 2, ""), first[1:]}},
			"150 6 3 [2 4]"},
		{"a subagent", map[int][][]string{1: {first}, 2: {spawned, own}}, "150 6 3 [4 2]"},
		{"without the first thread", map[int][][]string{2: {fork, own}}, "150 6 3 [6]"},
		{"two forks without the first thread", map[int][][]string{2: {fork, own}, 3: {forked(200, 3, 1),
			copiedFrom(200, first...), codexTurn(201, "f", 170, 70)}}, "220 8 4 [6 2]"},
		{"a fork of a fork", map[int][][]string{1: {first}, 2: {fork, own}, 3: {forked(200, 3, 2),
			copiedFrom(200, fork...), copiedFrom(200, own...), codexTurn(201, "g", 230, 80)}}, "230 8 4 [4 2 2]"},
		{"a part of the lines", map[int][][]string{1: {first}, 2: {spawned[:1], copiedFrom(100, prompts...), own}},
			"150 6 3 [4 2]"},
		{"the same prompt after the fork", map[int][][]string{
			1: {first, codexTurn(110, "go on", 130, 30)}, 2: {fork, codexTurn(120, "go on", 140, 40)}}, "170 8 4 [6 2]"},
		{"a prompt of before after the fork", map[int][][]string{1: {first}, 2: {fork, codexTurn(120, "a", 140, 40)}},
			"140 6 3 [4 2]"},
		{"the same prompt in two forks", map[int][][]string{1: {first}, 2: {fork, codexTurn(120, "go on", 140, 40)},
			3: {forked(150, 3, 1), copiedFrom(150, first...), codexTurn(160, "go on", 140, 40)}}, "180 8 4 [4 2 2]"},
		{"a counter that is repeated after the fork", map[int][][]string{1: {first},
			2: {fork, {codexCount(101, codexTokens{100}, codexTokens{40})}, own}}, "150 6 3 [4 2]"},
	} {
		folder := t.TempDir()
		var sessions []*source.Session
		for digit := range 4 {
			if lines := test.files[digit]; lines != nil {
				sessions = append(sessions, rollout(t, folder, digit, lines...))
			}
		}
		for _, order := range [][]*source.Session{sessions, reversed(sessions)} {
			r := collect(t, Options{By: []string{"session", "day"}}, order...)
			var each []int64
			for _, s := range sessions {
				each = append(each, r.By["session"][s.Key].Messages)
			}
			got := fmt.Sprint(r.Total.Recorded.Total, r.Total.Messages, r.Total.Turns, each)
			if got != test.want {
				t.Errorf("%s: %s, want %s", test.name, got, test.want)
			}
			if copies := copiesIn(t, order); copies != r.Coverage.Copies {
				t.Errorf("%s: %d copies, Originals know %d", test.name, r.Coverage.Copies, copies)
			}
		}
	}
}

func reversed(sessions []*source.Session) []*source.Session {
	list := slices.Clone(sessions)
	slices.Reverse(list)
	return list
}

// copiesIn counts the copies with Originals.
func copiesIn(t *testing.T, sessions []*source.Session) (copies int64) {
	t.Helper()
	var ids Identifier
	for _, f := range Families(context.Background(), sessions, 1) {
		originals := NewOriginals(f)
		for i, s := range f.Sessions {
			originals.Begin(int32(i))
			for rec := range newFamilyReader().legibleRecords(context.Background(), s, 0) {
				if originals.IsCopy(ids.ID(rec)) {
					copies++
				}
			}
		}
	}
	return copies
}

// A session of Claude Code that was resumed by an older version has the rows of the one before with other times.
func TestResumedRowsCountOnce(t *testing.T) {
	row := func(session, uuid, kind string, second int, message string) string {
		return fmt.Sprintf(`{"type":%q,"uuid":"%s-1111-4111-8111-111111111111","parentUuid":null,"sessionId":%q,`+
			`"timestamp":"2026-05-01T10:00:%02dZ","message":%s}`, kind, uuid, session, second, message)
	}
	hello := `{"role":"user","content":"Hello"}`
	hi := `{"id":"m1","model":"claude-opus-4-6","content":[{"type":"text","text":"Hi."}],` +
		`"usage":{"input_tokens":6,"output_tokens":458}}`
	folder := filepath.Join(t.TempDir(), "projects", "-w")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	sessions := []*source.Session{ // the newest first
		transcript(t, folder, "a.jsonl", row("a", "11111111", "user", 30, hello), row("a", "22222222", "assistant", 30, hi),
			row("a", "33333333", "user", 40, hello)),
		transcript(t, folder, "b.jsonl", row("b", "11111111", "user", 1, hello), row("b", "22222222", "assistant", 2, hi)),
	}
	for _, order := range [][]*source.Session{sessions, reversed(sessions)} {
		r := collect(t, Options{By: []string{"session"}}, order...)
		got := fmt.Sprint(r.Total.Recorded.Output, r.Total.Answers, r.Total.Messages, r.Coverage.Copies,
			r.By["session"][sessions[1].Key].Answers)
		if want := "458 1 3 2 1"; got != want {
			t.Errorf("output, answers, messages, copies, answers of the first session: %s, want %s", got, want)
		}
		if copies := copiesIn(t, order); copies != 2 {
			t.Errorf("Originals know %d copies", copies)
		}
	}
}
