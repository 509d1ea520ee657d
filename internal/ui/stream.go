package ui

import (
	"io"
	"os"
)

// A Stream is stdout or stderr, and the only way to a terminal: the destination is out of reach for everybody else, so
// every byte that a terminal receives has passed Write, WriteStyled or the drawing of a Progress. Whoever forgets to
// escape a text may spoil the layout, but not the terminal. A pipe or a file receives every byte as it is.
type Stream struct {
	term   Terminal
	dst    io.Writer
	data   *SafeWriter
	unsafe func(text string)
}

// NewStream returns the Stream that writes to dst. getenv reads the environment.
func NewStream(dst io.Writer, getenv func(string) string) *Stream {
	return NewStreamFor(dst, NewTerminal(dst, getenv))
}

// NewStreamFor returns a Stream that writes to dst as if that were a terminal.
func NewStreamFor(dst io.Writer, term Terminal) *Stream {
	return &Stream{term: term, dst: dst, data: NewSafeWriter(dst)}
}

// Terminal describes the stream.
func (s *Stream) Terminal() Terminal { return s.term }

// SetColor applies a value of --color, and returns the terminal with it.
func (s *Stream) SetColor(mode string) Terminal {
	s.term = s.term.WithColor(mode)
	return s.term
}

// ReportUnsafe makes the stream call report with styled text that had to be escaped here, because it was not escaped
// where it was laid out.
func (s *Stream) ReportUnsafe(report func(text string)) { s.unsafe = report }

// Write writes data. A terminal receives it escaped, including its color codes. A character may be split between two
// writes.
func (s *Stream) Write(p []byte) (int, error) {
	if !s.term.Is {
		return s.dst.Write(p)
	}
	return s.data.Write(p)
}

// Flush writes the rest of an incomplete character at the end of the data.
func (s *Stream) Flush() error {
	if !s.term.Is {
		return nil
	}
	return s.data.Close()
}

// WriteStyled writes text that was laid out for people, and escaped before it was painted. Only the codes of styles may
// control a terminal.
func (s *Stream) WriteStyled(text string) error {
	safe := text
	if s.term.Is {
		safe = s.filter(text)
	}
	if safe != text && s.unsafe != nil {
		s.unsafe(text)
	}
	_, err := io.WriteString(s.dst, safe)
	return err
}

// filter escapes everything in a text but the codes of styles.
func (s *Stream) filter(text string) string {
	safe := make([]byte, 0, len(text))
	for text != "" {
		if code := s.styleCode(text); code != "" {
			safe, text = append(safe, code...), text[len(code):]
			continue
		}
		end := plainEnd(text)
		safe, text = appendEscaped(safe, []byte(text[:end])), text[end:]
	}
	return string(safe)
}

// styleCode returns the code of a style that a text begins with, "" if there is none or the terminal has no color.
func (s *Stream) styleCode(text string) Style {
	if !s.term.Color {
		return ""
	}
	return codeAt(text)
}

// redraw replaces the line that the cursor is in.
func (s *Stream) redraw(line string) {
	_, _ = io.WriteString(s.dst, "\r\x1b[K"+Escape(line)) // nothing is lost with it
}

// Through returns the stream with a writer between its filter and its destination.
func (s *Stream) Through(between func(dst io.Writer) io.Writer) *Stream {
	dst := between(s.dst)
	return &Stream{term: s.term, dst: dst, data: NewSafeWriter(dst), unsafe: s.unsafe}
}

// Fd returns the descriptor of the file that the stream writes to, for questions about it.
func (s *Stream) Fd() (fd uintptr, ok bool) {
	file, ok := s.dst.(*os.File)
	if !ok {
		return 0, false
	}
	return file.Fd(), true
}
