package failure

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Every code of the table is complete: unique, in order, and with words to read. A failure of clawctl itself has an
// exit status that is explained, unless it is a remark, and a finding says what OpenClaw does.
func TestTable(t *testing.T) {
	form := regexp.MustCompile(`^CL\d\d\d$`)
	for i, e := range Table() {
		if !form.MatchString(string(e.Code)) || i > 0 && e.Code <= Table()[i-1].Code {
			t.Errorf("%s is not in order", e.Code)
		}
		isOwn := e.Level == LevelOwn
		if isOwn != (e.Code >= "CL900") || isOwn == (i < len(Rules())) {
			t.Errorf("%s has the level %s", e.Code, e.Level)
		}
		known := func(s ExitStatus) bool { return s.Status == e.Exit }
		if (isOwn && e.Severity == Severe) == (e.Exit == ExitOK) || !slices.ContainsFunc(ExitStatuses, known) {
			t.Errorf("%s: exit %d", e.Code, e.Exit)
		}
		explanation := cmp.Or(e.Explain, e.Does)
		if e.Words == "" || strings.HasSuffix(e.Words, ".") || !strings.HasSuffix(explanation, ".") || e.Run == "" {
			t.Errorf("%s lacks words: %+v", e.Code, e)
		}
		lower := Code(strings.ToLower(string(e.Code)))
		if found, ok := Lookup(lower); !ok || *found != e {
			t.Errorf("%s is not found", e.Code)
		}
	}
}

func TestError(t *testing.T) {
	f := New(Nothing, "no session %s", "x").At("a/b").WithHint("clawctl sessions")
	if f.Error() != "a/b: CL909 no session x" || f.Status() != ExitNothing || f.Hint == "" {
		t.Errorf("%v, exit %d", f, f.Status())
	}
	f.Line = 7
	if got := f.WithExit(ExitDamaged).Error(); got != "a/b:7: CL909 no session x" || f.Status() != ExitDamaged {
		t.Errorf("%s, exit %d", got, f.Status())
	}
	if got := New(Locked, "").Error(); got != "CL913 the database is locked" {
		t.Error(got)
	}
	if status := (&Error{Code: "CL001"}).Status(); status != ExitDamaged {
		t.Errorf("damage exits with %d", status)
	}
	if got := Internal(errors.New("oops")).Error(); !strings.Contains(got, "internal error: oops") {
		t.Error(got)
	}
}

func TestKeepsOutput(t *testing.T) {
	for err, want := range map[error]bool{
		Damaged: true, Findings: true, New(IO, "x").AfterWork(): true,
		New(IO, "x"): false, errors.New("x"): false, fmt.Errorf("wrapped: %w", Damaged): true,
	} {
		if KeepsOutput(err) != want {
			t.Errorf("%v: %v", err, !want)
		}
	}
	if !KeepsOutput(nil) {
		t.Error("success keeps no output")
	}
}

// The worst part decides how a run ends, whatever the order.
func TestTally(t *testing.T) {
	var none Tally
	if !none.OK() || none.Err() != nil {
		t.Error("nothing failed, but the tally does")
	}
	for _, statuses := range [][]int{{ExitFindings, ExitDatabase, ExitDamaged}, {ExitDatabase, ExitFindings}} {
		var tally Tally
		for _, s := range statuses {
			tally.Take(s, true)
		}
		var r *ReportedError
		if !errors.As(tally.Err(), &r) || r.Exit != ExitDatabase || !r.Done {
			t.Errorf("%v: %+v", statuses, r)
		}
		tally.Take(ExitFindings, false)
		if errors.As(tally.Err(), &r); r.Exit != ExitDatabase || r.Done {
			t.Errorf("a part without output: %+v", r)
		}
	}
}

func TestCommand(t *testing.T) {
	for _, c := range []struct{ word, want string }{
		{"plain/path.jsonl", "plain/path.jsonl"}, {"a b", "'a b'"}, {"", "''"}, {"it's", `'it'\''s'`},
		{"a#b", "'a#b'"}, {"agent:main:main@reset", "agent:main:main@reset"},
	} {
		if got := Quote(c.word); got != c.want {
			t.Errorf("%q: %s, want %s", c.word, got, c.want)
		}
	}
	if got := Command("clawctl", "cat", "a b"); got != "clawctl cat 'a b'" {
		t.Error(got)
	}
}

func TestNearestFolder(t *testing.T) {
	folder := t.TempDir()
	for path, want := range map[string]string{
		filepath.Join(folder, "a"):           folder,
		filepath.Join(folder, "a", "b", "c"): folder,
		"missing":                            ".",
	} {
		if got := nearestFolder(path); got != want {
			t.Errorf("%q: got %q, want %q", path, got, want)
		}
	}
}

type failingError struct{}

func (failingError) Error() string                { return "failing" }
func (failingError) FailureAt(path string) *Error { return New(Locked, "").At(path).WithHint("ls") }

// An error of a package keeps its code however it is wrapped, and its words are those of the whole error.
func TestReading(t *testing.T) {
	sentinel := &Sentinel{Code: Exists, Text: "taken", Again: []string{"--force"}}
	for _, test := range []struct {
		err        error
		path, want string
		hint       string
	}{
		{fmt.Errorf("%w: x", sentinel), "a", "a: CL904 taken: x", ""},
		{fmt.Errorf("it is %w", failingError{}), "a", "a: CL913 the database is locked", "ls"},
		{failingError{}, Stdin, Stdin + ": CL913 the database is locked", ""},
		{New(Nothing, "none").At("b"), "a", "b: CL909 none", ""},
		{&fs.PathError{Op: "open", Path: "a", Err: fs.ErrPermission}, "a", "a: CL902 permission denied", "ls -l a"},
		{&fs.PathError{Op: "open", Path: "a", Err: fs.ErrNotExist}, "a", "a: CL901 no such file", "ls ."},
		{&fs.PathError{Op: "read", Path: "a", Err: errors.New("oops")}, "a", "a: CL906 oops", ""},
	} {
		if f := Reading(test.path, test.err); f.Error() != test.want || f.Hint != test.hint {
			t.Errorf("%v: %v, hint %q", test.err, f, f.Hint)
		}
	}
	if f := From("a", sentinel); !slices.Equal(f.Again, []string{"--force"}) {
		t.Error(f.Again)
	}
	if f := From("a", errors.New("x")); f != nil {
		t.Error(f)
	}
}

// A sentinel names the file at hand, unless it is always about one place or about none.
func TestSentinelPlaces(t *testing.T) {
	for want, sentinel := range map[string]*Sentinel{
		"file": &Sentinel{Code: NotMessage, Text: "x"},
		Stdin:  &Sentinel{Code: NotMessage, Text: "x", About: Stdin},
		"":     &Sentinel{Code: UsageCode, Text: "x", About: NoPlace},
	} {
		if got := From("file", fmt.Errorf("%w: y", sentinel)); got.Path != want || got.Text != "x: y" {
			t.Errorf("got %v, want it at %q", got, want)
		}
	}
}
