package ui

import (
	"bytes"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"golang.org/x/term"
)

// A Screen is a terminal that a program has for itself: it draws whole frames, and gets every key. What it draws is
// filtered as everything that goes to a Stream.
type Screen struct {
	out    *Stream
	in     *os.File
	before *term.State
	drawn  []string
}

// ErrNoScreen is the error for a program that needs a terminal and has none.
var ErrNoScreen = errors.New("stdin and stdout must be a terminal")

// OpenScreen takes over a terminal, until Close.
func OpenScreen(out *Stream, in io.Reader) (*Screen, error) {
	file, ok := in.(*os.File)
	if !ok || !out.term.Is || out.term.Legacy || !IsTerminal(in) {
		return nil, ErrNoScreen
	}
	before, err := term.MakeRaw(int(file.Fd()))
	if err != nil {
		return nil, err
	}
	s := &Screen{out: out, in: file, before: before}
	return s, s.write("\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J")
}

// Close gives the terminal back as it was.
func (s *Screen) Close() error {
	return errors.Join(s.write("\x1b[?7h\x1b[?25h\x1b[?1049l"), term.Restore(int(s.in.Fd()), s.before))
}

func (s *Screen) write(codes string) error {
	_, err := io.WriteString(s.out.dst, codes)
	return err
}

// Size returns the size of the screen.
func (s *Screen) Size() (columns, rows int) {
	fd, ok := s.out.Fd()
	if !ok {
		return defaultColumns, 24
	}
	columns, rows, err := term.GetSize(int(fd))
	if err != nil || columns < minColumns || rows < 3 {
		return defaultColumns, 24
	}
	return columns, rows
}

// Clear forgets what is drawn, for a terminal of another size.
func (s *Screen) Clear() { s.drawn = nil }

// Draw draws a frame. Each line must be as wide as the screen: see FitPainted.
func (s *Screen) Draw(lines []string) error {
	var b bytes.Buffer
	if len(s.drawn) != len(lines) {
		b.WriteString("\x1b[2J")
		s.drawn = make([]string, len(lines))
		for i := range s.drawn {
			s.drawn[i] = "\x00"
		}
	}
	for i, line := range lines {
		if s.drawn[i] != line {
			fmt.Fprintf(&b, "\x1b[%d;1H%s\x1b[0m", i+1, s.out.filter(line))
		}
	}
	copy(s.drawn, lines)
	return s.write(b.String())
}

// Copy asks the terminal to put a text on its clipboard. Nobody knows whether it does.
func (s *Screen) Copy(text string) error {
	return s.write("\x1b]52;c;" + base64.StdEncoding.EncodeToString([]byte(text)) + "\x07")
}

// A Key is what somebody has typed: a character, or the name of a key.
type Key string

// The keys that are not characters.
const (
	KeyUp        Key = "up"
	KeyDown      Key = "down"
	KeyLeft      Key = "left"
	KeyRight     Key = "right"
	KeyPageUp    Key = "page up"
	KeyPageDown  Key = "page down"
	KeyHome      Key = "home"
	KeyEnd       Key = "end"
	KeyEnter     Key = "enter"
	KeyEscape    Key = "escape"
	KeyBackspace Key = "backspace"
	KeyTab       Key = "tab"
	KeyInterrupt Key = "ctrl-c"
	KeyCopy      Key = "ctrl-y"
	KeyClear     Key = "ctrl-u"
	KeyUnknown   Key = ""
)

// IsText reports whether the key is a character.
func (k Key) IsText() bool {
	r, size := utf8.DecodeRuneInString(string(k))
	return size == len(k) && k != "" && r != utf8.RuneError && !IsUnsafe(r)
}

var controlKeys = map[byte]Key{
	'\r': KeyEnter, '\n': KeyEnter, 0x7f: KeyBackspace, '\b': KeyBackspace, '\t': KeyTab, 3: KeyInterrupt, 25: KeyCopy,
	21: KeyClear, 14: KeyDown, 16: KeyUp, 4: KeyPageDown, 2: KeyPageUp, 1: KeyHome, 5: KeyEnd,
}

var sequences = map[string]Key{
	"[A": KeyUp, "[B": KeyDown, "[C": KeyRight, "[D": KeyLeft, "OA": KeyUp, "OB": KeyDown, "OC": KeyRight, "OD": KeyLeft,
	"[5~": KeyPageUp, "[6~": KeyPageDown, "[H": KeyHome, "[F": KeyEnd, "OH": KeyHome, "OF": KeyEnd, "[1~": KeyHome,
	"[4~": KeyEnd, "[7~": KeyHome, "[8~": KeyEnd,
}

// NextKey returns the first key of what was read, and how many bytes it takes: 0 if more must be read. isEnd says that
// nothing follows for now, so an escape is the key and not the beginning of a sequence.
func NextKey(typed []byte, isEnd bool) (Key, int) {
	switch {
	case len(typed) == 0:
		return KeyUnknown, 0
	case typed[0] == 0x1b:
		return nextSequence(typed, isEnd)
	case typed[0] < 0x20 || typed[0] == 0x7f:
		return controlKeys[typed[0]], 1
	case !utf8.FullRune(typed) && !isEnd:
		return KeyUnknown, 0
	}
	r, size := utf8.DecodeRune(typed)
	if r == utf8.RuneError {
		return KeyUnknown, size
	}
	return Key(string(r)), size
}

// nextSequence reads what a key sends that is not a character.
func nextSequence(typed []byte, isEnd bool) (Key, int) {
	if len(typed) == 1 {
		if isEnd {
			return KeyEscape, 1
		}
		return KeyUnknown, 0
	}
	if typed[1] != '[' && typed[1] != 'O' {
		return KeyEscape, 1
	}
	for i := 2; i < len(typed); i++ {
		if typed[i] >= 0x40 && typed[i] <= 0x7e {
			return sequences[string(typed[1:i+1])], i + 1
		}
	}
	if isEnd {
		return KeyUnknown, len(typed)
	}
	return KeyUnknown, 0
}

// escapeDelay is how long the rest of a sequence may take to arrive.
const escapeDelay = 30 * time.Millisecond

// Keys sends every key that is typed, until the terminal is closed.
func (s *Screen) Keys(keys chan<- Key) {
	input := make(chan []byte)
	go func() {
		defer close(input)
		for {
			buf := make([]byte, 256)
			n, err := s.in.Read(buf)
			if n > 0 {
				input <- buf[:n]
			}
			if err != nil {
				return
			}
		}
	}()
	defer close(keys)
	var typed []byte
	for {
		var late <-chan time.Time
		if len(typed) > 0 {
			late = time.After(escapeDelay)
		}
		isEnd := false
		select {
		case more, ok := <-input:
			if !ok {
				return
			}
			typed = append(typed, more...)
		case <-late:
			isEnd = true
		}
		for {
			key, n := NextKey(typed, isEnd)
			if n == 0 {
				break
			}
			if typed = typed[n:]; key != KeyUnknown {
				keys <- key
			}
		}
	}
}

// FitPainted makes a line exactly so many columns wide: it is cut, or filled with blanks. It may carry codes of styles.
func FitPainted(line string, width int) string {
	var b strings.Builder
	taken, painted := 0, false
	for line != "" && taken <= width {
		if code := codeAt(line); code != "" {
			b.WriteString(string(code))
			painted, line = code != reset, line[len(code):]
			continue
		}
		end := plainEnd(line)
		graphemes := displaywidth.StringGraphemes(line[:end])
		for graphemes.Next() {
			if taken+graphemes.Width() > width {
				line, end = "", 0
				break
			}
			taken += graphemes.Width()
			b.WriteString(graphemes.Value())
		}
		line = line[end:]
	}
	if painted {
		b.WriteString(string(reset))
	}
	return b.String() + strings.Repeat(" ", max(0, width-taken))
}

// plainEnd returns where the next code may begin in a line that does not begin with one.
func plainEnd(line string) int {
	if next := strings.IndexByte(line[1:], '\x1b'); next >= 0 {
		return 1 + next
	}
	return len(line)
}

// codeAt returns the code of a style that a line begins with, or "".
func codeAt(line string) Style {
	if line[0] != '\x1b' {
		return ""
	}
	for _, style := range styles {
		if strings.HasPrefix(line, string(style)) {
			return style
		}
	}
	return ""
}

// Unpainted returns a line without the codes of styles.
func Unpainted(line string) string {
	for _, style := range styles {
		if strings.Contains(line, "\x1b") {
			line = strings.ReplaceAll(line, string(style), "")
		}
	}
	return line
}
