package browsing

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"clawctl/internal/showing"
	"clawctl/internal/ui"
	"clawctl/pkg/source"
)

func items(n int) (list []*Item) {
	for i := range n {
		list = append(list, &Item{
			Session: &source.Session{Key: fmt.Sprint("agent:main:", i)}, Name: fmt.Sprint("name-", i),
			Title: fmt.Sprintf("Title %d of the garden 日本\x1b[2J", i), About: "main · live · 2 messages",
			Actions: []Action{{"first", "clawctl show a"}, {"second", "clawctl show b"}},
		})
	}
	return list
}

// answer draws what the model asks for: turns of four lines.
func answer(m *Model) {
	r := m.Wanted()
	if r == nil {
		return
	}
	turns := 40
	if r.Last > 0 {
		turns = min(turns, r.Last)
	}
	var lines []showing.Line
	for i := 40 - turns; i < 40; i++ {
		id := fmt.Sprint("e", i)
		lines = append(lines, showing.Line{Text: fmt.Sprintf("You · %d", i), Entry: id, Prompt: true},
			showing.Line{Text: fmt.Sprintf("question %d", i), Entry: id}, showing.Line{Text: "answer", Entry: id + "a"},
			showing.Line{})
	}
	m.Take(r.Number, lines)
}

func press(m *Model, keys ...ui.Key) {
	for _, key := range keys {
		m.Press(key)
		answer(m)
	}
}

func screen(m *Model) string { return strings.Join(m.Frame(), "\n") }

func newModel(columns, rows, n int) *Model {
	m := NewModel(items(n), ui.Terminal{Is: true}, false)
	m.Resize(columns, rows)
	answer(m)
	return m
}

func TestKeys(t *testing.T) {
	for name, test := range map[string]struct {
		keys      []ui.Key
		has, lack string
	}{
		"the newest turns":  {nil, "question 39", "question 27"},
		"filter":            {[]ui.Key{"t", "i", "t", "l", "e", " ", "7"}, "2 of 20 sessions", "Title 8"},
		"filter of nothing": {[]ui.Key{"z", "z"}, "no session has these words", "Title"},
		"filter is cleared": {[]ui.Key{"z", ui.KeyEscape}, "Title 0", "no session"},
		"last prompt":       {[]ui.Key{ui.KeyEnter, "p"}, "question 36", "question 39"},
		"next prompt":       {[]ui.Key{ui.KeyEnter, "p", "p", "n"}, "question 37", "You · 34"},
		"beginning":         {[]ui.Key{ui.KeyEnter, "g"}, "question 0", "question 39"},
		"earlier turns":     {[]ui.Key{ui.KeyEnter, "b", "b", "b", "b", "b", "b", "b", "b"}, "question 13", "question 39"},
		"search":            {[]ui.Key{ui.KeyEnter, "/", "3", "3", ui.KeyEnter}, "question 33", "question 39"},
		"search in all": {
			[]ui.Key{ui.KeyEnter, "g", "/", "O", "N", " ", "7", ui.KeyEnter}, "question 7", "question 39",
		},
		"search for nothing": {[]ui.Key{ui.KeyEnter, "/", "x", "x", ui.KeyEnter}, "not in the last 12 turns", ""},
		"actions":            {[]ui.Key{ui.KeyEnter, "x"}, "Nothing is run", "question"},
		"copy":               {[]ui.Key{ui.KeyEnter, "y"}, "copied name-0", ""},
		"back":               {[]ui.Key{ui.KeyEnter, "q", ui.KeyDown}, "> Title 1", "> Title 0"},
	} {
		m := newModel(120, 18, 20)
		press(m, test.keys...)
		got := screen(m)
		if !strings.Contains(got, test.has) || test.lack != "" && strings.Contains(got, test.lack) {
			t.Errorf("%s: want %q, not %q:\n%s", name, test.has, test.lack, got)
		}
	}
}

func TestEnd(t *testing.T) {
	for name, test := range map[string]struct {
		keys    []ui.Key
		command string
	}{
		"escape":  {[]ui.Key{ui.KeyEscape}, ""},
		"ctrl-c":  {[]ui.Key{ui.KeyEnter, "/", ui.KeyInterrupt}, ""},
		"command": {[]ui.Key{ui.KeyEnter, "x", ui.KeyDown, ui.KeyEnter}, "clawctl show b"},
	} {
		m := newModel(60, 18, 20)
		press(m, test.keys...)
		if command, ended := m.Ended(); !ended || command != test.command {
			t.Errorf("%s: %q, %v", name, command, ended)
		}
	}
}

// A late answer is not shown in the place of another session.
func TestLateAnswer(t *testing.T) {
	m := newModel(120, 18, 20)
	m.Press(ui.KeyDown)
	late := m.Wanted()
	m.Press(ui.KeyDown)
	answer(m)
	m.Take(late.Number, []showing.Line{{Text: "late"}})
	if strings.Contains(screen(m), "late") {
		t.Error("a late answer is shown")
	}
}

// Whatever is pressed on a screen of any size, every frame fits it.
func TestRandomKeys(t *testing.T) {
	keys := []ui.Key{
		ui.KeyUp, ui.KeyDown, ui.KeyLeft, ui.KeyRight, ui.KeyPageUp, ui.KeyPageDown, ui.KeyHome, ui.KeyEnd, ui.KeyEnter,
		ui.KeyEscape, ui.KeyBackspace, ui.KeyTab, ui.KeyCopy, ui.KeyClear, "a", "n", "p", "/", "[", "]", "e", "t", "x", "日",
		"7", " ", "g", "G", "q",
	}
	random := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		m := newModel(20+random.IntN(150), 3+random.IntN(40), random.IntN(30))
		for range 200 {
			if random.IntN(20) == 0 {
				m.Resize(20+random.IntN(150), 3+random.IntN(40))
			}
			m.Press(keys[random.IntN(len(keys))])
			if random.IntN(3) > 0 {
				answer(m)
			}
			frame := m.Frame()
			if len(frame) != m.height {
				t.Fatalf("%d lines on %d rows", len(frame), m.height)
			}
			for _, line := range frame {
				if ui.Width(ui.Unpainted(line)) != m.width || strings.Contains(line, "\x1b[2J") {
					t.Fatalf("%q on %d columns", line, m.width)
				}
			}
			if _, ended := m.Ended(); ended {
				break
			}
		}
	}
}
