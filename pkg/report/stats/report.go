package stats

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"time"

	"clawctl/internal/calendar"
	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

// A Report is the JSON form of a result. Fields are added, never renamed or moved.
type Report struct {
	SchemaVersion int `json:"schema_version"`
	TallyReport
	By       map[string][]GroupReport `json:"by"`
	Coverage CoverageReport           `json:"coverage"`
	// ByWork is the recorded usage by kind of work. It is nil if only answers have usage.
	ByWork map[string]*Usage `json:"recorded_by_kind,omitempty"`
	// Timezone is the zone of the days, weeks and months.
	Timezone string         `json:"timezone"`
	Cross    []*CrossReport `json:"cross,omitempty"`
	// Comparison is what changed since another period. NewReport leaves it nil.
	Comparison *Comparison `json:"compare,omitempty"`

	Dimensions []string `json:"-"` // the keys of By, in the order in which they were asked for
}

// A TallyReport is the JSON form of a tally.
type TallyReport struct {
	Sessions      int64          `json:"sessions"`
	Records       int64          `json:"records"`
	Messages      int64          `json:"messages"`
	Turns         int64          `json:"turns"`
	ToolCalls     int64          `json:"tool_calls"`
	ToolErrors    int64          `json:"tool_errors"`
	ToolErrorRate float64        `json:"tool_error_rate"`
	Recorded      *Usage         `json:"recorded"`
	Counted       *CountedReport `json:"counted,omitempty"`
	Prices        PriceReport    `json:"prices"`
	PricedUSD     *float64       `json:"priced_usd"` // by the price list; null without one
	PricedAnswers int64          `json:"-"`          // answers that the price list has a price for
	Answers       int64          `json:"answers"`
	FailedAnswers int64          `json:"failed_answers"`
	UsageKnown    bool           `json:"usage_known"` // false if no answer has recorded tokens
	CostKnown     bool           `json:"cost_known"`  // false if no answer has a recorded price
	NoUsageStated int64          `json:"-"`           // answers and other paid work without tokens
	NoCostStated  int64          `json:"-"`           // answers and other paid work without a price
	Work          int64          `json:"-"`           // answers and other paid work
	// Priced is the list price, by the user's list or the catalogue. It is nil without a catalogue, as the next two are.
	Priced *CostReport `json:"priced,omitempty"`
	// Estimated is the recorded price if it is above $0, or else the list price.
	Estimated *CostReport `json:"estimated,omitempty"`
	FarPrices *int64      `json:"far_prices,omitempty"` // answers with a recorded price far off the list price
}

// A CostReport is the JSON form of a cost that is not recorded for every answer.
type CostReport struct {
	CostUSD *float64 `json:"cost_usd"` // null if there are answers with tokens, and none has this cost
	Answers int64    `json:"answers"`  // that have it, and other paid work
	Share   *float64 `json:"share"`    // of the answers with tokens; null if there are none
	lacking int64    // the other answers with tokens
}

// newCostReport makes the report of a cost that some of the records with tokens have.
func newCostReport(usd float64, answers, of int64) *CostReport {
	r := &CostReport{Answers: answers, lacking: of - answers}
	if of > 0 {
		r.Share = new(float64(answers) / float64(of))
	}
	if usd != 0 || answers > 0 || of == 0 {
		r.CostUSD = roundDollars(usd)
	}
	return r
}

// A Usage is the JSON form of what providers reported, with the field names that all reports use.
type Usage struct {
	Input      int64    `json:"input"`
	Output     int64    `json:"output"`
	CacheRead  int64    `json:"cache_read"`
	CacheWrite int64    `json:"cache_write"`
	Total      int64    `json:"total"`
	CostUSD    *float64 `json:"cost_usd"` // null if it is not known
}

// A CountedReport is the JSON form of clawctl's own count.
type CountedReport struct {
	Tokens int64 `json:"tokens"`
}

// A PriceReport says how many records with usage recorded a price.
type PriceReport struct {
	Recorded int64 `json:"recorded"` // above $0
	Zero     int64 `json:"zero"`     // exactly $0
	Missing  int64 `json:"missing"`
}

// A GroupReport is the JSON form of one group.
type GroupReport struct {
	SchemaVersion int    `json:"schema_version"`
	By            string `json:"by"`
	Name          string `json:"name"`
	TallyReport
	Timezone string `json:"timezone"`
}

// A CoverageReport says what was counted and what was not.
type CoverageReport struct {
	Kinds     map[source.Kind]int64 `json:"kinds"`
	First     *time.Time            `json:"first"`
	Last      *time.Time            `json:"last"`
	Days      int64                 `json:"days"`
	EmptyDays int64                 `json:"empty_days"`
	Answers   int64                 `json:"answers"`
	NoUsage   int64                 `json:"answers_without_usage"`
	NoPrice   int64                 `json:"answers_without_price"`
	CoverageCounts
	Unreadable      int64         `json:"unreadable_sessions"`
	Problems        int           `json:"problems"` // of the places that were searched; NewReport leaves it 0
	Claims          int64         `json:"claims"`
	ClaimedInput    int64         `json:"claimed_input"`
	ClaimedOutput   int64         `json:"claimed_output"`
	ClaimRatio      *float64      `json:"claimed_to_recorded"`
	Estimate        string        `json:"estimate,omitempty"`
	WithPrice       int64         `json:"answers_with_price"`
	ZeroPrice       int64         `json:"answers_zero_price"`
	Priced          *int64        `json:"answers_priced"`    // by the price list; null without one
	Unmatched       *int64        `json:"answers_unmatched"` // by the price list; null without one
	UnmatchedModels []string      `json:"unmatched_models,omitempty"`
	Misspelled      []Misspelling `json:"misspelled_prices,omitempty"`
	// UnpricedModels have usage and no list price.
	UnpricedModels []string    `json:"unpriced_models,omitempty"`
	FarPrices      []*FarPrice `json:"far_prices,omitempty"`
	// FirstDay and LastDay are the days of First and Last in the report's time zone.
	FirstDay string `json:"first_day,omitempty"`
	LastDay  string `json:"last_day,omitempty"`
	// Unread names the sessions that cannot be read to their end. NewReport leaves it empty.
	Unread []UnreadRow `json:"unreadable,omitempty"`
}

// An UnreadRow is the JSON form of a session that cannot be read to its end.
type UnreadRow struct {
	Path    string       `json:"path"`
	Code    failure.Code `json:"code"`
	Message string       `json:"message"`
}

// NewReport makes the report of a result that was collected with opts. If top is positive, it keeps only that many of
// the largest groups of each dimension.
func NewReport(r *Result, opts Options, top int) *Report {
	report := &Report{
		SchemaVersion: 1, TallyReport: newTallyReport(&r.Total, opts),
		By: map[string][]GroupReport{}, Dimensions: opts.By, Coverage: newCoverageReport(r, opts),
		ByWork: newWorkReport(r.Work), Timezone: opts.Zone.String(),
	}
	for i, cells := range r.Cross {
		report.Cross = append(report.Cross, newCrossReport(opts.Cross[i], cells, opts, top))
	}
	for dimension, groups := range r.By {
		report.By[dimension] = newGroupReports(dimension, groups, opts, top)
	}
	return report
}

// newWorkReport returns the usage of each kind of work that has any, or nil if only answers have.
func newWorkReport(work map[string]jsonl.Usage) map[string]*Usage {
	report := map[string]*Usage{}
	for kind, u := range work {
		if u.Total > 0 {
			report[kind] = newUsage(u)
		}
	}
	if len(report) == 0 || len(report) == 1 && report[Reply] != nil {
		return nil
	}
	return report
}

// newUsage returns the JSON form of a usage.
func newUsage(u jsonl.Usage) *Usage {
	r := &Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, Total: u.Total}
	if u.HasCost {
		r.CostUSD = roundDollars(u.Cost)
	}
	return r
}

// Usage returns the JSON form of what was recorded. Its cost is 0 if nothing could have one.
func (t *Tally) Usage() *Usage {
	u := newUsage(t.Recorded)
	if u.CostUSD == nil && t.CostKnown() {
		u.CostUSD = new(float64)
	}
	return u
}

// roundDollars removes the rounding noise of a sum of floats.
func roundDollars(usd float64) *float64 {
	return new(math.Round(usd*1e9) / 1e9)
}

func newTallyReport(t *Tally, opts Options) TallyReport {
	r := TallyReport{
		Sessions: t.Sessions, Records: t.Records, Messages: t.Messages, Turns: t.Turns,
		ToolCalls: t.ToolCalls, ToolErrors: t.ToolErrors, Recorded: t.Usage(),
		Prices:  PriceReport{Recorded: t.WithPrice, Zero: t.ZeroPrice, Missing: t.NoPrice},
		Answers: t.Answers, FailedAnswers: t.Failed, UsageKnown: t.UsageKnown(), CostKnown: t.CostKnown(),
		NoUsageStated: t.Work - t.UsageStated, NoCostStated: t.Work - t.CostStated, Work: t.Work,
	}
	if t.ToolCalls > 0 {
		r.ToolErrorRate = float64(t.ToolErrors) / float64(t.ToolCalls)
	}
	if opts.Counter != nil {
		r.Counted = &CountedReport{t.Counted}
	}
	if opts.Catalogue != nil {
		all := t.ListedAnswers + t.Unlisted
		r.Priced = newCostReport(t.Listed, t.ListedAnswers, all)
		r.Estimated = newCostReport(t.Estimated, t.EstimatedAnswers, all)
		r.FarPrices = &t.FarPrices
	}
	if opts.Prices != nil {
		r.PricedUSD, r.PricedAnswers = roundDollars(t.Priced), t.PricedAnswers
	}
	return r
}

func newCoverageReport(r *Result, opts Options) CoverageReport {
	cov, total := &r.Coverage, &r.Total
	report := CoverageReport{
		Kinds: allKinds(cov.Kinds), Days: cov.Days, Answers: total.Answers, NoUsage: total.NoUsage,
		NoPrice: total.NoPrice, WithPrice: total.WithPrice, ZeroPrice: total.ZeroPrice,
		CoverageCounts: cov.CoverageCounts, Unreadable: int64(len(cov.Unreadable)),
		Claims: cov.Claims, ClaimedInput: cov.ClaimedInput, ClaimedOutput: cov.ClaimedOutput, ClaimRatio: cov.claimRatio(),
	}
	report.setTimes(cov, opts.Zone)
	report.UnpricedModels, report.FarPrices = cov.Unlisted, cov.Far
	if opts.Counter != nil {
		report.Estimate = "counted tokens are exact for OpenAI's encodings and an estimate for other models"
	}
	if opts.Prices != nil {
		report.Priced, report.Unmatched = &total.PricedAnswers, &total.Unmatched
		report.UnmatchedModels, report.Misspelled = cov.Unmatched, cov.Misspelled
	}
	return report
}

// allKinds adds the kinds that no session has, which gives every report the same fields.
func allKinds(counts map[source.Kind]int64) map[source.Kind]int64 {
	all := map[source.Kind]int64{}
	for _, kind := range source.Kinds {
		all[kind] = counts[kind]
	}
	return all
}

// setTimes sets the period that is covered, and how many of its days have no messages.
func (r *CoverageReport) setTimes(cov *Coverage, zone calendar.Zone) {
	if cov.First.IsZero() {
		return
	}
	r.First, r.Last = new(cov.First.UTC()), new(cov.Last.UTC())
	days := calendar.NewDays(zone)
	r.EmptyDays = days.Count(*r.First, *r.Last) - cov.Days
	r.FirstDay = days.Of(*r.First).Name
	r.LastDay = days.Of(*r.Last).Name
}

// claimRatio returns the ratio of the tokens in the index entries to the recorded ones, or nil if nothing can be
// compared.
func (cov *Coverage) claimRatio() *float64 {
	recorded := cov.ClaimsOf.Input + cov.ClaimsOf.Output
	if recorded == 0 || cov.Claims == 0 {
		return nil
	}
	return new(float64(cov.ClaimedInput+cov.ClaimedOutput) / float64(recorded))
}

// newGroupReports orders the groups of a dimension: periods by time, the rest by recorded tokens, then by messages.
func newGroupReports(dimension string, groups map[string]*Tally, opts Options, top int) []GroupReport {
	names := orderNames(dimension, groups, top)
	list := make([]GroupReport, len(names))
	for i, name := range names {
		list[i] = GroupReport{1, dimension, name, newTallyReport(groups[name], opts), opts.Zone.String()}
		if dimensionNamed(dimension).hasNoUsage {
			list[i].forgetAbsent(groups[name])
		}
	}
	return list
}

// orderNames returns the names of groups in order, only the top largest ones if top is positive.
func orderNames(dimension string, groups map[string]*Tally, top int) []string {
	names := slices.Sorted(maps.Keys(groups))
	isPeriod := dimensionNamed(dimension).order == byTime
	if !isPeriod || top > 0 {
		slices.SortStableFunc(names, func(a, b string) int { return compareSizes(groups[a], groups[b]) })
	}
	if top > 0 && len(names) > top {
		names = names[:top]
	}
	if isPeriod {
		slices.Sort(names)
	}
	return names
}

// forgetAbsent makes usage unknown that is recorded for answers, if the group has no usage of its own.
func (r *TallyReport) forgetAbsent(t *Tally) {
	r.UsageKnown, r.CostKnown = t.UsageStated > 0, t.CostStated > 0
	r.Recorded = newUsage(t.Recorded)
	for _, cost := range []*CostReport{r.Priced, r.Estimated} {
		if cost != nil && !t.IsPaid() {
			cost.CostUSD = nil
		}
	}
}

// compareSizes orders tallies from the largest to the smallest.
func compareSizes(a, b *Tally) int {
	return cmp.Or(
		cmp.Compare(tokenSum(b.Recorded), tokenSum(a.Recorded)),
		cmp.Compare(b.Messages+b.ToolCalls, a.Messages+a.ToolCalls),
	)
}

// tokenSum returns the number of tokens that were sent and received.
func tokenSum(u jsonl.Usage) int64 { return u.Input + u.Output + u.CacheRead + u.CacheWrite }

// Groups returns the groups of all dimensions in order. Without a dimension, it returns one group with the totals.
func (r *Report) Groups() []GroupReport {
	var all []GroupReport
	if len(r.Dimensions) == 0 {
		return []GroupReport{{1, "total", "total", r.TallyReport, r.Timezone}}
	}
	for _, dimension := range r.Dimensions {
		all = append(all, r.By[dimension]...)
	}
	return all
}

// totals returns the report without its groups.
func (r *Report) totals() *Report {
	totals := *r
	totals.By = map[string][]GroupReport{}
	return &totals
}
