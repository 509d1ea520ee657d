package source

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/store/dbfile"
)

// headerOf is a transcript with a header and a message.
func headerOf(id string) string {
	return `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n" +
		`{"type":"message","id":"a1","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z","message":{"role":"user",` +
		`"content":"hi"}}` + "\n"
}

func zstdOf(t *testing.T, text string) string {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

// names lists the kinds and names of the sessions of a place.
func names(p *Listing) (list []string) {
	for _, s := range p.Sessions {
		list = append(list, string(s.Kind)+" "+strings.TrimPrefix(s.Name(), "agent:main:recovered:"))
	}
	slices.Sort(list)
	return list
}

// Whatever the name of an archive, its content says that it is a transcript. The name says its kind and its session.
func TestArchivesByContent(t *testing.T) {
	for base, want := range map[string]string{
		id1 + ".jsonl.deleted.1782530279":               "deleted " + id1 + "@deleted.1782530279",
		id1 + ".jsonl.deleted.2026-06-23T02:02:42.342Z": "deleted " + id1 + "@deleted.2026-06-23T02:02:42.342Z",
		id1 + ".jsonl.reset.2026-06-23T02-02-42.342":    "reset " + id1 + "@reset.2026-06-23T02-02-42.342",
		id1 + ".jsonl.old":                              "backup " + id1 + "@old",
		id1 + ".jsonl.1":                                "backup " + id1 + "@1",
		id1 + ".jsonl.bak2":                             "backup " + id1 + "@bak2",
		id1 + ".jsonl.bak-20260501":                     "backup " + id1 + "@bak-20260501",
		id1 + ".jsonl.orig.gz":                          "backup " + id1 + "@orig",
		id1 + ".jsonl.archived.2026-06-23":              "archive " + id1 + "@archived.2026-06-23",
		id1 + ".jsonl~":                                 "backup " + id1 + "@~",
		id1 + ".backup":                                 "backup " + id1 + "@backup",
		id1 + "-topic-7.jsonl.old":                      "backup " + id1 + "-topic-7@old",
		"." + id1 + ".jsonl.swp":                        "backup ." + id1 + "@swp",
		"chat from May":                                 "backup " + id2 + "@chat from May",
		"chat.ndjson":                                   "backup " + id2 + "@chat.ndjson",
	} {
		if runtime.GOOS == "windows" && strings.Contains(base, ":") {
			continue // no file has such a name there
		}
		folder := t.TempDir()
		write(t, folder, "agents/main/sessions/"+base, headerOf(id2))
		if got := names(find(t, folder)); !slices.Equal(got, []string{want}) {
			t.Errorf("%s is found as %q, want %q", base, got, want)
		}
		s := File(filepath.Join(folder, "agents/main/sessions", base))
		if got := string(s.Kind) + " " + strings.TrimPrefix(s.Name(), "agent:main:recovered:"); strings.Contains(base, id1) &&
			s.name.Topic == "" && got != want {
			t.Errorf("%s is opened as %q, want %q", base, got, want)
		}
	}
}

// The content also decides whether a file is compressed, and what a name without an id belongs to.
func TestArchivesCompressedAndHashed(t *testing.T) {
	long := strings.Repeat("long-id-", 20)
	sum := sha256.Sum256([]byte(long))
	hashed := "session-" + hex.EncodeToString(sum[:])
	folder := t.TempDir()
	sessions := "agents/main/sessions/"
	write(t, folder, sessions+hashed+".jsonl.reset.2026-09-20T10-00-00.000Z", headerOf(long))
	write(t, folder, sessions+hashed+".jsonl.deleted.2026-09-21T10-00-00.000Z."+strings.Repeat("0af1", 8)+".zst",
		zstdOf(t, headerOf(long)))
	write(t, folder, sessions+"session-"+strings.Repeat("0", 64)+".jsonl.reset.2026-09-20T10-00-00.000Z", headerOf(long))
	write(t, folder, sessions+id1+".jsonl.old", zstdOf(t, headerOf(id1)))
	p := find(t, folder)
	want := []string{"backup " + id1 + "@old",
		"deleted " + long + "@deleted.2026-09-21T10-00-00.000Z." + strings.Repeat("0af1", 8),
		"reset " + long + "@reset.2026-09-20T10-00-00.000Z",
		"reset session-" + strings.Repeat("0", 64) + "@reset.2026-09-20T10-00-00.000Z"}
	if got := names(p); !slices.Equal(got, want) {
		t.Errorf("found\n%q\nwant\n%q", got, want)
	}
	path := filepath.Join(folder, sessions, hashed+".jsonl.reset.2026-09-20T10-00-00.000Z")
	if s := File(path); s.ID != long || s.Kind != Reset {
		t.Errorf("opened as %s %s", s.Kind, s.ID)
	}
}

// Folders to which somebody moved transcripts are searched, and what they contain is not live.
func TestArchiveFolders(t *testing.T) {
	folder := t.TempDir()
	for _, path := range []string{"agents/main/sessions/", "agents/main/sessions.bak/", "agents/main/sessions-archive/",
		"agents/main/sessions/old/", "moved 2026/agents/main/sessions/", "workspace/", "agents/main/qmd/"} {
		write(t, folder, path+id1+".jsonl", headerOf(id1))
		write(t, folder, path+"sessions.json", `{"agent:main:main":{"sessionId":"`+id1+`"},"gone":{"sessionId":"`+id2+`"}}`)
	}
	write(t, folder, "moved 2026/log.jsonl", `{"level":"info"}`+"\n")
	p := find(t, folder)
	if got, want := describe(p), `live agent:main:main
backup agent:main:main@moved 2026
backup agent:main:main@old
backup agent:main:main@sessions.bak
archive agent:main:main@sessions-archive
! CL502 gone
`; got != want {
		t.Errorf("found\n%s\nwant\n%s", got, want)
	}
	if total, counts := p.SkippedCounts(); total != 1 || counts[0] != (SkippedCount{".jsonl", 1}) {
		t.Errorf("skipped %v", p.Skipped)
	}
}

// A registration beats the name: a file that it names is live.
func TestRegisteredUnderAnyName(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "agents/main/sessions/chat.log", headerOf(id1))
	write(t, folder, "agents/main/sessions/sessions.json",
		`{"agent:main:main":{"sessionId":"`+id1+`","sessionFile":"chat.log"}}`)
	if got, want := describe(find(t, folder)), "live agent:main:main\n"; got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

// What is not a transcript is counted by type. What OpenClaw keeps beside transcripts is not.
func TestSkippedCounts(t *testing.T) {
	folder := t.TempDir()
	for _, base := range []string{"a.md", "b.md", "notes.txt", id1 + ".jsonl.sha256", id1 + ".jsonl.empty", "pic.PNG",
		"other.sqlite", "x.jsonl.tmp", "noise"} {
		text := "this is not a transcript\n"
		switch {
		case strings.HasSuffix(base, "empty"):
			text = ""
		case strings.HasSuffix(base, "sqlite"):
			text = "SQLite format 3\x00"
		}
		write(t, folder, "agents/main/sessions/"+base, text)
	}
	for _, base := range []string{"sessions.json.1a2b.tmp", id1 + ".jsonl.lock", id1 + ".trajectory.jsonl",
		"other.sqlite-wal", ".DS_Store", id1 + ".jsonl.slim.json"} {
		write(t, folder, "agents/main/sessions/"+base, "known")
	}
	digest := strings.Repeat("0123456789abcdef", 4)
	write(t, folder, "slim/"+digest+".txt", "the result of a tool")
	write(t, folder, "agents/main/sessions/"+id1+".jsonl.slim/"+digest+".png", "an image")
	write(t, folder, "openclaw.json", "{}")
	write(t, folder, "openclaw.json.bak.1", "{}")
	write(t, folder, "agents/main/agent/auth-profiles.json", "{}")
	write(t, folder, "agents/main/agent/codex-home/sessions/2026/05/01/rollout-1.jsonl", `{"type":"session_meta"}`)
	write(t, folder, "agents/main/agent/codex-home/config.toml", "")
	p := find(t, folder)
	total, counts := p.SkippedCounts()
	want := "10 [{.md 2} {.sha256 1} {.tmp 1} {.txt 1} {Codex rollout 1} {SQLite database 1} {empty file 1} {image 1} " +
		"{other file 1}]"
	if got := fmt.Sprint(total, " ", counts); got != want || len(p.Sessions) > 0 || len(p.Problems) > 0 {
		t.Errorf("skipped %s, want %s; %v", got, want, describe(p))
	}
}

// An OpenClaw database from before transcripts, or an empty one, is no problem of a place.
func TestDatabasesWithoutTranscripts(t *testing.T) {
	for name, schema := range map[string]string{
		"old": "CREATE TABLE schema_meta(k, v); CREATE TABLE auth_profile_store(k, v); PRAGMA user_version = 1", "empty": "",
	} {
		folder := t.TempDir()
		path := filepath.Join(folder, "agents/main/agent", openclaw.DatabaseName)
		write(t, folder, "agents/main/sessions/"+id1+".jsonl", headerOf(id1))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if schema == "" {
			write(t, folder, "agents/main/agent/"+openclaw.DatabaseName, "")
		} else {
			execute(t, path, schema)
		}
		p := find(t, folder)
		if len(p.Problems) > 0 || len(p.Sessions) != 1 || len(p.Databases) > 0 {
			t.Errorf("%s: %s%v", name, describe(p), p.Problems)
		}
		if len(p.Skipped) != 1 || p.Skipped[0] != (SkippedFile{Path: path, Type: SkippedBareDB}) {
			t.Errorf("%s: skipped %v", name, p.Skipped)
		}
	}
	folder := t.TempDir()
	path := filepath.Join(folder, "agents/main/agent", openclaw.DatabaseName)
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	execute(t, path, "CREATE TABLE recipes(k, v); PRAGMA user_version = 1")
	if p := find(t, folder); len(p.Problems) != 1 || !errors.Is(p.Problems[0].Err, dbfile.ErrForeign) {
		t.Errorf("another program's database: %v", p.Problems)
	}
}

// execute makes a database.
func execute(t *testing.T, path, statements string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec(statements); err != nil {
		t.Fatal(err)
	}
}

// A file that is named on its own is live if the sessions.json beside it says so.
func TestFileRegisteredUnderAnyName(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, id1+".jsonl.old", headerOf(id1))
	if s := File(filepath.Join(folder, id1+".jsonl.old")); s.Kind != Backup {
		t.Errorf("the kind is %s", s.Kind)
	}
	write(t, folder, "sessions.json", `{"agent:main:main":{"sessionId":"`+id1+`","sessionFile":"`+id1+`.jsonl.old"}}`)
	if s := File(filepath.Join(folder, id1+".jsonl.old")); s.Kind != Live {
		t.Errorf("the kind of a registered file is %s", s.Kind)
	}
}
