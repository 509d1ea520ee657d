//go:build unix

package main

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// A step of a browser is what is pressed, and what must be on the screen then.
type browseStep struct{ keys, want string }

// browseScreens are the screens of browse that are golden files.
var browseScreens = []struct {
	name       string
	cols, rows int
	color      bool
	steps      []browseStep
}{
	{"list", 60, 14, false, []browseStep{{"", "Esc q"}}},
	{"filter", 60, 14, false, []browseStep{{"", "Esc q"}, {"dorm", "1 of "}}},
	{"talk", 60, 16, false, []browseStep{{"", "Esc q"}, {"dorm", "1 of "}, {"\r", "19 out"}}},
	{"wide", 120, 20, true, []browseStep{
		{"", "Esc quit"}, {"valve", "delivered as"}, {"\r", "q back"}, {"p", "07:06"},
	}},
	{"tree", 120, 20, false, []browseStep{{"", "Esc quit"}, {"valve", "1 of "}, {"\r", "q back"}, {"t", "ends at"}}},
	{"search", 120, 20, true, []browseStep{
		{"", "Esc quit"}, {"valve", "1 of "}, {"\r", "q back"}, {"/", "Esc cancel"}, {"mondays\r", "yellow Mondays"},
	}},
	{"actions", 120, 20, false, []browseStep{
		{"", "Esc quit"}, {"dorm", "1 of "}, {"\r", "q back"}, {"x", "Nothing is run"},
	}},
}

func TestBrowseScreens(t *testing.T) {
	folder := aHome(t)
	for _, c := range browseScreens {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := startScreenOf(t, c.cols, c.rows, c.color, inHome(folder, "browse", "home"))
			for _, step := range c.steps {
				press(t, s, step.keys)
				s.waitFor(t, step.want)
			}
			s.settle()
			checkScreen(t, "browse-"+c.name, fmt.Sprintf("$ clawctl browse home\n%s", s))
			press(t, s, "\x03")
			if exit := s.wait(t); exit != 0 {
				t.Errorf("exit %d", exit)
			}
		})
	}
}

// Whoever chooses a command gets it printed after the screen is as it was, and nothing is run.
func TestBrowsePrints(t *testing.T) {
	s := startScreenOf(t, 80, 20, false, inHome(aHome(t), "browse", "home"))
	s.waitFor(t, "Esc q")
	press(t, s, "dorm")
	s.waitFor(t, "1 of ")
	press(t, s, "\r")
	s.waitFor(t, "scroll")
	press(t, s, "x")
	s.waitFor(t, "Nothing is run")
	press(t, s, "\x1b[B")
	press(t, s, "\r")
	if exit := s.wait(t); exit != 0 || !strings.Contains(s.String(), "clawctl handoff ") {
		t.Errorf("exit %d:\n%s", exit, s)
	}
}

// Without a terminal there is nothing to browse on.
func TestBrowseInPipe(t *testing.T) {
	out, err := inHome(aHome(t), "browse", "home").CombinedOutput()
	if err == nil || !strings.Contains(string(out), "CL900 browse needs a terminal") ||
		!strings.Contains(string(out), "hint: clawctl sessions home") {
		t.Errorf("%v: %s", err, out)
	}
}

// settle waits until the screen stays as it is.
func (s *screen) settle() {
	for shown := ""; shown != s.String(); {
		shown = s.String()
		time.Sleep(250 * time.Millisecond)
	}
}
