package page

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"clawctl/pkg/change/redact"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/read/parts"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/report/stats"
)

// chunkSize is how much of a transcript is in a chunk: enough to compress well, little enough to unpack in a moment.
const chunkSize = 256 << 10

// previewLength is how many characters of a prompt are in the index.
const previewLength = 140

// The flags of an entry. The script has the same list.
const (
	onPath    = 1 << iota // between the root and the leaf
	inContext             // the model sees it
	failed                // it reports an error
	hasText               // it has text to read, not only calls and thoughts
	hidden                // the model never sees it, by its nature
	outside               // it has no place in the tree
	added                 // its program added it for the model
)

// noTime stands for the time of an entry that has none. It is the smallest whole number in JavaScript.
const noTime = -(1<<53 - 1)

// A survey is the result of the first reading: a few numbers for every entry.
type survey struct {
	totals  Totals
	columns columns
	chunk   int64 // the weight of the current chunk
	calls   map[string]int32
	nodes   []rebuild.Node // those after the last entry
	byNode  []int32        // the entry of each node
	m       *redact.Masker
	title   string // from the transcript
}

// columns are the index of a page. Every slice has one element per entry, unless its comment says otherwise.
type columns struct {
	Kinds   []byte `json:"-"` // index into parts.Kinds, for which the page has letters
	IDs     []string
	Flags   []int8
	Times   []int64  // milliseconds since the last entry with a time, or noTime
	Sizes   []int64  // bytes of its text
	Calls   []int    // number of tool calls
	Owners  []int32  // how many entries before it the call is that it answers; 0: none
	Lines   []int64  // pairs of entry and line, if the line is not the one after the last entry's
	Parents []int32  // pairs of entry and parent, if that is not the entry before it; -1: none
	Chunks  []int32  // the first entry of every chunk
	Prompts []int32  // the entries with prompts
	Texts   []string // the beginnings of the prompts

	parents []int32
	anchors []string // what a link to the entry names, of as many as a plain page may have
	last    int64    // the last time
	line    int64    // the last line
}

// grow makes room for so many entries. Columns that grow as they are filled leave shorter ones behind.
func (c *columns) grow(n int) {
	c.Kinds, c.IDs, c.Flags = slices.Grow(c.Kinds, n), slices.Grow(c.IDs, n), slices.Grow(c.Flags, n)
	c.Times, c.Sizes = slices.Grow(c.Times, n), slices.Grow(c.Sizes, n)
	c.Calls, c.Owners, c.parents = slices.Grow(c.Calls, n), slices.Grow(c.Owners, n), slices.Grow(c.parents, n)
}

// takeSurvey reads a transcript for the first time.
func takeSurvey(ctx context.Context, s *Document, m *redact.Masker) (*survey, error) {
	sv := &survey{calls: map[string]int32{}, nodes: s.Nodes, byNode: make([]int32, len(s.Nodes)), m: m}
	sv.columns.grow(len(s.Nodes))
	for i := range sv.byNode {
		sv.byNode[i] = -1
	}
	maker, masking := parts.Maker{}, parts.Maker{Mask: m.Record}
	counter := stats.NewCounter(s.Source)
	for rec, err := range s.Records() {
		if err != nil {
			return nil, err
		}
		counted, err := counter.Add(ctx, rec)
		if err != nil {
			return nil, err
		}
		if e := maker.Entry(rec); e != nil {
			if kind := kindOf(e); kind == parts.User || kind == parts.Title { // whose texts are in the index
				e = masking.Entry(rec)
			}
			sv.add(e, len(s.Nodes)-len(sv.nodes))
			if counted != nil && counted.Turns > 0 {
				sv.addPrompt(e)
			}
		}
	}
	sv.totals.count(counter.Total())
	sv.link()
	sv.totals.Entries = len(sv.columns.IDs)
	sv.totals.Title = m.Text(cmp.Or(sv.title, s.Title, cmp.Or(sv.columns.Texts...), s.Name, "Session"))
	sv.calls = nil
	return sv, nil
}

// add adds an entry to the columns.
func (sv *survey) add(e *parts.Entry, node int) {
	c := &sv.columns
	i := int32(len(c.IDs))
	if sv.startsChunk(e) {
		c.Chunks = append(c.Chunks, i)
	}
	kind := kindOf(e)
	c.Kinds = append(c.Kinds, byte(max(0, slices.Index(parts.Kinds, kind))))
	c.IDs = append(c.IDs, sv.maskID(e.ID))
	c.Flags = append(c.Flags, int8(sv.flagsOf(e)))
	c.Sizes = append(c.Sizes, textSize(e))
	sv.addTime(e)
	sv.addCalls(e, i)
	if c.line++; c.line != e.Line {
		c.Lines, c.line = append(c.Lines, int64(i), e.Line), e.Line
	}
	if i < maxPlain {
		c.anchors = append(c.anchors, sv.maskID(anchorOf(e)))
	}
	c.parents = append(c.parents, sv.nodeOf(e, node, i))
	sv.count(e, kind)
}

// addPrompt lists the entry that was added last among the prompts.
func (sv *survey) addPrompt(e *parts.Entry) {
	c := &sv.columns
	c.Prompts = append(c.Prompts, int32(len(c.IDs)-1))
	c.Texts = append(c.Texts, sv.promptText(e))
}

// maskID masks an id, unless it is so short, or so plainly a number, that there is no secret in it.
func (sv *survey) maskID(id string) string {
	if len(id) <= 16 || len(strings.Trim(id, "0123456789abcdef-")) == 0 {
		return id
	}
	return sv.m.Text(id)
}

// anchorOf is what a link to an entry names. It stays the same when the page is made again.
func anchorOf(e *parts.Entry) string {
	if e.ID != "" {
		return "entry-" + e.ID
	}
	return "line-" + strconv.FormatInt(e.Line, 10)
}

// linkTo is what the script takes as a link to an entry.
func (sv *survey) linkTo(e *parts.Entry) string {
	if e.ID != "" {
		return "entry-" + sv.maskID(e.ID)
	}
	return anchorOf(e)
}

// nodeOf returns the number of the parent's node, and notes the flags of the node. Entries that have no node, such as
// damaged lines, are outside the tree.
func (sv *survey) nodeOf(e *parts.Entry, node int, i int32) int32 {
	flags := &sv.columns.Flags[i]
	for len(sv.nodes) > 0 && sv.nodes[0].Line < e.Line {
		sv.nodes = sv.nodes[1:]
		node++
	}
	if len(sv.nodes) == 0 || sv.nodes[0].Line != e.Line {
		*flags |= outside
		return -1
	}
	n := sv.nodes[0]
	sv.byNode[node] = i
	if n.OnPath {
		*flags |= onPath
	}
	if n.Shown {
		*flags |= inContext
	}
	return n.Parent
}

// link turns numbers of nodes into numbers of entries.
func (sv *survey) link() {
	c := &sv.columns
	for i, parent := range c.parents {
		if parent >= 0 {
			parent = sv.byNode[parent]
		}
		if parent != int32(i)-1 {
			c.Parents = append(c.Parents, int32(i), parent)
		}
	}
	c.parents, sv.byNode, sv.nodes = nil, nil, nil
}

// startsChunk reports whether an entry is the first of a chunk. Images do not count, because they are not in the chunk,
// except in the first chunk: a browser reads its images before it shows anything.
func (sv *survey) startsChunk(e *parts.Entry) bool {
	first := len(sv.columns.IDs) == 0
	weight := int64(len(e.Record.Raw))
	for i := range e.Parts {
		if e.Parts[i].Kind == parts.Image && len(sv.columns.Chunks) > 1 {
			weight -= int64(len(e.Parts[i].Body))
		}
	}
	full := sv.chunk > 0 && sv.chunk+weight > chunkSize
	if full {
		sv.chunk = 0
	}
	sv.chunk += weight
	return first || full
}

func (sv *survey) addTime(e *parts.Entry) {
	c := &sv.columns
	if e.Time.IsZero() {
		c.Times = append(c.Times, noTime)
		return
	}
	t := &sv.totals
	if t.First.IsZero() || e.Time.Before(t.First) {
		t.First = e.Time
	}
	if e.Time.After(t.Last) {
		t.Last = e.Time
	}
	at := e.Time.UnixMilli()
	c.Times = append(c.Times, at-c.last)
	c.last = at
}

// addCalls notes the calls of an entry, and the call that it answers.
func (sv *survey) addCalls(e *parts.Entry, i int32) {
	c := &sv.columns
	n, owner := 0, int32(0)
	for p := range e.Parts {
		if e.Parts[p].Kind == parts.Call {
			n++
			if id := e.Parts[p].Call.String(); id != "" {
				sv.calls[id] = i
			}
		}
	}
	if id := answeredCall(e); id != "" {
		if call, ok := sv.calls[id]; ok && call < i {
			owner = i - call
		}
	}
	c.Calls, c.Owners = append(c.Calls, n), append(c.Owners, owner)
}

// answeredCall returns the id of the call that an entry answers, or "" if it is not the answer to exactly one.
func answeredCall(e *parts.Entry) string {
	for i := range e.Parts {
		p := &e.Parts[i]
		if p.Kind != parts.Result && p.Kind != parts.Image || string(p.Call) != string(e.Parts[0].Call) {
			return ""
		}
	}
	if len(e.Parts) == 0 {
		return ""
	}
	return e.Parts[0].Call.String()
}

// flagsOf returns the flags that an entry has by itself.
func (sv *survey) flagsOf(e *parts.Entry) int {
	var flags int
	for i := range e.Parts {
		p := &e.Parts[i]
		if p.Failed || p.Kind == parts.Damage {
			flags |= failed
		}
		if p.Hidden {
			flags |= hidden
		}
		if p.Added {
			flags |= added
		}
		if isProse(p.Kind) {
			flags |= hasText
		}
	}
	return flags
}

// isProse reports whether a part is there to be read, unlike calls, results, thoughts and what repeats a prompt.
func isProse(kind parts.Kind) bool {
	return kind != parts.Call && kind != parts.Result && kind != parts.Thinking && kind != parts.Sent
}

// textSize is the size of what is shown of an entry before anything is unfolded.
func textSize(e *parts.Entry) (n int64) {
	for i := range e.Parts {
		if p := &e.Parts[i]; isProse(p.Kind) && p.Kind != parts.Image && !p.Added {
			n += int64(len(p.Body))
		}
	}
	return n
}

// count adds an entry to the totals.
func (sv *survey) count(e *parts.Entry, kind parts.Kind) {
	t := &sv.totals
	i := len(sv.columns.IDs) - 1
	if sv.columns.Flags[i]&failed != 0 {
		t.Errors++
	}
	switch kind {
	case parts.Assistant:
		if !e.IsMirror() {
			t.addModel(sv.m.Text(e.Model))
		}
	case parts.Title:
		sv.title = preview(e.Parts[0].Body, previewLength)
	}
	for p := range e.Parts {
		if e.Parts[p].Kind == parts.Image {
			t.Images++
		}
	}
}

// promptText is the beginning of a prompt.
func (sv *survey) promptText(e *parts.Entry) string {
	for i := range e.Parts {
		if e.Parts[i].Kind == parts.User {
			if text := preview(e.Parts[i].Body, previewLength); text != "" {
				return text
			}
		}
	}
	return ""
}

// kindOf returns the kind that an entry is shown as: that of its speaker, or of its first part.
func kindOf(e *parts.Entry) parts.Kind {
	switch e.Role {
	case jsonl.RoleUser:
		return kindOfUser(e)
	case jsonl.RoleAssistant:
		return parts.Assistant
	case jsonl.RoleToolResult:
		return parts.Result
	case jsonl.RoleSystem:
		return parts.System
	}
	if len(e.Parts) == 0 {
		return parts.Other
	}
	return e.Parts[0].Kind
}

// kindOfUser tells prompts from messages that only carry results.
func kindOfUser(e *parts.Entry) parts.Kind {
	for i := range e.Parts {
		if e.Parts[i].Kind != parts.Result {
			return parts.User
		}
	}
	if len(e.Parts) == 0 {
		return parts.User
	}
	return parts.Result
}

// An index tells the script of a page about entries. Its columns are written one value after the other, because the
// text of a million entries would take more memory than the columns.
type index struct {
	head    []byte // an object without its end
	columns *columns
}

// write writes the index as an element of the page.
func (x *index) write(out *bufio.Writer, id string) {
	fmt.Fprintf(out, `<script type="application/json" id="%s">`, id)
	out.Write(x.head)
	x.columns.write(out)
	out.WriteString("}</script>\n")
}

// indexes returns the index that comes before the first chunk, and the one of all entries if that comes after it.
func (sv *survey) indexes(s *Document, o Options) (first, whole *index, err error) {
	all := sv.columns
	whole, err = sv.index(s, o, &all)
	c := sv.firstChunk()
	if err != nil || c == nil {
		return whole, nil, err
	}
	first, err = sv.index(s, o, c)
	return first, whole, err
}

// firstChunk returns the columns of the entries in the first chunk. It is nil if these are all, or if the current
// branch begins later.
func (sv *survey) firstChunk() *columns {
	c := &sv.columns
	if len(c.Chunks) < 2 || !isOnPath(c.Flags[:c.Chunks[1]]) && isOnPath(c.Flags) {
		return nil
	}
	return c.first(c.Chunks[1])
}

func isOnPath(flags []int8) bool {
	return slices.ContainsFunc(flags, func(f int8) bool { return f&onPath != 0 })
}

// first returns the columns of the first n entries. A parent that comes later is left out.
func (c *columns) first(n int32) *columns {
	prompts, _ := slices.BinarySearch(c.Prompts, n)
	parents := slices.Clone(c.Parents[:pairsBefore(c.Parents, n)])
	for i := 1; i < len(parents); i += 2 {
		if parents[i] >= n {
			parents[i] = -1
		}
	}
	return &columns{
		Kinds: c.Kinds[:n], IDs: c.IDs[:n], Flags: c.Flags[:n], Times: c.Times[:n], Sizes: c.Sizes[:n],
		Calls: c.Calls[:n], Owners: c.Owners[:n], Lines: c.Lines[:pairsBefore(c.Lines, int64(n))], Parents: parents,
		Chunks: c.Chunks[:1], Prompts: c.Prompts[:prompts], Texts: c.Texts[:prompts],
	}
}

// pairsBefore returns the length of the pairs whose first number is less than n.
func pairsBefore[N int32 | int64](pairs []N, n N) (length int) {
	for length < len(pairs) && pairs[length] < n {
		length += 2
	}
	return length
}

func (sv *survey) index(s *Document, o Options, c *columns) (*index, error) {
	letters := make([]byte, len(c.Kinds))
	for i, k := range c.Kinds {
		letters[i] = 'A' + k
	}
	head, err := json.Marshal(struct {
		Schema  int          `json:"schema_version"`
		Session string       `json:"session"`
		Agent   string       `json:"agent"`
		Home    string       `json:"home,omitempty"`
		Raw     bool         `json:"raw"`
		Totals  *Totals      `json:"totals"`
		Names   []parts.Kind `json:"kind_names"`
		Kinds   string       `json:"kinds"` // a letter for each entry: A is the first name
	}{1, sv.m.Text(s.Name), sv.m.Text(s.Agent), o.Home, o.Raw, &sv.totals, parts.Kinds, string(letters)})
	if err != nil {
		return nil, err
	}
	return &index{head[:len(head)-1], c}, nil
}

// write writes the columns as members of an object.
func (c *columns) write(out *bufio.Writer) {
	writeColumn(out, "ids", c.IDs, appendText)
	writeColumn(out, "flags", c.Flags, appendNumber)
	writeColumn(out, "times", c.Times, appendNumber)
	writeColumn(out, "sizes", c.Sizes, appendNumber)
	writeColumn(out, "calls", c.Calls, appendNumber)
	writeColumn(out, "owners", c.Owners, appendNumber)
	writeColumn(out, "lines", c.Lines, appendNumber)
	writeColumn(out, "parents", c.Parents, appendNumber)
	writeColumn(out, "chunks", c.Chunks, appendNumber)
	writeColumn(out, "prompts", c.Prompts, appendNumber)
	writeColumn(out, "texts", c.Texts, appendText)
}

func writeColumn[T any](out *bufio.Writer, name string, column []T, appendValue func([]byte, T) []byte) {
	out.WriteString(`,"` + name + `":`)
	if column == nil {
		out.WriteString("null")
		return
	}
	out.WriteByte('[')
	for i, value := range column {
		if i > 0 {
			out.WriteByte(',')
		}
		out.Write(appendValue(out.AvailableBuffer(), value))
	}
	out.WriteByte(']')
}

func appendNumber[N int8 | int | int32 | int64](to []byte, n N) []byte {
	return strconv.AppendInt(to, int64(n), 10)
}

func appendText(to []byte, text string) []byte {
	quoted, _ := json.Marshal(text) // cannot fail
	return append(to, quoted...)
}
