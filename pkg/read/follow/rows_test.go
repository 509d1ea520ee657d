package follow

import (
	"bufio"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/source"
)

const schema = `CREATE TABLE session_nodes(session_key TEXT PRIMARY KEY, current_session_id TEXT, entry_json TEXT);
	CREATE TABLE session_windows(session_id TEXT PRIMARY KEY, session_key TEXT, previous_session_id TEXT, reason TEXT);
	CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER,
	PRIMARY KEY(session_id, seq));
	PRAGMA user_version = 23;`

// TestWriter runs as another process: the gateway, which executes the statements that it reads from stdin and never
// waits for a lock.
func TestWriter(t *testing.T) {
	path := os.Getenv("CLAWCTL_TEST_DATABASE")
	if path == "" {
		t.Skip("the tests of databases run it as a process of its own")
	}
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=journal_mode(wal)&_pragma=busy_timeout(0)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		_, err := db.Exec("BEGIN IMMEDIATE; " + lines.Text() + "; COMMIT")
		fmt.Println("done:", err)
	}
	db.Close()
}

// A gateway is a process that writes a database.
type gateway struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Scanner
	cmd *exec.Cmd
}

func startGateway(t *testing.T, path string) *gateway {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run", "^TestWriter$")
	cmd.Env = append(os.Environ(), "CLAWCTL_TEST_DATABASE="+path)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	g := &gateway{t, in, bufio.NewScanner(out), cmd}
	t.Cleanup(g.stop)
	return g
}

// do executes statements in one transaction.
func (g *gateway) do(statements string) {
	g.t.Helper()
	fmt.Fprintln(g.in, strings.ReplaceAll(statements, "\n", " "))
	if !g.out.Scan() || g.out.Text() != "done: <nil>" {
		g.t.Fatalf("the gateway cannot write: %q", g.out.Text())
	}
}

// stop ends the process. It is called again at the end of the test.
func (g *gateway) stop() {
	g.in.Close()
	for g.out.Scan() { // to its end, so that it is not interrupted
	}
	_ = g.cmd.Wait() // the second time, it has ended
}

func insert(session string, seq int, id string) string {
	text := strings.TrimSpace(line(id))
	return fmt.Sprintf("INSERT INTO transcript_events VALUES('%s', %d, '%s', 1)", session, seq, text)
}

// files describes a folder: everything that a change would affect.
func files(t *testing.T, folder string) string {
	t.Helper()
	var b strings.Builder
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil {
			t.Fatal(err)
		}
		text := testkit.Read(t, filepath.Join(folder, e.Name()))
		fmt.Fprintln(&b, e.Name(), info.Size(), info.ModTime().UnixNano(), sha256.Sum256(text))
	}
	return b.String()
}

// live returns the live sessions of a place.
func live(t *testing.T, path string) (list []*source.Session) {
	t.Helper()
	place, err := source.FindDatabase(t.Context(), path, source.Options{Fast: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { place.Close() })
	for _, s := range place.Sessions {
		if s.Kind == source.Live {
			list = append(list, s)
		}
	}
	return list
}

// Rows appear while a gateway runs, is stopped and started again. Nothing in its folder changes by reading, and it is
// never kept from writing.
func TestFollowDatabaseBesideGateway(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "openclaw-agent.sqlite")
	w := startGateway(t, path)
	w.do(schema + `INSERT INTO session_nodes VALUES('agent:main:main', 's1', '{"sessionId":"s1"}'); ` +
		insert("s1", 0, "a"))
	var g Group
	defer g.Close()
	for _, s := range live(t, path) {
		g.Add(s)
	}
	check := func(what, want string) {
		t.Helper()
		before := files(t, folder)
		if got := poll(t, &g); got != want {
			t.Errorf("%s: got %q, want %q", what, got, want)
		}
		if after := files(t, folder); after != before {
			t.Errorf("%s: reading changed the folder from\n%sto\n%s", what, before, after)
		}
	}
	check("at first", "a")
	check("again", "")
	for n := 1; n < 50; n++ {
		w.do(insert("s1", n, fmt.Sprint("r", n)))
		check("a row", fmt.Sprint("r", n))
	}
	w.do(insert("s1", 50, "b") + "; " + insert("s1", 51, "c") + "; " + insert("s2", 0, "other"))
	check("two rows", "b c")
	w.do("DELETE FROM transcript_events WHERE session_id = 's1' AND seq > 1")
	check("rows were removed", "(truncated) a r1")
	w.do("UPDATE transcript_events SET event_json = '" + strings.TrimSpace(line("changed")) + "' WHERE seq = 1")
	check("a row was changed", "(truncated) a changed")
	w.stop()
	check("the gateway has stopped", "")
	w = startGateway(t, path)
	w.do(insert("s1", 2, "d"))
	check("it runs again", "d")
	w.stop()
	check("and stops", "")
}

// The last rows of a session are the end of all of them.
func TestLastRows(t *testing.T) {
	path := filepath.Join(t.TempDir(), "openclaw-agent.sqlite")
	w := startGateway(t, path)
	w.do(schema + `INSERT INTO session_nodes VALUES('agent:main:main', 's1', '{"sessionId":"s1"}')`)
	for n := range 300 {
		w.do(insert("s1", 3*n, fmt.Sprint("r", n)))
	}
	var g Group
	defer g.Close()
	s := live(t, path)[0]
	for _, want := range []int{0, 1, 10, 40, 299, 1000} {
		m := g.Add(s)
		all := &Ending{Want: want, Count: countParts, Numbered: true}
		end := &Ending{Want: want, Count: countParts, Numbered: true}
		in, err := s.Open()
		if err != nil {
			t.Fatal(err)
		}
		if err := LastOf(t.Context(), in, all); err != nil {
			t.Fatal(err)
		}
		in.Close()
		if err := m.Source.Last(t.Context(), end); err != nil {
			t.Fatal(err)
		}
		if got, must := numberedNames(end), numberedNames(all); got != must {
			t.Errorf("%d rows: got %s, want %s", want, got, must)
		}
	}
	if got := poll(t, &g); got != "" {
		t.Errorf("what was read comes again: %q", got)
	}
}

func names(e *Ending) string {
	var list []string
	for _, rec := range e.Records() {
		list = append(list, name(rec))
	}
	return strings.Join(list, " ")
}

func numberedNames(e *Ending) (list string) {
	for _, rec := range e.Records() {
		list += fmt.Sprintf("%d:%s ", rec.Line, name(rec))
	}
	return list
}
