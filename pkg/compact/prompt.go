package compact

import (
	"io"
	"strings"

	"clawctl/pkg/fileuse"
)

// The instruction that a summarizer of a compaction gets, before the conversation.
const summaryInstruction = "" +
	"Summarize the conversation below so that an assistant that has not seen it can carry on. Be concise and " +
	"factual. Preserve what the user wants, constraints, decisions with their reasons, what is done, what is " +
	"open, what comes next, and exact file paths, names, numbers and error messages. Do not continue the " +
	"conversation and do not answer questions in it. Output only the summary, no preamble.\n"

const (
	previousInstruction = "" +
		"The conversation goes on from an earlier one. What is known of that stands in <previous-summary>: carry " +
		"over everything of it that still matters, it will not be seen again.\n"
	splitInstruction = "" +
		"The conversation ends in the middle of a turn whose rest the assistant still sees: say what the user " +
		"asked for in it and what was done so far.\n"
)

// The instruction that a summarizer of a checkpoint gets.
const checkpointInstruction = "" +
	"Take stock of the conversation below, which goes on. Answer with one JSON object and nothing else:\n" +
	`{"summary": "what an assistant that has not seen it must know to carry on: goal, constraints, what is ` +
	`done, what is open, exact file paths, names and numbers", "topics": ["..."], "openQuestions": ["..."], ` +
	`"keyDecisions": ["..."]}` + "\n" +
	"Be concise and factual. Do not continue the conversation and do not answer questions in it.\n"

// writePrompt writes all that a summarizer gets.
func (s *Survey) writePrompt(w io.Writer, records Records, end int, instruction string, details fileuse.Details) error {
	var head, tail strings.Builder
	head.WriteString(instruction)
	if s.Previous != nil {
		head.WriteString(previousInstruction)
		head.WriteString("\n<previous-summary>\n" + strings.TrimSpace(s.Previous.Summary) + "\n</previous-summary>\n")
	}
	head.WriteString("\n<conversation>\n")
	tail.WriteString("</conversation>\n")
	writeList(&tail, "read-files", details.ReadFiles)
	writeList(&tail, "modified-files", details.ModifiedFiles)
	if _, err := io.WriteString(w, head.String()); err != nil {
		return err
	}
	if err := s.writeText(w, records, end); err != nil {
		return err
	}
	_, err := io.WriteString(w, tail.String())
	return err
}

func writeList(b *strings.Builder, tag string, lines []string) {
	if len(lines) > 0 {
		b.WriteString("\n<" + tag + ">\n" + strings.Join(lines, "\n") + "\n</" + tag + ">\n")
	}
}
