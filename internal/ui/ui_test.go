package ui

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"
)

func TestEscape(t *testing.T) {
	for in, want := range map[string]string{
		"plain é 日本 👩\u200d💻\n\t": "plain é 日本 👩\u200d💻\n\t",
		"\x1b[31mred\x07":         `\u001b[31mred\u0007`,
		"a\rb":                    `a\u000db`,
		"\u202eevil\u2066":        `\u202eevil\u2066`,
		"\u009b31m\x7f":           `\u009b31m\u007f`,
		"\xff\xc3":                "\ufffd\ufffd",
		"\U000e0041":              `\udb40\udc41`,
		"\u2028":                  `\u2028`,
		"half \ufffd of it":       "half \ufffd of it",
	} {
		if got := Escape(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
	if got := EscapeLine("a\nb\tc\x1b"); got != `a\nb\tc\u001b` {
		t.Errorf("%q", got)
	}
}

// bidi are the characters that change the direction of text.
const bidi = "\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"

// FuzzSafeWriter checks that no unsafe character gets through and that safe text is unchanged, however it is split.
func FuzzSafeWriter(f *testing.F) {
	f.Add([]byte("plain"), 2)
	f.Add([]byte("\x1b]0;title\x07\u202e\u009b日本\xe6\x97"), 3)
	f.Add([]byte("👩\u200d💻\U000e0041\xf0\x9f"), 1)
	f.Fuzz(func(t *testing.T, text []byte, size int) {
		var out bytes.Buffer
		w := NewSafeWriter(&out)
		size = 1 + int(uint(size)%64)
		for rest := text; len(rest) > 0; {
			n := min(size, len(rest))
			if written, err := w.Write(rest[:n]); written != n || err != nil {
				t.Fatal(written, err)
			}
			rest = rest[n:]
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for _, r := range out.String() {
			if r != '\n' && r != '\t' && unicode.IsControl(r) || strings.ContainsRune(bidi, r) {
				t.Fatalf("%q lets %U through", text, r)
			}
		}
		if !utf8.Valid(out.Bytes()) {
			t.Fatalf("%q became %q, which is not UTF-8", text, out.String())
		}
		if want := string(appendEscaped(nil, text)); out.String() != want {
			t.Fatalf("%q in pieces of %d: %q, want %q", text, size, out.String(), want)
		}
		if !bytes.ContainsFunc(text, IsUnsafe) && utf8.Valid(text) && !bytes.Equal(out.Bytes(), text) {
			t.Fatalf("%q was changed to %q", text, out.String())
		}
	})
}

func TestText(t *testing.T) {
	if got := Wrap("one two  three\nfour", 9, "  "); got != "  one two\n  three\n  four" {
		t.Errorf("%q", got)
	}
	for _, c := range []struct {
		cut   func(string, int) string
		text  string
		width int
		want  string
	}{
		{CutEnd, "short", 5, "short"}, {CutEnd, "longer", 5, "long…"}, {CutEnd, "two words", 5, "two…"},
		{CutEnd, "日本語です", 5, "日本…"},
		{CutMiddle, "agent:main:main", 15, "agent:main:main"}, {CutMiddle, "agent:main:telegram:1001", 11, "agent…:1001"},
		{CutMiddle, "日本語です", 7, "日…す"}, {CutEnd, "ab", 1, "…"}, {CutMiddle, "abcdef", 3, "ab…"},
	} {
		if got := c.cut(c.text, c.width); got != c.want || Width(got) > c.width {
			t.Errorf("%q in %d: %q, want %q", c.text, c.width, got, c.want)
		}
	}
}

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		Bytes(999): "999 B", Bytes(1200): "1.2 kB", Bytes(999_999): "1.0 MB", Bytes(1_234_000_000): "1.23 GB",
		Thousands(1234567): "1,234,567", Thousands(-1234): "-1,234", Thousands(12): "12",
		Short(999): "999", Short(1234): "1.2k", Short(8_400_000): "8.4M",
		Count(1, "file"): "1 file", Count(2, "fix"): "2 fixes", Count(3204, "message"): "3,204 messages",
		Count(2, "entry"): "2 entries", Count(2, "key"): "2 keys", Are(1, "file"): "1 file is", Are(0, "file"): "0 files are",
		Dollars(0): "$0.00", Dollars(0.004): "<$0.01", Dollars(1234.5): "$1,234.50",
		Dollars(-2): "-$2.00", Dollars(0.995): "$1.00", Percent(0.3142): "31.4%",
		List([]string{"a", "b", "c"}): "a, b and c", List([]string{"a"}): "a", List(nil): "",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestAgo(t *testing.T) {
	now := time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)
	for age, want := range map[time.Duration]string{
		30 * time.Second: "just now", time.Minute: "1 minute ago", 90 * time.Minute: "1 hour ago",
		26 * time.Hour: "1 day ago", 48 * time.Hour: "2 days ago",
		13 * 24 * time.Hour: "13 days ago", 15 * 24 * time.Hour: "2 weeks ago",
		45 * 24 * time.Hour: "6 weeks ago", 70 * 24 * time.Hour: "2 months ago", 400 * 24 * time.Hour: "13 months ago",
		800 * 24 * time.Hour: "2 years ago", -time.Hour: "2026-11-15 13:00",
	} {
		if got := Ago(now.Add(-age), now); got != want {
			t.Errorf("%s: %q, want %q", age, got, want)
		}
	}
}

func TestProgress(t *testing.T) {
	now := time.Now()
	p := &Progress{columns: 80, task: "Reading", total: 1_000_000_000, unit: ByteUnit, begun: now.Add(-2 * time.Second)}
	p.done.Store(500_000_000)
	if got, want := p.line(now), "Reading: 500.0 MB of 1.00 GB (50%), 250.0 MB/s, 2s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.unit, p.total = Items("file"), 2000
	p.done.Store(1500)
	if got, want := p.line(now), "Reading: 1,500 of 2,000 files (75%), 750/s, 1s left"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	p.total = 0
	if got, want := p.line(now), "Reading: 1,500 files, 750/s"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// A screen collects what is written to a terminal.
type screen struct{ bytes.Buffer }

// Nothing draws any more when End returns.
func TestProgressEndsWithItsLastDrawing(t *testing.T) {
	var out screen
	calls, isReleased := atomic.Int64{}, atomic.Bool{}
	drawing, release, done := make(chan struct{}), make(chan struct{}), make(chan bool)
	now := func() time.Time {
		if calls.Add(1) == 3 { // after NewProgress and Begin
			close(drawing)
			<-release
		}
		return time.Time{}
	}
	p := NewProgress(NewStream(&out, os.Getenv), 40, Timing{Delay: time.Hour, Every: time.Hour, Now: now})
	p.Begin("Reading", 100, ByteUnit)
	<-drawing
	go func() {
		p.End()
		done <- isReleased.Load()
	}()
	runtime.Gosched()
	isReleased.Store(true)
	close(release)
	if !<-done {
		t.Error("End returned while the progress was drawn")
	}
}

// Progress appears after its delay, is erased before anything else is printed, and is erased at the end.
func TestProgressIsErased(t *testing.T) {
	var out screen
	p := NewProgress(NewStream(&out, os.Getenv), 40, Timing{
		Delay: 5 * time.Millisecond, Every: time.Millisecond, Now: time.Now})
	p.Begin("Reading \x1b", 100, ByteUnit)
	for shown := false; !shown; time.Sleep(time.Millisecond) {
		p.mu.Lock()
		shown = p.shown
		p.mu.Unlock()
	}
	p.Print(func() { out.WriteString("a remark\n") })
	p.End()
	p.End()
	text := out.String()
	if !strings.Contains(text, `Reading \u001b: 0 B of 100 B (0%)`) {
		t.Errorf("%q", text)
	}
	if before, _, _ := strings.Cut(text, "a remark"); !strings.HasSuffix(before, "\r\x1b[K") {
		t.Errorf("progress was not erased before a message: %q", before)
	}
	if last := text[strings.LastIndex(text, "\r"):]; last != "\r\x1b[K" && !strings.HasSuffix(text, "a remark\n") {
		t.Errorf("progress was not erased at the end: %q", text)
	}
	(*Progress)(nil).Begin("x", 1, ByteUnit)
	(*Progress)(nil).Advance(1)
	(*Progress)(nil).Print(func() {})
	(*Progress)(nil).End()
}

func TestColor(t *testing.T) {
	for _, c := range []struct {
		isTerminal bool
		env        map[string]string
		want       bool
	}{
		{true, nil, true},
		{false, nil, false},
		{true, map[string]string{"TERM": "dumb"}, false},
		{true, map[string]string{"NO_COLOR": "1"}, false},
		{false, map[string]string{"CLICOLOR_FORCE": "1"}, true},
		{true, map[string]string{"CLICOLOR_FORCE": "1", "TERM": "dumb"}, true},
		{false, map[string]string{"CLICOLOR_FORCE": "0"}, false},
		{true, map[string]string{"CLICOLOR_FORCE": "0"}, true},
		{false, map[string]string{"CLICOLOR_FORCE": "1", "NO_COLOR": "1"}, false},
	} {
		if got := usesColor(c.isTerminal, func(name string) string { return c.env[name] }); got != c.want {
			t.Errorf("terminal %t, %v: %t", c.isTerminal, c.env, got)
		}
	}
	env := map[string]string{"CLICOLOR_FORCE": "1"}
	forced := NewTerminal(&bytes.Buffer{}, func(name string) string { return env[name] })
	if !forced.Color || forced.Is || forced.WithColor("never").Color {
		t.Errorf("%+v", forced)
	}
}

func TestRows(t *testing.T) {
	for line, want := range map[string]int{
		"": 1, "1234567890": 1, "12345678901": 2, "\x1b[1m1234567890\x1b[0m": 1, "日本語日本語": 2,
	} {
		if got := Rows(line, 10); got != want {
			t.Errorf("%q takes %d rows, want %d", line, got, want)
		}
	}
}
