package rebuild

import (
	"clawctl/pkg/jsonl"
	"clawctl/pkg/jsontext/javascript"
	"clawctl/pkg/tokens"
)

// How OpenClaw 2026.9.6 measures a context, and where its compactions cut:
//
//   - The size is the one that the last answer states, plus OpenClaw's estimates of what follows. An answer that states
//     none is passed over. After one that says that the size is unknown, nothing that was stated before counts.
//   - Messages that the model does not get because of an odd excludeFromContext count, too.
//   - Everything that becomes a message can be cut before, but tool results and carriers of the runtime's context.
//   - A size that was stated before the last boundary counts like any other. OpenClaw does not act on it.

// openClawRules are the rules of OpenClaw. It puts results after their calls, and leaves out results of failed answers.
var openClawRules = goClawRules.with(func(r *rules) {
	r.cutRule = CutRule{Program: OpenClaw, Estimates: true, Scaled: true, ByEntry: true}
	r.step, r.summarizes, r.isHeld, r.estimate = openClawStep, openClawSummarizes, isCompactedByHook, openClawEstimate
	r.size = func(e *entry, rec *jsonl.Record, _ int) int { return openClawEstimate(e, rec) }
	r.summarySize = func(summary string, _ tokens.Counter) int { return tokens.EstimateOpenClawText(summary) }
	r.recorded, r.isWeighed = openClawRecorded, openClawWeighs
	r.trusts = func(item) bool { return true }
})

// isCompactedByHook reports whether a hook has just compacted the context.
func isCompactedByHook(c *Context) bool {
	n := len(c.path)
	return n > 0 && c.ix.at(c.path[n-1]).has(byHook)
}

func openClawStep(c *Context, i int32) Step {
	var s Step
	e := c.ix.at(i)
	switch e.kind {
	case kindCustomMessage:
		s.Message, s.Cut = true, !e.has(carrier)
		s.Turn = s.Cut
	case kindBranchSummary:
		s.Message, s.Cut, s.Turn = true, true, true
	case kindMessage:
		s.Message = !e.has(excluded)
		switch e.role {
		case roleUser, roleBash:
			s.Cut, s.Turn = s.Message, s.Message
		case roleCustom:
			s.Cut = s.Message && !e.has(carrier)
			s.Turn = s.Cut
		case roleAssistant:
			s.Cut = s.Message
		}
	}
	s.Fixed = s.Message || e.kind == kindMessage
	return s
}

// openClawSummarizes includes what a reset keeps, but nothing before the entry that a compaction names, even if that
// comes after the compaction.
func openClawSummarizes(s *Stretch, i int, step Step) bool {
	if i < s.start && s.c.ix.at(s.c.path[s.c.boundary]).kind != kindReset {
		return false
	}
	return step.Message && (i >= s.start || step.Shown)
}

func openClawEstimate(e *entry, rec *jsonl.Record) int {
	return tokens.EstimateOpenClaw(rec, roleNames[e.role])
}

// roleNames are the roles that OpenClaw estimates. A hook's message has become a custom one.
var roleNames = map[role]string{
	roleUser: jsonl.RoleUser, roleAssistant: jsonl.RoleAssistant, roleToolResult: jsonl.RoleToolResult,
	roleBash: jsonl.RoleBashExecution, roleCustom: jsonl.RoleCustom,
}

func openClawRecorded(e *entry, m jsonl.Message) (tokens int64, isBarrier bool) {
	usage := m.Get("usage")
	if e.role != roleAssistant || !javascript.IsTruthy(usage) {
		return 0, false
	}
	context := usage.Get("contextUsage")
	tokens, known := openClawSize(usage, context)
	isUnavailable := context.Get("state").Is("unavailable")
	switch {
	case m.Get("api").Is("cli") && !context.Exists(), isUnavailable && known && tokens == 0:
		return 0, true
	case isUnavailable || e.has(failed) || tokens < 0 || tokens > jsonl.MaxTokens:
		return 0, false
	}
	return tokens, false
}

// openClawSize returns the size that a usage states: that of the context, the total, or the sum of its parts. It is not
// known if a part is missing.
func openClawSize(usage, context jsonl.Value) (size int64, known bool) {
	if context.Get("state").Is("available") {
		total := context.Get("totalTokens")
		return total.Int(), total.IsNumber()
	}
	if total := usage.Get("totalTokens").Int(); total != 0 {
		return total, true
	}
	for _, part := range []string{"input", "output", "cacheRead", "cacheWrite"} {
		count := usage.Get(part)
		if !count.IsNumber() {
			return 0, false
		}
		size += count.Int()
	}
	return size, true
}

// openClawWeighs reports whether OpenClaw measures an entry that its model does not get: only true excludes a message
// from its own context, and anything that JavaScript treats as true from a request.
func openClawWeighs(e *entry) bool {
	return e.kind == kindMessage && (e.role == roleBash || e.role == roleCustom) && e.has(hidden) && !e.has(excluded)
}
