package ui

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/term"
)

// A Terminal describes the stream that text goes to. The zero Terminal is a pipe or a file.
type Terminal struct {
	Is      bool // whether the stream is a terminal
	Columns int  // its width
	Rows    int  // its height, 0 if that is not known
	Color   bool // whether colour may be used
	ASCII   bool // whether pictures are drawn with ASCII alone
	Legacy  bool // whether it is a console that prints escape codes as text
}

// Widths in columns.
const (
	defaultColumns = 80
	maxProse       = 100 // longer lines of prose are hard to read
	minColumns     = 20  // a terminal that reports less is wrong
)

// NewTerminal describes a stream. getenv reads the environment.
func NewTerminal(stream any, getenv func(string) string) Terminal {
	t := Terminal{Columns: defaultColumns}
	file, ok := stream.(*os.File)
	t.Is = ok && term.IsTerminal(int(file.Fd()))
	t.Legacy = t.Is && !showsStyles(file)
	t.Color = usesColor(t.Is && !t.Legacy, getenv)
	t.ASCII = getenv("CLAWCTL_ASCII") != ""
	if !t.Is {
		return t
	}
	width, height, err := term.GetSize(int(file.Fd()))
	if err == nil && width >= minColumns {
		t.Columns, t.Rows = width, height
	}
	return t
}

// usesColor follows the customs of https://no-color.org and https://bixense.com/clicolors: NO_COLOR turns colour off,
// CLICOLOR_FORCE turns it on, even in a pipe, and otherwise terminals that know colour get it.
func usesColor(isTerminal bool, getenv func(string) string) bool {
	force := getenv("CLICOLOR_FORCE")
	switch {
	case getenv("NO_COLOR") != "":
		return false
	case force != "" && force != "0":
		return true
	}
	return isTerminal && getenv("TERM") != "dumb"
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(stream io.Reader) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// ReadHidden asks questions on a terminal that does not show the answers. It returns io.EOF after Ctrl-C. The terminal
// hides what is typed before a question is there.
func ReadHidden(ctx context.Context, in io.Reader, out io.Writer, questions ...string) (answers []string, err error) {
	file, ok := in.(*os.File)
	if !ok {
		return nil, errors.New("not a terminal")
	}
	screen := term.NewTerminal(struct {
		io.Reader
		io.Writer
	}{file, withoutLineEnds{out}}, "")
	for _, question := range questions {
		answer, err := readHidden(ctx, file, screen, question)
		_, _ = out.Write([]byte("\n"))
		if err != nil {
			return nil, err
		}
		answers = append(answers, answer)
	}
	return answers, nil
}

// readHidden asks one question. The terminal is as before when it returns.
func readHidden(ctx context.Context, file *os.File, screen *term.Terminal, question string) (string, error) {
	before, err := term.MakeRaw(int(file.Fd()))
	if err != nil {
		return "", err
	}
	defer func() { _ = term.Restore(int(file.Fd()), before) }()
	type answer struct {
		line string
		err  error
	}
	typed := make(chan answer, 1)
	go func() {
		line, err := screen.ReadPassword(question)
		typed <- answer{line, err}
	}()
	select {
	case <-ctx.Done():
		return "", ctx.Err()
	case a := <-typed:
		return a.line, a.err
	}
}

// withoutLineEnds leaves out the line ends of a raw terminal, which a stream would show.
type withoutLineEnds struct{ to io.Writer }

func (w withoutLineEnds) Write(p []byte) (int, error) {
	if _, err := w.to.Write(bytes.Trim(p, "\r\n")); err != nil {
		return 0, err
	}
	return len(p), nil
}

// ProseWidth returns the width that prose is wrapped to.
func (t Terminal) ProseWidth() int {
	if !t.Is {
		return defaultColumns
	}
	return min(t.Columns, maxProse)
}

// ColorModes are the values of --color.
var ColorModes = []string{"auto", "always", "never"}

// WithColor returns the terminal with a value of --color applied.
func (t Terminal) WithColor(mode string) Terminal {
	switch mode {
	case "always":
		t.Color = true
	case "never":
		t.Color = false
	}
	return t
}

// A Style is a way to highlight text.
type Style string

// The styles in use.
const (
	Plain   Style = ""
	Bold    Style = "\x1b[1m"
	Dim     Style = "\x1b[2m"
	Error   Style = "\x1b[1;31m"
	Warning Style = "\x1b[1;33m"
	Good    Style = "\x1b[32m"
	Hint    Style = "\x1b[1;36m"
	Match   Style = "\x1b[1;33m" // what a search found

	Italic Style = "\x1b[3m"
	Strike Style = "\x1b[9m"
	Link   Style = "\x1b[4m"
	Code   Style = "\x1b[36m"
	Bullet Style = "\x1b[33m"

	Heading   Style = "\x1b[1;35m"
	Faint     Style = "\x1b[2;3m"
	User      Style = "\x1b[1;32m"
	Assistant Style = "\x1b[1;34m"
	Added     Style = "\x1b[32m"
	Removed   Style = "\x1b[31m"

	reset Style = "\x1b[0m"
)

// styles are the codes that may reach a terminal.
var styles = []Style{
	reset, Bold, Dim, Error, Warning, Good, Hint, Match, Italic, Strike, Link, Code, Bullet, Heading, Faint, User,
	Assistant, Added, Removed,
}

// Paint colors text, which must already be escaped.
func (t Terminal) Paint(style Style, text string) string {
	if !t.Color || style == Plain || text == "" {
		return text
	}
	return string(style) + text + string(reset)
}
