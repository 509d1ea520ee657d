package ui

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
)

// aTerminal is a Stream that takes a buffer for a terminal.
func aTerminal(out io.Writer, color bool) *Stream {
	s := NewStream(out, os.Getenv)
	s.term = Terminal{Is: true, Columns: 80, Color: color}
	return s
}

// hostileText is what no terminal may receive, with the color that clawctl itself uses for errors.
const hostileText = "a\x1b]52;c;aGk=\x07\x1b[2J\x1b[31m\u009b31m\x9b31m\u202e\r\b\x00\x7f\u200b" + string(Error) + "z\n"

func TestStyledText(t *testing.T) {
	const escaped = `a\u001b]52;c;aGk=\u0007\u001b[2J`
	for _, test := range []struct {
		color      bool
		text, want string
	}{
		{true, string(Error) + "x" + string(reset) + "\n", "\x1b[1;31mx\x1b[0m\n"},
		{false, string(Error) + "x", `\u001b[1;31mx`},
		{true, "\x1b[1;3", `\u001b[1;3`},
		{true, "\x1b\x1b[1m", `\u001b` + "\x1b[1m"},
		{true, hostileText, escaped + "\x1b[31m" + `\u009b31m` + "\ufffd" + `31m\u202e\u000d\u0008\u0000\u007f\u200b` +
			"\x1b[1;31mz\n"},
		{false, hostileText, escaped + `\u001b[31m\u009b31m` + "\ufffd" + `31m\u202e\u000d\u0008\u0000\u007f\u200b` +
			`\u001b[1;31mz` + "\n"},
	} {
		var out bytes.Buffer
		s, reported := aTerminal(&out, test.color), ""
		s.ReportUnsafe(func(text string) { reported = text })
		if err := s.WriteStyled(test.text); err != nil || out.String() != test.want {
			t.Errorf("%q became %q %v, want %q", test.text, out.String(), err, test.want)
		}
		if (reported != "") != (test.text != test.want) {
			t.Errorf("%q: reported %q", test.text, reported)
		}
	}
}

// Data on a terminal has no color, and on a pipe it has every byte, like everything else.
func TestStreamData(t *testing.T) {
	var terminal, pipe bytes.Buffer
	s, p := aTerminal(&terminal, true), NewStream(&pipe, os.Getenv)
	for i := range len(hostileText) {
		for _, stream := range []*Stream{s, p} {
			if _, err := stream.Write([]byte(hostileText[i : i+1])); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := p.WriteStyled(hostileText); err != nil || pipe.String() != hostileText+hostileText {
		t.Errorf("a pipe received %q, %v", pipe.String(), err)
	}
	if err := s.Flush(); err != nil || strings.ContainsFunc(terminal.String(), IsUnsafe) {
		t.Errorf("a terminal received %q, %v", terminal.String(), err)
	}
}

// Whatever is put between a stream and its destination gets only what passed the filter.
func TestThrough(t *testing.T) {
	var out, between bytes.Buffer
	s := aTerminal(&out, false).Through(func(dst io.Writer) io.Writer { return io.MultiWriter(dst, &between) })
	if err := s.WriteStyled("\x1b[2J"); err != nil || out.String() != `\u001b[2J` || between.String() != out.String() {
		t.Errorf("%q %q %v", out.String(), between.String(), err)
	}
}

// Every style may reach a terminal.
func TestStylesAreComplete(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "terminal.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := 0
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); !ok || kind.Name != "Style" {
			return true
		}
		declared++
		code := spec.Values[0].(*ast.BasicLit).Value
		if code != `""` && !slices.ContainsFunc(styles, func(s Style) bool { return quoted(s) == code }) {
			t.Errorf("%s is not in styles", spec.Names[0])
		}
		return true
	})
	if declared != len(styles)+1 { // Plain has no code
		t.Errorf("%d styles are declared, %d are listed", declared, len(styles))
	}
}

// quoted is a style as terminal.go writes it.
func quoted(s Style) string { return `"` + strings.ReplaceAll(string(s), "\x1b", `\x1b`) + `"` }
