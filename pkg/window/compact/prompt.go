package compact

import (
	"io"
	"strings"

	"clawctl/pkg/read/fileuse"
)

// summaryInstruction is the instruction for the summarizer of a compaction, before the conversation.
const summaryInstruction = "" +
	"Summarize the conversation below so that an assistant that has not seen it can carry on. Be concise and " +
	"factual. Preserve what the user wants, constraints, decisions with their reasons, what is done, what is " +
	"open, what comes next, and exact file paths, names, numbers and error messages. Do not continue the " +
	"conversation and do not answer questions in it. Output only the summary, no preamble.\n"

const (
	previousInstruction = "" +
		"The conversation continues an earlier one, which is summarized in <previous-summary>. Carry over " +
		"everything in it that still matters, because it will not be seen again.\n"
	splitInstruction = "" +
		"The conversation ends in the middle of a turn, and the assistant still sees the rest. Say what the user " +
		"asked for in it and what was done so far.\n"
)

// checkpointInstruction is the instruction for the summarizer of a checkpoint.
const checkpointInstruction = "" +
	"Take stock of the conversation below, which continues. Answer with one JSON object and nothing else:\n" +
	`{"summary": "what an assistant that has not seen it must know to carry on: goal, constraints, what is ` +
	`done, what is open, exact file paths, names and numbers", "topics": ["..."], "openQuestions": ["..."], ` +
	`"keyDecisions": ["..."]}` + "\n" +
	"Be concise and factual. Do not continue the conversation and do not answer questions in it.\n"

// writePrompt writes the complete prompt for a summarizer.
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
