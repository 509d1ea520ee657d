package rebuild

import (
	"clawctl/internal/failure"
	"fmt"
)

// The codes of problems with records, their order and their links. They are stable, like those of the fixes.
const (
	RepeatedKey   failure.Code = "CL009"
	UnknownType   failure.Code = "CL010"
	OddShape      failure.Code = "CL011"
	NullRole      failure.Code = "CL012"
	NullContent   failure.Code = "CL013"
	HalfPair      failure.Code = "CL014"
	ByteOrderMark failure.Code = "CL015"
	NewProjection failure.Code = "CL016"
	OddProjection failure.Code = "CL017"
	OddReplay     failure.Code = "CL018"
	NoHeader      failure.Code = "CL101"
	LateHeader    failure.Code = "CL102"
	SecondHeader  failure.Code = "CL103"
	OddVersion    failure.Code = "CL104"
	TimeBackward  failure.Code = "CL105"
	SameTwice     failure.Code = "CL106"
	OtherTwice    failure.Code = "CL107"
	NoDate        failure.Code = "CL108"

	NoParent      failure.Code = "CL201"
	Cycle         failure.Code = "CL202"
	SecondRoot    failure.Code = "CL203"
	Unreachable   failure.Code = "CL204"
	NoLeafTarget  failure.Code = "CL205"
	NoLabelTarget failure.Code = "CL206"
	NoKept        failure.Code = "CL207"
	NothingKept   failure.Code = "CL208"
	LateParent    failure.Code = "CL209"
	OddParent     failure.Code = "CL210"
	NoEditTarget  failure.Code = "CL211"
	NoSummary     failure.Code = "CL212"

	SkeletonSummary failure.Code = "CL213"
	CutSummary      failure.Code = "CL214"
	LateSummary     failure.Code = "CL215"

	Checkpointed failure.Code = "CL414"

	NoUsage     failure.Code = "CL601"
	OldUsage    failure.Code = "CL602"
	WrongTotal  failure.Code = "CL603"
	MirrorUsage failure.Code = "CL604"
	Elsewhere   failure.Code = "CL605"

	MostlyImages failure.Code = "CL701"
	Masked       failure.Code = "CL703"
	MaskedText   failure.Code = "CL704"
)

// A Fault is a problem with a record.
type Fault struct {
	Code failure.Code
	Place
	Detail string // a number or a field; never text of the transcript
	Old    bool   // it is no longer part of what is sent
	Copied bool   // the row is from another session, and so is what it refers to
	// Fix is what the API requires, or nil. It refuses the conversation as it is.
	Fix *Fix
}

// Check reports problems with the records, their order, their links and their accounting.
func (ix *Index) Check(report func(Fault)) {
	c := &checker{ix: ix, rules: ix.rules, report: report}
	if ix.hasMark && ix.len() > 0 {
		c.report(Fault{Code: ByteOrderMark, Place: Place{Line: 1}})
	}
	c.headers()
	c.faults()
	for i, e := range ix.all() {
		c.record(i, e)
	}
	if ix.HasTree() {
		c.duplicates()
		c.links()
		for _, late := range ix.lateCompactions() {
			c.add(LateSummary, late, "")
		}
	}
	if ix.imageBytes*5 > ix.bytes*4 {
		c.add(MostlyImages, 0, fmt.Sprintf("%d of %d bytes", ix.imageBytes, ix.bytes))
	}
}

type checker struct {
	ix     *Index
	rules  *rules
	report func(Fault)
}

func (c *checker) add(code failure.Code, entry int32, detail string) {
	c.report(Fault{Code: code, Place: c.ix.placeOf(entry), Detail: detail})
}

// headers checks the session records.
func (c *checker) headers() {
	ix := c.ix
	if ix.len() == 0 || !ix.HasTree() || !c.rules.hasHeader {
		return
	}
	if ix.header < 0 {
		c.add(NoHeader, 0, "")
		return
	}
	if ix.header > 0 {
		c.add(LateHeader, int32(ix.header), "")
	}
	if v := ix.version; !(v == 1 || v == 2 || v == 3 || v == 4) {
		c.add(OddVersion, int32(ix.header), "")
	}
	for i, e := range ix.all() {
		if e.kind == kindSession && int(i) != ix.header {
			c.add(SecondHeader, i, "")
		}
	}
}

func (c *checker) record(i int32, e *entry) {
	if !c.ix.HasTree() {
		return
	}
	switch {
	case e.kind == kindOther && e.has(untyped):
		c.add(OddShape, i, "type")
	case e.kind == kindOther || c.rules.isForeign(e):
		c.add(UnknownType, i, "")
	case c.rules.isEntry(e):
		c.shape(i, e)
	}
}

// shape reports how a record of a known type differs from what the program writes. OpenClaw does not accept it as an
// entry.
func (c *checker) shape(i int32, e *entry) {
	switch {
	case e.kind == kindMessage && e.has(unknownRole) && !e.has(bodyFits), e.isSystem() && !c.rules.hasPrompt:
		c.add(NullRole, i, "")
	case e.kind == kindMessage && e.has(contentMissing) && !e.has(bodyFits):
		c.add(NullContent, i, "")
	case e.kind == kindCompaction && e.has(bodyFits) && !e.ref.isName():
		c.add(NothingKept, i, "")
	case !e.has(bodyFits):
		c.add(OddShape, i, c.ix.misfitOf(i).String())
	case !e.id.isName():
		c.add(OddShape, i, "id")
	case !e.has(timeFits):
		c.add(OddShape, i, "timestamp")
	case !e.has(dated) && !e.has(undated):
		c.add(NoDate, i, "")
	}
}

// duplicates finds ids that are used more than once.
func (c *checker) duplicates() {
	first := make([]int32, c.ix.names.len())
	for i, e := range c.ix.all() {
		if !e.id.isName() || e.kind == kindSession {
			continue
		}
		switch before := first[e.id]; {
		case before == 0:
			first[e.id] = i + 1
		case c.ix.at(before-1).digest == e.digest:
			c.add(SameTwice, i, fmt.Sprintf("line %d", c.ix.at(before-1).line))
		default:
			c.add(OtherTwice, i, fmt.Sprintf("line %d", c.ix.at(before-1).line))
		}
	}
}

// links checks parents and targets.
func (c *checker) links() {
	if c.ix.HasMadeUpIDs() {
		return
	}
	seen, last := make([]bool, c.ix.names.len()), c.ix.rowsByID()
	rooted := false
	for i, e := range c.ix.all() {
		if e.kind == kindSession || !e.id.isName() {
			continue
		}
		switch {
		case e.kind == kindLeaf:
			if !c.isLeaf(e, seen) {
				c.add(NoLeafTarget, i, "")
			} else if e.ref == null {
				rooted = false // the next entry deliberately starts a new chain
			}
		case e.parent == missing && e.kind.isCanonical(), e.parent == odd, e.parent == emptyName:
			c.add(OddParent, i, "")
		case e.parent == null:
			if rooted && e.kind.isCanonical() && !c.rules.hasManyRoots {
				c.add(SecondRoot, i, "")
			}
			rooted = true
		case e.parent == e.id: // a cycle of one
		case e.parent >= 0 && !seen[e.parent] && last[e.parent] > 0:
			c.add(LateParent, i, "")
		case e.parent >= 0 && !seen[e.parent]:
			c.noParent(i)
		}
		if e.kind == kindLabel && e.ref.isName() && !seen[e.ref] {
			c.add(NoLabelTarget, i, "")
		}
		if e.kind == kindContextEdit && c.rules.isEntry(e) && e.ref.isName() && !seen[e.ref] {
			c.add(NoEditTarget, i, "")
		}
		isCopied := c.rules.copiesKept && e.ref.isName() && last[e.ref] > 0
		if c.rules.isBoundary(e) && e.ref.isName() && e.ref != e.id && !seen[e.ref] && !isCopied {
			c.add(NoKept, i, "")
		}
		seen[e.id] = true
		rooted = rooted || e.kind.isCanonical() && e.kind != kindLeaf
	}
	c.ix.eachCycle(last, func(row int32) { c.add(Cycle, row, "") })
}

// noParent reports a row whose parent is not in the file. A row of another session has its parent there.
func (c *checker) noParent(i int32) {
	fault := Fault{Code: NoParent, Place: c.ix.placeOf(i)}
	if fault.Copied = c.ix.isOfAnotherSession(i); fault.Copied {
		fault.Detail = "a row of another session"
	}
	c.report(fault)
}

// isLeaf reports whether a leaf record is complete and refers to existing entries.
func (c *checker) isLeaf(e *entry, seen []bool) bool {
	known := func(s sym) bool { return s == null || s.isName() && seen[s] }
	return c.ix.isLink(e.parent) && known(e.ref) && (e.ref2 == missing || known(e.ref2)) && !e.has(oddAppendMode)
}

// Check reports problems with what the model sees: everything that must be fixed before it is sent, what OpenClaw
// refuses, and what it does not see.
func (c *Context) Check(report func(Fault)) {
	c.EachFix(func(f Fix) { report(Fault{Code: f.Code, Place: f.Place, Fix: &f}) })
	if !c.ix.HasTree() {
		return
	}
	c.checkEntries(report)
	if c.keptMissing {
		report(Fault{Code: NoKept, Place: c.ix.placeOf(c.path[c.boundary]), Detail: "not on the path to it"})
	}
	c.checkOld(report)
	c.checkUnreachable(report)
}

// checkEntries reports the dates that make OpenClaw refuse the session, and the answers on which pi fails when it adds
// up the size of the context.
func (c *Context) checkEntries(report func(Fault)) {
	for it, e := range c.entries() {
		switch {
		case c.ix.rules.needsDates && e.kind != kindMessage && !e.has(dated):
			report(Fault{Code: RefusedDate, Place: c.ix.placeOf(it.entry)})
		case c.ix.rules.needsUsage && e.has(unmetered) && !e.has(failed):
			report(Fault{Code: Unmetered, Place: c.ix.placeOf(it.entry)})
		}
	}
}

// maxLate is how many entries after a boundary are searched for the result of a call before it.
const maxLate = 256

// checkOld checks the calls and results of the path that are no longer sent.
func (c *Context) checkOld(report func(Fault)) {
	if c.boundary < 0 {
		return
	}
	sent := make([]bool, c.ix.len())
	for _, it := range c.items {
		sent[it.entry] = true
	}
	reach := c.path[:min(len(c.path), c.boundary+maxLate)] // results follow soon
	messages := make([]int32, 0, len(reach))
	for _, i := range reach {
		if e := c.ix.at(i); e.kind == kindMessage && !e.has(mirror) {
			messages = append(messages, i)
		}
	}
	add := func(code failure.Code, message int) {
		if entry := messages[message]; !sent[entry] {
			report(Fault{Code: code, Place: c.ix.placeOf(entry), Old: true})
		}
	}
	p := c.ix.pair(messages, isSendable, false)
	for f, call := range p.calls() {
		switch {
		case call.answer >= 0:
		case c.ix.at(messages[f.message]).has(failed):
			add(FailedCall, f.message)
		default:
			add(NoResult, f.message)
		}
	}
	for _, at := range p.orphaned {
		add(p.orphanCode(at), p.answers[at].message)
	}
	for _, at := range p.dropped {
		add(SecondReply, p.answers[at].message)
	}
}

// maxBranches is the maximum number of branches of a session that are reported individually.
const maxBranches = 100

// checkUnreachable reports branches with messages that are not on the path, at their first entry.
func (c *Context) checkUnreachable(report func(Fault)) {
	if c.ix.HasMadeUpIDs() {
		return
	}
	n := c.ix.len()
	onPath, head, count := make([]bool, n), make([]int32, n), make([]int32, n+1) // by head + 1, 0 if none
	for _, i := range c.path {
		onPath[i] = true
	}
	last := c.ix.rowsByID()
	var heads []int32
	for i, e := range c.ix.all() {
		if onPath[i] || e.kind == kindSession || e.has(side) || !e.id.isName() || last[e.id] != i+1 {
			continue
		}
		head[i] = i + 1
		if e.parent.isName() && last[e.parent] > 0 && head[last[e.parent]-1] > 0 {
			head[i] = head[last[e.parent]-1]
		}
		if e.kind != kindMessage || !e.isIndexed() {
			continue
		}
		if count[head[i]] == 0 {
			heads = append(heads, head[i])
		}
		count[head[i]]++
	}
	for at, h := range heads {
		detail := fmt.Sprintf("%d messages", count[h])
		if at == maxBranches {
			detail = fmt.Sprintf("and %d more branches", len(heads)-at)
		}
		report(Fault{Code: Unreachable, Place: c.ix.placeOf(h - 1), Detail: detail})
		if at == maxBranches {
			break
		}
	}
}
