package dataset

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/testkit"
)

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
	testkit.Write(t, file, text)
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
