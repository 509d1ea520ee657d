package source

import (
	"database/sql"
	"os"
	"path/filepath"
	"testing"

	"clawctl/internal/testkit"
)

// The names of jobs are those in OpenClaw's database, and those in the file of older versions for the rest.
func TestJobNames(t *testing.T) {
	home := t.TempDir()
	write := func(path, text string) {
		t.Helper()
		path = filepath.Join(home, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		testkit.Write(t, path, text)
	}
	write("cron/jobs.json", `[{"id":"a","name":"old name"},{"id":"b","name":"only in the file"}, // a comment
		{"id":"c","name":"twice"},{"id":"d","name":"twice"}]`)
	index := `{`
	want := map[string]string{"a": "Morning report", "b": "only in the file", "c": "twice (c)", "d": "twice (d)", "e": ""}
	for _, id := range []string{"a", "b", "c", "d", "e"} {
		session := "11111111-2222-4333-8444-00000000000" + id
		index += `"agent:main:cron:` + id + `:run:r": {"sessionId":"` + session + `"},`
		write("agents/main/sessions/"+session+".jsonl", `{"type":"session","version":3,"id":"`+session+`"}`+"\n")
	}
	write("agents/main/sessions/sessions.json", index+`"main":{}}`)
	write("state/README", "")
	db, err := sql.Open("sqlite", filepath.Join(home, "state", "openclaw.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range []string{
		`CREATE TABLE cron_jobs (store_key TEXT NOT NULL, job_id TEXT NOT NULL, name TEXT NOT NULL,
			PRIMARY KEY (store_key, job_id)) STRICT`,
		`INSERT INTO cron_jobs VALUES ('default', 'a', 'Morning
			report')`,
	} {
		if _, err := db.Exec(statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	place, err := Find(t.Context(), home, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer place.Close()
	for _, s := range place.Sessions {
		if id := CronJob(s.Key); s.JobName != want[id] {
			t.Errorf("%s: %q, want %q", s.Key, s.JobName, want[id])
		}
	}
	if len(place.Sessions) != len(want) {
		t.Errorf("%d sessions", len(place.Sessions))
	}
}
