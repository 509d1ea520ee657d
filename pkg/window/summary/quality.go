package summary

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A Quality says what is wrong with the summary of a compaction, as far as its text shows it.
type Quality string

// What a summary may lack. A summary of quality Fine has content and an end.
const (
	Fine     Quality = ""
	Empty    Quality = "empty"
	Skeleton Quality = "skeleton" // headings and placeholders without content
	CutOff   Quality = "cut off"  // it ends in the middle, or its program shortened it
)

// Judge returns the quality of a summary.
func Judge(text string) Quality {
	body := Body(text)
	switch {
	case body == "":
		return Empty
	case !hasContent(body):
		return Skeleton
	case isCutOff(body):
		return CutOff
	}
	return Fine
}

// wrappers are the texts that programs put around the summaries of their models.
var wrappers = []struct{ before, intro, after string }{
	{ // Claude Code
		"This session is being continued from a previous conversation", "\nSummary:\n",
		"\n\nIf you need specific details from before compaction",
	},
	{"Another language model started to solve this problem", "with your own analysis:\n", ""}, // Codex
}

// fileLists are the lists of files that OpenClaw and pi add to a summary.
var fileLists = [][2]string{
	{"<read-files>", "</read-files>"}, {"<modified-files>", "</modified-files>"},
}

// Body returns what a model wrote of a summary, without what programs put around it and the lists of files.
func Body(text string) string {
	for _, w := range wrappers {
		if !strings.HasPrefix(text, w.before) {
			continue
		}
		if _, rest, ok := strings.Cut(text, w.intro); ok {
			text = rest
		}
		if at := strings.LastIndex(text, w.after); at >= 0 && w.after != "" {
			text = text[:at]
		}
	}
	for _, list := range fileLists {
		if before, rest, ok := strings.Cut(text, list[0]); ok {
			if _, after, ends := strings.Cut(rest, list[1]); ends {
				text = before + after
			}
		}
	}
	return strings.TrimSpace(text)
}

// placeholder is a line that OpenClaw's template, or a model that had nothing to summarize, puts below a heading.
var placeholder = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(none|none captured|none (mentioned|provided|specified|recorded|identified|yet)|` +
		`no prior history|no previous (context|history)|n/?a|not applicable|nothing|unknown|empty|tbd|-|—)?[.!]?$`)
})

// hasContent reports whether a line says something, beside headings and placeholders.
func hasContent(body string) bool {
	for line := range strings.Lines(body) {
		if !isHeading(line) && !isPlaceholder(line) {
			return true
		}
	}
	return false
}

// isHeading reports whether a line is a heading, a rule, or a label that ends with a colon.
func isHeading(line string) bool {
	line = strings.TrimSpace(line)
	label := strings.Trim(line, "*_ ")
	isEmphasized := label != line && !strings.ContainsAny(label, "*_") && len(label) <= longestHeading
	return strings.HasPrefix(line, "#") || strings.Trim(line, "-=*_") == "" || isEmphasized ||
		strings.HasSuffix(label, ":") && len(label) <= longestLabel
}

const (
	// longestLabel is the length of a line with a colon at its end that introduces something and says nothing itself.
	longestLabel = 40
	// longestHeading is the length of an emphasized line that is a heading and not a sentence.
	longestHeading = 60
)

// isPlaceholder reports whether a line stands for something that is missing: "None.", "- (none)", "[Current work]".
func isPlaceholder(line string) bool {
	line = strings.TrimSpace(listMark().ReplaceAllString(strings.TrimSpace(line), ""))
	if isBracketed(line, "()") && len(line) <= longestHeading || isBracketed(line, "[]") {
		return true
	}
	return placeholder().MatchString(strings.Trim(line, "*_`\"' "))
}

// listMark is what precedes an item of a list, with its box.
var listMark = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([-*+•]|\d+[.)])\s*(\[[ xX]?\]\s*)?`)
})

// isBracketed reports whether a line is between brackets as a whole, and is no link.
func isBracketed(line, brackets string) bool {
	return len(line) >= 2 && line[0] == brackets[0] && line[len(line)-1] == brackets[1] &&
		!strings.ContainsAny(line[1:len(line)-1], brackets)
}

// truncationMark is what OpenClaw writes where it shortened a summary.
const truncationMark = "[Compaction summary truncated to fit budget]"

// isCutOff reports whether a summary ends in the middle. Items of lists often have no full stop, so only what no
// finished line has counts.
func isCutOff(body string) bool {
	if strings.Contains(body, truncationMark) {
		return true
	}
	if hasOpenFence(body) {
		return true
	}
	last := strings.TrimSpace(body[strings.LastIndexByte(body, '\n')+1:])
	if isHeading(last) && strings.HasPrefix(last, "#") {
		return true
	}
	return endsInside(last)
}

// hasOpenFence reports whether the last block of code has no end. Backticks inside of a line are none.
func hasOpenFence(body string) (isOpen bool) {
	if !strings.Contains(body, "```") {
		return false
	}
	for line := range strings.Lines(body) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			isOpen = !isOpen
		}
	}
	return isOpen
}

// endsInside reports whether a line ends inside of a sentence.
func endsInside(line string) bool {
	last, _ := utf8.DecodeLastRuneInString(line)
	switch {
	case unicode.In(last, unicode.Thai, unicode.Lao): // which have no full stop
		return false
	case strings.ContainsRune(",(;[{<=&", last), strings.HasSuffix(line, " /"):
		return true
	case strings.Count(strings.ReplaceAll(line, "```", ""), "`")%2 == 1:
		return true
	case danglingWord().MatchString(line):
		return true
	}
	isItem := listMark().MatchString(line) || strings.HasPrefix(line, "|")
	return !isItem && (unicode.IsLetter(last) || unicode.IsDigit(last)) && len(line) >= shortestSentence
}

// shortestSentence is the length of a line that needs an end, unless it is the item of a list.
const shortestSentence = 60

// danglingWord is a word that needs another one after it.
var danglingWord = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\s(the|a|an|and|or|of|to|in|for|with|from|by|that|which|is|are|was|were|because)$`)
})
