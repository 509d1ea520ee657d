package stats

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/internal/calendar"
	"clawctl/internal/longtest"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/models"
	"clawctl/pkg/source"
)

// randomHistory makes sessions of several programs that copy, fork, resume and restart, and knows what they add up to.
type randomHistory struct {
	*rand.Rand
	folder   string
	now      time.Time
	ids      int
	sessions []*source.Session
	want     Tally // only messages, turns, answers and recorded usage
}

// randomThread is a session whose records others may copy.
type randomThread struct {
	id    string
	lines []randomLine
	total codexTokens
	price float64 // of a session of Claude Code so far
}

// randomLine is a line with its time taken out.
type randomLine struct {
	at   time.Time
	form string // in which %s stands for the time, and @ for the id of the session
}

func (h *randomHistory) id() string {
	h.ids++
	return fmt.Sprintf("%08x-0000-4000-8000-%012d", h.ids, h.ids)
}

// pass lets some time pass: mostly seconds, sometimes a day.
func (h *randomHistory) pass() time.Time {
	h.now = h.now.Add(time.Duration(1+h.IntN(50)) * time.Second)
	if h.IntN(8) == 0 {
		h.now = h.now.Add(time.Duration(h.IntN(30)) * time.Hour)
	}
	return h.now
}

func (t *randomThread) add(at time.Time, form string, args ...any) {
	form = strings.ReplaceAll(form, `"T"`, `"%[1]s"`)
	t.lines = append(t.lines, randomLine{at, fmt.Sprintf(form, append([]any{"\x00"}, args...)...)})
}

// words are said more than once.
var words = []string{"go on", "yes", "what is this?", "thanks"}

func (h *randomHistory) word() string { return words[h.IntN(len(words))] }

// count adds what a turn is expected to count.
func (h *randomHistory) count(answers int64, u codexTokens) {
	h.want.Messages += 1 + answers
	h.want.Turns++
	h.want.Answers += answers
	h.want.Recorded.Add(jsonl.Usage{
		Input: int64(u[0] - u[1]), CacheRead: int64(u[1]), Output: int64(u[2]), Total: int64(u[0] + u[2])})
}

func (h *randomHistory) tokens() codexTokens {
	input := 1 + h.IntN(5000)
	return codexTokens{input, h.IntN(input), 1 + h.IntN(500)}
}

// codexTurns lets a thread go on.
func (h *randomHistory) codexTurns(t *randomThread, turns int) {
	const line = `{"timestamp":"T","type":"%[2]s","payload":%[3]s}`
	for range turns {
		t.add(h.pass(), line, "turn_context", `{"cwd":"/w","model":"gpt-5"}`)
		t.add(h.now, line, "response_item",
			fmt.Sprintf(`{"type":"message","role":"user","content":[{"type":"input_text","text":%q}]}`, h.word()))
		var used codexTokens
		answers := 1 + h.IntN(2)
		for range answers {
			u := h.tokens()
			if h.IntN(6) == 0 {
				t.total = codexTokens{} // a restart
			}
			for i := range u {
				used[i] += u[i]
				t.total[i] += u[i]
			}
			t.add(h.pass(), line, "response_item", fmt.Sprintf(
				`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"%s"}]}`, h.word()))
			for range 1 + h.IntN(2) { // it may be repeated
				t.add(h.pass(), line, "event_msg", fmt.Sprintf(
					`{"type":"token_count","info":{"total_token_usage":%v,"last_token_usage":%v}}`, t.total, u))
			}
		}
		h.count(int64(answers), used)
	}
}

// codex makes a thread, and forks of it.
func (h *randomHistory) codex() {
	var threads []*randomThread
	for range 1 + h.IntN(4) {
		t := &randomThread{id: h.id()}
		const header = `{"timestamp":"T","type":"session_meta","payload":{"id":"%[2]s","cwd":"/w"%[3]s}}`
		more := ""
		if len(threads) > 0 && h.IntN(4) > 0 {
			parent := threads[h.IntN(len(threads))]
			more = fmt.Sprintf(`,"forked_from_id":%q`, parent.id)
			t.add(h.pass(), header, t.id, more)
			for _, l := range parent.lines[:h.forkPoint(parent)] {
				t.lines = append(t.lines, randomLine{h.now, l.form})
			}
			t.total = parent.total
		} else {
			t.add(h.pass(), header, t.id, "")
		}
		h.codexTurns(t, 1+h.IntN(3))
		threads = append(threads, t)
		if h.IntN(3) == 0 { // the first one goes on
			h.codexTurns(threads[0], 1)
		}
	}
	for _, t := range threads {
		h.write(filepath.Join("sessions", "2026", "05", "01"), "rollout-2026-05-01T10-00-00-"+t.id, t)
	}
}

// forkPoint returns how many lines of a thread a fork has: all of them.
func (h *randomHistory) forkPoint(t *randomThread) int { return len(t.lines) }

// claude makes a session, and others that go on with copies of its rows.
func (h *randomHistory) claude() {
	t := &randomThread{id: h.id()}
	for range 1 + h.IntN(3) {
		h.claudeTurns(t, 1+h.IntN(3))
		h.write(filepath.Join("projects", "-w"), t.id, t)
		next := &randomThread{id: h.id(), price: t.price}
		isStamped := h.IntN(2) == 0 // as 2.0.8 did
		h.pass()
		for _, l := range t.lines {
			if isStamped {
				l.at = h.now
			}
			next.lines = append(next.lines, l)
		}
		t = next
	}
}

// claudeTurns lets a session go on. An answer has several rows, and its output grows from row to row.
func (h *randomHistory) claudeTurns(t *randomThread, turns int) {
	const row = `{"type":"%[2]s","uuid":"%[3]s","parentUuid":null,"sessionId":"@","timestamp":"T","message":%[4]s}`
	for range turns {
		t.add(h.pass(), row, "user", h.id(), fmt.Sprintf(`{"role":"user","content":%q}`, h.word()))
		u, id := h.tokens(), h.id()
		rows := 1 + h.IntN(3)
		for i := range rows {
			output := u[2]
			if i < rows-1 {
				output = u[2] / 2
			}
			t.add(h.pass(), row, "assistant", h.id(), fmt.Sprintf(`{"id":"msg_%s","model":"claude-opus-4-6",`+
				`"content":[{"type":"text","text":%q}],"usage":{"input_tokens":%d,"cache_read_input_tokens":%d,`+
				`"output_tokens":%d}}`, id, h.word(), u[0]-u[1], u[1], output))
		}
		h.count(1, u)
		if t.price += float64(h.IntN(5)); h.IntN(3) == 0 {
			t.add(h.now, `{"type":"cost-state","sessionId":"@","totalCostUSD":%[2]v}`, t.price)
		}
	}
}

// openClaw makes a session, and forks of it that keep ids and times.
func (h *randomHistory) openClaw() {
	t := &randomThread{id: h.id()}
	parent := ""
	for range 1 + h.IntN(3) {
		t.lines = slices.Insert(t.lines, 0, randomLine{h.pass(), `{"type":"session","version":3,"id":"@","timestamp":"` +
			"\x00" + `","cwd":"/w"` + parent + "}"})
		const row = `{"type":"message","id":"%[2]s","parentId":null,"timestamp":"T","message":%[3]s}`
		for range 1 + h.IntN(3) {
			u := h.tokens()
			t.add(h.pass(), row, h.id()[:8], fmt.Sprintf(`{"role":"user","content":%q}`, h.word()))
			t.add(h.pass(), row, h.id()[:8], fmt.Sprintf(`{"role":"assistant","content":[{"type":"text","text":%q}],`+
				`"provider":"p","model":"m","usage":{"input":%d,"output":%d,"cacheRead":%d,"totalTokens":%d,`+
				`"cost":{"total":0.25}}}`, h.word(), u[0]-u[1], u[2], u[1], u[0]+u[2]))
			h.count(1, u)
		}
		h.write(filepath.Join("agents", "main", "sessions"), t.id, t)
		parent = fmt.Sprintf(`,"parentSession":%q`, t.id)
		t = &randomThread{id: h.id(), lines: slices.Clone(t.lines[1:])}
	}
}

// write writes the file of a session.
func (h *randomHistory) write(folder, stem string, t *randomThread) {
	folder = filepath.Join(h.folder, folder)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		panic(err)
	}
	var text strings.Builder
	for _, l := range t.lines {
		line := strings.ReplaceAll(l.form, "\x00", l.at.Format("2006-01-02T15:04:05.000Z"))
		text.WriteString(strings.ReplaceAll(line, `"@"`, `"`+t.id+`"`) + "\n")
	}
	path := filepath.Join(folder, stem+".jsonl")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		panic(err)
	}
	h.sessions = append(h.sessions, source.File(path))
}

// comparedSums are the counts that every part has.
func comparedSums(t *Tally) string {
	u := t.Recorded
	return fmt.Sprintf("records %d messages %d answers %d input %d output %d read %d total %d "+
		"listed %.12f estimated %.12f cost %.12f",
		t.Records, t.Messages, t.Answers, u.Input, u.Output, u.CacheRead, u.Total, t.Listed, t.Estimated, u.Cost)
}

// The parts add up to the total, and to what was written, whoever copied, forked, resumed or restarted what.
func TestPartsAddUp(t *testing.T) {
	parts := []string{"day", "week", "month", "hour", "weekday", "agent", "channel", "session", "host", "trigger",
		"family"}
	catalogue := models.BuiltIn()
	sessions := 0
	for round := range longtest.Rounds(t, "CLAWCTL_PARTS", 230, 3000) {
		h := &randomHistory{Rand: rand.New(rand.NewPCG(uint64(round), 7)), folder: t.TempDir(),
			now: mustParse("2026-05-01T10:00:00Z")}
		for range 1 + h.IntN(3) {
			[]func(){h.codex, h.claude, h.openClaw}[h.IntN(3)]()
		}
		h.Shuffle(len(h.sessions), func(i, j int) { h.sessions[i], h.sessions[j] = h.sessions[j], h.sessions[i] })
		sessions += len(h.sessions)
		by := append([]string{"model", "provider", "kind"}, parts...)
		opts := Options{By: by, Zone: calendar.Zone{}, Catalogue: catalogue}
		r := collect(t, opts, h.sessions...)
		total := r.Total
		if got, want := [4]int64{total.Messages, total.Turns, total.Answers, total.Recorded.Total},
			[4]int64{h.want.Messages, h.want.Turns, h.want.Answers, h.want.Recorded.Total}; got != want ||
			total.Recorded.Input != h.want.Recorded.Input || total.Recorded.Output != h.want.Recorded.Output {
			t.Fatalf("round %d: messages, turns, answers and tokens are %v, want %v", round, got, want)
		}
		for _, part := range parts {
			var sum Tally
			for _, one := range r.By[part] {
				sum.add(one)
			}
			if comparedSums(&sum) != comparedSums(&total) {
				t.Fatalf("round %d: by %s\n%s\n%s", round, part, comparedSums(&sum), comparedSums(&total))
			}
		}
		for _, part := range []string{"model", "provider", "kind"} { // of what a model did
			var sum Tally
			for _, one := range r.By[part] {
				sum.Recorded.Add(one.Recorded)
			}
			if got, want := fmt.Sprintf("%.9v", sum.Recorded), fmt.Sprintf("%.9v", total.Recorded); got != want {
				t.Fatalf("round %d: by %s\n%s\n%s", round, part, got, want)
			}
		}
		for day, one := range r.By["day"] {
			begins := mustParse(day + "T00:00:00Z")
			alone := collect(t, Options{Since: begins, Until: begins.AddDate(0, 0, 1), Catalogue: catalogue}, h.sessions...)
			if comparedSums(&alone.Total) != comparedSums(one) {
				t.Fatalf("round %d, %s alone\n%s\nis among others\n%s", round, day, comparedSums(&alone.Total),
					comparedSums(one))
			}
		}
		if copies := copiesIn(t, h.sessions); copies != r.Coverage.Copies {
			t.Fatalf("round %d: %d copies, Originals know %d", round, r.Coverage.Copies, copies)
		}
	}
	t.Logf("%d sessions", sessions)
}
