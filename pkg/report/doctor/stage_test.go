package doctor

import (
	"database/sql"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"clawctl/pkg/migrate"
	"clawctl/pkg/report/du"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// now is when the staged homes are looked at. Their files were written an hour earlier.
var now = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

const written = time.Hour

// A stagedHome is a state folder with a store beside it.
type stagedHome struct {
	t     *testing.T
	state string
	store string
}

func newStage(t *testing.T) *stagedHome {
	t.Helper()
	folder := t.TempDir()
	h := &stagedHome{t, filepath.Join(folder, "state"), filepath.Join(folder, "store.db")}
	h.must(os.MkdirAll(filepath.Join(h.state, "agents", "main", "sessions"), 0o755))
	return h
}

func (h *stagedHome) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// file writes a file below the state folder, an hour before now.
func (h *stagedHome) file(name, text string) string {
	h.t.Helper()
	path := filepath.Join(h.state, name)
	h.must(os.MkdirAll(filepath.Dir(path), 0o755))
	h.must(os.WriteFile(path, []byte(text), 0o644))
	h.age(path, written)
	return path
}

// age sets the time at which a file was written.
func (h *stagedHome) age(path string, ago time.Duration) {
	h.t.Helper()
	h.must(os.Chtimes(path, now.Add(-ago), now.Add(-ago)))
}

// inSessions is the path of a file beside the transcripts of the agent main.
func inSessions(name string) string { return "agents/main/sessions/" + name }

const databasePath = "agents/main/agent/openclaw-agent.sqlite"

// idOf makes a session id of a number.
func idOf(n int) string { return fmt.Sprintf("%08d-1111-4111-8111-111111111111", n) }

// conversation is a transcript of a question and an answer.
func conversation(n int) string {
	return fmt.Sprintf(`{"type":"session","version":3,"id":"%[1]s","timestamp":"2026-11-01T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"u1","parentId":null,"timestamp":"2026-11-01T10:00:01.000Z","message":{"role":"user",`+
		`"content":"Question %[2]d"}}
{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-11-01T10:00:02.000Z","message":{"role":"assistant",`+
		`"content":[{"type":"text","text":"Answer %[2]d"}],"provider":"anthropic","model":"claude-sonnet-4",`+
		`"stopReason":"stop"}}
`, idOf(n), n)
}

// message is one more line of a conversation.
func message(id, parent, text string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%q,"timestamp":"2026-11-01T10:00:03.000Z",`+
		`"message":{"role":"user","content":%q}}`+"\n", id, parent, text)
}

// unansweredCall is a tool call without a result, and a question after it.
const unansweredCall = `{"type":"message","id":"a2","parentId":"a1","timestamp":"2026-11-01T10:00:04.000Z","message":` +
	`{"role":"assistant","content":[{"type":"toolCall","id":"call_1","name":"read","arguments":{"path":"x"}}],` +
	`"provider":"anthropic","model":"claude-sonnet-4","stopReason":"toolUse"}}
{"type":"message","id":"u3","parentId":"a2","timestamp":"2026-11-01T10:00:05.000Z","message":{"role":"user",` +
	`"content":"And now?"}}
`

// halfCall is unansweredCall with half of a character in the arguments, which OpenClaw sends as it is.
var halfCall = strings.Replace(unansweredCall, `"path":"x"`, `"path":"\ud83d"`, 1)

// index is a sessions.json that lists sessions.
func index(numbers ...int) string {
	var entries []string
	for _, n := range numbers {
		entries = append(entries, fmt.Sprintf(`"agent:main:s%d":{"sessionId":%q,"updatedAt":%d}`, n, idOf(n),
			now.Add(-time.Duration(n)*time.Hour).UnixMilli()))
	}
	return "{" + strings.Join(entries, ",") + "}"
}

// files writes live transcripts and lists them.
func (h *stagedHome) files(numbers ...int) {
	for _, n := range numbers {
		h.file(inSessions(idOf(n)+".jsonl"), conversation(n))
	}
	h.file(inSessions("sessions.json"), index(numbers...))
}

// database writes a database of OpenClaw with live sessions.
func (h *stagedHome) database(texts map[int]string) string {
	h.t.Helper()
	path := filepath.Join(h.state, databasePath)
	h.must(os.MkdirAll(filepath.Dir(path), 0o755))
	db, err := sql.Open("sqlite", path)
	h.must(err)
	defer db.Close()
	_, err = db.Exec(`PRAGMA user_version = 23;
		CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER);
		CREATE TABLE session_nodes(session_key TEXT, current_session_id TEXT, entry_json TEXT)`)
	h.must(err)
	for n, text := range texts {
		_, err = db.Exec("INSERT INTO session_nodes VALUES (?, ?, ?)", fmt.Sprintf("agent:main:s%d", n), idOf(n),
			fmt.Sprintf(`{"sessionId":%q}`, idOf(n)))
		h.must(err)
		for seq, line := range strings.Split(strings.TrimSpace(text), "\n") {
			_, err = db.Exec("INSERT INTO transcript_events VALUES (?, ?, ?, ?)", idOf(n), seq, line,
				now.Add(-written).UnixMilli())
			h.must(err)
		}
	}
	h.must(db.Close())
	h.age(path, written)
	return path
}

// conversations are the texts of sessions.
func conversations(numbers ...int) map[int]string {
	texts := map[int]string{}
	for _, n := range numbers {
		texts[n] = conversation(n)
	}
	return texts
}

// migrationRun writes what OpenClaw notes about a migration.
func (h *stagedHome) migrationRun(completed string) {
	h.file("session-sqlite-migration-runs/session-sqlite-1.json",
		`{"startedAt":"2026-11-15T00:29:33.866Z","targets":[{"agentId":"main","issues":[]}]`+completed+`}`)
}

const migrationEnd = `,"completedAt":"2026-11-15T00:29:40.180Z"`

// archived is the name of a file that OpenClaw's migration has imported.
func archived(n int) string {
	return fmt.Sprintf("agents/main/session-sqlite-import-archive/agent_main_s%d.%s.jsonl.imported-1794702580055",
		n, idOf(n))
}

// imports imports everything into the store, at a time before now.
func (h *stagedHome) imports(ago time.Duration) {
	h.t.Helper()
	ctx := h.t.Context()
	st, err := store.Open(ctx, h.store, store.Options{})
	h.must(err)
	defer st.Close()
	place, err := source.Find(ctx, h.state, source.Options{})
	h.must(err)
	defer place.Close()
	err = migrate.Import(ctx, st, place.Sessions, migrate.Options{Clock: func() time.Time { return now.Add(-ago) }})
	h.must(err)
	h.must(st.Close())
}

// examine looks at the home.
func (h *stagedHome) examine(opts Options) *Report {
	h.t.Helper()
	opts.Now = now
	home := Home{Listing: du.List(h.state), StorePath: h.store}
	var err error
	home.Place, err = source.Find(h.t.Context(), h.state, source.Options{Fast: true})
	h.must(err)
	defer home.Place.Close()
	if _, err := os.Stat(h.store); err == nil {
		home.Store, home.StoreErr = source.FindDatabase(h.t.Context(), h.store, source.Options{Fast: true})
		if home.Store != nil {
			defer home.Store.Close()
		}
	}
	report, err := Examine(h.t.Context(), home, opts)
	h.must(err)
	return report
}

// snapshot describes every file of the home.
func (h *stagedHome) snapshot() string {
	h.t.Helper()
	var b strings.Builder
	h.must(filepath.WalkDir(filepath.Dir(h.state), func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		fmt.Fprintln(&b, path, info.Size(), info.ModTime().UnixNano())
		return err
	}))
	return b.String()
}
