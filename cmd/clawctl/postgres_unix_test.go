//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/pkg/export/postgres"
	"clawctl/pkg/report/stats"
)

func TestPostgres(t *testing.T) {
	t.Parallel()
	longtest.NeedEngine(t, "fleet")
	server := startPostgres(t)
	tests := map[string]func(*testing.T, *postgresSchema){
		"totals":  testPostgresTotals,
		"again":   testPostgresAgain,
		"bytes":   testPostgresBytes,
		"moved":   testPostgresMoved,
		"grown":   testPostgresGrown,
		"foreign": testPostgresForeign,
		"escaped": testPostgresEscapedForm,
		"recipes": testPostgresRecipes,
		"older":   testPostgresOlder,
	}
	if longtest.IsLong() {
		tests["crowd"], tests["half"] = testPostgresCrowd, testPostgresHalf
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) { test(t, server.schema(t, "test_"+name)) })
	}
}

// postgresSources are what the tests push: a home with archives and copies, and transcripts with every kind of damage.
var postgresSources = map[string]string{"home": "../../testdata/home", "odd": "../../testdata/transcripts"}

// The views say what stats says.
func testPostgresTotals(t *testing.T, s *postgresSchema) {
	for host, place := range postgresSources {
		s.push(place, "--host", host)
		report := reportOf(t, place)
		compareTotals(t, host, s.query("SELECT '', t.* FROM totals t WHERE host = '"+host+"'"), "total",
			[]stats.GroupReport{{TallyReport: report.TallyReport}})
		for _, d := range []string{"day", "model", "kind", "agent", "tool"} {
			rows := s.query(fmt.Sprintf("SELECT %s, t.* FROM totals_by_%s t WHERE host = '%s' ORDER BY 1", d, d, host))
			compareTotals(t, host, rows, d, report.By[d])
		}
	}
}

func reportOf(t *testing.T, place string) (report stats.Report) {
	t.Helper()
	text := printed(t, nil, "stats", place, "--json", "-q", "--by", "day", "--by", "model", "--by", "kind",
		"--by", "agent", "--by", "tool")
	line, _, _ := bytes.Cut(text, []byte("\n"))
	if err := json.Unmarshal(line, &report); err != nil {
		t.Fatal(err)
	}
	return report
}

// compareTotals compares the rows of a view with groups of stats.
func compareTotals(t *testing.T, host, rows, dimension string, groups []stats.GroupReport) {
	t.Helper()
	have := map[string]string{}
	for row := range strings.SplitSeq(rows, "\n") {
		name, figures, _ := strings.Cut(row, "|")
		have[name] = figures
	}
	if len(groups) == 0 || len(have) != len(groups) {
		t.Errorf("%s by %s: %d rows, want %d", host, dimension, len(have), len(groups))
	}
	for _, g := range groups {
		if want := figuresOf(host, dimension, g); have[g.Name] != want {
			t.Errorf("%s by %s, %q: got %s, want %s", host, dimension, g.Name, have[g.Name], want)
		}
	}
}

// figuresOf returns a group as psql prints the row of its view.
func figuresOf(host, dimension string, g stats.GroupReport) string {
	name, u := "|"+g.Name, g.Recorded
	switch dimension {
	case "tool":
		return fmt.Sprintf("%s%s|%d|%d", host, name, g.ToolCalls, g.ToolErrors)
	case "total":
		name = ""
	}
	turns := fmt.Sprintf("%d|", g.Turns)
	if dimension == "model" || dimension == "kind" {
		turns = "" // a turn is a record of its own, which has no model
	}
	errors := g.ToolErrors
	if dimension == "model" {
		errors = 0 // a result is one, too
	}
	cost := ""
	if u.CostUSD != nil {
		cost = fmt.Sprintf("%.9f", *u.CostUSD)
	}
	known := map[bool]string{true: "t", false: "f"}
	return fmt.Sprintf("%s%s|%d|%d|%d|%s%d|%d|%d|%d|%d|%d|%d|%s|%d|%d|%s|%s", host, name, g.Sessions, g.Records,
		g.Messages, turns, g.ToolCalls, errors, u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Total, cost,
		g.Answers, g.FailedAnswers, known[g.UsageKnown], known[g.CostKnown])
}

// state returns every row and the transaction that wrote it.
func (s *postgresSchema) state() string {
	s.t.Helper()
	return s.query("SELECT xmin, s.* FROM sessions s ORDER BY host, key") +
		s.query("SELECT xmin, ctid, m.* FROM messages m ORDER BY host, session_key, record")
}

// A second push of the same sessions writes no row.
func testPostgresAgain(t *testing.T, s *postgresSchema) {
	for host, place := range postgresSources {
		s.push(place, "--host", host)
	}
	before := s.state()
	for host, place := range postgresSources {
		s.push(place, "--host", host)
	}
	if s.state() != before {
		t.Error("the second push changed rows")
	}
}

// Several hosts push into an empty schema at the same time, each twice at once.
func testPostgresCrowd(t *testing.T, s *postgresSchema) {
	var pushes sync.WaitGroup
	for i := range 6 {
		pushes.Go(func() { s.push("../../testdata/home", "--host", fmt.Sprint("host", i%3)) })
	}
	pushes.Wait()
	want := s.query("SELECT count(*) FROM messages WHERE host = 'host0'")
	for _, host := range []string{"host0", "host1", "host2"} {
		if n := s.query("SELECT count(*) FROM messages WHERE host = '" + host + "'"); n != want || n == "0" {
			t.Errorf("%s has %s lines, want %s", host, n, want)
		}
		compareTotals(t, host, s.query("SELECT '', t.* FROM totals t WHERE host = '"+host+"'"), "total",
			[]stats.GroupReport{{TallyReport: reportOf(t, "../../testdata/home").TallyReport}})
	}
}

// oddLines are lines that the text format of COPY, the type json or the type text cannot take as they are.
var oddLines = []string{
	`{"type":"session","version":3,"id":"odd","timestamp":"2026-01-01T00:00:00.000Z","cwd":"C:\\tmp\\.\\N"}` + "\r\n",
	`{"type":"custom","id":"nul\u0000","data":"\u0000 \\u0000 \\\u0000"}` + "\n",
	`{"type":"custom","id":"half","data":"\ud83d \ud83d\ude00 \ude00"}` + "\n",
	"{\"type\":\"custom\",\"id\":\"utf\",\"data\":\"\xff\xfe\"}\n",
	"{\"type\":\"custom\",\"id\":\"\x00\"}\n", "\x00\x00\n", "\\.\n", "\\N\n", "\n", "\t{\t}\t\n", " \r\n",
	`{"type":"custom","id":"deep","data":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + "}\n",
	`{"type":"custom","id":"big","data":1e999999}` + "\n",
	`{"type":"custom","id":"` + strings.Repeat("long", 5000) + `","parentId":"` + strings.Repeat("p", 9000) + `"}` + "\n",
	`{"type":"message","id":"calls","message":{"role":"assistant","content":[` +
		`{"type":"toolCall","id":"1","name":"a\"b\\c,{}\t","arguments":{}}]}}` + "\n",
	`{"type":"custom","id":"last"}`,
}

// Everything comes back byte for byte, with its key.
func testPostgresBytes(t *testing.T, s *postgresSchema) {
	odd := filepath.Join(t.TempDir(), "odd.jsonl")
	testkit.Write(t, odd, strings.Join(oddLines, ""))
	places := append([]string{odd}, postgresSources["home"], postgresSources["odd"])
	s.push(append(places, "--host", "neill")...)
	rows := s.query(fmt.Sprintf(postgres.Query, "'neill'")) + "\n"
	store := filepath.Join(t.TempDir(), "back.db")
	cmd := clawctl("import", "--input", "pgcopy", "-", "--to", store, "-q")
	cmd.Stdin = strings.NewReader(rows)
	if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != 3 { // damaged lines are kept and reported
		t.Fatalf("import: %v\n%s", err, out)
	}
	verified := printed(t, nil, append(append([]string{"verify"}, places...), "--against", store, "--json", "-q")...)
	if !bytes.Contains(verified, []byte(`"only_here":0`)) {
		t.Errorf("verify: %s", verified)
	}
	cmd = clawctl("cat", "-q", store+"#agent:main:recovered:odd")
	if back, _ := cmd.Output(); string(back) != strings.Join(oddLines, "") {
		t.Errorf("got\n%q\nwant\n%q", back, oddLines)
	}
	keys := printed(t, nil, "sessions", store, "--format", "ndjson")
	if !bytes.Contains(keys, []byte("daily-digest@reset.")) {
		t.Errorf("no archive in %s", keys)
	}
}

// Half a stream changes nothing, wherever it ends.
func testPostgresHalf(t *testing.T, s *postgresSchema) {
	stream := exported(t, postgresSources["home"], "--host", "ada")
	for part := range 20 {
		length := len(stream) * part / 20
		if out, err := s.feed(bytes.NewReader(stream[:length])); err == nil && out != "" {
			t.Logf("%d bytes: %s", length, out)
		}
		if n := s.query("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"); n != "0" {
			t.Fatalf("%d of %d bytes made %s tables", length, len(stream), n)
		}
	}
}

// A record counts once, also if its session has another name by the next push.
func testPostgresMoved(t *testing.T, s *postgresSchema) {
	home := filepath.Join(t.TempDir(), "home")
	if err := os.CopyFS(home, os.DirFS(postgresSources["home"])); err != nil {
		t.Fatal(err)
	}
	s.push(home, "--host", "ada")
	want := s.query("SELECT * FROM totals")
	files, _ := filepath.Glob(filepath.Join(home, "agents/research/sessions/b0e540a2-*.jsonl"))
	if len(files) != 1 {
		t.Fatal("the session is missing")
	}
	if err := os.Rename(files[0], files[0]+".deleted.2026-07-01T00-00-00.000Z"); err != nil {
		t.Fatal(err)
	}
	s.push(home, "--host", "ada")
	if got := s.query("SELECT * FROM totals"); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// A session that grows or shrinks has the lines of its file.
func testPostgresGrown(t *testing.T, s *postgresSchema) {
	text := testkit.Read(t, "../../testdata/transcripts/openclaw-v3.jsonl")
	lines := bytes.SplitAfter(text, []byte("\n"))
	file := filepath.Join(t.TempDir(), "grown.jsonl")
	for _, n := range []int{3, len(lines) - 1, 2} {
		testkit.Write(t, file, bytes.Join(lines[:n], nil))
		s.push(file, "--host", "ada")
		if got := s.query("SELECT count(*), max(record) FROM messages"); got != fmt.Sprintf("%d|%d", n, n) {
			t.Errorf("got %s lines, want %d", got, n)
		}
	}
}

// Tables of another program stay as they are.
func testPostgresForeign(t *testing.T, s *postgresSchema) {
	s.query("CREATE TABLE messages (body text)")
	out, err := s.feed(bytes.NewReader(exported(t, postgresSources["home"], "--host", "ada")))
	if err == nil || !strings.Contains(out, "of another program") {
		t.Errorf("psql: %v\n%s", err, out)
	}
	if n := s.query("SELECT count(*) FROM pg_tables WHERE schemaname = current_schema()"); n != "1" {
		t.Errorf("%s tables", n)
	}
}

// Tables that an older clawctl has made get the columns that they lack, and that clawctl can still push to them.
func testPostgresOlder(t *testing.T, s *postgresSchema) {
	older := postgresOlderStream(t)
	if out, err := s.feed(bytes.NewReader(older)); err != nil || out != "" {
		t.Fatalf("psql: %v\n%s", err, out)
	}
	place := "../../testdata/transcripts/openclaw-v3.jsonl"
	s.push(place, "--host", "ada")
	want := []stats.GroupReport{{TallyReport: reportOf(t, place).TallyReport}}
	compareTotals(t, "ada", s.query("SELECT '', t.* FROM totals t"), "total", want)
	if out, err := s.feed(bytes.NewReader(older)); err != nil || out != "" {
		t.Errorf("psql: %v\n%s", err, out)
	}
	compareTotals(t, "ada", s.query("SELECT '', t.* FROM totals t"), "total", want)
	older = bytes.Replace(older, []byte("'ada'"), []byte("'bea'"), -1)
	if out, err := s.feed(bytes.NewReader(older)); err != nil || out != "" {
		t.Errorf("psql: %v\n%s", err, out)
	}
	got := s.query("SELECT messages, answers, usage_known FROM totals WHERE host = 'bea'")
	if got != fmt.Sprintf("%d||f", want[0].Messages) {
		t.Errorf("the rows of an older clawctl have %s", got)
	}
}

// postgresOlderStream returns what clawctl wrote before the tables had the column answers.
func postgresOlderStream(t *testing.T) []byte {
	t.Helper()
	stream := testkit.Read(t, "../../testdata/postgres-schema-1.sql")
	return stream
}

// Rows with another form of bytes are refused, and nothing is imported.
func testPostgresEscapedForm(t *testing.T, s *postgresSchema) {
	s.push(postgresSources["home"], "--host", "ada")
	rows := s.query("SET bytea_output = 'escape'; " + fmt.Sprintf(postgres.Query, "'ada'"))
	store := filepath.Join(t.TempDir(), "no.db")
	cmd := clawctl("import", "--input", "pgcopy", "-", "--to", store)
	cmd.Stdin = strings.NewReader(strings.TrimPrefix(rows, "SET\n") + "\n")
	if out, _ := cmd.CombinedOutput(); !bytes.Contains(out, []byte("<stdin>:1: CL945")) {
		t.Errorf("import: %s", out)
	}
	if _, err := os.Stat(store); err == nil {
		t.Error("the import made a store")
	}
}

// Every query of docs/fleet-postgres.md runs, and finds something in the example home.
func testPostgresRecipes(t *testing.T, s *postgresSchema) {
	s.push(postgresSources["home"], "--host", "web1")
	doc := readDoc(t, "docs/fleet-postgres.md")
	queries := 0
	for _, block := range blocks(doc, "sql") {
		for query := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSpace(block), ";"), ";\n") {
			queries++
			if rows := s.query(query); rows == "" {
				t.Errorf("no rows for %s", query)
			}
		}
	}
	if queries < 4 {
		t.Errorf("only %d queries", queries)
	}
	if back := fmt.Sprintf(postgres.Query, "'web1'"); !strings.Contains(doc, back) {
		t.Errorf("docs/fleet-postgres.md does not have the query that import reads: %s", back)
	}
}
