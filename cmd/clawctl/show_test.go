package main

import (
	"encoding/json"
	"fmt"
	"html"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"clawctl/internal/failure"
	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
	"clawctl/internal/ui"
)

// proseTranscript has every kind of Markdown, wide characters, a thought, an edit and its result.
var proseTranscript = transcriptOf(
	`{"type":"session","version":3,"id":"s","timestamp":"2026-05-04T14:52:00.000Z","cwd":"/w"}`,
	message("a", "null", "10:00:00", `"role":"user","content":"Make a plan.\n\n- one\n- two"`),
	message("b", `"a"`, "10:00:10", `"role":"assistant","model":"claude-opus-4-6","provider":"anthropic","content":[`+
		`{"type":"thinking","thinking":"The user wants a plan, so I think about one in a few words before I answer."},`+
		`{"type":"text","text":`+quote(proseMarkdown)+`},`+
		`{"type":"toolCall","id":"c1","name":"edit","arguments":{"path":"a.go","oldText":"a\nb\nc","newText":"a\nB\nc"}}],`+
		`"usage":{"input":1200,"output":340,"cacheRead":0,"cacheWrite":0,"totalTokens":1540,"cost":{"total":0.02}},`+
		`"stopReason":"toolUse"`),
	message("c", `"b"`, "10:00:12", `"role":"toolResult","toolCallId":"c1","toolName":"edit",`+
		`"content":[{"type":"text","text":"Edited a.go"}],"isError":false`),
	message("d", `"c"`, "10:00:20", `"role":"assistant","model":"claude-opus-4-6","content":"Done."`),
)

const proseMarkdown = "# Plan for the *kettle*\n\nA **bold** claim with `inline code`, " +
	"a [link](https://example.org/a) and ~~old~~ text, long enough to be wrapped on a terminal " +
	"of eighty columns.\n\n1. First, a long item that must be " +
	"wrapped because it does not fit on one line at all\n2. Then that\n   - nested `item`\n   - another\n     ```go\n" +
	"     func main() {\n     \tprintln(1)\n     }\n     ```\n- [x] done\n- [ ] open\n\n| Name | Count | Notes |\n" +
	"|------|------:|-------|\n| kettle | 12 | boils water, and this cell is so long that it must be wrapped |\n" +
	"| 日本語 | 3 | 全角文字 |\n\n> A quote that goes on\n> > and one inside it\n\n---\n\n```python\n" +
	"def f(x):\n    return x * 2  # a line of code that does not fit into eighty columns of a terminal\n```\n" +
	"日本語のとても長い文章はスペースなしで書かれているので、文字と文字の間で改行する必要があります。絵文字👩‍👩‍👧も大丈夫。"

func transcriptOf(lines ...string) string { return strings.Join(lines, "\n") + "\n" }

func quote(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// message is a message record at a time of one day.
func message(id, parent, clock, body string) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":%s,"timestamp":"2026-05-04T%s.000Z","message":{%s}}`, id,
		parent, clock, body)
}

// eachTranscript calls do with every transcript of testdata, and with some of the shared ones if there are any.
func eachTranscript(t *testing.T, do func(path string)) {
	t.Helper()
	shared := 0
	for _, root := range []string{"../../testdata/transcripts", "../../testdata/home", sharedTranscripts} {
		_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
			if err == nil && !entry.IsDir() && transcriptName.MatchString(entry.Name()) && !isOfOthers(path) &&
				!strings.HasSuffix(path, ".zst") && !strings.HasSuffix(path, ".lock") {
				if root == sharedTranscripts {
					shared++
				}
				if shared%10 == 0 || longtest.IsLong() {
					do(path)
				}
			}
			return nil
		})
	}
}

// The text of every message is shown, as text and in Markdown.
func TestShowShowsEveryText(t *testing.T) {
	t.Parallel()
	texts := 0
	eachTranscript(t, func(path string) {
		want := textsOf(t, path)
		for i, text := range want {
			want[i] = bare(text)
		}
		for _, format := range []string{"text", "markdown"} {
			exit, out, stderr := inProcess("", "show", path, "--format", format, "--all", "--tools", "full", "--thinking",
				"--raw")
			if exit != failure.ExitOK && exit != failure.ExitDamaged && exit != failure.ExitNothing {
				t.Errorf("%s: exit %d: %s", path, exit, stderr)
			}
			shown := bare(out)
			for _, text := range want {
				texts++
				if !strings.Contains(shown, text) {
					t.Errorf("%s, %s: %q is missing", path, format, text[:min(len(text), 200)])
				}
			}
		}
	})
	if texts < 100 {
		t.Error("only", texts, "texts were found")
	}
}

// bare is a text without white space, markup and what Markdown escapes.
func bare(text string) string {
	text = ui.Escape(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(text))
	text = html.UnescapeString(strings.NewReplacer("<code>", "", "</code>", "").Replace(text))
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || strings.ContainsRune("`\\", r) {
			return -1
		}
		return r
	}, html.UnescapeString(text))
}

// textsOf reads the texts of messages and summaries with encoding/json.
func textsOf(t *testing.T, path string) (texts []string) {
	t.Helper()
	data := testkit.Read(t, path)
	for line := range strings.Lines(string(data)) {
		var record map[string]any
		if json.Unmarshal([]byte(line), &record) != nil || record["type"] == "api-request-blob" { // a log of requests
			continue
		}
		if record["subtype"] == "compact_boundary" { // its text is shown as a line across the page
			continue
		}
		message, isMessage := record["message"].(map[string]any)
		if !isMessage {
			message = record
		}
		for _, value := range []any{message["content"], record["summary"], message["errorMessage"]} {
			texts = append(texts, stringsIn(value)...)
		}
	}
	return texts
}

// stringsIn returns the texts in a content: of blocks of text, of thoughts and of results.
func stringsIn(value any) (texts []string) {
	switch v := value.(type) {
	case string:
		// Instead of the beginning of a long result, all of it is shown, from its own file.
		if !strings.ContainsRune(v, unicode.ReplacementChar) && !strings.HasPrefix(v, "<persisted-output>") {
			texts = append(texts, v)
		}
	case []any:
		for _, element := range v {
			texts = append(texts, stringsIn(element)...)
		}
	case map[string]any:
		for _, name := range []string{"text", "thinking", "content"} {
			if v["type"] != "image" {
				texts = append(texts, stringsIn(v[name])...)
			}
		}
	}
	return texts
}

// A session is shown in the same way from a file and from a store.
func TestShowFromStoreIsTheSame(t *testing.T) {
	db := filepath.Join(t.TempDir(), "s.db")
	if exit, _, stderr := inProcess("", "import", "-q", "../../testdata/home", "--to", db); exit != failure.ExitDamaged &&
		exit != failure.ExitOK {
		t.Fatal(exit, stderr)
	}
	compareShown(t, "../../testdata/home", db, 6, "text", "markdown", "ndjson")
}

// OpenClaw's migration to SQLite does not change what is shown.
func TestShowFromSQLiteIsTheSame(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat(sharedTranscripts); err != nil {
		t.Skip("no real transcripts here")
	}
	compareShown(t, sharedTranscripts+"/openclaw-jsonl", sharedTranscripts+"/openclaw-sqlite", 10, "ndjson")
}

// compareShown compares the live sessions of two places in some formats.
func compareShown(t *testing.T, one, other string, least int, formats ...string) {
	t.Helper()
	_, list, _ := inProcess("", "sessions", one, "--kind", "live", "--json")
	compared := 0
	for line := range strings.Lines(list) {
		var session struct{ Key string }
		if err := json.Unmarshal([]byte(line), &session); err != nil {
			t.Fatal(err)
		}
		if session.Key == "" {
			continue
		}
		for _, format := range formats {
			args := []string{"--format", format, "--tools", "full", "--thinking"}
			_, want, _ := inProcess("", append([]string{"show", one + "#" + session.Key}, args...)...)
			_, got, _ := inProcess("", append([]string{"show", other + "#" + session.Key}, args...)...)
			if got, want := withoutTitle(got), withoutTitle(want); got != want {
				t.Errorf("%s as %s differs:\n%s\n%s", session.Key, format, whereShownDiffers(want, got), one)
			}
		}
		compared++
	}
	if compared < least {
		t.Error("only", compared, "sessions")
	}
}

// withoutTitle drops the first line, in which a migration may change the name of an archive.
func withoutTitle(text string) string {
	if strings.HasPrefix(text, "{") {
		return text
	}
	_, rest, _ := strings.Cut(text, "\n")
	return rest
}

// whereShownDiffers shows where two texts differ.
func whereShownDiffers(a, b string) string {
	at := 0
	for at < len(a) && at < len(b) && a[at] == b[at] {
		at++
	}
	from := max(0, at-60)
	return fmt.Sprintf("%q\n%q", a[from:min(len(a), at+60)], b[from:min(len(b), at+60)])
}
