package flush

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"clawctl/pkg/config"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/tokens"
	"clawctl/pkg/window"
)

func TestSelect(t *testing.T) {
	defaults := config.Default().Session.MemoryFlush
	off := defaults
	off.Enabled = false
	messages := config.MemoryFlush{Enabled: true, Thresholds: []config.FlushThreshold{
		{Percent: 50, Prompt: "half", InjectAs: config.Marked, Once: true},
		{Percent: 75, Prompt: "most", InjectAs: config.User},
		{Percent: 90, Prompt: "all", InjectAs: config.System, Once: true},
	}}
	message := func(percent float64) Delivery { return Delivery{percent, config.User} }
	system := func(percent float64) Delivery { return Delivery{percent, config.System} }
	for _, test := range []struct {
		flush     config.MemoryFlush
		tokens    int64
		delivered []Delivery
		want      string // system, message, record: percentages, 0 for none
	}{
		{defaults, 499, nil, "0 0 0"},
		{defaults, 500, nil, "50 0 50"},
		{defaults, 749, nil, "50 0 50"},
		{defaults, 750, nil, "75 0 75"},
		{defaults, 900, nil, "75 90 90"},
		{defaults, 5000, nil, "75 90 90"},
		{off, 900, nil, "0 0 0"},
		{defaults, 600, []Delivery{system(50)}, "50 0 0"},              // repeated, but recorded once
		{defaults, 800, []Delivery{system(50)}, "75 0 75"},             // a higher threshold
		{defaults, 900, []Delivery{message(90)}, "75 0 0"},             // a message is sent once
		{defaults, 900, []Delivery{message(90), system(75)}, "75 0 0"}, // and nothing else
		{defaults, 600, []Delivery{message(90)}, "50 0 0"},             // below the threshold again
		{messages, 600, nil, "0 50 50"},                                //
		{messages, 600, []Delivery{message(50)}, "0 0 0"},              //
		{messages, 600, []Delivery{message(75)}, "0 0 0"},              // a higher threshold silences the lower one
		{messages, 800, []Delivery{message(75)}, "0 75 0"},             // configured to repeat
		{messages, 900, []Delivery{message(75)}, "90 75 90"},           //
		{messages, 900, []Delivery{message(75), system(90)}, "0 75 0"}, // configured to be sent once
	} {
		due := Select(test.flush, window.Fill{Window: 1000, Counted: test.tokens}, test.delivered)
		percent := func(t *config.FlushThreshold) float64 {
			if t == nil {
				return 0
			}
			return t.Percent
		}
		if got := fmt.Sprint(percent(due.System), percent(due.Message), percent(due.Record)); got != test.want {
			t.Errorf("%d tokens, %v delivered: got %s, want %s", test.tokens, test.delivered, got, test.want)
		}
	}
}

func TestText(t *testing.T) {
	now := time.Date(2026, 2, 1, 23, 30, 0, 0, time.FixedZone("", -8*3600))
	for _, test := range []struct {
		injectAs     config.Delivery
		prompt, want string
	}{
		{config.Marked, "Write.", "[SYSTEM: memory flush]\nWrite."},
		{config.Marked, "[SYSTEM: pre-compaction memory flush]\nWrite.", "[SYSTEM: pre-compaction memory flush]\nWrite."},
		{config.User, "Write.", "Write."},
		{config.System, "memory/YYYY-MM-DD.md, YYYY-MM-DD", "memory/2026-02-01.md, 2026-02-01"},
	} {
		if got := Text(&config.FlushThreshold{Prompt: test.prompt, InjectAs: test.injectAs}, now); got != test.want {
			t.Errorf("got %q, want %q", got, test.want)
		}
	}
}

const flushSession = `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"u1","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z","message":{"role":"user",` +
	`"content":"Hello"}}
{"type":"custom","customType":"other","id":"o1","parentId":"u1","timestamp":"2026-05-01T10:00:01.000Z"}
`

// readDeliveries returns the flushes recorded in the text of a session.
func readDeliveries(t *testing.T, text string) []Delivery {
	t.Helper()
	index, err := rebuild.Scan(jsonl.NewReader(strings.NewReader(text), jsonl.Options{}), func(*jsonl.Record) {})
	if err != nil {
		t.Fatal(err)
	}
	context, err := index.Context("")
	if err != nil {
		t.Fatal(err)
	}
	list, err := ReadDeliveries(context, jsonl.NewReader(strings.NewReader(text), jsonl.Options{}).All())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A record counts on its own branch, up to the next compaction or reset.
func TestReadDeliveries(t *testing.T) {
	fill := window.Fill{Window: 100, Counted: 95}
	threshold := &config.FlushThreshold{Percent: 90, InjectAs: config.User}
	record, err := Record(threshold, fill, "o1", time.UnixMilli(1769947200000))
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(record, &fields); err != nil || !strings.HasPrefix(fields["id"].(string),
		"1769947200000_") || fields["parentId"] != "o1" {
		t.Errorf("%s %v", record, err)
	}
	text := flushSession + string(record) + "\n"
	if got := readDeliveries(t, text); len(got) != 1 || got[0] != (Delivery{90, config.User}) {
		t.Errorf("%v", got)
	}
	for name, line := range map[string]string{
		"compaction": `{"type":"compaction","id":"c1","parentId":"` + fields["id"].(string) +
			`","timestamp":"2026-05-01T10:00:02.000Z","summary":"x","firstKeptEntryId":"u1","tokensBefore":1}`,
		"reset": `{"type":"reset","id":"r1","parentId":"` + fields["id"].(string) +
			`","timestamp":"2026-05-01T10:00:02.000Z","reason":"new"}`,
		"branch": `{"type":"message","id":"u2","parentId":"u1","timestamp":"2026-05-01T10:00:02.000Z",` +
			`"message":{"role":"user","content":"Again"}}`,
	} {
		if got := readDeliveries(t, text+line+"\n"); len(got) != 0 {
			t.Errorf("after a %s: %v", name, got)
		}
	}
	for _, data := range []string{`"x"`, `{"percent":"90"}`} {
		if got := readDeliveries(t, flushSession+`{"type":"custom","customType":"clawctl.flush","data":`+data+`,"id":"x",`+
			`"parentId":"o1","timestamp":"2026-05-01T10:00:02.000Z"}`+"\n"); len(got) != 0 {
			t.Errorf("%s: %v", data, got)
		}
	}
}

// watch runs a watcher over lines. Each is a tool call, a user message, a delivery or a compaction.
func watch(t *testing.T, lines ...string) string {
	t.Helper()
	w := &Watcher{Thresholds: config.Default().Session.MemoryFlush.Thresholds, Counter: tokens.Heuristic{},
		Window: func(string, string) int64 { return 1000 }}
	text := `{"type":"session","version":3,"id":"s","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n"
	for i, line := range lines {
		text += fmt.Sprintf(`{"id":"e%d","parentId":null,"timestamp":"2026-05-01T12:00:00.000+02:00",`, i) + line + "}\n"
	}
	reader := jsonl.NewReader(bytes.NewReader([]byte(text)), jsonl.Options{})
	for rec, err := range reader.All() {
		if err != nil || rec.Damage != nil {
			t.Fatal(err, rec.Damage)
		}
		w.Take(rec)
	}
	var b strings.Builder
	for _, c := range w.Crossings {
		if c.Time != "2026-05-01T10:00:00Z" {
			t.Errorf("crossed at %s", c.Time)
		}
		fmt.Fprintf(&b, "%g@%s", c.Threshold, c.EntryID)
		for i, is := range []bool{c.Actioned, c.ActionedMemory, c.Delivered} {
			if is {
				b.WriteByte("+md"[i])
			}
		}
		b.WriteString(" ")
	}
	return strings.TrimSpace(b.String())
}

func TestWatcher(t *testing.T) {
	user := `"type":"message","message":{"role":"user","content":"x"}`
	long := `"type":"message","message":{"role":"user","content":"` + strings.Repeat("x", 2400) + `"}`
	says := func(total int, stop string) string {
		return fmt.Sprintf(`"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"x"}],`+
			`"stopReason":%q,"usage":{"totalTokens":%d}}`, stop, total)
	}
	calls := func(total int, name, arguments string) string {
		return fmt.Sprintf(`"type":"message","message":{"role":"assistant","content":[{"type":"toolCall","id":"c",`+
			`"name":%q,"arguments":%s}],"stopReason":"toolUse","usage":{"totalTokens":%d}}`, name, arguments, total)
	}
	delivery := func(percent int) string {
		return fmt.Sprintf(`"type":"custom","customType":"clawctl.flush","data":{"percent":%d,"injectAs":"user"}`, percent)
	}
	const source, memory = `{"path":"src/a.go"}`, `{"path":"memory/a.md"}`
	for name, test := range map[string]struct {
		want  string
		lines []string
	}{
		"small":             {"", []string{user, says(499, "stop")}},
		"crossed":           {"50@e1", []string{user, says(500, "stop"), user, calls(510, "write", memory)}},
		"in the same turn":  {"50@e1+", []string{user, calls(500, "read", source), calls(510, "write", source)}},
		"by the answer":     {"50@e1+m", []string{user, calls(500, "edit", memory)}},
		"by what was asked": {"50@e0+", []string{long, calls(700, "write_file", source)}},
		"a failed answer":   {"", []string{user, says(990, "error"), says(990, "aborted")}},
		"two at once": {"50@e1+ 75@e1+", []string{user,
			calls(800, "apply_patch", `{"input":"*** Begin Patch\n*** Update File: src/a.go\n"}`)}},
		"a patch of memory": {"50@e1+m", []string{user,
			calls(600, "apply_patch", `{"input":"*** Begin Patch\n*** Add File: memory/a.md\n"}`)}},
		"spelled arguments":  {"50@e1+m", []string{user, calls(600, "write", `"{\"file_path\":\"C:\\\\memory\\\\a.md\"}"`)}},
		"a file of the name": {"50@e1+", []string{user, calls(600, "write", `{"path":"docs/memory"}`)}},
		"a new cycle": {"50@e1 50@e3", []string{user, says(600, "stop"),
			`"type":"compaction","summary":"x","firstKeptEntryId":"e0","tokensBefore":600`, says(700, "stop")}},
		"delivered later": {"50@e1+ 75@e3 90@e3+md", []string{user, calls(500, "write", source), user, says(900, "stop"),
			delivery(90), user, calls(910, "write", memory), user, says(920, "stop")}},
		"delivered before": {"50@e1 90@e2+md 75@e4+m", []string{user, says(600, "stop"), delivery(90), user,
			calls(890, "write", memory)}},
		"another threshold": {"", []string{delivery(33), user}},
	} {
		if got := watch(t, test.lines...); got != test.want {
			t.Errorf("%s: got %s, want %s", name, got, test.want)
		}
	}
}
