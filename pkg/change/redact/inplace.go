package redact

import (
	"crypto/sha256"
	"fmt"
	"io"
	"maps"

	"clawctl/pkg/change/secrets"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext"
)

// A Span is a part of the raw text inside a JSON string that has to go, or of a text that is no JSON.
type Span struct {
	Start, End int
	Number     int // of the value, which its placeholder shows
}

// An Eraser removes values that somebody else has found, by the rules of a Redactor: ids and names that others refer to
// stay, and what is signed loses its signature. What it makes of a text depends on the text only.
type Eraser struct {
	redactor *Redactor
	rule     *secrets.Rule
}

// erasedRule is the name of what an Eraser removes.
const erasedRule = "value"

// NewEraser returns an eraser.
func NewEraser() *Eraser {
	return &Eraser{newRedactor(nil), &secrets.Rule{Name: erasedRule}}
}

// KeepCheckpoints leaves the checkpoints of providers, which may hold what is removed before them.
func (e *Eraser) KeepCheckpoints() { e.redactor.KeepCheckpoints = true }

// WithoutCheckpoint returns the text of a record that something was removed from, or before. It has no checkpoint of a
// provider, unless they are kept.
func (e *Eraser) WithoutCheckpoint(rec *jsonl.Record) []byte {
	if !e.redactor.dropsCheckpoint(rec) {
		return rec.Text()
	}
	return withoutCheckpoint(rec.Text())
}

// Counts says what was removed so far.
func (e *Eraser) Counts() *Counts { return &e.redactor.Counts }

// Add adds what others have counted.
func (c *Counts) Add(other *Counts) {
	for rule, n := range other.Places {
		c.Places[rule] += n
	}
	for rule, n := range other.Kept {
		c.Kept[rule] += n
	}
	maps.Copy(c.left, other.left)
	c.Thinking += other.Thinking
	c.Signatures += other.Signatures
	c.Lines += other.Lines
	c.Checkpoints += other.Checkpoints
	c.CheckpointsKept += other.CheckpointsKept
}

// placeholder is what stands for the value with a number.
func placeholder(number int) string { return fmt.Sprintf("[redacted:%s:%d]", erasedRule, number) }

// JSON returns a JSON text without the values that find returns for the inside of each string, and for what is between
// two strings, where numbers are. It returns the same slice if there are none.
func (e *Eraser) JSON(text []byte, find func(inside []byte) []Span, isIndex bool) []byte {
	var findings []secrets.Leak
	for start := 0; start < len(text); { // strings and what is between them take turns
		end := jsontext.StringEnd(text, start)
		if spans := find(text[start:end]); len(spans) > 0 {
			findings = append(findings, e.finding(text[start:end], start, spans))
		}
		start = end + 1
	}
	l := &line{redactor: e.redactor, text: text, findings: findings, isIndex: isIndex}
	return apply(text, l.edits())
}

// finding describes the spans of a string in the words of a detector.
func (e *Eraser) finding(inside []byte, start int, spans []Span) secrets.Leak {
	f := secrets.Leak{Start: start, End: start + len(inside), Text: jsontext.Decode(nil, inside)}
	at := position{}
	for _, s := range spans {
		at = at.to(inside, s.Start, false)
		from := at.decoded
		at = at.to(inside, s.End, true)
		f.Matches = append(f.Matches, secrets.Match{Start: from, End: at.decoded, Rule: e.rule})
		e.redactor.numbers[sha256.Sum256(f.Text[from:at.decoded])] = placeholder(s.Number)
	}
	return f
}

// to returns the position of a raw index: the last one before it if the index is inside an escape, or the next one.
func (p position) to(inside []byte, raw int, next bool) position {
	for p.raw < raw {
		after := position{p.raw + 1, p.decoded + 1}
		if inside[p.raw] == '\\' {
			after.raw = p.raw + jsontext.EscapeLen(inside[p.raw:])
			after.decoded = p.decoded + len(jsontext.Decode(nil, inside[p.raw:after.raw]))
		}
		if after.raw > raw && !next {
			break
		}
		p = after
	}
	return p
}

// Text returns a text that is no JSON with placeholders for the spans.
func (e *Eraser) Text(text []byte, spans []Span) []byte {
	var edits []edit
	for _, s := range spans {
		e.redactor.Counts.Places[erasedRule]++
		edits = append(edits, edit{s.Start, s.End, []byte(placeholder(s.Number))})
	}
	return apply(text, edits)
}

// Each calls yield with every secret of a transcript, as often as it is there, and with the rule that found it.
func (s *Survey) Each(in io.Reader, opts jsonl.Options, yield func(rule, secret string)) error {
	for rec, err := range jsonl.Records(in, opts) {
		if err != nil {
			return err
		}
		for _, f := range findInRecord(s.detector, rec) {
			for _, m := range unmarked(f.Text, f.Matches) {
				yield(m.Rule.Name, string(f.Text[m.Start:m.End]))
			}
		}
	}
	return nil
}
