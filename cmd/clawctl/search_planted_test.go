package main

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/search"
)

// A plant is a sentence in a place of the planted home, and how its hit must be named.
type plant struct {
	name, sentence             string
	entry, role, in            string
	session, kind, path, agent string
}

const (
	plantedMain  = "agent:main:main"
	plantedFile  = "agents/main/sessions/live.jsonl"
	plantedDB    = "agents/vault/agent/openclaw-agent.sqlite"
	plantedReset = "live.jsonl.reset.2026-05-02T10-00-00.000Z"
	plantedZstd  = "gone.jsonl.deleted.2026-05-03T10-00-00.000Z.zst"
)

// plants are in twelve places. Their sentences are told apart by one word each.
var plants = []plant{
	{"user", "the plum is ripe", "u1", "user", "user", plantedMain, "live", plantedFile, "main"},
	{"tool result", "the pear is ripe", "r1", "toolResult", "result", plantedMain, "live", plantedFile, "main"},
	{"thinking", "the quince is ripe", "t1", "assistant", "thinking", plantedMain, "live", plantedFile, "main"},
	{"side branch", "the medlar is ripe", "b1", "user", "user", plantedMain, "live", plantedFile, "main"},
	{"reset archive", "the sloe is ripe", "x1", "user", "user",
		plantedMain + "@reset.2026-05-02T10-00-00.000Z", "reset", "agents/main/sessions/" + plantedReset, "main"},
	{"zstd file", "the damson is ripe", "z1", "user", "user",
		"agent:main:recovered:gone@deleted.2026-05-03T10-00-00.000Z", "deleted", "agents/main/sessions/" + plantedZstd,
		"main"},
	{"database row", "the greengage is ripe", "d1", "user", "user", "agent:vault:main", "live", plantedDB, "vault"},
	{"zstd row", "the mirabelle is ripe", "d2", "assistant", "assistant", "agent:vault:main", "live", plantedDB, "vault"},
	{"cold storage", "the bullace is ripe", "c1", "user", "user", "agent:vault:cold", "live", plantedDB, "vault"},
	{"CJK", "梅の実が熟した", "j1", "user", "user", plantedMain, "live", plantedFile, "main"},
	{"escaped", "the jabuticaba is ripé 🍇", "e1", "user", "user", plantedMain, "live", plantedFile, "main"},
	{"quote and newline", "\"the \\ cornel\nis/ripe\"", "q1", "user", "user", plantedMain, "live", plantedFile, "main"},
}

// sentence returns the sentence of a plant as a JSON string.
func sentence(name string) string {
	i := slices.IndexFunc(plants, func(p plant) bool { return p.name == name })
	return jsonl.Quote(plants[i].sentence)
}

// escapedString writes every character of a text as an escape.
func escapedString(text string) string {
	var b strings.Builder
	for _, r := range text {
		if r > 0xffff {
			r -= 0x10000
			fmt.Fprintf(&b, `\u%04x\u%04X`, 0xd800+r>>10, 0xdc00+r&0x3ff)
			continue
		}
		fmt.Fprintf(&b, `\u%04x`, r)
	}
	return `"` + b.String() + `"`
}

func plantedHeader(id string) string {
	return `{"type":"session","version":3,"id":"` + id + `","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n"
}

// plantedRecord is a message whose content is given as JSON.
func plantedRecord(id, parent, message string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-05-01T10:00:01.000Z","message":{%s}}`,
		id, parent, message) + "\n"
}

func plantedUser(id, parent, text string) string {
	return plantedRecord(id, parent, `"role":"user","content":`+text)
}

// liveText has six of the plants, and words in data that must not be found.
func liveText() string {
	data := strings.Repeat("QUJD", 40) + "guava" + strings.Repeat("REVG", 40)
	return plantedHeader("live") +
		plantedUser("u1", "null", sentence("user")) +
		plantedRecord("t1", `"u1"`, `"role":"assistant","model":"m","content":[{"type":"thinking","thinking":`+
			sentence("thinking")+`,"thinkingSignature":"guava`+data+`"},{"type":"text","text":"no","textSignature":"guava"},`+
			`{"type":"toolCall","id":"guava","name":"look","arguments":{}}]`) +
		plantedRecord("r1", `"t1"`, `"role":"toolResult","isError":false,"toolCallId":"guava","toolName":"look",`+
			`"content":[{"type":"image","mimeType":"image/png","data":"`+data+`"},{"type":"text","text":`+
			sentence("tool result")+
			`},{"type":"text","text":"data:image/png;base64,`+data+`"}]`) +
		plantedUser("b1", `"u1"`, sentence("side branch")) +
		plantedUser("j1", `"r1"`, sentence("CJK")) +
		plantedUser("e1", `"j1"`, escapedString("the jabuticaba is ripé 🍇")) +
		plantedUser("q1", `"e1"`, sentence("quote and newline"))
}

func plantedHome(t *testing.T) string {
	t.Helper()
	home := t.TempDir()
	for name, text := range map[string]string{
		"agents/main/sessions/sessions.json":   `{"agent:main:main":{"sessionId":"live","updatedAt":1777629600000}}`,
		plantedFile:                            liveText(),
		"agents/main/sessions/" + plantedReset: plantedHeader("live") + plantedUser("x1", "null", sentence("reset archive")),
		"agents/main/sessions/" + plantedZstd: string(zstdFrame(t,
			plantedHeader("gone")+plantedUser("z1", "null", sentence("zstd file")))),
	} {
		path := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		testkit.Write(t, path, text)
	}
	plantDatabase(t, filepath.Join(home, filepath.FromSlash(plantedDB)))
	return home
}

func zstdFrame(t *testing.T, text string) []byte {
	t.Helper()
	w, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	return w.EncodeAll([]byte(text), nil)
}

// plantedSchema has the tables of OpenClaw's schema 23 that hold transcripts.
const plantedSchema = `CREATE TABLE session_nodes(session_key TEXT PRIMARY KEY, current_session_id TEXT,
	entry_json TEXT, label TEXT);
	CREATE TABLE session_windows(session_id TEXT PRIMARY KEY, session_key TEXT, previous_session_id TEXT, reason TEXT);
	CREATE TABLE transcript_events(session_id TEXT, seq INTEGER, event_json TEXT, created_at INTEGER, event_zstd BLOB,
	event_utf8_bytes INTEGER, PRIMARY KEY(session_id, seq));
	CREATE TABLE session_transcript_cold_archives(session_id TEXT, archive_name TEXT, archive_sha256 TEXT,
	archive_bytes INTEGER, archive_blob BLOB);
	PRAGMA user_version = 23;
	INSERT INTO session_nodes VALUES('agent:vault:main', 'rows', '{"sessionId":"rows"}', NULL),
	('agent:vault:cold', 'ice', '{"sessionId":"ice"}', NULL)`

// plantDatabase writes OpenClaw's database with a plain row, a compressed row, and a session in cold storage.
func plantDatabase(t *testing.T, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatal(err)
		}
	}
	exec(plantedSchema)
	long := plantedRecord("d2", `"d1"`, `"role":"assistant","content":[{"type":"text","text":`+sentence("zstd row")+`},`+
		`{"type":"text","text":"`+strings.Repeat("and so on ", 200)+`"}]`)
	const insert = "INSERT INTO transcript_events(session_id, created_at, seq, event_json, event_zstd, " +
		"event_utf8_bytes) VALUES('rows', 1, ?, ?, ?, ?)"
	exec(insert, 0, strings.TrimSpace(plantedHeader("rows")), nil, nil)
	exec(insert, 1, strings.TrimSpace(plantedUser("d1", "null", sentence("database row"))), nil, nil)
	exec(insert, 2, nil, zstdFrame(t, strings.TrimSpace(long)), len(strings.TrimSpace(long)))
	cold := zstdFrame(t, coldRows(plantedHeader("ice"), plantedUser("c1", "null", sentence("cold storage"))))
	exec("INSERT INTO session_transcript_cold_archives VALUES('ice', 'in-sqlite', ?, ?, ?)",
		fmt.Sprintf("%x", sha256.Sum256(cold)), len(cold), cold)
}

// coldRows writes lines as the rows of a cold archive.
func coldRows(lines ...string) string {
	var b strings.Builder
	b.WriteString(`{"kind":"header","version":1,"sessionId":"ice","generation":"g"}` + "\n")
	for i, line := range lines {
		fmt.Fprintf(&b, `{"kind":"event","row":{"seq":%d,"event_json":%s,"created_at":1}}`+"\n",
			i, jsonl.Quote(strings.TrimSpace(line)))
	}
	return b.String()
}

// searchHits returns the hits of a search for programs.
func searchHits(t *testing.T, args ...string) (hits []search.HitRow) {
	t.Helper()
	exit, stdout, stderr := inProcess("", append([]string{"search", "--format", "ndjson"}, args...)...)
	if exit > 1 {
		t.Fatalf("search %q: exit %d: %s", args, exit, stderr)
	}
	lines := json.NewDecoder(strings.NewReader(stdout))
	for lines.More() {
		var h search.HitRow
		if err := lines.Decode(&h); err != nil {
			t.Fatal(err)
		}
		hits = append(hits, h)
	}
	return hits
}

// Sentences are found in every place and named rightly, in all of the ways to write them, and the named entry can be
// opened.
func TestSearchFindsPlantedSentences(t *testing.T) {
	t.Parallel()
	home := plantedHome(t)
	for _, p := range plants {
		t.Run(p.name, func(t *testing.T) {
			quoted := strings.NewReplacer(`\`, `\\`, "\n", `\n`).Replace(p.sentence)
			for _, pattern := range [][]string{
				{p.sentence}, {"-i", strings.ToUpper(p.sentence)}, {"-s", p.sentence}, {"-e", quoted},
			} {
				hits := searchHits(t, append(pattern, home)...)
				if len(hits) != 1 {
					t.Fatalf("%q: %d hits", pattern, len(hits))
				}
				checkPlant(t, home, p, hits[0])
			}
			exit, stdout, stderr := inProcess("", "show", home+"#"+p.session, "--around", p.entry)
			if word := strings.Fields(p.sentence)[0]; exit != 0 || !strings.Contains(stdout, strings.Trim(word, `"`)) {
				t.Errorf("show: exit %d, %s%s", exit, stdout, stderr)
			}
		})
	}
}

func checkPlant(t *testing.T, home string, p plant, h search.HitRow) {
	t.Helper()
	path, _ := filepath.Rel(home, h.Path)
	got := plant{p.name, h.Snippet[:min(len(h.Snippet), len(p.sentence))], h.Entry, h.Role, h.In, h.Session, h.Kind,
		filepath.ToSlash(path), h.Agent}
	if got != p || h.End-h.Start != len(p.sentence) {
		t.Errorf("got  %+v\nwant %+v", got, p)
	}
}

// Nothing is found in base64, signatures and ids.
func TestSearchIgnoresData(t *testing.T) {
	home := plantedHome(t)
	if text, err := os.ReadFile(filepath.Join(home, filepath.FromSlash(plantedFile))); err != nil ||
		bytes.Count(text, []byte("guava")) != 7 {
		t.Fatal("the data is not there", err)
	}
	for _, pattern := range [][]string{{"guava"}, {"-i", "GUAVA"}, {"-e", "gua[vw]a"}, {"QUJDQUJD"}} {
		if hits := searchHits(t, append(pattern, home, "--in", "all")...); len(hits) > 0 {
			t.Errorf("%q: %+v", pattern, hits)
		}
	}
}
