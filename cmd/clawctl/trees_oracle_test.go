package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// clawctl reads the same leaf, path, model, thinking level and messages from a tree as the real OpenClaw: from real
// transcripts whose answers are at hand, and with the oracle from random ones. CLAWCTL_TREES says how many, and
// CLAWCTL_SEED which.
func TestTreesOfOpenClaw(t *testing.T) {
	t.Parallel()
	compareTrees(t, "cases/*.openclaw.json", (*treeTally).compareOpenClaw,
		func(oracle string) []string { return []string{"randomtrees.mjs", oracle} }, "CLAWCTL_TREES")
}

// The same for pi 1.x, with its sums of tokens and prices. A transcript whose context pi cannot build is not compared.
// CLAWCTL_PI_TREES says how many are random.
func TestTreesOfPi(t *testing.T) {
	t.Parallel()
	compareTrees(t, "pi1/*.expected.json", (*treeTally).comparePi,
		func(string) []string { return []string{"pi1-random.mjs"} }, "CLAWCTL_PI_TREES")
}

// compareTrees compares transcripts with the answers beside them, and random ones that a script of the oracle writes.
func compareTrees(t *testing.T, answers string, compare func(c *treeTally, file string, want *expectation),
	script func(oracle string) []string, count string,
) {
	t.Helper()
	if _, err := os.Stat(sharedTranscripts); err != nil {
		t.Skip("no real transcripts here")
	}
	c := &treeTally{t: t}
	for _, answer := range glob(t, answers) {
		name, _, _ := strings.Cut(filepath.Base(answer), ".")
		compare(c, filepath.Join(filepath.Dir(answer), name+".jsonl"), readExpectation(t, answer))
	}
	if oracle := os.Getenv("CLAWCTL_ORACLE"); oracle != "" {
		n, err := strconv.Atoi(cmp.Or(os.Getenv(count), "1000"))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range writtenTrees(t, n, cmp.Or(os.Getenv("CLAWCTL_SEED"), "clawctl"), script(oracle)...) {
			compare(c, file, readExpectation(t, strings.TrimSuffix(file, "l")))
		}
	}
	t.Logf("%d equal, %d refused by both, %d recognized as pi's by their records", c.equal, c.refused, c.pi)
	if c.equal == 0 {
		t.Error("no transcript was compared")
	}
}

// A treeTally counts the trees that were compared.
type treeTally struct {
	t                  *testing.T
	equal, refused, pi int
}

// sameTree reports a difference, unless there is none.
func (c *treeTally) sameTree(file string, got, want *expectation, features []string) bool {
	if reflect.DeepEqual(got, want) {
		return true
	}
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
	c.t.Errorf("%s: differs %v\n%s", file, features, b.String())
	return false
}

func (c *treeTally) compareOpenClaw(file string, real *expectation) {
	c.t.Helper()
	want := real.reference()
	got, err := rebuiltTree(file, rebuild.Author{})
	switch {
	case want.Error != "" && errors.As(err, new(*rebuild.RefusalError)):
		c.refused++
	case want.Error != "" || err != nil:
		c.t.Errorf("%s: OpenClaw: %s, clawctl: %v %v", file, cmp.Or(want.Error, "accepts"), err, real.Features)
	default:
		messages, _ := want.messages()
		if m := want.Model; m != nil && m.Provider+m.ModelID == "" {
			want.Model = nil // an answer that names none
		}
		if c.sameTree(file, got, &expectation{LeafID: want.LeafID, Path: want.Path, Model: want.Model,
			ThinkingLevel: want.ThinkingLevel, LLMMessages: messages}, real.Features) {
			c.equal++
		}
	}
}

func (c *treeTally) comparePi(file string, real *expectation) {
	c.t.Helper()
	index, err := rebuild.Scan(jsonl.NewReader(bytes.NewReader(testkit.Read(c.t, file)), jsonl.Options{}), nil)
	if err != nil {
		c.t.Fatal(file, err)
	}
	if index.Program == rebuild.Pi {
		c.pi++
	}
	got, err := rebuiltTree(file, rebuild.Author{Forced: rebuild.Pi})
	switch {
	case err == nil && real.Messages == nil && len(real.Errors) > 0:
		c.refused++
	case err != nil:
		c.t.Errorf("%s: clawctl: %v %v", file, err, real.Features)
	case c.sameTree(file, got, &expectation{LeafID: real.Leaf, Path: real.Path, Model: real.Model,
		ThinkingLevel: real.ThinkingLevel, LLMMessages: real.Messages}, real.Features):
		c.compareUsage(file, real)
	}
}

// compareUsage compares what stats adds up with pi's own sums. pi counts a repeated line twice, clawctl once.
func (c *treeTally) compareUsage(file string, real *expectation) {
	c.t.Helper()
	c.equal++
	if real.UsageTotals == nil || slices.Contains(real.Features, "duplicate_line") {
		return
	}
	result, err := stats.Collect(context.Background(), []*source.Session{source.File(file)},
		stats.Options{By: []string{"model"}, Jobs: 1})
	if err != nil {
		c.t.Fatal(file, err)
	}
	wanted, models := map[string]int64{}, map[string]int64{}
	for _, m := range real.UsageByModel {
		name := m.Key[strings.IndexByte(m.Key, '/')+1:]
		if m.Key == "Tools/summaries" {
			name = "tools and summaries"
		}
		wanted[name] += m.Tokens
	}
	for name, t := range result.By["model"] {
		if u := t.Recorded; u.Input+u.Output+u.CacheRead+u.CacheWrite > 0 {
			models[name] = u.Input + u.Output + u.CacheRead + u.CacheWrite
		}
	}
	got, want := result.Total.Recorded, real.UsageTotals
	if got.Input != want.Tokens.Input || got.Output != want.Tokens.Output || got.CacheRead != want.Tokens.CacheRead ||
		got.CacheWrite != want.Tokens.CacheWrite || want.Cost != nil && math.Abs(got.Cost-*want.Cost) > 1e-9 ||
		!maps.Equal(wanted, models) {
		c.equal--
		c.t.Errorf("%s: usage differs %v: clawctl %+v %v, pi %+v %v", file, real.Features, got, models, want.Tokens, wanted)
	}
}

// rebuiltTree returns what clawctl reads from a transcript.
func rebuiltTree(file string, author rebuild.Author) (*expectation, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	open := func() *jsonl.Reader { return jsonl.NewReader(bytes.NewReader(data), jsonl.Options{}) }
	index, err := rebuild.ScanBy(author, open(), nil)
	if err != nil {
		return nil, err
	}
	context, err := index.Context("")
	if err != nil {
		return nil, err
	}
	a := &expectation{ThinkingLevel: context.ThinkingLevel, LLMMessages: []any{}}
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
	return a, context.Native(open().All(), func(message []byte) error {
		var m any
		err := json.Unmarshal(message, &m)
		a.LLMMessages = append(a.LLMMessages, m)
		return err
	})
}
