package main

import (
	"cmp"
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

//go:embed table.txt
var tableText string

// A table is what table.txt says: how to make what is read, and the figures.
type table struct {
	recipes map[string]*recipe
	figures []*figure
}

// A recipe has the commands that make a corpus, which is a file or a folder.
type recipe struct {
	name  string
	steps [][]string
}

// A figure compares a command of clawctl with that of a rival.
type figure struct {
	name, title string
	ours, rival []string // commands, or for sizes the files
	cores       [2]int   // for ours and for the rival, 0 for all
	rounds      int      // 0 for the usual number
	compare     string   // a name in comparisons
	must, aim   float64  // 0 for no target
}

// parseTable reads entries that begin with "corpus NAME" or "figure NAME: TITLE". Indented lines belong to the entry
// before them.
func parseTable(text string) (*table, error) {
	t := &table{recipes: map[string]*recipe{}}
	var set func(key, value string) error
	n := 0
	for line := range strings.Lines(text) {
		n++
		key, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		value = strings.TrimSpace(value)
		var err error
		switch {
		case key == "" || strings.HasPrefix(key, "#"):
			continue
		case line[0] != ' ':
			set, err = t.begin(key, value)
		case set == nil:
			err = fmt.Errorf("%s belongs to no entry", key)
		default:
			err = set(key, value)
		}
		if err != nil {
			return nil, fmt.Errorf("table.txt:%d: %w", n, err)
		}
	}
	return t, t.check()
}

// begin adds an entry and returns what sets its fields.
func (t *table) begin(kind, value string) (func(key, value string) error, error) {
	switch kind {
	case "corpus":
		r := &recipe{name: value}
		t.recipes[value] = r
		return r.set, nil
	case "figure":
		name, title, _ := strings.Cut(value, ": ")
		f := &figure{name: name, title: title}
		t.figures = append(t.figures, f)
		return f.set, nil
	}
	return nil, fmt.Errorf("expected corpus or figure, got %q", kind)
}

func (r *recipe) set(key, value string) error {
	if key != "make" {
		return fmt.Errorf("a corpus has no %q", key)
	}
	r.steps = append(r.steps, strings.Fields(value))
	return nil
}

func (f *figure) set(key, value string) error {
	switch key {
	case "ours":
		f.ours = strings.Fields(value)
		return nil
	case "rival":
		f.rival = strings.Fields(value)
		return nil
	}
	words := strings.Fields(key + " " + value)
	for pair := range slices.Chunk(words, 2) {
		if len(pair) != 2 {
			return fmt.Errorf("%s has no value", pair[0])
		}
		if err := f.setPair(pair[0], pair[1]); err != nil {
			return err
		}
	}
	return nil
}

func (f *figure) setPair(key, value string) error {
	var err error
	switch key {
	case "compare":
		f.compare = value
	case "must":
		f.must, err = strconv.ParseFloat(value, 64)
	case "aim":
		f.aim, err = strconv.ParseFloat(value, 64)
	case "cores":
		ours, rival, _ := strings.Cut(value, "/")
		f.cores[0], err = strconv.Atoi(ours)
		if err == nil {
			f.cores[1], err = strconv.Atoi(cmp.Or(rival, ours))
		}
	case "rounds":
		f.rounds, err = strconv.Atoi(value)
	default:
		err = fmt.Errorf("a figure has no %q", key)
	}
	return err
}

// check looks for figures that cannot be measured. A rival that is not named is clawctl with another number of cores.
func (t *table) check() error {
	names := map[string]bool{}
	for _, f := range t.figures {
		c, known := comparisons[f.compare]
		if f.rival == nil && f.cores[0] != f.cores[1] {
			f.rival = f.ours
		}
		switch {
		case names[f.name]:
			return fmt.Errorf("figure %s: the name is used twice", f.name)
		case f.title == "" || f.ours == nil:
			return fmt.Errorf("figure %s: the title or ours is missing", f.name)
		case !known:
			return fmt.Errorf("figure %s: compare must be cpu, time, speed, peak, size or wait, got %q", f.name, f.compare)
		case c.needsRival != (f.rival != nil):
			return fmt.Errorf("figure %s: a rival is missing, or not wanted for %s", f.name, f.compare)
		}
		names[f.name] = true
	}
	return nil
}

// choose returns the figures in a list of names or beginnings of names, such as "read,search", or all if it is empty.
func (t *table) choose(only string) ([]*figure, error) {
	if only == "" {
		return t.figures, nil
	}
	var chosen []*figure
	for name := range strings.SplitSeq(only, ",") {
		before := len(chosen)
		for _, f := range t.figures {
			if f.name == name || strings.HasPrefix(f.name, name+"-") {
				chosen = append(chosen, f)
			}
		}
		if len(chosen) == before {
			return nil, fmt.Errorf("figure %q not found in table.txt", name)
		}
	}
	return chosen, nil
}
