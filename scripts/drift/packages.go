package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"

	"clawctl/pkg/report/census"
)

// packages are the npm packages that declare what transcripts have.
var packages = []string{"openclaw", "@earendil-works/pi-coding-agent", "@earendil-works/pi-ai"}

// A declaration is a type of a package, and the place in a transcript whose fields it declares.
type declaration struct {
	name, place string
	has         string // what tells it from others of its name
}

var declarations = []declaration{
	{"SessionHeader", "session record", `type: "session"`},
	{"SessionEntryBase", "record", "parentId"},
	{"SessionMessageEntry", "message record", `type: "message"`},
	{"ThinkingLevelChangeEntry", "thinking_level_change record", "thinkingLevel"},
	{"ModelChangeEntry", "model_change record", "modelId"},
	{"CompactionEntry", "compaction record", `type: "compaction"`},
	{"ResetEntry", "reset record", `type: "reset"`},
	{"BranchSummaryEntry", "branch_summary record", `type: "branch_summary"`},
	{"CustomEntry", "custom record", `type: "custom"`},
	{"CustomMessageEntry", "custom_message record", `type: "custom_message"`},
	{"LabelEntry", "label record", `type: "label"`},
	{"SessionInfoEntry", "session_info record", `type: "session_info"`},
	{"UsageEntry", "usage record", `type: "usage"`},
	{"ContextEditEntry", "context_edit record", `type: "context_edit"`},
	{"UserMessage", "user message", `role: "user"`},
	{"AssistantMessage", "assistant message", `role: "assistant"`},
	{"ToolResultMessage", "toolResult message", `role: "toolResult"`},
	{"SystemMessage", "system message", `role: "system"`},
	{"BashExecutionMessage", "bashExecution message", `role: "bashExecution"`},
	{"CustomMessage", "custom message", `role: "custom"`},
	{"BranchSummaryMessage", "branchSummary message", `role: "branchSummary"`},
	{"CompactionSummaryMessage", "compactionSummary message", `role: "compactionSummary"`},
	{"TextContent", "text block", `type: "text"`},
	{"ThinkingContent", "thinking block", `type: "thinking"`},
	{"ImageContent", "image block", `type: "image"`},
	{"ToolCall", "toolCall block", `type: "toolCall"`},
	{"Usage", "usage", "cacheRead: number"},
	{"DeferredHandle", "deferred", "pollAfterMs"},
	{"NestedToolCalls", "nestedCalls", "complete"},
	{"NestedToolCallRecord", "nested call", "argumentsBytes"},
	{"ProviderReplayState", "providerReplay", "baseUrlHash"},
	{"InputProvenance", "provenance", "sourceSessionKey"},
	{"SessionEntryCore", "index entry", "sessionId"},
	{"InternalSessionEntryCore", "index entry", "lifecycleRunId"},
	{"SessionRestartRecoveryState", "index entry", "restartRecovery"},
	{"SessionEntryProvenance", "index entry", "pluginOwnerId"},
}

// enumerations are types that list the values of a field.
var enumerations = []struct{ name, place, field string }{
	{"StopReason", "assistant message", "stopReason"},
	{"ResetReason", "reset record", "reason"},
	{"ThinkingLevel", "thinking_level_change record", "thinkingLevel"},
	{"SessionEntryArchiveReasonSchema", "index entry", "archiveReason"},
	{"SessionRunStatusSchema", "index entry", "status"},
	{"SessionCreatedVia", "index entry", "createdVia"},
}

// checkPackages compares what the packages declare with what is known.
func (d *drift) checkPackages() error {
	for _, name := range packages {
		folder, err := d.unpack(name)
		if err != nil {
			return err
		}
		text, err := readTypes(folder)
		if err != nil {
			return err
		}
		found := d.checkTypes(filepath.Base(folder), text)
		d.say("%s: %d declarations", filepath.Base(folder), found)
		if found == 0 {
			return fmt.Errorf("%s declares no type of a transcript", name)
		}
	}
	return nil
}

// unpack returns the folder of a package, and downloads it unless it is there.
func (d *drift) unpack(name string) (string, error) {
	version := d.pi
	if name == "openclaw" {
		version = d.openclaw
	}
	if version == "" {
		newest, err := output(exec.Command("npm", "view", name, "version"))
		if err != nil {
			return "", err
		}
		version = newest
	}
	folder := filepath.Join(d.cache, strings.ReplaceAll(strings.TrimPrefix(name, "@"), "/", "-")+"-"+version)
	if _, err := os.Stat(folder); err == nil {
		return folder, nil
	}
	part := folder + ".part"
	if err := os.RemoveAll(part); err != nil {
		return "", err
	}
	if err := os.MkdirAll(part, 0o755); err != nil {
		return "", err
	}
	pack := exec.Command("npm", "pack", "--silent", "--ignore-scripts", name+"@"+version)
	pack.Dir = part
	file, err := output(pack)
	if err != nil {
		return "", err
	}
	unpack := exec.Command("tar", "xzf", filepath.Join(part, file), "-C", part, "--strip-components=1")
	if _, err := output(unpack); err != nil {
		return "", err
	}
	return folder, os.Rename(part, folder)
}

// output runs a command and returns the last line that it prints.
func output(c *exec.Cmd) (string, error) {
	c.Stderr = os.Stderr
	text, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w: %s", strings.Join(c.Args, " "), err, text[max(0, len(text)-2000):])
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return lines[len(lines)-1], nil
}

// readTypes returns the declarations of a package, all files in one text.
func readTypes(folder string) (string, error) {
	var all strings.Builder
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == "node_modules":
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".d.ts"):
			return nil
		}
		text, err := os.ReadFile(path)
		all.Write(text)
		all.WriteByte('\n')
		return err
	})
	return all.String(), err
}

// checkTypes notes the fields and values in a text that are not known, and returns how many declarations it has.
func (d *drift) checkTypes(where, text string) int {
	var found int
	for _, c := range declarations {
		for _, body := range bodies(text, c.name) {
			if !strings.Contains(body, c.has) {
				continue
			}
			found++
			for _, field := range members(body) {
				if !census.Knows(c.place, field) {
					d.note(where, "field %s of %s", field, c.place)
				}
			}
		}
	}
	for _, e := range enumerations {
		for _, value := range literals(text, e.name) {
			found++
			if !census.KnowsValue(e.place, e.field, value) {
				d.note(where, "value %s of %s in %s", value, e.field, e.place)
			}
		}
	}
	d.checkEntries(where, text)
	return found
}

var entryUnion = regexp.MustCompile(`(?m)\btype SessionEntry = ((?:\w+Entry \| )+\w+Entry);`)

// checkEntries notes the types of records that no declaration above is about.
func (d *drift) checkEntries(where, text string) {
	known := map[string]bool{}
	for _, c := range declarations {
		known[c.name] = true
	}
	for _, union := range entryUnion.FindAllStringSubmatch(text, -1) {
		for name := range strings.SplitSeq(union[1], " | ") {
			if !known[name] {
				d.note(where, "type %s", name)
			}
		}
	}
}
