package main

import (
	"regexp"

	"clawctl/internal/ui"
)

// screens are the commands whose screens are golden files below testdata/screen.
var screens = map[string][]string{
	"overview":       {},
	"help":           {"help"},
	"help-sources":   {"help", "sources"},
	"sessions":       {"sessions"},
	"sessions-key":   {"sessions", "--sort", "key", "--kind", "live"},
	"stats":          {"stats"},
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
	"unknown":        {"sesions"},
	"no-session":     {"context", "agent:main:nobody"},
}

// narrowScreens are those that are also shown on a very narrow terminal: tables, whose rows must not wrap.
var narrowScreens = []string{"sessions", "stats-model", "validate-brief", "verify", "env", "tokens", "flush-report"}

// progressCommands are the commands that run long enough on a large home to show progress.
var progressCommands = [][]string{
	{"import", "home"}, {"sessions"}, {"stats"}, {"validate"}, {"tokens", "home"}, {"verify", "--against", "home.db"},
	{"export", "--from", "home.db", "-o", "out/", "--force"},
}

// progressLine matches a line of progress.
var progressLine = regexp.MustCompile(`^[A-Z][a-z0-9 ]+: [0-9.,]+( [kMG]?B)? of [0-9.,]+ ([kMG]?B|files) ` +
	`\([0-9]+%\), [0-9.,]+( [kMG]?B)?/s, [0-9hms]+ left$`)

func isUnsafeForTests(r rune) bool { return ui.IsUnsafe(r) }
