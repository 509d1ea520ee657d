// Package summary makes and checks summaries that replace a part of a conversation. A [Summarizer] writes a summary,
// [Ask] runs it, [Check] refuses texts that cannot be summaries, and an [Extract] works without a model.
package summary

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"clawctl/pkg/read/fileuse"
)

// An Extract summarizes a conversation without a model. It quotes sentences by fixed rules, and the same input gives
// the same extract.
type Extract struct {
	Goal      string
	Topics    []string // what the user asked for, in short
	Decisions []string
	Questions []string // asked last and not yet answered
	Request   string   // the last one of the user
	Answer    string   // the last one of the assistant
	Tools     []string // the last ones that were called
	Error     string   // the last one that a tool reported, if nothing succeeded after it

	Details  fileuse.Details
	Previous string // the summary of the part before
	Messages int
}

// How much an extract quotes.
const (
	quoteLength = 600
	LineLength  = 200
	topicLength = 60
	listLength  = 12
	lastTools   = 5
	// earlierLength is how much of an earlier summary is kept. It contains what can no longer be read elsewhere.
	earlierLength = 8000
)

// AddCall adds a tool call of the assistant.
func (x *Extract) AddCall(tool, arguments string) {
	x.Tools = lastOf(append(x.Tools, Excerpt(tool+" "+arguments, LineLength)), lastTools)
}

// AddUser adds a user message.
func (x *Extract) AddUser(text string) {
	x.Request = Excerpt(text, quoteLength)
	if x.Goal == "" {
		x.Goal = x.Request
	}
	x.Topics = appendNew(x.Topics, Excerpt(text, topicLength))
	x.addDecisions("user", text)
	x.Questions = questionsOf("user", text)
}

// AddAssistant adds an assistant message.
func (x *Extract) AddAssistant(text string) {
	x.Answer = Excerpt(text, quoteLength)
	x.addDecisions("assistant", text)
	x.Questions = questionsOf("assistant", text)
}

// decisionWords matches a sentence that settles something.
var decisionWords = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(decided|decision|agreed|we will|we'll|let's use|let us use|going with|` +
		`go with|instead of|must not|never|always|from now on|chose|chosen|settled)\b`)
})

func (x *Extract) addDecisions(who, text string) {
	for _, decision := range Decisions(text) {
		x.Decisions = appendNew(x.Decisions, who+": "+decision)
	}
}

// Decisions returns the sentences of a text that settle something, each on one line and cut to LineLength.
func Decisions(text string) (list []string) {
	for sentence := range sentences(text) {
		if decisionWords().MatchString(sentence) {
			list = append(list, Excerpt(sentence, LineLength))
		}
	}
	return list
}

// questionsOf returns the questions in the last message.
func questionsOf(who, text string) (questions []string) {
	for sentence := range sentences(text) {
		if strings.HasSuffix(sentence, "?") {
			questions = appendNew(questions, who+": "+Excerpt(sentence, LineLength))
		}
	}
	return questions
}

// sentenceEnd matches the end of a sentence or a line.
var sentenceEnd = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`[.!?]+(\s+|$)|\n+`)
})

// sentences splits a text into sentences and lines.
func sentences(text string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for len(text) > 0 {
			at := sentenceEnd().FindStringIndex(text)
			if at == nil {
				at = []int{len(text), len(text)}
			}
			if sentence := strings.TrimSpace(text[:at[1]]); sentence != "" && !yield(sentence) {
				return
			}
			text = text[at[1]:]
		}
	}
}

// Excerpt returns a text on one line, cut to a length.
func Excerpt(text string, length int) string {
	line := strings.Join(strings.Fields(text), " ")
	if short := Beginning(line, length); short != line {
		return short + "…"
	}
	return line
}

// Beginning returns at most the first n characters of a text.
func Beginning(text string, n int) string {
	for i := range text {
		if n--; n < 0 {
			return text[:i]
		}
	}
	return text
}

// appendNew appends an item that is not yet in the list, and keeps only the last items of a long list.
func appendNew(list []string, item string) []string {
	if item == "" || slices.Contains(list, item) {
		return list
	}
	return lastOf(append(list, item), listLength)
}

func lastOf(list []string, n int) []string { return slices.Clone(list[max(0, len(list)-n):]) }

// String returns the extract as a summary, which starts by saying that it is an extract.
func (x *Extract) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "[Offline extract of %d messages by clawctl. No model wrote it: it quotes the conversation by fixed "+
		"rules and may miss what matters.]\n", x.Messages)
	section := func(title string, lines ...string) {
		if lines = slices.DeleteFunc(lines, func(line string) bool { return line == "" }); len(lines) > 0 {
			b.WriteString("\n## " + title + "\n" + strings.Join(lines, "\n") + "\n")
		}
	}
	if x.Previous != "" {
		earlier := Beginning(x.Previous, earlierLength)
		if earlier != x.Previous {
			earlier += "\n[... the earlier summary was cut here ...]"
		}
		section("Earlier summary", earlier)
	}
	section("Goal", x.Goal)
	section("Asked for", bullets(x.Topics)...)
	section("Decisions", bullets(x.Decisions)...)
	section("Open questions", bullets(x.Questions)...)
	section("Files", append(bullets(prefixed("modified ", x.Details.ModifiedFiles)),
		bullets(prefixed("read ", x.Details.ReadFiles))...)...)
	section("Last state", labelled("The user said: ", x.Request), labelled("The assistant said: ", x.Answer),
		labelled("The last calls: ", strings.Join(x.Tools, "; ")), labelled("The last call failed: ", x.Error))
	return strings.TrimRight(b.String(), "\n")
}

func bullets(list []string) []string { return prefixed("- ", list) }

func prefixed(prefix string, list []string) (lines []string) {
	for _, item := range list {
		lines = append(lines, prefix+item)
	}
	return lines
}

func labelled(label, text string) string {
	if text == "" {
		return ""
	}
	return label + text
}
