package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

// Every command calls a session by the last name in its transcript, whatever the index says, and however little of the
// transcript it reads otherwise.
func TestTitlesAgree(t *testing.T) {
	inUTC(t)
	state := t.TempDir()
	folder := filepath.Join(state, "agents", "main", "sessions")
	var text strings.Builder
	text.WriteString(`{"type":"session","version":3,"id":"` + judgedID + `","timestamp":"2026-05-01T10:00:00.000Z",` +
		`"cwd":"/w"}` + "\n" + `{"type":"session_info","id":"n","parentId":null,"timestamp":"2026-05-01T10:00:00.500Z",` +
		`"name":"Newer title"}` + "\n")
	parent := "n"
	for i := range 3000 { // large enough to be read from its end
		fmt.Fprintf(&text, `{"type":"message","id":"u%d","parentId":"%s","timestamp":"2026-05-01T10:%02d:%02d.000Z",`+
			`"message":{"role":"user","timestamp":1777629600000,"content":"needle %s"}}`+"\n", i, parent, i/60%60, i%60,
			strings.Repeat("and so on ", 30))
		parent = fmt.Sprint("u", i)
	}
	index := `{"agent:main:main":{"sessionId":"` + judgedID + `","updatedAt":1794700000000,"label":"Older title"}}`
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string]string{judgedID + ".jsonl": text.String(), "sessions.json": index} {
		testkit.Write(t, filepath.Join(folder, name), data)
	}
	session := state + "#agent:main:main"
	for _, command := range []string{
		"sessions " + state, "sessions --json " + state, "show " + session, "show --last 1 " + session,
		"show --last 1 --tools full " + session, "show --from u2999 " + session, "show --tree " + session,
		"show --format markdown " + session, "show --format html " + session, "search needle " + state,
		"export --as atif " + session, "export --as postgres --host a " + session,
	} {
		_, stdout, stderr := inProcess("", strings.Fields(command)...)
		isOld := strings.Contains(stdout, "Older title") && !strings.Contains(stdout, `"label":"Older title"`)
		if isOld || !strings.Contains(stdout, "Newer title") {
			t.Errorf("%s: %.300s%s", command, stdout, stderr)
		}
	}
}
