package main

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"reflect"
	"slices"
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/report/stats"
	"clawctl/pkg/source"
)

// A piAnswer is what pi reads from a transcript.
type piAnswer struct {
	Leaf          *string
	Path          *[]string
	Model         *struct{ Provider, ModelID string }
	ThinkingLevel string
	Messages      []any
	UsageTotals   *usageTotals
	UsageByModel  []struct {
		Key    string
		Tokens int64
	}
	Errors   []string
	Features []string
}

// comparePi compares clawctl with pi. A transcript whose context pi cannot build is not compared.
func (t *tally) comparePi(file string) error {
	data, err := os.ReadFile(strings.TrimSuffix(file, ".jsonl") + ".json")
	if err != nil {
		return err
	}
	var real piAnswer
	if err := json.Unmarshal(data, &real); err != nil {
		return err
	}
	if err := t.recognize(file); err != nil {
		return err
	}
	got, _, err := rebuilt(file, rebuild.Author{Forced: rebuild.Pi})
	if err == nil && real.Messages == nil && len(real.Errors) > 0 {
		t.refused++
		return nil
	}
	want := &answer{LeafID: real.Leaf, Path: real.Path, Model: real.Model, ThinkingLevel: real.ThinkingLevel,
		LLMMessages: real.Messages}
	switch {
	case err != nil:
		t.different++
		fmt.Printf("%s: clawctl: %v %v\n", file, err, real.Features)
	case !reflect.DeepEqual(got, want):
		t.different++
		fmt.Printf("%s: differs %v\n%s", file, real.Features, difference(got, want))
	default:
		return t.compareUsage(file, &real)
	}
	return nil
}

// usageTotals are pi's own sums over a file.
type usageTotals struct {
	Tokens struct{ Input, Output, CacheRead, CacheWrite int64 }
	Cost   *float64 // nil if a price is missing
}

// compareUsage compares what stats adds up with pi's own sums. pi counts a repeated line twice, clawctl once.
func (t *tally) compareUsage(file string, real *piAnswer) error {
	if real.UsageTotals == nil || slices.Contains(real.Features, "duplicate_line") {
		t.equal++
		return nil
	}
	result, err := stats.Collect(context.Background(), []*source.Session{source.File(file)},
		stats.Options{By: []string{"model"}, Jobs: 1})
	if err != nil {
		return err
	}
	got, want := result.Total.Recorded, real.UsageTotals
	models := map[string]int64{}
	for _, m := range real.UsageByModel {
		name := m.Key[strings.IndexByte(m.Key, '/')+1:]
		if m.Key == "Tools/summaries" {
			name = "tools and summaries"
		}
		models[name] += m.Tokens
	}
	if got.Input != want.Tokens.Input || got.Output != want.Tokens.Output || got.CacheRead != want.Tokens.CacheRead ||
		got.CacheWrite != want.Tokens.CacheWrite || want.Cost != nil && math.Abs(got.Cost-*want.Cost) > 1e-9 ||
		!maps.Equal(models, tokensByModel(result)) {
		t.different++
		fmt.Printf("%s: usage differs %v: clawctl %+v %v, pi %+v %v\n", file, real.Features, got, tokensByModel(result),
			want.Tokens, models)
		return nil
	}
	t.equal++
	return nil
}

func tokensByModel(result *stats.Result) map[string]int64 {
	models := map[string]int64{}
	for name, t := range result.By["model"] {
		if u := t.Recorded; u.Input+u.Output+u.CacheRead+u.CacheWrite > 0 {
			models[name] = u.Input + u.Output + u.CacheRead + u.CacheWrite
		}
	}
	return models
}

// recognize counts the transcripts that only pi can have written.
func (t *tally) recognize(file string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	index, err := rebuild.Scan(jsonl.NewReader(f, jsonl.Options{}), nil)
	if err != nil {
		return err
	}
	if index.Program == rebuild.Pi {
		t.pi++
	}
	return nil
}
