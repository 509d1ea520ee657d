package stats

import (
	"cmp"
	"slices"

	"clawctl/pkg/jsonl"
)

// The kinds of paid work that records carry usage of.
const (
	Reply         = "reply"          // an answer of the model
	ToolWork      = "tool"           // model work inside a tool
	Compaction    = "compaction"     // the summary of a compaction
	BranchSummary = "branch_summary" // the summary of a branch
	CacheWarm     = "cache_warm"     // a request that keeps the provider's cache
	OtherWork     = "other"          // any other usage record
)

// workKinds lists the kinds of paid work, in the order in which they are shown.
var workKinds = []string{Reply, ToolWork, Compaction, BranchSummary, CacheWarm, OtherWork}

// noModel groups the usage of records that name no model, as pi does.
const noModel = "tools and summaries"

// A carrier is a record in the eyes of the groups. Only pi writes usage into records that are not answers.
type carrier struct {
	rec       *jsonl.Record
	isMessage bool
	kind      string // of the work that it carries usage of, or ""
	// selected is the last model_change, for programs whose answers do not name a model.
	selected modelName
}

// A modelName is a model and its provider.
type modelName struct{ provider, model string }

// carrierOf describes a record that was examined, and remembers the model that it selects. It does not look at the
// text, which another core has in its cache.
func (c *collector) carrierOf(rec *jsonl.Record, e *contribution) carrier {
	described := carrier{rec: rec, isMessage: e.isMessage, kind: e.kind}
	if rec.Translator() == nil {
		return described
	}
	if rec.Type() == jsonl.TypeModelChange {
		c.state.selected = modelName{rec.Get("provider").String(), rec.Get("modelId").String()}
	}
	described.selected = c.state.selected
	return described
}

// carrierOf describes a record.
func carrierOf(rec *jsonl.Record) carrier {
	m, isMessage := rec.Message()
	c := carrier{rec: rec, isMessage: isMessage}
	if isMessage {
		switch m.Role() {
		case jsonl.RoleAssistant:
			c.kind = Reply
		case jsonl.RoleToolResult:
			if _, ok := m.Usage(); ok {
				c.kind = ToolWork
			}
		}
		return c
	}
	if _, ok := rec.Usage(); ok {
		c.kind = workKind(rec)
	}
	return c
}

// workKind returns the kind of a record with usage that is not a message.
func workKind(rec *jsonl.Record) string {
	switch rec.Type() {
	case jsonl.TypeCompaction:
		return Compaction
	case jsonl.TypeBranchSummary:
		return BranchSummary
	}
	if kind := rec.Get("kind").String(); slices.Contains(workKinds, kind) {
		return kind
	}
	return OtherWork
}

// message returns the message of a carrier that is one.
func (c carrier) message() jsonl.Message { return c.rec.KnownMessage() }

// isPaid reports whether usage adds to the totals: it has tokens or a price.
func isPaid(u jsonl.Usage) bool { return u.Total != 0 || u.Cost != 0 }

// usage returns the usage that the record carries.
func (c carrier) usage() (jsonl.Usage, bool) {
	if c.isMessage {
		return c.message().Usage()
	}
	return c.rec.Usage()
}

// provider returns the provider that did the work, or "".
func (c carrier) provider() string {
	if c.isMessage {
		return cmp.Or(c.message().Provider(), c.selected.provider)
	}
	return cmp.Or(c.rec.Get("provider").String(), c.selected.provider)
}

// model returns the model that did the work: the one that answered, if it is not the one that was asked.
func (c carrier) model() string {
	if c.isMessage {
		return cmp.Or(c.message().ResponseModel(), c.message().Model(), c.selected.model)
	}
	return cmp.Or(c.rec.Get("model").String(), c.selected.model)
}

// name returns the model that did the work.
func (c carrier) name() modelName { return modelName{c.provider(), c.model()} }

// appendModelWords adds the words that provider and model are read from, or none if they are not in a message.
func (c carrier) appendModelWords(words []byte) []byte {
	if !c.isMessage || c.selected != (modelName{}) {
		return words
	}
	for _, key := range [...]string{"provider", "responseModel", "model"} {
		words = append(append(words, c.message().Get(key)...), '\n')
	}
	return words
}

// modelName and providerName name the work in groups. They are "" if the record carries none.
func (c carrier) modelName() string    { return c.workName(c.model) }
func (c carrier) providerName() string { return c.workName(c.provider) }

func (c carrier) workName(name func() string) string {
	switch c.kind {
	case "":
		return ""
	case Reply, CacheWarm, OtherWork:
		return orUnknown(name())
	}
	return noModel
}
