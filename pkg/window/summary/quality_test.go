package summary

import (
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	const fallback = "## Decisions\nNo prior history.\n\n## Open TODOs\nNone.\n\n## Constraints/Rules\nNone.\n\n" +
		"## Pending user asks\nNone.\n\n## Exact identifiers\nNone captured."
	const claude = "This session is being continued from a previous conversation that ran out of context.\n\n" +
		"Summary:\n%s\n\nIf you need specific details from before compaction, read the file"
	for _, c := range []struct {
		name, text string
		want       Quality
	}{
		{"nothing", "", Empty},
		{"white space", " \n\t", Empty},
		{"OpenClaw's fallback", fallback, Skeleton},
		{"the fallback with files", fallback + "\n\n<read-files>\na.go\n</read-files>", Skeleton},
		{"the fallback of a chunk", "No prior history.", Skeleton},
		{"the template", "## Goal\n[What is the user trying to accomplish?]\n\n## Progress\n### Done\n- [x] (none)\n\n" +
			"## Next Steps\n1. [Ordered list of what should happen next]", Skeleton},
		{"labels", "**Goal:**\n- none\n\n**Next:**\n- N/A", Skeleton},
		{"one fact is enough", fallback + "\nport 8080", Fine},
		{"a short one", "Bread and rolls.", Fine},
		{"a list", "## Commands\n- `npm run check` - Full check\n- Test the new implementation", Fine},
		{"files last", "Mended the roof.\n\n<modified-files>\nroof.go\n</modified-files>", Fine},
		{"shortened by OpenClaw", "## Goal\nMend it.\n\n[Compaction summary truncated to fit budget]", CutOff},
		{"code without an end", "Run this:\n```sh\nmake", CutOff},
		{"a heading without text", "## Goal\nMend the roof.\n\n## Next Steps", CutOff},
		{"the middle of a sentence", "The user wants the whole roof mended before it rains again, which means that", CutOff},
		{"a comma", "- the roof,", CutOff},
		{"open quotes", "- run `make", CutOff},
		{"a long line without a full stop", strings.Repeat("The roof was mended again. ", 4) + "Then the rain", CutOff},
		{"three backticks in a sentence", "The parser takes ``` for the end of the text.", Fine},
		{"a folder", "- mended everything in pkg/roof/", Fine},
		{"a long emphasized sentence", "**The roof was mended, and next the door of the shed needs new hinges.**", Fine},
		{"a long sentence in parentheses", "(The roof was mended, and next the door of the shed needs new hinges.)", Fine},
		{"Thai, which has no full stop", "ผู้ใช้ต้องการซ่อมหลังคาก่อนฝนจะตกอีกครั้ง และงานนี้เสร็จแล้ว", Fine},
		{"Claude Code's", strings.Replace(claude, "%s", "The word is walnut.", 1), Fine},
		{"Claude Code's without text", strings.Replace(claude, "%s", "", 1), Empty},
		{"Claude Code's skeleton", strings.Replace(claude, "%s", "1. None.", 1), Skeleton},
		{"Codex's", "Another language model started to solve this problem, to assist with your own analysis:\nWalnut.", Fine},
	} {
		if got := Judge(c.text); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}
