package models

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/longtest"
)

// small is a catalogue in which every rule of the lookup matters.
const small = `#clawctl-models 1
[amazon-bedrock]
anthropic.claude-fox-4-5-20250929-v1:0	200000	64000	3	15	0.3	3.75
eu.anthropic.claude-fox-4-5-20250929-v1:0	200000	64000	3.3	16.5	0.33	4.125
us.anthropic.claude-owl-4-6-v1	1000000	128000	5.5	27.5	0.55	6.875
[anthropic]
claude-fox-3-20240229	200000	4096	15	75	1.5	18.75
claude-fox-3-20241022	200000	8192	15	75	1.5	18.75
claude-fox-4-5	200000	64000	3	15	0.3	3.75
claude-fox-4-5-20250929	200000	64000	3	15	0.3	3.75
claude-owl-4-6	1000000	128000	5	25	0.5	6.25
[kimi-coding]
kimi-for-coding	262144	32768	0	0	0	0
[openai]
gpt-5	400000	128000	1.25	10	0.125	0
gpt-5-mini	400000	128000	0.25	2	0.025	0
gpt-5.4	272000	128000	2	10	0.2	2.5	272000 4 15 0.4 5
[openrouter]
auto	2000000	4096	-	-	-	-
~anthropic/claude-owl-latest	1000000	128000	5	25	0.5	6.25
anthropic/claude-fox-4.5	1000000	64000	3	15	0.3	3.75
anthropic/claude-owl-4.6:batch	1000000	128000	2.5	12.5	0.25	3.125
deepseek/deepseek-talk	163840	16384	0.3	0.9	0	0
openai/gpt-5.1-forge	400000	128000	1.25	10	0.125	0
`

func parseSmall(t testing.TB) *Catalogue {
	t.Helper()
	c, err := parse([]byte(small))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestFind(t *testing.T) {
	c := parseSmall(t)
	for _, test := range []struct{ provider, model, want string }{
		// As the provider writes it, in any case, with dots or hyphens.
		{"anthropic", "claude-owl-4-6", "anthropic/claude-owl-4-6"},
		{"Anthropic", "Claude-Owl-4.6", "anthropic/claude-owl-4-6"},
		{"openrouter", "anthropic/claude-fox-4-5", "openrouter/anthropic/claude-fox-4.5"},
		// Names that follow those of providers.
		{"", "openrouter/anthropic/claude-fox-4-5", "openrouter/anthropic/claude-fox-4.5"},
		{"proxy", "team/openrouter/deepseek/deepseek-talk", "openrouter/deepseek/deepseek-talk"},
		{"", "anthropic/claude-fox-4-5", "anthropic/claude-fox-4-5"},
		// A provider that is not known, and one that does not have the model: the maker, then a reseller.
		{"", "claude-owl-4-6", "anthropic/claude-owl-4-6"},
		{"proxy", "claude-owl-4-6", "anthropic/claude-owl-4-6"},
		{"openai", "gpt-5.1-forge", "openrouter/openai/gpt-5.1-forge"},
		{"openrouter", "claude-owl-4-6", "anthropic/claude-owl-4-6"},
		// Variants.
		{"openrouter", "anthropic/claude-fox-4.5:free", "openrouter/anthropic/claude-fox-4.5"},
		{"openrouter", "anthropic/claude-owl-4.6:batch", "openrouter/anthropic/claude-owl-4.6:batch"},
		{"anthropic", "claude-fox-4-5[1m]", "anthropic/claude-fox-4-5"},
		// Dates, with and without, and "latest".
		{"anthropic", "claude-fox-4-5-20250929", "anthropic/claude-fox-4-5-20250929"},
		{"anthropic", "claude-fox-4-5-20260101", "anthropic/claude-fox-4-5"},
		{"anthropic", "claude-fox-3", "anthropic/claude-fox-3-20241022"},
		{"anthropic", "claude-fox-3-latest", "anthropic/claude-fox-3-20241022"},
		{"openai", "gpt-5-2025-08-07", "openai/gpt-5"},
		{"", "claude-owl-latest", "openrouter/~anthropic/claude-owl-latest"},
		// Amazon's and Google's spellings.
		{"amazon-bedrock", "eu.anthropic.claude-fox-4-5-20250929-v1:0",
			"amazon-bedrock/eu.anthropic.claude-fox-4-5-20250929-v1:0"},
		{"bedrock", "claude-fox-4-5", "amazon-bedrock/anthropic.claude-fox-4-5-20250929-v1:0"},
		{"", "us.anthropic.claude-owl-4-6-v1:0", "amazon-bedrock/us.anthropic.claude-owl-4-6-v1"},
		{"", "arn:aws:bedrock:r:1:inference-profile/apac.anthropic.claude-owl-4-6-v1",
			"amazon-bedrock/us.anthropic.claude-owl-4-6-v1"},
		{"google-vertex", "claude-fox-4-5@20250929", "anthropic/claude-fox-4-5-20250929"},
		{"", "publishers/anthropic/models/claude-owl-4-6", "anthropic/claude-owl-4-6"},
		// Other names of providers and models.
		{"kimi", "kimi-code", "kimi-coding/kimi-for-coding"},
		// The longest name that a name begins with.
		{"openai", "gpt-5-mini-turbo", "openai/gpt-5-mini"},
		{"openai", "gpt-5-mega", "openai/gpt-5"},
		{"proxy", "claude-owl-4-6-thinking-high", "anthropic/claude-owl-4-6"},
		// A further number is another model, and a word alone is a model only at its provider.
		{"openai", "gpt-5.9", ""},
		{"openai", "gpt-5-32k", ""},
		{"anthropic", "claude-owl-4", ""},
		{"anthropic", "claude-x", ""},
		{"openrouter", "auto", "openrouter/auto"},
		{"proxy", "auto", ""},
		{"proxy", "auto-correct", ""},
		{"", "", ""},
		{"anthropic", "/", ""},
		{"anthropic", "-", ""},
	} {
		got := ""
		if m := c.Find(test.provider, test.model); m != nil {
			got = m.Name()
		}
		if got != test.want {
			t.Errorf("%s %s: %q, want %q", test.provider, test.model, got, test.want)
		}
	}
}

// What a name says besides the model changes the facts.
func TestVariants(t *testing.T) {
	c := parseSmall(t)
	if m := c.Find("openrouter", "anthropic/claude-fox-4.5:free"); !m.Entry.Priced || m.Entry.Prices != (Prices{}) {
		t.Errorf("a free variant costs %+v", m.Entry.Prices)
	}
	if m := c.Find("anthropic", "claude-fox-4-5[1m]"); m.Entry.Window != 1_000_000 {
		t.Errorf("a variant with a long window has %d tokens", m.Entry.Window)
	}
	if m := c.Find("openrouter", "auto"); m.Entry.Priced {
		t.Errorf("a router costs %+v", m.Entry.Prices)
	}
	long := c.Find("openai", "gpt-5.4")
	if long.Entry.pricesOf(272_000).Input != 2 || long.Entry.pricesOf(272_001) != (Prices{4, 15, 0.4, 5}) {
		t.Errorf("%+v", long.Entry.Facts)
	}
}

// Every entry of the built-in catalogue is found by its own name, however that is written.
func TestFindRandomSpellings(t *testing.T) {
	c := BuiltIn()
	random := rand.New(rand.NewPCG(1, 2))
	for range longtest.Rounds(t, "CLAWCTL_SPELLINGS", 4000, 500_000) {
		e := &c.entries[random.IntN(len(c.entries))]
		provider, model := respell(random, e)
		if m := c.find(request{provider, model}); m == nil || !isSameModel(&m.Entry, e) {
			t.Fatalf("%s, written as %q %q: %+v", e.Name(), provider, model, m)
		}
	}
}

// respell returns another spelling of an entry's name.
func respell(random *rand.Rand, e *Entry) (provider, model string) {
	provider, model = e.Provider, e.Model
	if random.IntN(3) == 0 {
		model = strings.ToUpper(model)
	}
	if random.IntN(3) == 0 {
		model = strings.ReplaceAll(model, "_", "-")
	}
	isAmazon := undressed(strings.ToLower(model)) != strings.ToLower(model) // it has no variants
	if random.IntN(4) == 0 && !isAmazon && !strings.Contains(model, ":") {
		model += []string{":free", ":nitro", "[1m]"}[random.IntN(3)]
	}
	switch random.IntN(4) {
	case 0:
		provider, model = "", provider+"/"+model
	case 1:
		provider, model = "litellm", "team/"+provider+"/"+model
	case 2:
		provider = strings.ToUpper(provider)
	}
	return provider, model
}

// isSameModel reports whether two entries are one model of one provider. It may have several entries, one for each
// spelling or variant.
func isSameModel(a, b *Entry) bool {
	name := func(e *Entry) string { return strings.TrimSuffix(baseName(e.Model), ":free") }
	return a.Provider == b.Provider && name(a) == name(b)
}

// invented are the models of shared transcripts that do not exist: masked names, mirrors, and names of tests.
var invented = []string{
	"nalyze-ncase/transitive/schedule/ntervals-a7-built", "ending-their/conditions/standard/anchored-a9.8", "nion-typs",
	"database-sage", "ort-9.6", "delivery-mirror", "gateway-injected", "m", "m1", "m2", "auto", "<synthetic>",
}

// Every real model of the shared transcripts is known, with a window and prices.
func TestSharedModels(t *testing.T) {
	const folder = "../../../shared/transcripts"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no shared transcripts here")
	}
	named := regexp.MustCompile(`"provider":"([^"]*)","model(?:Id)?":"([^"]*)"`)
	requests := map[request]bool{}
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range named.FindAllSubmatch(text, -1) {
			requests[request{string(m[1]), string(m[2])}] = true
		}
		return err
	})
	if err != nil || len(requests) < 20 {
		t.Fatal(err, len(requests))
	}
	for r := range requests {
		m := BuiltIn().Find(r.provider, r.model)
		isReal := !slices.Contains(invented, r.model)
		if isReal != (m != nil) || m != nil && (m.Entry.Window == 0 || !m.Entry.Priced) {
			t.Errorf("%+v: %+v", r, m)
		}
	}
}

// FuzzFind checks that a lookup always ends with an entry of the catalogue, or with none, and with the same one twice.
func FuzzFind(f *testing.F) {
	f.Add("openrouter", "anthropic/claude-opus-4-6:free")
	f.Add("", "us.anthropic.claude-sonnet-4-5-20250929-v1:0")
	f.Add("google-vertex", "claude-opus-4-5@20251101")
	f.Add("x", "--/[1m]")
	c := parseSmall(f)
	f.Fuzz(func(t *testing.T, provider, model string) {
		m := c.find(request{provider, model})
		again := c.find(request{provider, model})
		if (m == nil) != (again == nil) || m != nil && m.Name() != again.Name() {
			t.Fatalf("%+v, then %+v", m, again)
		}
		if m != nil && !slices.ContainsFunc(c.entries, func(e Entry) bool { return compareEntries(&e, &m.Entry) == 0 }) {
			t.Errorf("%+v is not in the catalogue", m)
		}
	})
}

// A model that is newer than the catalogue gets the entry of the newest one of its kind, and is marked.
func TestFindOrAssume(t *testing.T) {
	c := BuiltIn()
	for name, want := range map[string]string{ // what the entry begins with, "" for none
		"claude-opus-4-6": "anthropic/claude-opus-4-6",
		"gpt-5.5-codex":   "openai/gpt-5.5",
	} {
		if m := c.FindOrAssume("", name); m == nil || m.IsAssumed || !strings.HasPrefix(m.Name(), want) {
			t.Errorf("%s is %v, want %s", name, m, want)
		}
	}
	for name, want := range map[string]string{
		"claude-opus-9": "anthropic/claude-opus-", "claude-opus-7-5": "anthropic/claude-opus-",
		"claude-opus-9-20270101": "anthropic/claude-opus-", "openrouter/anthropic/claude-opus-9.1": "anthropic/claude-opus-",
		"gemini-4-pro-preview": "google/gemini-3", "gpt-9": "openai/gpt-5", "gpt-9-mini": "openai/gpt-5.4-mini",
	} {
		m := c.FindOrAssume("", name)
		if m == nil || !m.IsAssumed || !strings.HasPrefix(m.Name(), want) || m.Entry.Window == 0 {
			t.Errorf("%s is %+v, want %s", name, m, want)
		}
		if c.Find("", name) != nil {
			t.Errorf("%s is known", name)
		}
	}
	for _, name := range []string{"claude-opus-1", "claude-finch-9", "gpt-4.2", "novelty-9", "", "9", "claude-9-opus-9"} {
		if m := c.FindOrAssume("", name); m != nil {
			t.Errorf("%s is %+v", name, m)
		}
	}
}
