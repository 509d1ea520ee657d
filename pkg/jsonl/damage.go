package jsonl

import (
	"fmt"

	"clawctl/internal/failure"
)

// The kinds of damage a line can have.
const (
	BadJSON    failure.Code = "CL001"
	TornTail   failure.Code = "CL002"
	BadUTF8    failure.Code = "CL003"
	TooDeep    failure.Code = "CL004"
	TooLong    failure.Code = "CL005"
	NotObject  failure.Code = "CL006"
	NulBytes   failure.Code = "CL007"
	WrongCoded failure.Code = "CL008"
)

// Codes lists every code in order.
var Codes = []failure.Code{BadJSON, TornTail, BadUTF8, TooDeep, TooLong, NotObject, NulBytes, WrongCoded}

// Damage describes what is wrong with one line and where. It never contains text of the transcript, which may be
// secret.
type Damage struct {
	Code   failure.Code
	Line   int64  // 1-based
	Offset int64  // of the first wrong byte, from the start of the stream
	Column int64  // of the first wrong byte, 1-based, in bytes from the start of the line
	Detail string // what is wrong there, may be ""
}

// Error describes the damage. It is the error that ends a strict stream.
func (d *Damage) Error() string { return string(d.Code) + " " + d.words() }

func (d *Damage) words() string {
	text := fmt.Sprintf("%s at column %d (byte %d)", d.Code.Words(), d.Column, d.Offset)
	if d.Detail != "" {
		text += ": " + d.Detail
	}
	return text
}

// FailureAt says how to see the damage in a file.
func (d *Damage) FailureAt(path string) *failure.Error {
	f := failure.New(d.Code, "%s", d.words()).At(path).WithHint(d.Command(path))
	f.Line = d.Line
	return f
}

// Command returns the command that shows the damage in a file, or mends it. Without damage, it shows the first line.
func (d *Damage) Command(path string) string {
	switch {
	case path == failure.Stdin:
		return ""
	case d == nil:
		return "clawctl cat -q " + failure.Quote(path) + " | head -n 1"
	case d.Code == WrongCoded:
		return "iconv -f UTF-16 -t UTF-8 " + failure.Quote(path) + " | clawctl cat -"
	}
	return fmt.Sprintf("clawctl cat -q %s | sed -n %dp | cat -v", failure.Quote(path), d.Line)
}

// legible reports whether the line is complete JSON, and its fields can be read despite the damage.
func (d *Damage) legible() bool { return d.Code == BadUTF8 }
