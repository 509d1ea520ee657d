package rebuild

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"clawctl/pkg/jsonl"
)

// Claude Code logs the hash of every message that it sends. This file rebuilds the messages of the logged requests from
// the rows before them, which must have these hashes: that proves the rules of Claude Code on every session that the
// real program has written.

// A proof says how many of the logged requests have the messages that are rebuilt.
type proof struct {
	requests int // that are logged
	proved   int // whose messages all have the logged hashes
}

// A request is what the program logs when it sends one. Its messages are the first ones of another request and some
// more.
type request struct {
	entry           int32
	id, base, model string
	config          string   // how the model shall answer, as JSON
	keep            int      // number of messages that are those of the base
	tail            []string // the hashes of the others
}

func (r *request) total() int { return r.keep + len(r.tail) }

// A sentGroup is a group of a request.
type sentGroup struct {
	group
	config string // how the model shall answer from here on, as JSON; "" if the message does not say
}

// A claim is that a request had certain messages.
type claim struct {
	request int
	groups  []int // of the prover
}

// A prover compares the messages of requests with their logged hashes.
type prover struct {
	ix       *Index
	records  map[int32]*jsonl.Record // by entry
	configs  map[int32]string        // how the model was asked for the answers, by their entries
	requests []request
	base     []int   // the request that each one continues, or -1
	claims   []claim // the requests that are rebuilt
	groups   []sentGroup
	known    map[string]int // the groups by what they consist of
	sums     []string       // of the groups
}

// newProver reads a transcript and rebuilds its requests.
func newProver(t *testing.T, text []byte) *prover {
	t.Helper()
	ix, err := Scan(jsonl.NewReader(bytes.NewReader(text), jsonl.Options{}), nil)
	if err != nil {
		t.Fatal(err)
	}
	p := &prover{ix: ix, records: map[int32]*jsonl.Record{}, configs: map[int32]string{}, known: map[string]int{}}
	if ix.Program.Name != "claude-code" {
		return p
	}
	entries := map[int64]int32{}
	for i := range int32(ix.len()) {
		entries[int64(ix.at(i).line)] = i
	}
	for rec, err := range jsonl.Records(bytes.NewReader(text), jsonl.Options{}) {
		if err != nil {
			t.Fatal(err)
		}
		if i, ok := entries[rec.Line]; ok && rec.Legible() && rec.Translator() != nil {
			p.take(i, rec.Clone())
		}
	}
	p.link()
	p.plan()
	p.hash()
	return p
}

// take notes what a record says about requests.
func (p *prover) take(i int32, rec *jsonl.Record) {
	p.records[i] = rec
	line := rec.Stated()
	if effort := line.Get("perTurnEffort"); effort.IsString() && rec.StatedType() == "assistant" {
		p.configs[i] = `{"effort":` + string(effort) + `}`
	}
	if rec.StatedType() != "api-request" || p.ix.at(i).kind != kindCustom {
		return
	}
	params := line.Get("params")
	r := request{entry: i, id: line.Get("id").String(), base: line.Get("base").String(),
		model: params.Get("model").String()}
	if config := params.Get("output_config"); config.IsObject() {
		r.config = string(config)
	}
	if line.Get("base").Exists() {
		r.keep = int(min(max(line.Get("keep").Int(), 0), 1<<20))
	}
	for hash := range line.Get("tail").Elements() {
		r.tail = append(r.tail, hash.String())
	}
	p.requests = append(p.requests, r)
}

// link finds the base of every request.
func (p *prover) link() {
	latest := map[string]int{}
	for i, r := range p.requests {
		p.base = append(p.base, -1)
		if at, ok := latest[r.base]; ok && r.base != "" && r.keep <= p.requests[at].total() {
			p.base[i] = at
		}
		latest[r.id] = i
	}
}

// plan decides which requests are rebuilt: those that no later one continues with all of their messages, because their
// messages are all in that.
func (p *prover) plan() {
	continued := map[int]bool{}
	for i, r := range p.requests {
		if at := p.base[i]; at >= 0 && r.keep == p.requests[at].total() {
			continued[at] = true
		}
	}
	for i := range p.requests {
		if continued[i] {
			continue
		}
		sent, known := p.sentBefore(&p.requests[i])
		if !known {
			continue
		}
		c := claim{request: i}
		for _, g := range sent {
			c.groups = append(c.groups, p.add(g))
		}
		p.claims = append(p.claims, c)
	}
}

// add returns the number of a group.
func (p *prover) add(g sentGroup) int {
	key := fmt.Sprintf("%+v", g)
	at, ok := p.known[key]
	if !ok {
		at = len(p.groups)
		p.known[key], p.groups = at, append(p.groups, g)
	}
	return at
}

// hash computes the hashes of the groups.
func (p *prover) hash() {
	c := &Context{ix: p.ix}
	for _, g := range p.groups {
		message := `{"role":"system","content":[]}`
		if len(g.entries) > 0 {
			message = claudeMessage(c, g.group, p.body)
		}
		if g.config != "" {
			message = strings.TrimSuffix(message, "}") + `,"output_config":` + g.config + `}`
		}
		sum := sha256.Sum256(appendSorted(nil, hashedForm(jsonl.Value(message))))
		p.sums = append(p.sums, hex.EncodeToString(sum[:]))
	}
}

// body returns the record of an entry.
func (p *prover) body(i int32) *jsonl.Record {
	inner := p.ix.innerAt(i)
	if inner == nil {
		return p.records[i]
	}
	rec := p.records[inner.row]
	return innerRecord(slices.Collect(rec.Get("messages").Elements())[inner.at], rec.Line, rec.Offset)
}

// hashedForm returns a message in the form whose hash is logged: with a text as one block.
func hashedForm(message jsonl.Value) jsonl.Value {
	content := message.Get("content")
	if !content.IsString() {
		return message
	}
	o := objectOf(message)
	o.set("content", list([]string{textBlock(inner(content))}))
	return jsonl.Value(o.String())
}

// logged returns the hash of a message of a request, and which request logs it: -1 if the log of its base is not there.
func (p *prover) logged(request, at int) (hash string, author int) {
	for ; request >= 0; request = p.base[request] {
		if r := &p.requests[request]; at >= r.keep {
			return r.tail[at-r.keep], request
		}
	}
	return "", -1
}

// compare compares the hashes of the claims with those in the log, and reports the lines of the messages that differ.
func (p *prover) compare(report func(line int64)) proof {
	proved, differs := map[int]bool{}, map[int]bool{}
	for _, c := range p.claims {
		p.compareClaim(c, proved, differs, report)
	}
	return proof{len(p.requests), len(proved)}
}

// compareClaim compares the messages of one request. It notes the requests that are proved, and the groups that were
// reported.
func (p *prover) compareClaim(c claim, proved, differs map[int]bool, report func(line int64)) {
	r := &p.requests[c.request]
	isLogged := func(at int) bool {
		hash, author := p.logged(c.request, at)
		return author >= 0 && p.sums[c.groups[at]] == hash
	}
	equal := 0 // number of messages before the first that differs
	for equal < r.total() && equal < len(c.groups) && isLogged(equal) {
		equal++
	}
	if equal == r.total() && equal == len(c.groups) {
		proved[c.request] = true
	}
	for at := p.base[c.request]; at >= 0; at = p.base[at] {
		if p.requests[at].total() <= equal {
			proved[at] = true
		}
	}
	if r.total() != len(c.groups) {
		report(int64(p.ix.at(r.entry).line))
		return
	}
	for at := equal; at < r.total(); at++ {
		_, author := p.logged(c.request, at)
		if g := c.groups[at]; author >= 0 && !isLogged(at) && !differs[g] {
			differs[g] = true
			entry := p.requests[author].entry
			if entries := p.groups[g].entries; len(entries) > 0 {
				entry = slices.Min(entries)
			}
			report(int64(p.ix.at(entry).line))
		}
	}
}

// sentBefore returns the messages of a logged request, and whether they can be known.
func (p *prover) sentBefore(r *request) ([]sentGroup, bool) {
	t := newClaudeTree(p.ix)
	last, _ := slices.BinarySearch(t.rows, r.entry)
	if last == 0 {
		return nil, false
	}
	path, ok := t.path(t.rows[last-1])
	for at := len(path) - 1; at > 0; at-- {
		if p.ix.at(path[at]).isClaudeBoundary() {
			path = path[at:] // the model may see nothing else
			break
		}
	}
	if !ok || p.interruptsCall(t, path) {
		return nil, false
	}
	p.forgetLater(t, path, r.entry)
	model := missing
	if r.model != "" {
		model = p.ix.names.of([]byte(r.model))
	}
	c := &Context{ix: p.ix, items: t.items(path)}
	return p.withConfigs(claudeSentGroups(c, model), r.config), true
}

// forgetLater leaves in a tree what was known when a request was sent on a path: the rows before the request, and of
// an answer that the session was resumed inside of only what is on the path. The rest of such an answer is loaded when
// the session is resumed again.
func (p *prover) forgetLater(t *claudeTree, path []int32, request int32) {
	isLater := func(i int32) bool { return i >= request }
	t.rows = slices.DeleteFunc(t.rows, isLater)
	for answer, rows := range t.parts {
		t.parts[answer] = slices.DeleteFunc(rows, isLater)
	}
	for at := 1; at < len(path); at++ {
		answer, ok := p.ix.answers[path[at-1]]
		if ok && p.isPrompt(t, path[at]) && !p.isLoadedAgain(path[at], request) {
			delete(t.parts, answer)
		}
	}
}

// isLoadedAgain reports whether the session was resumed after a prompt and before a request. The first request of
// every process has no base.
func (p *prover) isLoadedAgain(prompt, request int32) bool {
	starts := 0
	for _, r := range p.requests {
		if r.base == "" && r.entry > prompt && r.entry <= request {
			starts++
		}
	}
	return starts > 1
}

// interruptsCall reports whether a prompt of a path continues a call instead of its result. A session that is resumed
// at a call has no results at first, and has them when it is resumed again.
func (p *prover) interruptsCall(t *claudeTree, path []int32) bool {
	for at := 1; at < len(path); at++ {
		if p.isPrompt(t, path[at]) && slices.ContainsFunc(p.ix.blocksOf(path[at-1]), isCall) {
			return true
		}
	}
	return false
}

// isPrompt reports whether a row is a prompt of the user.
func (p *prover) isPrompt(t *claudeTree, i int32) bool {
	e := p.ix.at(i)
	return e.kind == kindMessage && e.role == roleUser && !t.hasInnerResult(i)
}

// withConfigs adds how the model shall answer to the reminders behind messages of the user, which are made if needed.
// It is said where it changes, and asked is what it is at the end.
func (p *prover) withConfigs(groups []group, asked string) []sentGroup {
	isUser := func(at int) bool {
		return at < len(groups) && (groups[at].made == claudeLead || groups[at].made == claudeUser)
	}
	var all []sentGroup
	current := ""
	for at := 0; at < len(groups); at++ {
		all = append(all, sentGroup{group: groups[at]})
		config := p.configOfNext(groups[at+1:], asked)
		if !isUser(at) || isUser(at+1) || config == "" || config == current {
			continue
		}
		current = config
		if at+1 < len(groups) && groups[at+1].made == claudeReminder {
			at++
			all = append(all, sentGroup{groups[at], config})
		} else {
			all = append(all, sentGroup{group{made: claudeReminder}, config})
		}
	}
	return all
}

// configOfNext returns how the model was asked for the next answer.
func (p *prover) configOfNext(groups []group, asked string) string {
	for _, g := range groups {
		if g.made == claudeAnswer {
			return p.configs[g.entries[0]]
		}
	}
	return asked
}
