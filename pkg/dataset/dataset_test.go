package dataset

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"clawctl/internal/parquet/parquettest"
	"clawctl/pkg/source"
	"clawctl/pkg/stats"
)

const exampleHome = "../../testdata/home"

// sessionsOf finds the sessions of a folder.
func sessionsOf(t testing.TB, folder string) []*source.Session {
	t.Helper()
	place, err := source.Find(context.Background(), folder, source.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { place.Close() })
	return place.Sessions
}

// testOptions are the options of most tests.
func testOptions() Options {
	return Options{Now: time.Unix(1e9, 0), Describe: func(_ *source.Session, err error) (string, string) {
		return "CL905", err.Error()
	}}
}

// export writes a dataset.
func export(t testing.TB, folder string, sessions []*source.Session, opts Options) *Result {
	t.Helper()
	result, err := Run(context.Background(), folder, sessions, opts)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// rowsOf reads a table with another implementation of Parquet. The columns in the names of folders are added.
func rowsOf(t testing.TB, folder, table string) (rows []parquettest.Row) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, table, "agent=*", "month=*", "*.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := parquettest.Rows(data)
		if err != nil {
			t.Fatal(name, err)
		}
		for _, row := range list {
			row["month"] = strings.TrimPrefix(filepath.Base(filepath.Dir(name)), "month=")
			row["agent"] = strings.TrimPrefix(filepath.Base(filepath.Dir(filepath.Dir(name))), "agent=")
		}
		rows = append(rows, list...)
	}
	return rows
}

// copyHome copies a folder, so that a test can change it.
func copyHome(t testing.TB, from string) string {
	t.Helper()
	home := filepath.Join(t.TempDir(), "home")
	if err := os.CopyFS(home, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return home
}

// filesIn lists the data files of a dataset, relative to it.
func filesIn(t testing.TB, folder string) (names []string) {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(folder, "*", "agent=*", "month=*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range found {
		relative, err := filepath.Rel(folder, name)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, filepath.ToSlash(relative))
	}
	return names
}

// sources are folders with every shape of transcript.
var sources = []string{exampleHome, "../../testdata/transcripts"}

// groupName returns what a row of usage is called in a dimension of stats.
func groupName(dimension string, row parquettest.Row) string {
	text := func(column string) string { name, _ := row[column].(string); return name }
	switch dimension {
	case "day":
		if days, ok := row["day"].(int64); ok {
			return time.Unix(days*24*60*60, 0).UTC().Format(time.DateOnly)
		}
		return "undated"
	case "agent":
		if row["agent"] == nullPartition {
			return ""
		}
	}
	return text(dimension)
}

// sums are the totals that a test compares.
type sums struct{ records, messages, errors, input, output, cacheRead, cacheWrite, total, nanodollars int64 }

func (s *sums) add(row parquettest.Row) {
	n := func(name string) int64 { return row[name].(int64) }
	cost, _ := row["cost_usd"].(float64)
	*s = sums{s.records + n("records"), s.messages + n("messages"), s.errors + n("tool_errors"), s.input + n("input"),
		s.output + n("output"), s.cacheRead + n("cache_read"), s.cacheWrite + n("cache_write"), s.total + n("total"),
		s.nanodollars + int64(math.Round(cost*1e9))}
}

func sumsOf(t *stats.Tally) sums {
	u := &t.Recorded
	return sums{t.Records, t.Messages, t.ToolErrors, u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Total,
		int64(math.Round(u.Cost * 1e9))}
}

// near compares sums. Prices are rounded for every record.
func (s sums) near(o sums) bool {
	difference := s.nanodollars - o.nanodollars
	s.nanodollars, o.nanodollars = 0, 0
	return s == o && difference > -1000 && difference < 1000
}

// Sums over the table usage are the totals of stats, in every dimension.
func TestUsageEqualsStats(t *testing.T) {
	dimensions := []string{"day", "month", "model", "provider", "agent", "channel", "kind", "session", "tool"}
	for _, home := range sources {
		sessions := sessionsOf(t, home)
		folder := t.TempDir()
		result := export(t, folder, sessions, testOptions())
		want, err := stats.Collect(context.Background(), sessions, stats.Options{By: dimensions})
		if err != nil {
			t.Fatal(err)
		}
		got := sums{}
		groups := map[string]map[string]*sums{}
		for _, row := range rowsOf(t, folder, "usage") {
			got.add(row)
			for _, d := range dimensions {
				if name := groupName(d, row); name != "" {
					if groups[d] == nil {
						groups[d] = map[string]*sums{}
					}
					if groups[d][name] == nil {
						groups[d][name] = &sums{}
					}
					groups[d][name].add(row)
				}
			}
		}
		if total := sumsOf(&want.Total); got.records == 0 || !got.near(total) {
			t.Errorf("%s: total %v, stats has %v", home, got, total)
		}
		if result.Counts.Copies != want.Coverage.Copies || result.Counts.Damaged != want.Coverage.Damaged {
			t.Errorf("%s: %v, stats has %d copies and %d damaged lines", home, result.Counts, want.Coverage.Copies,
				want.Coverage.Damaged)
		}
		for _, d := range dimensions {
			compareGroups(t, home, d, groups[d], want.By[d])
		}
		compareCalls(t, rowsOf(t, folder, "tool_calls"), want.By["tool"], want.Total.ToolCalls)
	}
}

func compareGroups(t *testing.T, home, dimension string, got map[string]*sums, want map[string]*stats.Tally) {
	t.Helper()
	for name, tally := range want {
		if dimension == "tool" && tally.Records == 0 {
			continue // it has calls, but no results
		}
		if g := got[name]; g == nil || !g.near(sumsOf(tally)) {
			t.Errorf("%s: %s %s: %v, stats has %v", home, dimension, name, g, sumsOf(tally))
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("%s: stats has no %s %s", home, dimension, name)
	}
}

// compareCalls compares the numbers of calls of each tool.
func compareCalls(t *testing.T, rows []parquettest.Row, want map[string]*stats.Tally, total int64) {
	t.Helper()
	calls := map[string]int64{}
	for _, row := range rows {
		calls[row["tool"].(string)]++
	}
	for tool, tally := range want {
		if calls[tool] != tally.ToolCalls {
			t.Errorf("%d calls of %s, stats has %d", calls[tool], tool, tally.ToolCalls)
		}
	}
	if int64(len(rows)) != total {
		t.Errorf("%d calls, stats has %d", len(rows), total)
	}
}

// The table sessions adds up to the same totals as the table usage.
func TestSessionsEqualUsage(t *testing.T) {
	folder := t.TempDir()
	export(t, folder, sessionsOf(t, exampleHome), testOptions())
	bySession, byUsage := sums{}, sums{}
	for _, row := range rowsOf(t, folder, "sessions") {
		bySession.add(row)
	}
	for _, row := range rowsOf(t, folder, "usage") {
		byUsage.add(row)
	}
	if !bySession.near(byUsage) {
		t.Errorf("sessions %v, usage %v", bySession, byUsage)
	}
}

// The raw lines of a file, joined, are its text, whatever the damage.
func TestRawLinesAreTheFiles(t *testing.T) {
	for _, home := range sources {
		sessions := sessionsOf(t, home)
		folder := t.TempDir()
		opts := testOptions()
		opts.RawLines = true
		export(t, folder, sessions, opts)
		rows := rowsOf(t, folder, "records")
		slices.SortStableFunc(rows, func(a, b parquettest.Row) int {
			return cmp.Compare(a["offset"].(int64), b["offset"].(int64))
		})
		texts := map[string]*bytes.Buffer{}
		for _, row := range rows {
			file := row["file"].(string)
			if texts[file] == nil {
				texts[file] = &bytes.Buffer{}
			}
			texts[file].WriteString(row["raw"].(string))
		}
		for s, name := range nameTranscripts(sessions) {
			in, err := s.Open()
			if err != nil {
				continue
			}
			want, err := io.ReadAll(in)
			in.Close()
			if got := texts[name]; err == nil && len(want) > 0 && (got == nil || !bytes.Equal(got.Bytes(), want)) {
				t.Errorf("%s: the lines are not the text of the file", name)
			}
		}
	}
}

// Damaged lines are findings, and copies are in the table of raw lines only.
func TestDamageAndCopies(t *testing.T) {
	folder := t.TempDir()
	opts := testOptions()
	opts.RawLines = true
	result := export(t, folder, sessionsOf(t, "../../testdata/transcripts"), opts)
	if result.Counts.Damaged == 0 || result.Counts.Copies == 0 {
		t.Fatalf("the transcripts have no damage or no copies: %v", result.Counts)
	}
	key := func(row parquettest.Row) string { return fmt.Sprint(row["file"], " ", row["line"]) }
	copies, damaged := map[string]bool{}, map[string]bool{}
	for _, row := range rowsOf(t, folder, "records") {
		copies[key(row)] = row["is_copy"].(bool)
		damaged[key(row)] = row["is_damaged"].(bool)
	}
	for _, table := range []string{"messages", "parts", "tool_calls", "usage"} {
		for _, row := range rowsOf(t, folder, table) {
			if copies[key(row)] {
				t.Errorf("%s has the copy %s", table, key(row))
			}
		}
	}
	for _, row := range rowsOf(t, folder, "findings") {
		delete(damaged, key(row))
	}
	for line, isDamaged := range damaged {
		if isDamaged {
			t.Errorf("no finding for the damaged line %s", line)
		}
	}
}

// The files depend on the sessions alone, not on the number of workers, the order of sessions or the place of the home.
func TestSameSessionsMakeTheSameFiles(t *testing.T) {
	var want []string
	for i, jobs := range []int{1, 2, 7} {
		home := copyHome(t, exampleHome)
		sessions := sessionsOf(t, home)
		if i == 2 {
			slices.Reverse(sessions)
		}
		opts := testOptions()
		opts.Jobs = jobs
		folder := t.TempDir()
		export(t, folder, sessions, opts)
		got := filesIn(t, folder)
		if i == 0 {
			want = got
		} else if !slices.Equal(got, want) {
			t.Errorf("%d jobs: %v, want %v", jobs, got, want)
		}
	}
}

// A second run reads nothing if nothing changed, and otherwise writes what a new export would.
func TestSecondRun(t *testing.T) {
	home, folder := copyHome(t, exampleHome), t.TempDir()
	first := export(t, folder, sessionsOf(t, home), testOptions())
	before := filesIn(t, folder)
	read := int64(0)
	sessions := sessionsOf(t, home)
	source.Watch(sessions, func(n int64) { read += n })
	second := export(t, folder, sessions, testOptions())
	if second.Written != 0 || second.Removed != 0 || read != 0 || second.Counts != first.Counts {
		t.Errorf("nothing changed: %d written, %d removed, %d bytes read, %v", second.Written, second.Removed, read,
			second.Counts)
	}
	appendLine(t, filepath.Join(home, "agents/main/sessions/7957dc21-60ea-4983-a521-44992d560e2f.jsonl"),
		`{"type":"message","id":"zzzzzzzz","parentId":null,"timestamp":"2026-07-01T00:00:00.000Z",`+
			`"message":{"role":"user","content":"one more"}}`)
	third := export(t, folder, sessionsOf(t, home), testOptions())
	after := filesIn(t, folder)
	kept := 0
	for _, name := range after {
		if slices.Contains(before, name) {
			kept++
		}
	}
	if third.Written == 0 || third.Written+kept != len(after) || kept < len(before)/2 {
		t.Errorf("one session changed: %d of %d files written, %d kept", third.Written, len(after), kept)
	}
	fresh := t.TempDir()
	export(t, fresh, sessionsOf(t, home), testOptions())
	if want := filesIn(t, fresh); !slices.Equal(after, want) {
		t.Errorf("an updated dataset has %v, a new one %v", after, want)
	}
}

func appendLine(t *testing.T, path, line string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteString(line + "\n"); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
}

// Another version reads everything again, and writes only what it makes otherwise.
func TestAnotherVersion(t *testing.T) {
	folder, read := t.TempDir(), int64(0)
	export(t, folder, sessionsOf(t, exampleHome), testOptions())
	sessions := sessionsOf(t, exampleHome)
	source.Watch(sessions, func(n int64) { read += n })
	opts := testOptions()
	opts.Program, opts.Jobs = "99", 1
	if result := export(t, folder, sessions, opts); read == 0 || result.Written != 0 || result.Removed != 0 {
		t.Errorf("%d bytes read, %d files written, %d removed", read, result.Written, result.Removed)
	}
}

// What a killed run leaves, or somebody removes, is put right by the next run.
func TestRecovery(t *testing.T) {
	folder := t.TempDir()
	export(t, folder, sessionsOf(t, exampleHome), testOptions())
	want := filesIn(t, folder)
	lost := filepath.Join(folder, filepath.FromSlash(want[0]))
	if err := os.Remove(lost); err != nil {
		t.Fatal(err)
	}
	orphan := filepath.Join(folder, "usage", "agent=main", "month=2026-05", strings.Repeat("ab", 16)+".parquet")
	foreign := filepath.Join(filepath.Dir(orphan), "notes.txt")
	stage := filepath.Join(folder, ".clawctl-stage", "0")
	if err := os.Mkdir(filepath.Dir(stage), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{orphan, foreign, stage} {
		if err := os.WriteFile(name, []byte("half of a f"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	export(t, folder, sessionsOf(t, exampleHome), testOptions())
	got := slices.DeleteFunc(filesIn(t, folder), func(name string) bool { return strings.HasSuffix(name, "notes.txt") })
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if _, err := os.Stat(foreign); err != nil {
		t.Error("a file that is not ours was removed")
	}
	if _, err := os.Stat(filepath.Dir(stage)); !errors.Is(err, os.ErrNotExist) {
		t.Error("the private folder of a killed run is still there")
	}
}

// Until the end of a run, readers see the old dataset, and a failed run leaves it as it was.
func TestInterruptedRunChangesNothing(t *testing.T) {
	home, folder := copyHome(t, exampleHome), t.TempDir()
	export(t, folder, sessionsOf(t, home), testOptions())
	want := filesIn(t, folder)
	manifest, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if err != nil {
		t.Fatal(err)
	}
	opts := testOptions()
	opts.NoContent = true // everything is written again
	opts.Jobs = 1
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	sessions := sessionsOf(t, home)
	read := int64(0)
	source.Watch(sessions, func(n int64) {
		if read += n; read > 40_000 {
			cancel()
		}
		if got := filesIn(t, folder); !slices.Equal(got, want) {
			t.Error("the files changed during the run")
		}
	})
	if _, err := Run(ctx, folder, sessions, opts); !errors.Is(err, context.Canceled) {
		t.Fatalf("the run was not interrupted: %v", err)
	}
	now, err := os.ReadFile(filepath.Join(folder, "manifest.json"))
	if got := filesIn(t, folder); err != nil || !slices.Equal(got, want) || !bytes.Equal(now, manifest) {
		t.Errorf("an interrupted run changed the dataset: %v", err)
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if strings.HasPrefix(entry.Name(), ".") || strings.HasSuffix(entry.Name(), ".lock") {
			t.Errorf("%s is left", entry.Name())
		}
	}
}

// Hosts share a folder without touching each other's files.
func TestHostsShareAFolder(t *testing.T) {
	folder := t.TempDir()
	homes := map[string]string{"web1": copyHome(t, exampleHome), "web2": copyHome(t, exampleHome)}
	for host, home := range homes {
		opts := testOptions()
		opts.Host = host
		export(t, folder, sessionsOf(t, home), opts)
	}
	hosts := map[string]int64{}
	for _, row := range rowsOf(t, folder, "usage") {
		hosts[row["host"].(string)] += row["records"].(int64)
	}
	if hosts["web1"] == 0 || hosts["web1"] != hosts["web2"] || len(hosts) != 2 {
		t.Errorf("%v", hosts)
	}
	opts := testOptions()
	opts.Host = "web1"
	if err := os.RemoveAll(filepath.Join(homes["web1"], "agents/main")); err != nil {
		t.Fatal(err)
	}
	before := len(filesIn(t, folder))
	result := export(t, folder, sessionsOf(t, homes["web1"]), opts)
	if result.Removed == 0 || len(filesIn(t, folder)) != before-result.Removed+result.Written {
		t.Errorf("%d removed of %d", result.Removed, before)
	}
	names, err := filepath.Glob(filepath.Join(folder, "usage", "agent=main", "month=*", "*"))
	if err != nil || len(names) == 0 {
		t.Error("the files of the other host are gone", err)
	}
}

// A dataset of other sources is replaced only on request, and so is a folder with other files used.
func TestRefusals(t *testing.T) {
	folder := t.TempDir()
	export(t, folder, sessionsOf(t, exampleHome), testOptions())
	other := sessionsOf(t, copyHome(t, exampleHome))
	if _, err := Run(context.Background(), folder, other, testOptions()); !errors.Is(err, ErrOtherSources) {
		t.Errorf("another home: %v", err)
	}
	forced := testOptions()
	forced.Force = true
	export(t, folder, other, forced)
	manifest := filepath.Join(folder, "manifest.json")
	for text, want := range map[string]error{
		"{": ErrBadManifest, "{}": ErrBadManifest, `{"schema_version": 99}`: ErrNewer,
	} {
		if err := os.WriteFile(manifest, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(context.Background(), folder, other, testOptions()); !errors.Is(err, want) {
			t.Errorf("%s: %v, want %v", text, err, want)
		}
	}
	export(t, folder, other, forced)
	busy := t.TempDir()
	if err := os.WriteFile(filepath.Join(busy, "letter.txt"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), busy, other, testOptions()); !errors.Is(err, ErrForeign) {
		t.Errorf("a folder with a letter: %v", err)
	}
}

// Figures only means that no text of a transcript is in any file.
func TestNoContent(t *testing.T) {
	folder := t.TempDir()
	opts := testOptions()
	opts.NoContent = true
	export(t, folder, sessionsOf(t, exampleHome), opts)
	for table, columns := range map[string][]string{
		"parts": {"text", "fields"}, "tool_calls": {"arguments"}, "sessions": {"title", "folder"},
	} {
		for _, row := range rowsOf(t, folder, table) {
			for _, column := range columns {
				if row[column] != nil {
					t.Fatalf("%s.%s is %q", table, column, row[column])
				}
			}
		}
	}
	full := t.TempDir()
	export(t, full, sessionsOf(t, exampleHome), testOptions())
	bytesOf := func(folder string) (n int64) {
		for _, row := range rowsOf(t, folder, "parts") {
			n += row["bytes"].(int64)
		}
		return n
	}
	if bytesOf(folder) == 0 || bytesOf(folder) != bytesOf(full) {
		t.Errorf("the sizes of texts changed from %d to %d", bytesOf(full), bytesOf(folder))
	}
}

// With Redact, no column has a secret, also where nothing gives it away.
func TestRedact(t *testing.T) {
	const secret = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"
	home := t.TempDir()
	file := filepath.Join(home, "agents/main/sessions/7957dc21-60ea-4983-a521-44992d560e2f.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	text := ""
	for i, content := range []string{
		`"role":"user","content":"use ` + secret + ` for it"`,
		`"role":"assistant","content":[{"type":"toolCall","id":"c1","name":"exec","arguments":{"t":"` + secret + `"}}]`,
		`"role":"toolResult","toolCallId":"c1","toolName":"exec","content":"x` + secret + `y"`,
	} {
		text += fmt.Sprintf(`{"type":"message","id":"0000000%d","parentId":null,"timestamp":"2026-05-01T10:00:0%d.000Z",`+
			`"message":{%s}}`+"\n", i, i, content)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	opts := testOptions()
	opts.Redact, opts.RawLines = true, true
	folder := t.TempDir()
	export(t, folder, sessionsOf(t, home), opts)
	marks := 0
	for _, table := range Tables() {
		for _, row := range rowsOf(t, folder, table.Name) {
			for column, v := range row {
				if strings.Contains(fmt.Sprint(v), secret) {
					t.Errorf("%s.%s has the secret", table.Name, column)
				}
				marks += strings.Count(fmt.Sprint(v), "[redacted:github")
			}
		}
	}
	if marks < 6 {
		t.Errorf("only %d placeholders", marks)
	}
}

// A session that cannot be read to its end is a finding, and everything before the damage is in the tables. It is read
// again by the next run, which reports it again.
func TestUnreadable(t *testing.T) {
	home := copyHome(t, exampleHome)
	bad := filepath.Join(home, "agents/main/sessions",
		"7957dc21-60ea-4983-a521-44992d560e2f.jsonl.deleted.2026-05-01T10-00-00.000Z.zst")
	if err := os.WriteFile(bad, []byte("\x28\xb5\x2f\xfd\x00\x00\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	for run := range 2 {
		result := export(t, folder, sessionsOf(t, home), testOptions())
		if len(result.Unread) != 1 {
			t.Fatalf("run %d: %v", run, result.Unread)
		}
	}
	for _, row := range rowsOf(t, folder, "findings") {
		if row["code"] == "CL905" && row["level"] == "file" && strings.HasSuffix(row["file"].(string), ".zst") {
			return
		}
	}
	t.Error("no finding about the file that cannot be read")
}

// However many months a session has, only so many files are open, and every row is written once.
func TestManyMonths(t *testing.T) {
	home := t.TempDir()
	file := filepath.Join(home, "agents/main/sessions/7957dc21-60ea-4983-a521-44992d560e2f.jsonl")
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	const records = 100
	for i := range records {
		at := time.Date(1000+i, time.Month(1+i%12), 1, 0, 0, 0, 0, time.UTC)
		fmt.Fprintf(&text, `{"type":"message","id":"%08d","parentId":null,"timestamp":"%s","message":{"role":"user",`+
			`"content":"x"}}`+"\n", i, at.Format(time.RFC3339))
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	export(t, folder, sessionsOf(t, home), testOptions())
	if rows := rowsOf(t, folder, "usage"); len(rows) != records {
		t.Errorf("%d rows, want %d", len(rows), records)
	}
}

// Names of agents are safe in paths, and different names stay different on every file system.
func TestEscape(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"main", "Main", "..", ".", "a/b", "a\\b", "a=b", "a%2Fb", "é", "con:1", "x y", "*"} {
		got := escape(name)
		if strings.ContainsAny(got, "/\\=:* ") || strings.Trim(got, ".") == "" || seen[strings.ToLower(got)] != "" {
			t.Errorf("%q is written as %q", name, got)
		}
		seen[strings.ToLower(got)] = name
	}
}

func TestValidHost(t *testing.T) {
	for name, want := range map[string]bool{
		"web1": true, "a.b-c_d": true, "": false, "Web": false, "a/b": false, "..": false, "-x": false, "é": false,
		strings.Repeat("x", 65): false,
	} {
		if ValidHost(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
	}
}

// Every table and column is documented, and no table has two columns with one name.
func TestTablesAreDocumented(t *testing.T) {
	for _, table := range Tables() {
		names := map[string]bool{"agent": true, "month": true}
		for _, c := range table.Columns {
			if names[c.Name] || c.About == "" || c.Type == "" {
				t.Errorf("%s.%s", table.Name, c.Name)
			}
			names[c.Name] = true
		}
		if table.About == "" || len(slices.Collect(maps.Keys(names))) < 6 {
			t.Errorf("%s is not documented", table.Name)
		}
	}
}
