package stats

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"clawctl/internal/testkit"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/models"
	"clawctl/pkg/source"
)

// A priceRow is a line of the catalogue, read without package models: the rates of all tiers, as they are written.
type priceRow struct {
	provider, model string
	rates           [4]string // input, output, cache read, cache write
	tiers           [][5]string
}

// readPriceRows reads the lines of the catalogue that have prices.
func readPriceRows(t *testing.T) (rows []priceRow) {
	t.Helper()
	text := testkit.Read(t, "../../models/catalogue.tsv")
	provider := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		cells := strings.Split(line, "\t")
		switch {
		case strings.HasPrefix(line, "#"):
		case strings.HasPrefix(line, "["):
			provider = strings.Trim(line, "[]")
		case len(cells) >= 7 && cells[3] != "-":
			row := priceRow{provider: provider, model: cells[0], rates: [4]string(cells[3:7])}
			for _, tier := range cells[7:] {
				row.tiers = append(row.tiers, [5]string(strings.Fields(tier)))
			}
			rows = append(rows, row)
		}
	}
	return rows
}

func rational(text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		panic(text)
	}
	return r
}

// price computes the price of tokens in exact numbers, with the rule of pi and OpenClaw: the rates of the highest tier
// that the prompt exceeds, and twice the rate of input for what stays in the cache for an hour.
func (row *priceRow) price(u jsonl.Usage) *big.Rat {
	rates, prompt, best := row.rates, u.Input+u.CacheRead+u.CacheWrite, int64(-1)
	for _, tier := range row.tiers {
		if above := rational(tier[0]).Num().Int64(); prompt > above && above > best {
			rates, best = [4]string(tier[1:]), above
		}
	}
	sum := new(big.Rat)
	add := func(n int64, rate string, factor int64) {
		part := new(big.Rat).Mul(big.NewRat(n*factor, 1_000_000), rational(rate))
		sum.Add(sum, part)
	}
	add(u.Input, rates[0], 1)
	add(u.Output, rates[1], 1)
	add(u.CacheRead, rates[2], 1)
	add(u.CacheWrite-u.LongCacheWrite, rates[3], 1)
	add(u.LongCacheWrite, rates[0], 2)
	return sum
}

// A priceWitness keeps the tallies of the answers of a session.
type priceWitness struct{ tallies []Tally }

func (w *priceWitness) Begin(*source.Session) error              { return nil }
func (w *priceWitness) End(*source.Session, *Tally, error) error { return nil }
func (w *priceWitness) Unreadable(*source.Session, error)        {}
func (w *priceWitness) Visit(_ *jsonl.Record, c *CountedRecord) error {
	if c.Status == Included && c.Kind == Reply {
		w.tallies = append(w.tallies, c.Tally)
	}
	return nil
}

// A priceCase is an answer with random usage, and what it costs.
type priceCase struct {
	row      *priceRow
	usage    jsonl.Usage
	recorded *big.Rat // nil if no price was recorded
}

func randomCase(r *rand.Rand, rows []priceRow) priceCase {
	c := priceCase{row: &rows[r.IntN(len(rows))]}
	some := func(most int64) int64 {
		if r.IntN(4) == 0 {
			return 0
		}
		return r.Int64N(most)
	}
	c.usage = jsonl.Usage{
		Input: 1 + some(300_000), Output: some(100_000), CacheRead: some(500_000), CacheWrite: some(100_000),
	}
	if len(c.row.tiers) > 0 && r.IntN(3) == 0 { // exactly at the limit, or one above
		above := rational(c.row.tiers[0][0]).Num().Int64()
		c.usage.Input, c.usage.CacheRead, c.usage.CacheWrite = above+int64(r.IntN(2)), 0, 0
	}
	if r.IntN(2) == 0 {
		c.usage.LongCacheWrite = r.Int64N(c.usage.CacheWrite + 1)
	}
	switch r.IntN(4) {
	case 0:
		c.recorded = new(big.Rat)
	case 1:
		c.recorded = big.NewRat(1+r.Int64N(1e9), 1e6)
	}
	return c
}

// line is the answer as OpenClaw writes it.
func (c *priceCase) line(i int) string {
	cost := ""
	if c.recorded != nil {
		cost = `,"cost":{"total":` + c.recorded.FloatString(6) + `,"totalOrigin":"provider-billed"}`
	}
	u := c.usage
	return fmt.Sprintf(`{"type":"message","id":"m%d","timestamp":"2026-05-01T10:%02d:%02d.000Z","message":`+
		`{"role":"assistant","content":[{"type":"text","text":"%d"}],"provider":%q,"model":%q,"usage":`+
		`{"input":%d,"output":%d,"cacheRead":%d,"cacheWrite":%d,"cacheWrite1h":%d%s}}}`,
		i, i/60%60, i%60, i, c.row.provider, c.row.model, u.Input, u.Output, u.CacheRead, u.CacheWrite, u.LongCacheWrite,
		cost)
}

// isNear reports whether a float is an exact number, but for rounding.
func isNear(got float64, want *big.Rat) bool {
	difference := new(big.Rat).Sub(new(big.Rat).SetFloat64(got), want)
	limit := new(big.Rat).Mul(new(big.Rat).Abs(want), big.NewRat(1, 1e12))
	return difference.Abs(difference).Cmp(limit) <= 0
}

// The list prices and estimates of a thousand random answers are those of an independent computation.
func TestListPrices(t *testing.T) {
	rows, r := readPriceRows(t), rand.New(rand.NewPCG(37, 2))
	cases, lines := make([]priceCase, 1000), []string{header("s", "")}
	for i := range cases {
		cases[i] = randomCase(r, rows)
		lines = append(lines, cases[i].line(i))
	}
	s := transcript(t, t.TempDir(), "s.jsonl", lines...)
	w := &priceWitness{}
	walker := NewWalker(Options{Catalogue: models.BuiltIn(), Jobs: 1}, s.Bytes)
	if err := walker.Family(context.Background(), &Family{Sessions: []*source.Session{s}}, w); err != nil {
		t.Fatal(err)
	}
	if len(w.tallies) != len(cases) {
		t.Fatalf("%d answers, want %d", len(w.tallies), len(cases))
	}
	tiers, long, far := 0, 0, 0
	for i, c := range cases {
		listed := c.row.price(c.usage)
		estimated, isFar := listed, false
		if c.recorded != nil && c.recorded.Sign() > 0 {
			estimated = c.recorded
			ratio := new(big.Rat)
			if listed.Sign() > 0 {
				ratio.Quo(c.recorded, listed)
				isFar = ratio.Cmp(big.NewRat(10, 1)) >= 0 || ratio.Cmp(big.NewRat(1, 10)) <= 0
			}
		}
		got := w.tallies[i]
		if !isNear(got.Listed, listed) || !isNear(got.Estimated, estimated) || got.ListedAnswers != 1 ||
			got.EstimatedAnswers != 1 || (got.FarPrices == 1) != isFar {
			t.Errorf("%s\nlisted %v, estimated %v, far %d\nwant %s, %s, %v", c.line(i), got.Listed, got.Estimated,
				got.FarPrices, listed.FloatString(9), estimated.FloatString(9), isFar)
		}
		tiers, long = tiers+len(c.row.tiers), long+int(min(c.usage.LongCacheWrite, 1))
		far += int(got.FarPrices)
	}
	if tiers == 0 || long == 0 || far == 0 {
		t.Errorf("the cases have %d tiers, %d long writes, %d prices that are far off", tiers, long, far)
	}
}

// A list of the user wins over the catalogue, and the catalogue prices the rest. A recorded $0 stays recorded.
func TestEstimates(t *testing.T) {
	prices, err := ParsePrices([]byte(`[{"model":"mine","input":1000,"output":0}]`))
	if err != nil {
		t.Fatal(err)
	}
	s := transcript(t, t.TempDir(), "s.jsonl", header("s", ""),
		answer("a1", 1, "me", "mine", ""),
		answer("a2", 2, "anthropic", "claude-opus-4-5", `,"cost":{"total":0}`),
		answer("a3", 3, "anthropic", "claude-opus-4-5", `,"cost":{"total":2}`),
		answer("a4", 4, "nobody", "nothing-of-that-name", ""))
	r := collect(t, Options{Prices: prices, Catalogue: models.BuiltIn(), By: []string{"model"}}, s)
	report := NewReport(r, Options{Prices: prices, Catalogue: models.BuiltIn(), By: []string{"model"}}, 0)
	const opus = (1000*5 + 100*25) / 1e6
	if got := *report.Priced.CostUSD; got != 1+2*opus {
		t.Errorf("list price %v", got)
	}
	if got := *report.Estimated.CostUSD; got != 1+opus+2 {
		t.Errorf("estimated %v", got)
	}
	if got := *report.Recorded.CostUSD; got != 2 || report.Prices != (PriceReport{1, 1, 2}) || *report.PricedUSD != 1 {
		t.Errorf("recorded %v, %+v, priced by the user %v", got, report.Prices, *report.PricedUSD)
	}
	if *report.Priced.Share != 0.75 || *report.Estimated.Share != 0.75 || *report.FarPrices != 1 {
		t.Errorf("shares %v and %v, %d far", *report.Priced.Share, *report.Estimated.Share, *report.FarPrices)
	}
	cov := report.Coverage
	far := FarPrice{"anthropic/claude-opus-4-5", 1, 2, opus}
	if len(cov.FarPrices) != 1 || *cov.FarPrices[0] != far ||
		!slices.Equal(cov.UnpricedModels, []string{"nobody/nothing-of-that-name"}) {
		t.Errorf("%v %+v", cov.UnpricedModels, cov.FarPrices)
	}
}

// The price that a program records for a session so far includes the answers before it. It is not added to them.
func TestEstimateOfARunningTotal(t *testing.T) {
	sum := func(second int, usd string) string {
		return fmt.Sprintf(`{"type":"usage","id":"c%d","timestamp":"2026-05-01T10:00:%02d.000Z","kind":"cost-state",`+
			`"usage":{"series":"s","cost":{"total":%s}}}`, second, second, usd)
	}
	s := transcript(t, t.TempDir(), "s.jsonl", header("s", ""),
		answer("a1", 1, "anthropic", "claude-opus-4-5", ""), sum(2, "0.5"),
		answer("a2", 3, "anthropic", "claude-opus-4-5", ""), sum(4, "0.75"),
		answer("a3", 5, "anthropic", "claude-opus-4-5", ""))
	total := collect(t, Options{Catalogue: models.BuiltIn()}, s).Total
	const opus = (1000*5 + 100*25) / 1e6
	if got := *roundDollars(total.Estimated); got != 0.75+opus || total.EstimatedAnswers != 3 {
		t.Errorf("estimated %v for %d answers", got, total.EstimatedAnswers)
	}
}

// The price of a session of Claude Code includes its subagents. Their list price counts only after it.
func TestEstimateOfSubagents(t *testing.T) {
	const id, agent = "c0ffee00-0000-4000-8000-000000000001", "a0a0a0a0a0a0a0a01"
	row := func(name string, second int) string {
		return fmt.Sprintf(`{"type":"assistant","uuid":%q,"parentUuid":null,"sessionId":%q,"timestamp":`+
			`"2026-05-01T10:00:%02d.000Z","message":{"id":"m-%s","role":"assistant","model":"claude-opus-4-5","content":[],`+
			`"usage":{"input_tokens":1000,"output_tokens":100}}}`, name, id, second, name)
	}
	const price = `{"type":"cost-state","sessionId":"` + id + `","totalCostUSD":0.5}`
	folder := filepath.Join(t.TempDir(), "projects", "-home-ada-shop")
	subagents := filepath.Join(folder, id, "subagents")
	if err := os.MkdirAll(subagents, 0o700); err != nil {
		t.Fatal(err)
	}
	parent := transcript(t, folder, id+".jsonl", row("a1", 1), row("a2", 5), price, row("a3", 8))
	during := transcript(t, subagents, "agent-"+agent+".jsonl", row("b1", 2), row("b2", 3))
	after := transcript(t, subagents, "agent-a0a0a0a0a0a0a0a02.jsonl", row("c1", 9))
	const opus = (1000*5 + 100*25) / 1e6
	tests := []struct {
		name     string
		sessions []*source.Session
		want     float64
		answers  int64
	}{
		{"the session", []*source.Session{parent}, 0.5 + opus, 3},
		{"with a subagent", []*source.Session{parent, during}, 0.5 + opus, 5},
		{"in the other order", []*source.Session{during, parent}, 0.5 + opus, 5},
		{"with one that began later", []*source.Session{after, during, parent}, 0.5 + 2*opus, 6},
		{"the subagent alone", []*source.Session{during}, 2 * opus, 2},
	}
	for _, test := range tests {
		total := collect(t, Options{Catalogue: models.BuiltIn()}, test.sessions...).Total
		if got := *roundDollars(total.Estimated); got != test.want || total.EstimatedAnswers != test.answers {
			t.Errorf("%s: estimated %v for %d answers, want %v for %d", test.name, got, total.EstimatedAnswers, test.want,
				test.answers)
		}
		if want := float64(test.answers) * opus; *roundDollars(total.Listed) != *roundDollars(want) {
			t.Errorf("%s: list price %v, want %v", test.name, total.Listed, want)
		}
	}
}
