package ui

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/windows"

	"clawctl/internal/testkit"
)

// inConsole is set in the process that TestConsole starts.
const inConsole = "CLAWCTL_TEST_CONSOLE"

// A console shows every text, whatever its code page is. Tests have no console, so the test starts itself again with
// one, which has no window.
func TestConsole(t *testing.T) {
	if os.Getenv(inConsole) != "" {
		testCodePages(t)
		return
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, "-test.run=^TestConsole$", "-test.v")
	cmd.Env = append(os.Environ(), inConsole+"=1")
	cmd.SysProcAttr = &windows.SysProcAttr{CreationFlags: windows.CREATE_NO_WINDOW}
	if out, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(out), "--- PASS: TestConsole") {
		t.Errorf("%v: %s", err, out)
	}
}

func testCodePages(t *testing.T) {
	console, err := os.OpenFile("CONOUT$", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer console.Close()
	const text = "Größe → 31% ▁▃█ … «日本» Ω"
	for row, page := range []uint32{437, 850, 1252, 65001} {
		if err := windows.SetConsoleOutputCP(page); err != nil {
			t.Fatal(page, err)
		}
		s := NewStream(console, func(string) string { return "" })
		if !s.Terminal().Is {
			t.Fatal("the console is not a terminal")
		}
		for _, half := range []string{text[:3], text[3:]} { // within a character
			if _, err := s.Write([]byte(half)); err != nil {
				t.Fatal(page, err)
			}
		}
		if err := s.WriteStyled("\n"); err != nil {
			t.Fatal(page, err)
		}
		if got := redirect(t, text); got != text {
			t.Errorf("code page %d: a file has %q, want %q", page, got, text)
		}
		if got := readRow(t, console, row); got != text {
			t.Errorf("code page %d: got %q, want %q", page, got, text)
		}
	}
}

// redirect returns what a file receives of a text.
func redirect(t *testing.T, text string) string {
	t.Helper()
	file, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := NewStream(file, os.Getenv).Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	got := testkit.Read(t, file.Name())
	return string(got)
}

var readCharacters = windows.NewLazySystemDLL("kernel32.dll").NewProc("ReadConsoleOutputCharacterW")

// readRow returns what a console shows in a row. A wide character takes two cells, and some systems return it twice.
func readRow(t *testing.T, console *os.File, row int) string {
	t.Helper()
	cells, read := make([]uint16, 80), uint32(0)
	done, _, err := readCharacters.Call(console.Fd(), uintptr(unsafe.Pointer(&cells[0])), uintptr(len(cells)),
		uintptr(row)<<16, uintptr(unsafe.Pointer(&read)))
	if done == 0 {
		t.Fatal(err)
	}
	runes := slices.CompactFunc([]rune(windows.UTF16ToString(cells[:read])), func(a, b rune) bool {
		return a == b && a > 0x2e80
	})
	return strings.TrimRight(string(runes), " ")
}
