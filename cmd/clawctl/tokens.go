package main

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/tokens"

	"github.com/urfave/cli/v2"
)

// tokenDimensions are what counts can be parted by.
var tokenDimensions = []string{"session", "message", "role", "tool", "block"}

func tokensCommand() *command {
	return &command{
		name: "tokens", group: "look", args: "[SOURCE]...", summary: "how many tokens a text or a transcript is, and what fills it",
		about: "Counts exactly what OpenAI's tokenizers count, offline; for Claude, whose tokenizer is not public, that is an estimate. " +
			"With --text the arguments are the text, or stdin where there are none. Otherwise transcripts are counted, message by message: texts, thinking, the names and arguments of calls, results, " +
			"a token for every 750 pixels of an image, and 4 for the message itself. A file or stream without a record in its first 64 KiB is taken as text.\n\n" +
			"--by parts the count: " + strings.Join(tokenDimensions, ", ") + "; the largest come first. All records of a transcript count, also those that the model no longer sees; clawctl context counts what it sees.",
		examples: []string{
			"echo hello | clawctl tokens -",
			"clawctl tokens --text 'How long is this?'",
			"clawctl tokens SESSION.jsonl --by tool --top 5",
			"clawctl tokens ~/.openclaw --by session --top 10",
		},
		exits: []int{exitOK, exitUsage, exitDamaged, exitNothing, exitDatabase, exitLocked, exitInterrupted},
		flags: append([]cli.Flag{
			&cli.BoolFlag{Name: "text", Usage: "the arguments, or stdin, are plain text"},
			&cli.StringFlag{Name: "encoding", Value: "cl100k_base", Usage: "count with `NAME`: cl100k_base, o200k_base or heuristic"},
			&cli.StringFlag{Name: "by", Usage: "part the count by `DIMENSION`"},
			&cli.IntFlag{Name: "top", Usage: "only the `N` largest"},
		}, sourceFlags()...),
		formats: reportFormats,
		run:     runTokens,
	}
}

// A tokensRun is one run of tokens.
type tokensRun struct {
	*app
	encoding string
	counter  tokens.Counter
	by       string
	total    int64
	messages int64
	parts    map[string]int64
	reader   *jsonl.Reader
}

// tokensReport is the JSON form of a count.
type tokensReport struct {
	SchemaVersion int               `json:"schema_version"`
	Tokens        int64             `json:"tokens"`
	Encoding      string            `json:"encoding"`
	Messages      *int64            `json:"messages,omitempty"`
	By            string            `json:"by,omitempty"`
	Parts         []tokenPartReport `json:"parts,omitempty"`
}

type tokenPartReport struct {
	Name   string  `json:"name"`
	Tokens int64   `json:"tokens"`
	Share  float64 `json:"share"`
}

func runTokens(a *app, ctx *cli.Context) error {
	counter, err := counterNamed(ctx)
	if err != nil {
		return err
	}
	t := &tokensRun{app: a, encoding: ctx.String("encoding"), counter: counter, by: ctx.String("by"), parts: map[string]int64{}, reader: &jsonl.Reader{}}
	if t.by != "" && !slices.Contains(tokenDimensions, t.by) {
		return usageError("clawctl help tokens", "--by is one of %s, not %q", strings.Join(tokenDimensions, ", "), t.by)
	}
	args := ctx.Args().Slice()
	if ctx.Bool("text") {
		return t.text(args)
	}
	if len(args) == 0 {
		if isTerminal(a.stdin) {
			return usageError("clawctl help tokens", "no transcript given, and stdin is a terminal")
		}
		args = []string{"-"}
	}
	err = a.eachSession(ctx, args, t.session)
	if err != nil && !keepsOutput(err) && t.messages == 0 && t.total == 0 {
		return err
	}
	if printErr := t.print(ctx.Int("top")); printErr != nil {
		return printErr
	}
	return err
}

// text counts the arguments, or stdin.
func (t *tokensRun) text(args []string) error {
	if len(args) > 0 && !(len(args) == 1 && args[0] == "-") {
		t.total = int64(t.counter.Count(strings.Join(args, " ")))
		return t.print(0)
	}
	n, _, err := tokens.CountStream(t.stdin, t.counter)
	if err != nil {
		return inputError(stdinName, err)
	}
	t.total = n
	return t.print(0)
}

// sniffed is how much of an input is searched for a record.
const sniffed = 64 << 10

// session counts one transcript, or text that is none.
func (t *tokensRun) session(s *source.Session, in *source.Input) error {
	stream := bufio.NewReaderSize(in.Reader, sniffed)
	head, err := stream.Peek(sniffed)
	if err != nil && err != io.EOF && len(head) == 0 {
		return inputError(in.Name, err)
	}
	if !hasRecord(head) {
		if len(head) > 0 {
			t.note("%s holds no record in its first 64 KiB: counted as text", in.Name)
		}
		n, _, err := tokens.CountStream(stream, t.counter)
		t.add(n, in.Name)
		if err != nil {
			return inputError(in.Name, err)
		}
		return nil
	}
	t.reader.Reset(stream, jsonl.Options{BeforeRead: t.ctx.Err})
	damage := &damageLog{app: t.app, name: in.Name}
	for rec, err := range t.reader.All() {
		if err != nil {
			return t.readError(in.Name, err)
		}
		damage.count(rec)
		if m, ok := rec.Message(); ok {
			t.message(s, rec, m)
		}
	}
	return damage.finish(t.reader.Dialect())
}

// hasRecord reports whether the beginning of an input shows a transcript. A line that is cut off there counts if it
// begins like one.
func hasRecord(head []byte) bool {
	reader := jsonl.NewReader(bytes.NewReader(head), jsonl.Options{})
	for rec, err := range reader.All() {
		if err == nil && rec.Legible() && rec.Type() != "" {
			return true
		}
	}
	return len(head) == sniffed && bytes.HasPrefix(bytes.TrimSpace(head), []byte(`{"type":`))
}

// add adds to the total and to a part.
func (t *tokensRun) add(n int64, name string) {
	t.total += n
	if t.by != "" {
		t.parts[name] += n
	}
}

// message counts one message.
func (t *tokensRun) message(s *source.Session, rec *jsonl.Record, m jsonl.Message) {
	t.messages++
	if t.by != "tool" && t.by != "block" {
		n := int64(tokens.MessageTokens(m, t.counter))
		name := m.Role()
		switch t.by {
		case "session":
			name = s.Name()
		case "message":
			name = fmt.Sprintf("%s:%d %s %s", s.Place(), rec.Line, m.Role(), rec.ID())
		}
		t.add(n, cmp.Or(name, "unknown"))
		return
	}
	t.add(tokens.MessageOverhead, "message overhead")
	tokens.EachCost(m, t.counter, func(p tokens.BlockCost) {
		name := p.Type
		if t.by == "tool" {
			name = cmp.Or(p.Tool, m.ToolName(), "no tool")
		}
		t.add(int64(p.Tokens), cmp.Or(name, "unknown"))
	})
}

// print prints the count and its parts.
func (t *tokensRun) print(top int) error {
	r := tokensReport{SchemaVersion: 1, Tokens: t.total, Encoding: t.encoding, By: t.by}
	if t.messages > 0 {
		r.Messages = &t.messages
	}
	for name, n := range t.parts {
		share := 0.0
		if t.total > 0 {
			share = float64(n) / float64(t.total)
		}
		r.Parts = append(r.Parts, tokenPartReport{name, n, share})
	}
	slices.SortFunc(r.Parts, func(a, b tokenPartReport) int {
		return cmp.Or(cmp.Compare(b.Tokens, a.Tokens), strings.Compare(a.Name, b.Name))
	})
	if top > 0 && len(r.Parts) > top {
		r.Parts = r.Parts[:top]
	}
	if a := t.app; a.format == "json" || a.format == "ndjson" {
		return a.print(jsonLine(r))
	}
	if t.by == "" && t.format == "" {
		return t.app.print(fmt.Sprintf("%d\n", t.total))
	}
	table := &report{columns: []column{{name: cmp.Or(t.by, "total")}, {"tokens", true}, {"share", true}, {name: ""}}}
	for _, p := range r.Parts {
		table.add(p, p.Name, group(p.Tokens), fmt.Sprintf("%.1f %%", 100*p.Share), bar(p.Share, 30))
	}
	table.add(tokenPartReport{"total", t.total, 1}, "total", group(t.total), "", "")
	return t.printReport(table)
}

// bar draws a share of a width.
func bar(share float64, width int) string {
	eighths := int(max(0, min(1, share))*float64(width)*8 + 0.5)
	text := strings.Repeat("█", eighths/8)
	if rest := eighths % 8; rest > 0 {
		text += string([]rune(" ▏▎▍▌▋▊▉")[rest])
	}
	return text
}
