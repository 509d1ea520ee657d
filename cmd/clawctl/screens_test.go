package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"clawctl/internal/ui"
	"clawctl/pkg/jsonl"
)

// screens are the commands whose screens are golden files below testdata/screen.
var screens = map[string][]string{
	"overview":       {},
	"doctor":         {"doctor"},
	"doctor-deep":    {"doctor", "--deep"},
	"help":           {"help"},
	"help-short":     {"-h"},
	"help-sources":   {"help", "sources"},
	"help-config":    {"help", "config"},
	"help-cat":       {"cat", "--help"},
	"help-cat-short": {"cat", "-h"},
	"sessions":       {"sessions"},
	"sessions-key":   {"sessions", "--sort", "key", "--kind", "live"},
	"stats":          {"stats"},
	"sessions-host":  {"sessions", "home", "web2=before.jsonl"},
	"stats-host":     {"stats", "--by", "host", "home", "web2=zero.jsonl"},
	"stats-model":    {"stats", "--by", "model"},
	"context":        {"context", "agent:main:main"},
	"validate":       {"validate", "transcripts"},
	"validate-brief": {"validate", "home", "--brief"},
	"verify":         {"verify"},
	"verify-safe":    {"verify", "--only", "safe"},
	"import":         {"import", "-v", "home"},
	"export":         {"export", "--dry-run", "-o", "out/"},
	"env":            {"env"},
	"explain":        {"explain", "CL301", "CL913"},
	"tokens":         {"tokens", "home", "--by", "session"},
	"compact-plan":   {"compact", "agent:main:main", "--plan", "--keep", "4m"},
	"flush-report":   {"flush", "--report", "home", "--window", "1k"},
	"validate-one":   {"validate", "transcripts/damaged.jsonl"},
	"validate-many":  {"validate", "-v", "transcripts"},
	"stats-prices":   {"stats", "--by", "model", "--prices", "prices.json"},
	"stats-tool":     {"stats", "--by", "tool"},
	"du":             {"du"},
	"du-tool":        {"du", "--by", "tool"},
	"stats-zero":     {"stats", "zero.jsonl", "--by", "model"},
	"tokens-session": {"tokens", "--session", "agent:main:main"},
	"conflict":       {"verify", "--list-safe", "--only", "problems"},
	"not-transcript": {"stats", "notes.md"},
	"bad-number":     {"context", "agent:main:main", "--window", "many"},
	"unknown":        {"sesions"},
	"no-session":     {"context", "agent:main:nobody"},
	"tail":           {"tail", "agent:main:main"},
	"tail-many":      {"tail", "-n", "2", "home"},
	"tail-full":      {"tail", "-n", "6", "--tools", "full", "--thinking", "agent:research:main"},
	"diff":           {"diff", "before.jsonl", "after.jsonl"},
	"diff-stat":      {"diff", "--stat", "before.jsonl", "after.jsonl"},
	"diff-places":    {"diff", "--only", "removed", "home", "transcripts"},
	"diff-same":      {"diff", "home", "home"},
	"search":         {"search", "water", "--limit", "12"},
	"search-many":    {"search", "-e", "digest", "-e", "copper", "home"},
	"search-around":  {"search", "-C", "1", "wheelbarrow"},
	"search-count":   {"search", "-c", "the"},
	"search-nothing": {"search", "no such words"},
	"prune":          {"prune", "--older", "2d"},
	"prune-store":    {"prune", "--store", "--older", "20d"},
	"prune-nothing":  {"prune", "--larger", "1GB"},
	"search-regexp":  {"search", "-e", "wheel(barrow"},
}

// showScreens are the screens of show besides those of every shape of transcript.
var showScreens = map[string][]string{
	"show-key":    {"show", "agent:main:main"},
	"show-full":   {"show", "agent:main:main", "--tools", "full", "--thinking", "--last", "2"},
	"show-around": {"show", "agent:main:main", "--around", "13a34035", "-C", "3"},
	"show-none":   {"show", "agent:main:main", "--tools", "none"},
	"show-all":    {"show", "agent:main:main", "--all"},
	"show-tree":   {"show", "agent:main:main", "--tree"},
	"show-prose":  {"show", "prose.jsonl", "--thinking"},
	"show-typo":   {"show", "agent:main:mian"},
}

// everyScreen is screens, showScreens and every shape of transcript.
func everyScreen(t *testing.T) map[string][]string {
	t.Helper()
	paths, err := filepath.Glob("../../testdata/transcripts/*.jsonl")
	if err != nil || len(paths) == 0 {
		t.Fatal("no transcripts", err)
	}
	all := maps.Clone(screens)
	maps.Copy(all, showScreens)
	for _, path := range paths {
		name := filepath.Base(path)
		all["show-"+strings.TrimSuffix(name, ".jsonl")] = []string{"show", "--no-pager", "transcripts/" + name}
	}
	return all
}

// homeFiles lie beside the home.
var homeFiles = map[string]string{
	"notes.md":    "# Notes\n\nNothing to see here.\n",
	"prices.json": `[{"model": "claude-*", "input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75}]`,
	"prose.jsonl": proseTranscript,
	"zero.jsonl": `{"type":"session","version":3,"id":"z","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}
{"type":"message","id":"u1","parentId":null,"timestamp":"2026-05-01T10:00:01.000Z","message":{"role":"user",` +
		`"content":"Hello"}}
{"type":"message","id":"a1","parentId":"u1","timestamp":"2026-05-01T10:00:02.000Z","message":{"role":"assistant",` +
		`"content":[{"type":"text","text":"Hi"}],"model":"kimi-code","provider":"kimi","usage":{"input":8400000,` +
		`"output":20,"cacheRead":0,"cacheWrite":0,"totalTokens":8400020,"cost":{"total":0}},"stopReason":"stop"}}
`,
}

// diffFiles are two states of a session, for diff.
var diffFiles = map[string]string{
	"before.jsonl": diffHeader +
		diffMessage("u1", "10:00:01", "user", "Please list the files in the kitchen folder, sorted by size.", 100) +
		diffMessage("a1", "10:00:02", "assistant", "There are twelve files. The largest one is bread.txt "+
			"with 4 KB, and the smallest one is salt.txt. None of them was changed during the last week, "+
			"so a backup is not needed.", 1200) +
		diffMessage("u2", "10:00:03", "user", "Thanks. Delete salt.txt\n\nand then stop.", 90) +
		diffMessage("a2", "10:00:04", "assistant", "Deleted: 面包和盐 \u0007!", 80) +
		diffMessage("u3", "10:00:05", "user", "Good night.", 70),
	"after.jsonl": diffHeader +
		diffMessage("u3", "10:00:05", "user", "Good night.", 70) +
		diffMessage("u1", "10:00:01", "user", "Please list the files in the kitchen folder, sorted by size.", 100) +
		diffMessage("a1", "10:00:02", "assistant", "There are thirteen files. The largest one is bread.txt "+
			"with 4 KB, and the smallest one is salt.txt. None of them was changed during the last month, "+
			"so a backup is not needed.", 1234) +
		diffMessage("a2", "10:00:04", "assistant", "Deleted: 面包和水 \u0007!", 80) +
		diffMessage("u4", "10:00:06", "user", "One more thing: "+
			strings.Repeat("please keep the bread, ", 40)+"all of it.", 5),
}

const diffHeader = `{"type":"session","version":3,"id":"d","timestamp":"2026-05-01T10:00:00.000Z","cwd":"/w"}` + "\n"

// diffMessage is a message with some text and usage.
func diffMessage(id, clock, role, text string, tokens int) string {
	return fmt.Sprintf(`{"type":"message","id":%q,"parentId":null,"timestamp":"2026-05-01T%s.000Z",`+
		`"message":{"role":%q,"content":[{"type":"text","text":%s}],"usage":{"input":%d,"output":2}}}`+"\n",
		id, clock, role, jsonl.Quote(text), tokens)
}

// narrowScreens are those that are also shown on a very narrow terminal: tables, whose rows must not wrap.
var narrowScreens = []string{"sessions", "stats-model", "validate-brief", "verify", "env", "tokens", "flush-report",
	"prune"}

// everyWidth are the screens that are also shown on terminals of other widths, in color too.
var everyWidth = []string{"sessions", "du"}

// colorScreens are those that are also shown in color: of each command, those with all the colors that it uses.
var colorScreens = []string{"bad-number", "compact-plan", "conflict", "context", "diff", "diff-stat", "doctor-deep",
	"du", "env", "export", "flush-report", "import", "not-transcript", "overview", "prune", "search-around",
	"search-many", "search-regexp", "sessions-host", "show-around", "show-damaged", "show-prose", "show-tree",
	"stats-host", "tail", "tokens", "unknown", "validate-brief", "validate-many", "verify"}

// progressCommands are the commands that run long enough on a large home to show progress.
var progressCommands = [][]string{
	{"import", "home"}, {"sessions"}, {"stats"}, {"validate"}, {"tokens", "home"}, {"verify", "--against", "home.db"},
	{"export", "--from", "home.db", "-o", "out/", "--force"},
}

// progressLine matches a line of progress.
var progressLine = regexp.MustCompile(`^[A-Z][a-z0-9 ]+: [0-9.,]+( [kMG]?B)? of [0-9.,]+ ([kMG]?B|files) ` +
	`\([0-9]+%\), [0-9.,]+( [kMG]?B)?/s, [0-9hms]+ left$`)

func isUnsafeForTests(r rune) bool { return ui.IsUnsafe(r) }
