package main

import (
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"clawctl/internal/failure"
	"clawctl/internal/longtest"
	"clawctl/internal/parquet/parquettest"
	"clawctl/internal/ui"
)

// figures are numbers by their names in docs/numbers.md, as one place prints them. An unknown number is "".
type figures map[string]string

// A numberPlace is a place that prints numbers of one session.
type numberPlace struct {
	name string
	read func(t *testing.T, session string) figures
}

var numberPlaces = []numberPlace{
	{"sessions --json", figuresOfRow},
	{"sessions", figuresOfTable},
	{"show", figuresOfText},
	{"show --format markdown", figuresOfMarkdown},
	{"show --tree", figuresOfTree},
	{"show --tree --json", figuresOfBranches},
	{"show --format html", figuresOfPage},
	{"show --format html --plain", figuresOfPlainPage},
	{"export --as html", figuresOfList},
	{"export --as parquet", figuresOfDataset},
	{"export --as atif", figuresOfTrajectory},
	{"stats", figuresOfTotals},
	{"du --json", figuresOfBytes},
	{"tokens --json", figuresOfTexts},
}

// Every place that prints a number of a session prints the same one, as far as it prints it.
func TestNumbersAgree(t *testing.T) {
	inUTC(t)
	sessions := numberedSessions(t)
	compared := 0
	for _, session := range sessions {
		want, ok := figuresOfStats(t, session)
		if !ok {
			continue // it cannot be read, which TestUnreadableIsSaid is about
		}
		for _, place := range numberPlaces {
			for name, got := range place.read(t, session) {
				compared++
				isNothing := got == "" && (want[name] == "0" || want[name] == "$0.00") // people are not told about nothing
				if got != want[name] && !isNothing {
					t.Errorf("%s: %s has %s %q, stats has %q", session, place.name, name, got, want[name])
				}
			}
		}
	}
	if compared < 30*len(sessions) {
		t.Errorf("only %d numbers of %d sessions were compared", compared, len(sessions))
	}
	t.Logf("compared %d numbers of %d sessions", compared, len(sessions))
}

// numberedSessions lists sessions of every shape by names that every command accepts: all of testdata, and some of the
// real ones, or all of them in a long test.
func numberedSessions(t *testing.T) (sessions []string) {
	t.Helper()
	places := []string{"../../testdata/home", "../../testdata/transcripts", "../../testdata/every-record.jsonl"}
	for _, place := range places {
		sessions = append(sessions, sessionsIn(t, place)...)
	}
	if !longtest.IsLong() {
		sessions = everyThird(sessions)
	}
	few := len(sessions)
	if _, err := os.Stat(sharedTranscripts); err != nil {
		return sessions
	}
	folders := []string{"cases", "cases-store", "claw0", "defects", "defects3", "harness",
		"openclaw-jsonl", "openclaw-sqlite", "openclaw-sqlite-24", "pi", "pi1"}
	if runtime.GOOS == "windows" {
		folders = folders[1:] // cases has nul.jsonl, which is a device there
	}
	for _, name := range folders {
		sessions = append(sessions, sessionsIn(t, filepath.Join(sharedTranscripts, name))...)
	}
	step := max(1, (len(sessions)-few)/longtest.Rounds(t, "CLAWCTL_TEST_SESSIONS", 4, len(sessions)))
	for i := few; i < len(sessions); i += step {
		sessions[few+(i-few)/step] = sessions[i]
	}
	return sessions[:few+(len(sessions)-few+step-1)/step]
}

func everyThird(list []string) (some []string) {
	for i := 0; i < len(list); i += 3 {
		some = append(some, list[i])
	}
	return some
}

// sessionsIn lists the sessions of a place.
func sessionsIn(t *testing.T, place string) (sessions []string) {
	t.Helper()
	_, stdout, stderr := inProcess("", "sessions", "--json", "--fast", place)
	for line := range strings.Lines(stdout) {
		var row struct{ Path string }
		if err := json.Unmarshal([]byte(line), &row); err != nil || row.Path == "" {
			t.Fatalf("%s: %v %s", place, err, stderr)
		}
		sessions = append(sessions, row.Path)
	}
	if len(sessions) == 0 {
		t.Fatalf("%s has no sessions: %s", place, stderr)
	}
	return sessions
}

// A statsObject has the fields of stats --json that are compared.
type statsObject struct {
	Records, Messages, Turns int64
	ToolCalls                int64 `json:"tool_calls"`
	ToolErrors               int64 `json:"tool_errors"`
	Answers                  int64
	FailedAnswers            int64 `json:"failed_answers"`
	UsageKnown               bool  `json:"usage_known"`
	CostKnown                bool  `json:"cost_known"`
	Recorded                 recordedObject
	Coverage                 struct {
		Answers    int64
		Copies     int64 `json:"copied_records"`
		Mirrors    int64
		Damaged    int64 `json:"damaged_lines"`
		Unreadable int64 `json:"unreadable_sessions"`
	}
}

// A recordedObject is usage in JSON.
type recordedObject struct {
	Input, Output, Total int64
	CacheRead            int64    `json:"cache_read"`
	CacheWrite           int64    `json:"cache_write"`
	Cost                 *float64 `json:"cost_usd"`
}

// addTo adds usage under its names.
func (u *recordedObject) addTo(f figures) {
	f.number("input", u.Input)
	f.number("output", u.Output)
	f.number("cache read", u.CacheRead)
	f.number("cache write", u.CacheWrite)
	f.number("tokens", u.Total)
	f.dollars("cost", u.Cost)
}

func (f figures) number(name string, n int64) { f[name] = strconv.FormatInt(n, 10) }

// dollars adds an amount without the noise of a sum.
func (f figures) dollars(name string, usd *float64) {
	if f[name] = ""; usd != nil {
		f[name] = strconv.FormatFloat(math.Round(*usd*1e9)/1e9, 'f', -1, 64)
	}
}

// figuresOfStats returns every number of a session, in every form in which some place prints it.
func figuresOfStats(t *testing.T, session string) (figures, bool) {
	t.Helper()
	var s statsObject
	_, stdout, stderr := inProcess("", "stats", "--json", session)
	if err := json.Unmarshal([]byte(stdout), &s); err != nil || s.Coverage.Unreadable > 0 {
		t.Logf("%s: %v %s", session, err, stderr)
		return nil, false
	}
	f := figures{}
	u := &s.Recorded
	u.addTo(f)
	for name, n := range map[string]int64{
		"records": s.Records, "messages": s.Messages, "turns": s.Turns, "tool calls": s.ToolCalls,
		"tool errors": s.ToolErrors, "answers": s.Answers, "failed answers": s.FailedAnswers, "in": u.Input + u.CacheRead +
			u.CacheWrite, "lines": s.Records + s.Coverage.Mirrors + s.Coverage.Copies, "damaged": s.Coverage.Damaged,
		"copies": s.Coverage.Copies,
	} {
		f.number(name, n)
		f[name+" in words"] = ui.Thousands(n)
	}
	f["usage known"], f["cost known"] = fmt.Sprint(s.UsageKnown), fmt.Sprint(s.CostKnown)
	f["coverage answers"] = strconv.FormatInt(s.Coverage.Answers, 10)
	for name, n := range map[string]int64{"input": u.Input, "output": u.Output, "cache read": u.CacheRead,
		"cache write": u.CacheWrite, "tokens": u.Total, "in": u.Input + u.CacheRead + u.CacheWrite} {
		f[name+" in words"], f[name+" in short"] = "", ""
		if s.UsageKnown {
			f[name+" in words"], f[name+" in short"] = ui.Thousands(n), ui.Short(n)
		}
	}
	if f["cost in words"] = ""; s.CostKnown {
		f["cost in words"] = ui.Dollars(*u.Cost)
	}
	if f["answers"] != f["coverage answers"] {
		t.Errorf("%s: %s answers, and %s in coverage", session, f["answers"], f["coverage answers"])
	}
	return f, true
}

// figuresOfRow reads sessions --json.
func figuresOfRow(t *testing.T, session string) figures {
	t.Helper()
	var row struct {
		statsObject
		Records, Damaged int64
	}
	_, stdout, _ := inProcess("", "sessions", "--json", session)
	if err := json.Unmarshal([]byte(stdout), &row); err != nil {
		t.Errorf("%s: %v", session, err)
	}
	f := figures{"usage known": fmt.Sprint(row.UsageKnown), "cost known": fmt.Sprint(row.CostKnown)}
	row.Recorded.addTo(f)
	for name, n := range map[string]int64{
		"messages": row.Messages, "turns": row.Turns, "tool calls": row.ToolCalls, "tool errors": row.ToolErrors,
		"answers": row.Answers, "failed answers": row.FailedAnswers, "lines": row.Records, "damaged": row.Damaged,
	} {
		f.number(name, n)
	}
	return f
}

// figuresOfTable reads the table of sessions.
func figuresOfTable(t *testing.T, session string) figures {
	t.Helper()
	_, stdout, _ := inProcess("", "sessions", "--format", "markdown", session)
	lines := strings.Split(strings.TrimSpace(stdout), "\n")
	cells := func(line string) []string { return strings.Split(line, "|") }
	named := map[string]string{}
	for i, name := range cells(lines[0]) {
		named[strings.TrimSpace(name)] = strings.TrimSpace(cells(lines[len(lines)-1])[i])
	}
	return figures{"messages in words": named["msgs"], "tokens in short": named["tokens"]}
}

var (
	headerCounts = regexp.MustCompile(`([\d,]+) messages?\b.*?([\d,]+) turns?\b`)
	headerTokens = regexp.MustCompile(` · (\S+) tokens?\b`)
	headerCost   = regexp.MustCompile(` · (<?\$\S+)`)
)

// figuresOfHead reads the lines above a conversation.
func figuresOfHead(t *testing.T, session, text string) figures {
	t.Helper()
	for line := range strings.Lines(html.UnescapeString(text)) {
		counts := headerCounts.FindStringSubmatch(line)
		if counts == nil {
			continue
		}
		line = strings.TrimRight(line, " \n")
		f := figures{"messages in words": counts[1], "turns in words": counts[2], "tokens in short": "", "cost in words": ""}
		if m := headerTokens.FindStringSubmatch(line); m != nil {
			f["tokens in short"] = m[1]
		}
		if m := headerCost.FindStringSubmatch(line); m != nil {
			f["cost in words"] = m[1]
		}
		return f
	}
	t.Errorf("%s: no numbers in %.200q", session, text)
	return nil
}

func figuresOfText(t *testing.T, session string) figures {
	_, stdout, _ := inProcess("", "show", session)
	return figuresOfHead(t, session, stdout)
}

func figuresOfMarkdown(t *testing.T, session string) figures {
	_, stdout, _ := inProcess("", "show", "--format", "markdown", session)
	return figuresOfHead(t, session, stdout)
}

func figuresOfTree(t *testing.T, session string) figures {
	_, stdout, _ := inProcess("", "show", "--tree", session)
	return figuresOfHead(t, session, stdout)
}

// figuresOfBranches adds up the branches of a tree.
func figuresOfBranches(t *testing.T, session string) figures {
	t.Helper()
	var tree struct {
		Branches []struct{ Turns, Calls int64 }
	}
	_, stdout, _ := inProcess("", "show", "--tree", "--json", session)
	if err := json.Unmarshal([]byte(stdout), &tree); err != nil {
		t.Errorf("%s: %v", session, err)
	}
	turns, calls := int64(0), int64(0)
	for _, b := range tree.Branches {
		turns += b.Turns
		calls += b.Calls
	}
	return figures{"turns": strconv.FormatInt(turns, 10), "tool calls": strconv.FormatInt(calls, 10)}
}

var (
	pageTotals = regexp.MustCompile(`"totals":(\{.*?\}),"kind_names"`)
	plainFact  = regexp.MustCompile(`<dt class="name">([^<]*)</dt><dd class="value">([^<]*)</dd>`)
	listCell   = regexp.MustCompile(`<td class="number[^"]*" data-sort="(-?\d+)"[^>]*>([^<]*)</td>`)
)

// figuresOfPage reads what a page with a script says about its session. The script shows these numbers.
func figuresOfPage(t *testing.T, session string) figures {
	t.Helper()
	_, stdout, _ := inProcess("", "show", "--format", "html", session)
	m := pageTotals.FindStringSubmatch(stdout)
	if m == nil {
		t.Errorf("%s: no totals in the page", session)
		return nil
	}
	var totals struct {
		Messages, Prompts, Answers, Calls, Input, Output, Tokens int64
		ToolErrors                                               int64 `json:"tool_errors"`
		FailedAnswers                                            int64 `json:"failed_answers"`
		UsageKnown                                               bool  `json:"usage_known"`
		CostKnown                                                bool  `json:"cost_known"`
		HasCost                                                  bool  `json:"has_cost"`
		Cost                                                     float64
		TokenWords                                               string `json:"token_words"`
		CostWords                                                string `json:"cost_words"`
	}
	if err := json.Unmarshal([]byte(m[1]), &totals); err != nil {
		t.Errorf("%s: %v", session, err)
	}
	in, out, _ := strings.Cut(totals.TokenWords, " in, ")
	f := figures{
		"usage known": fmt.Sprint(totals.UsageKnown), "cost known": fmt.Sprint(totals.CostKnown), "cost": "",
		"in in short": in, "output in short": strings.TrimSuffix(out, " out"), "cost in words": totals.CostWords,
	}
	for name, n := range map[string]int64{
		"messages": totals.Messages, "turns": totals.Prompts, "answers": totals.Answers, "tool calls": totals.Calls,
		"tool errors": totals.ToolErrors, "failed answers": totals.FailedAnswers, "in": totals.Input,
		"output": totals.Output, "tokens": totals.Tokens,
	} {
		f.number(name, n)
	}
	if totals.CostKnown {
		f.dollars("cost", &totals.Cost)
	}
	return f
}

// figuresOfPlainPage reads a page without a script.
func figuresOfPlainPage(t *testing.T, session string) figures {
	t.Helper()
	exit, stdout, _ := inProcess("", "show", "--format", "html", "--plain", session)
	if exit == failure.ExitUsage {
		return nil // it has too many entries
	}
	facts := map[string]string{}
	for _, m := range plainFact.FindAllStringSubmatch(stdout, -1) {
		facts[m[1]] = html.UnescapeString(m[2])
	}
	in, out, _ := strings.Cut(facts["Tokens"], " in, ")
	orNone := func(name string) string {
		if facts[name] == "" {
			return "0"
		}
		return facts[name]
	}
	return figures{
		"turns in words": facts["Prompts"], "answers in words": facts["Answers"], "tool calls in words": facts["Tool calls"],
		"tool errors in words": orNone("Tool errors"), "failed answers in words": orNone("Failed answers"),
		"in in short": in, "output in short": strings.TrimSuffix(out, " out"), "cost in words": facts["Cost"],
	}
}

// figuresOfList reads the list of exported pages.
func figuresOfList(t *testing.T, session string) figures {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "pages")
	inProcess("", "export", "--as", "html", "-o", folder, session)
	page, err := os.ReadFile(filepath.Join(folder, "index.html"))
	cells := listCell.FindAllStringSubmatch(string(page), -1)
	if err != nil || len(cells) != 5 {
		t.Errorf("%s: %v, %d cells", session, err, len(cells))
		return nil
	}
	return figures{
		"turns in words": cells[0][2], "tool calls in words": cells[1][2], "tokens in short": cells[2][2],
		"cost in words": html.UnescapeString(cells[3][2]),
	}
}

// figuresOfTrajectory reads the totals of a trajectory. Those of a session with branches are only of its path.
func figuresOfTrajectory(t *testing.T, session string) figures {
	t.Helper()
	var trajectory struct {
		Final struct {
			Prompt     int64    `json:"total_prompt_tokens"`
			Completion int64    `json:"total_completion_tokens"`
			Cached     int64    `json:"total_cached_tokens"`
			Cost       *float64 `json:"total_cost_usd"`
		} `json:"final_metrics"`
		Extra struct {
			LeftOut map[string]int `json:"left_out"`
		}
	}
	exit, stdout, stderr := inProcess("", "export", "--as", "atif", session)
	if exit == failure.ExitNothing {
		return nil // nothing of it is a step
	}
	if err := json.Unmarshal([]byte(stdout), &trajectory); err != nil {
		t.Errorf("%s: %v %s", session, err, stderr)
	}
	if trajectory.Extra.LeftOut["branch_record"] > 0 {
		return nil
	}
	f, final := figures{}, &trajectory.Final
	f.number("in", final.Prompt)
	f.number("output", final.Completion)
	f.number("cache read", final.Cached)
	if final.Cost != nil {
		f.dollars("cost", final.Cost)
	}
	return f
}

// figuresOfDataset reads the table of sessions of a dataset, and compares it with the table of usage.
func figuresOfDataset(t *testing.T, session string) figures {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "dataset")
	exit, _, stderr := inProcess("", "export", "--as", "parquet", "-o", folder, session)
	if exit != failure.ExitOK && exit != failure.ExitDamaged {
		t.Errorf("%s: exit %d: %s", session, exit, stderr)
	}
	f, records := figuresOfTableIn(t, folder, "sessions"), figuresOfTableIn(t, folder, "usage")
	for name := range records {
		if f[name] != records[name] && name != "usage known" && name != "cost known" {
			t.Errorf("%s: the records of a dataset have %s %s, its session has %s", session, name, records[name], f[name])
		}
	}
	return f
}

// figuresOfTableIn adds up the rows of a table.
func figuresOfTableIn(t *testing.T, folder, table string) figures {
	t.Helper()
	sums, cost := map[string]int64{}, (*float64)(nil)
	err := filepath.WalkDir(filepath.Join(folder, table), func(path string, entry fs.DirEntry, err error) error {
		if os.IsNotExist(err) {
			return nil
		}
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".parquet") {
			return err
		}
		file, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		rows, err := parquettest.Rows(file)
		for _, row := range rows {
			addRow(row, sums, &cost)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	f := figures{"usage known": fmt.Sprint(sums["usage_known"] > 0), "cost known": fmt.Sprint(sums["cost_known"] > 0)}
	for name, column := range map[string]string{
		"records": "records", "messages": "messages", "turns": "turns", "tool calls": "tool_calls",
		"tool errors": "tool_errors", "answers": "answers", "failed answers": "failed_answers", "input": "input",
		"output": "output", "cache read": "cache_read", "cache write": "cache_write", "tokens": "total",
	} {
		f.number(name, sums[column])
	}
	if cost == nil && sums["answers"] == 0 {
		cost = new(float64)
	}
	f.dollars("cost", cost)
	return f
}

// addRow adds the numbers of a row.
func addRow(row parquettest.Row, sums map[string]int64, cost **float64) {
	for column, value := range row {
		switch value := value.(type) {
		case int64:
			sums[column] += value
		case bool:
			if value {
				sums[column]++
			}
		case float64:
			if *cost == nil {
				*cost = new(float64)
			}
			**cost += value
		}
	}
}

// figuresOfTotals reads the table of stats.
func figuresOfTotals(t *testing.T, session string) figures {
	t.Helper()
	_, stdout, _ := inProcess("", "stats", "--format", "markdown", session)
	rows := map[string]string{}
	for line := range strings.Lines(stdout) {
		if cells := strings.Split(line, "|"); len(cells) == 4 {
			rows[strings.TrimSpace(cells[1])] = html.UnescapeString(strings.TrimSpace(cells[2]))
		}
	}
	toolErrors, _, _ := strings.Cut(rows["tool errors"], " ")
	return figures{
		"records in words": rows["records"], "messages in words": rows["messages"], "turns in words": rows["turns"],
		"tool calls in words": rows["tool calls"], "tool errors in words": toolErrors,
		"failed answers in words": rows["failed answers"], "input in words": rows["input tokens"],
		"output in words": rows["output tokens"], "cache read in words": rows["read from cache"],
		"cache write in words": rows["written to cache"], "tokens in words": rows["tokens"], "cost in words": rows["cost"],
	}
}

// figuresOfBytes reads du, which counts lines as they are on the disk.
func figuresOfBytes(t *testing.T, session string) figures {
	t.Helper()
	var report struct {
		By map[string][]struct {
			Name  string
			Count int64
		}
	}
	_, stdout, stderr := inProcess("", "du", "--json", session)
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Errorf("%s: %v %s", session, err, stderr)
	}
	lines := int64(0)
	for _, s := range report.By["type"] {
		if s.Name != "blank line" && s.Name != "damaged line" && !strings.HasPrefix(s.Name, "(") {
			lines += s.Count
		}
	}
	copies := int64(0)
	for _, s := range report.By["copy"] {
		if s.Name == "again" {
			copies = s.Count
		}
	}
	return figures{"lines": strconv.FormatInt(lines, 10), "copies": strconv.FormatInt(copies, 10)}
}

// figuresOfTexts reads tokens, which counts every message of a file, and says which of them others do not count.
func figuresOfTexts(t *testing.T, session string) figures {
	t.Helper()
	var report struct {
		Messages, Mirrors int64
		Copies            int64 `json:"copied_messages"`
	}
	_, stdout, stderr := inProcess("", "tokens", "--encoding", "heuristic", "--json", session)
	if err := json.Unmarshal([]byte(stdout), &report); err != nil {
		t.Errorf("%s: %v %s", session, err, stderr)
	}
	return figures{"messages": strconv.FormatInt(report.Messages-report.Mirrors-report.Copies, 10)}
}

var (
	placeLine = regexp.MustCompile(`: (\d+) transcripts? of (\d+) agents? \((.*)\)`)
	listTop   = regexp.MustCompile(`</h1><p>([^<]*)\. Times are`)
)

// The numbers of a home are the same in every place: what sessions lists, what stats adds up, what a dataset has, and
// what doctor and a list of pages say.
func TestNumbersOfHomesAgree(t *testing.T) {
	inUTC(t)
	homes := []string{"../../testdata/home"}
	if _, err := os.Stat(sharedTranscripts); err == nil {
		homes = append(homes, sharedTranscripts+"/cases-store")
		if longtest.IsLong() {
			homes = append(homes, sharedTranscripts+"/openclaw-jsonl", sharedTranscripts+"/openclaw-sqlite",
				sharedTranscripts+"/openclaw-sqlite-24")
		}
	}
	for _, home := range homes {
		t.Run(filepath.Base(home), func(t *testing.T) { compareHome(t, home) })
	}
}

func compareHome(t *testing.T, home string) {
	t.Helper()
	rows := sessionsIn(t, home)
	want, ok := figuresOfStats(t, home)
	if !ok {
		t.Fatal("the home cannot be read")
	}
	for name, got := range figuresOfDataset(t, home) {
		if got != want[name] {
			t.Errorf("a dataset has %s %s, stats has %s", name, got, want[name])
		}
	}
	if got := figuresOfBytes(t, home)["copies"]; got != want["copies"] {
		t.Errorf("du has %s copies, stats has %s", got, want["copies"])
	}
	_, stdout, _ := inProcess("", "doctor", home)
	head := placeLine.FindStringSubmatch(stdout)
	if head == nil || head[1] != strconv.Itoa(len(rows)) {
		t.Errorf("sessions lists %d transcripts, doctor says %.200q", len(rows), stdout)
	}
	_, stdout, _ = inProcess("", "stats", home)
	if head != nil && !strings.Contains(stdout, head[3]) {
		t.Errorf("doctor says %q, stats says\n%s", head[3], stdout)
	}
	folder := filepath.Join(t.TempDir(), "pages")
	_, _, stderr := inProcess("", "export", "--as", "html", "-o", folder, home)
	page, err := os.ReadFile(filepath.Join(folder, "index.html"))
	top := listTop.FindSubmatch(page)
	words := ui.Count(len(rows), "session") + ", " + want["cost in words"]
	if err != nil || top == nil || string(top[1]) != words {
		t.Errorf("the list of pages says %q, want %q: %v %s", top, words, err, stderr)
	}
}
