package config

import (
	"strings"
)

// A Description says what a setting is for.
type Description struct {
	Name    string
	Default string // as text; "" if nothing is set
	Meaning string
}

// Descriptions lists every setting with its default, for help.
func Descriptions() []Description {
	var list []Description
	for _, s := range Default().table() {
		values := strings.Join(s.show(), ", ")
		if s.isList {
			values = "" // prompts, which are too long for a table
		}
		list = append(list, Description{s.name, values, meanings[s.name]})
	}
	return list
}

// meanings say what each setting is for.
var meanings = map[string]string{
	"session.store":                             "what `session.path` is: a database, or a folder of JSONL files",
	"session.path":                              "where the store is",
	"session.defaultKey":                        "the session of commands that take one and name none",
	"session.ttl":                               "how long a session may be unused until `prune --store` takes it",
	"session.inherit.enabled":                   "whether `import` without SOURCE reads anything",
	"session.inherit.source":                    "what `import` and `verify` read without SOURCE",
	"session.inherit.format":                    "what that source consists of",
	"session.checkpoint.enabled":                "whether checkpoints are due at all",
	"session.checkpoint.model":                  "the model that the summarizer of a checkpoint is asked for",
	"session.checkpoint.fallbackToMain":         "whether it is asked again without a model if that fails",
	"session.checkpoint.tokenThresholdPercents": "how full the window is when a checkpoint is due",
	"session.checkpoint.turnThreshold":          "after how many messages of the user one is due",
	"session.checkpoint.minTokensForGen":        "how many tokens a context has at least before one is due",
	"session.memoryFlush.enabled":               "whether `flush` prints prompts at all",
	"session.memoryFlush.showInSystemPrompt":    "whether the model is told how full its context is",
	"session.memoryFlush.thresholds":            "the prompts of `flush`, and how full the window is for each",
	"session.compaction.reserveTokens":          "how many tokens of the window stay free",
	"session.compaction.preferCheckpoint":       "whether a compaction takes the summary of a recent checkpoint",
	"models.file":                               "a newer catalogue of models: a file, or a folder of pi-ai's JSON files",
	"models.NAME":                               "what holds for a model: an object with `window`, `answer` and prices",
	"sources.archives":                          "files of `prune --archive` that the next import adds to the store",
	"sources.harness":                           "whether folders of Claude Code and Codex are read, as with `--harness`",
	"privacy.mask":                              "whether `show` and `tail` mask what looks like a key or a password",
}
