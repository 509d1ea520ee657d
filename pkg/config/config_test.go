package config

import (
	"errors"
	"slices"
	"strings"
	"testing"
)

// Every key, in both shapes of a configuration.
const (
	firstShape = `{
  "session": {
    "storage": "jsonl",
    "path": "~/.openclaw/agents/main/sessions",
    "inherit": true,
    "defaultKey": "agent:main:main",

    "checkpoint": {
      "enabled": true,
      "model": "anthropic/claude-3-haiku",
      "fallbackToMain": true,
      "tokenThresholdPercents": [25, 50, 75],
      "turnThreshold": 15,
      "minTokensForGen": 10000
    },

    "memoryFlush": {
      "enabled": true,
      "showInSystemPrompt": true,
      "thresholds": [
        {
          "percent": 50,
          "prompt": "Context at 50%. Consider noting key decisions to memory.",
          "injectAs": "system"
        },
        {
          "percent": 75,
          "prompt": "Context at 75%. Write important context to memory/YYYY-MM-DD.md now.",
          "injectAs": "system"
        },
        {
          "percent": 90,
          "prompt": "[SYSTEM: pre-compaction memory flush]\nContext at 90%. Compaction imminent.\n` +
		`Store durable memories now (use memory/YYYY-MM-DD.md).\nIf nothing to store, reply with NO_REPLY.",
          "injectAs": "user"
        }
      ]
    },

    "compaction": {
      "reserveTokens": 4000,
      "preferCheckpoint": true
    }
  }
}
`
	secondShape = `{
  "session": {
    "store": "sqlite",
    "path": "~/.openclaw/goclaw/sessions.db",
    "inherit": {
      "enabled": true,
      "source": "~/.openclaw/agents/main/sessions",
      "format": "jsonl"
    }
  }
}
`
)

func TestBothShapes(t *testing.T) {
	first, err := Read([]byte(firstShape), "c.json")
	if err != nil {
		t.Fatal(err)
	}
	if s := first.Session; s.Store != JSONL || !s.Inherit.Enabled ||
		s.InheritSource() != "~/.openclaw/agents/main/sessions" || s.DefaultKey != "agent:main:main" ||
		s.Checkpoint.Model != "anthropic/claude-3-haiku" {
		t.Errorf("%+v", s)
	}
	if last := first.Session.MemoryFlush.Thresholds[2]; last.InjectAs != User || !last.Once ||
		strings.Contains(last.Prompt, "if needed") {
		t.Errorf("%+v", last)
	}
	second, err := Read([]byte(secondShape), "c.json")
	if err != nil {
		t.Fatal(err)
	}
	if s := second.Session; s.Store != SQLite || s.Path != "~/.openclaw/goclaw/sessions.db" ||
		s.InheritSource() != "~/.openclaw/agents/main/sessions" || len(s.MemoryFlush.Thresholds) != 3 {
		t.Errorf("%+v", s)
	}
}

// Every setting names its origin.
func TestOrigins(t *testing.T) {
	c, err := Read([]byte(firstShape), "c.json")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][2]string{
		"session.store":                             {"jsonl", "c.json:3"},
		"session.inherit.enabled":                   {"true", "c.json:5"},
		"session.inherit.source":                    {"", DefaultOrigin},
		"session.checkpoint.tokenThresholdPercents": {"25, 50, 75", "c.json:12"},
		"session.checkpoint.turnThreshold":          {"15", "c.json:13"},
		"session.memoryFlush.thresholds[0]": {"50% system: Context at 50%. Consider noting key decisions to " +
			"memory.", "c.json:20"},
		"session.compaction.reserveTokens": {"4000", "c.json:40"},
	}
	for _, s := range c.Settings() {
		if w, ok := want[s.Name]; ok && w != [2]string{s.Value, s.From} {
			t.Errorf("%+v, want %v", s, w)
		}
		delete(want, s.Name)
	}
	if len(want) > 0 {
		t.Errorf("not listed: %v", want)
	}
	if !c.IsSet("session.store") || c.IsSet("session.inherit.source") || Default().IsSet("session.store") {
		t.Error("IsSet does not match the settings in the file")
	}
}

func TestAges(t *testing.T) {
	for text, want := range map[string]string{"90d": "90d", "2w": "14d", "36h": "36h", "48h": "2d", "5m": "5m"} {
		c, err := Read([]byte(`{"session":{"ttl":"`+text+`"}}`), "")
		if err != nil || c.Session.TTL.String() != want {
			t.Errorf("%s: %v, %v", text, c, err)
		}
	}
	for _, text := range []string{"", "d", "-1d", "1.5d", "9999999d", "90"} {
		if age, ok := ParseAge(text); ok {
			t.Errorf("%q is %s", text, age)
		}
	}
	if got := Default().Session.TTL.String(); got != "" {
		t.Error(got)
	}
}

func TestDelivery(t *testing.T) {
	c, err := Read([]byte(`{"session":{"memoryFlush":{"thresholds":[{"percent":80,"prompt":"b"}`+
		`,{"percent":40.5,"prompt":"a","injectAs":"system","oncePerCycle":true}]}}}`), "")
	if err != nil {
		t.Fatal(err)
	}
	got := c.Session.MemoryFlush.Thresholds
	if len(got) != 2 || got[0] != (FlushThreshold{40.5, "a", System, true}) ||
		got[1] != (FlushThreshold{80, "b", Marked, true}) {
		t.Errorf("%+v", got)
	}
}

func TestMistakes(t *testing.T) {
	session := func(inside string) string { return "{\n\"session\": {\n" + inside + "\n}\n}\n" }
	for _, test := range []struct {
		text string
		line int
		want string
	}{
		{"", 1, "the file is empty"},
		{"{\n\"session\": {\n", 2, "the file ends inside a value"},
		{"{\n\"session\": {,}\n}", 2, "bad JSON: invalid character ','"},
		{"{\n}]", 2, "bad JSON: invalid character ']' after top-level value"},
		{"[]", 1, "the configuration must be an object, got a list"},
		{"{\n\n\"sesion\": {}}", 3, `unknown key "sesion"`},
		{`{"session": null}`, 1, "session must be an object, got null"},
		{session(`"paht": "x"`), 3, `unknown key "paht" in session`},
		{session("\"compaction\": {\n\"reserveToken\": 1}"), 4, `unknown key "reserveToken" in session.compaction`},
		{session(`"compaction": {"reserveTokens": "4000"}`), 3,
			`session.compaction.reserveTokens must be a whole number of at least 0, got "4000"`},
		{session(`"compaction": {"reserveTokens": 1.5}`), 3, "got 1.5"},
		{session(`"compaction": true`), 3, "session.compaction must be an object, got true"},
		{session(`"store": "postgres"`), 3, `session.store must be sqlite or jsonl, got "postgres"`},
		{session("\"store\": \"sqlite\",\n\"storage\": \"jsonl\""), 4,
			"session.store is set twice, first on line 3"},
		{"{\"session\": {},\n\"session\": {}}", 2, "session is set twice"},
		{session(`"ttl": 90`), 3, `session.ttl must be an age such as "90d", got 90`},
		{session(`"ttl": "0d"`), 3, `session.ttl must be an age such as "90d", got "0d"`},
		{session(`"ttl": "soon"`), 3, `got "soon"`},
		{session(`"path": ""`), 3, "session.path must be a non-empty string"},
		{session(`"inherit": "yes"`), 3, `session.inherit must be an object, got "yes"`},
		{session("\"inherit\": {\n\"from\": \"x\"}"), 4, `unknown key "from" in session.inherit`},
		{session(`"checkpoint": {"enabled": 1}`), 3, "session.checkpoint.enabled must be true or false, got 1"},
		{session(`"checkpoint": {"turnThreshold": 0}`), 3, "must be a whole number of at least 1"},
		{session(`"checkpoint": {"tokenThresholdPercents": 25}`), 3, "must be a list of percentages, got 25"},
		{session("\"checkpoint\": {\"tokenThresholdPercents\": [25,\n250]}"), 4,
			"must be a percentage above 0 and at most 100, got 250"},
		{session(`"memoryFlush": {"thresholds": {}}`), 3, "must be a list of objects, got an object"},
		{session(`"memoryFlush": {"thresholds": [1]}`), 3,
			"session.memoryFlush.thresholds[0] must be an object, got 1"},
		{session("\"memoryFlush\": {\"thresholds\": [\n{\"percent\": 50}]}"), 4,
			"session.memoryFlush.thresholds[0] has no prompt"},
		{session(`"memoryFlush": {"thresholds": [{"prompt": "x"}]}`), 3,
			"session.memoryFlush.thresholds[0] has no percent"},
		{session(`"memoryFlush": {"thresholds": [{"percent": 50, "prompt": "x", "injectAs": "shout"}]}`), 3,
			`injectAs must be system, user or marked, got "shout"`},
		{session(`"memoryFlush": {"thresholds": [{"percent": 50, "prompt": "x", "inject": "user"}]}`), 3,
			`unknown key "inject"`},
		{session(`"memoryFlush": {"thresholds": [{"percent": 50, "percent": 60}]}`), 3, "percent is set twice"},
	} {
		_, err := Read([]byte(test.text), "c.json")
		var e *Error
		if !errors.As(err, &e) || e.Line != test.line || !strings.Contains(e.Text, test.want) || e.Path != "c.json" {
			t.Errorf("%q: got %v, want line %d %q", test.text, err, test.line, test.want)
		}
	}
}

// The error for an unknown key suggests similar keys.
func TestKnownKeys(t *testing.T) {
	_, err := Read([]byte(`{"session":{"compaction":{"x":1}}}`), "")
	var e *Error
	if !errors.As(err, &e) || strings.Join(e.Known, " ") != "reserveTokens preferCheckpoint" {
		t.Errorf("%+v", e)
	}
	_, err = Read([]byte(`{"session":{"x":1}}`), "")
	if !errors.As(err, &e) || strings.Join(e.Known,
		" ") != "store path defaultKey ttl inherit checkpoint memoryFlush compaction" {
		t.Errorf("%+v", e)
	}
}

// FuzzRead checks that any file is read, or refused with one of its line numbers.
func FuzzRead(f *testing.F) {
	f.Add(firstShape)
	f.Add(secondShape)
	f.Add("{\"session\":{\"memoryFlush\":{\"thresholds\":[{\"percent\":1e2,\n\"prompt\":\"\\u0000\"}]}}}")
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Read([]byte(text), "c")
		var e *Error
		switch {
		case err == nil:
			for _, s := range c.Settings() {
				if s.Name == "" || s.From == "" {
					t.Errorf("%+v", s)
				}
			}
		case !errors.As(err, &e) || e.Line < 1 || e.Line > strings.Count(text, "\n")+1 || e.Text == "":
			t.Errorf("%+v", err)
		}
	})
}

// Models are added by their names, each with its own line.
func TestModels(t *testing.T) {
	c, err := Read([]byte(`{"models": {
		"file": "~/new.json",
		"a/b-1.5": {"window": 5, "cache_write": 1.25},
		"c": {"answer": 7}}}`), "c.json")
	if err != nil {
		t.Fatal(err)
	}
	if c.Models.File != "~/new.json" || len(c.Models.Overrides) != 2 || *c.Models.Overrides[0].CacheWrite != 1.25 ||
		c.Models.Overrides[0].Input != nil {
		t.Errorf("%+v", c.Models)
	}
	want := []Setting{
		{"models.file", "~/new.json", "c.json:2"}, {"models.a/b-1.5", "window 5, cache_write 1.25", "c.json:3"},
		{"models.c", "answer 7", "c.json:4"},
	}
	if list := c.Settings(); !slices.Equal(list[len(list)-len(want):], want) {
		t.Errorf("%+v", list[len(list)-len(want):])
	}
	if list := Default().Settings(); list[len(list)-1].Name != "models.file" {
		t.Errorf("without models, %+v is listed", list[len(list)-1])
	}
}

func TestModelMistakes(t *testing.T) {
	for text, want := range map[string]string{
		`{"models": 1}`:                             "models must be an object, got 1",
		`{"models": {"file": {}}}`:                  "models.file must be a non-empty string",
		`{"models": {"m": 5}}`:                      "models.m must be an object with the facts about a model, got 5",
		`{"models": {" ": {}}}`:                     "the name of a model must not be empty",
		`{"models": {"m": {"windows": 5}}}`:         `unknown key "windows" in models.m`,
		`{"models": {"m": {}, "m": {}}}`:            "models.m is set twice",
		`{"models": {"m": {"input":1,"input":2}}}`:  "models.m.input is set twice",
		`{"models": {"m": {"window": "200k"}}}`:     `models.m.window must be a number of tokens, got "200k"`,
		`{"models": {"m": {"window": 0}}}`:          "models.m.window must be a number of tokens, got 0",
		`{"models": {"m": {"input": -1}}}`:          "models.m.input must be dollars per million tokens from 0 to 1000000",
		`{"models": {"m": {"cache_read": "free"}}}`: `got "free"`,
	} {
		_, err := Read([]byte(text), "c.json")
		var e *Error
		if !errors.As(err, &e) || e.Line != 1 || !strings.Contains(e.Text, want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}
