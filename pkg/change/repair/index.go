package repair

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"strings"

	"clawctl/internal/failure"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/source/openclaw"
	"clawctl/pkg/validate"
)

// An IndexPlan is what a repair would change in a sessions.json.
type IndexPlan struct {
	Path  string
	Old   []byte // nil if there is no index
	New   []byte
	Mends []IndexRow
}

// newIndex plans the repair of the sessions.json at a path. old is its text, nil if there is none, and sessions are the
// live transcripts beside it. exists reports whether there is a file at a path.
func newIndex(
	path string, old []byte, sessions []*source.Session, selection validate.Selection, exists func(string) bool,
) *IndexPlan {
	b := &indexBuilder{plan: &IndexPlan{Path: path, Old: old}, selection: selection, exists: exists,
		used: map[string]bool{}, files: map[string]bool{}, ids: map[string]bool{}}
	if old != nil {
		b.readOld()
	}
	for _, s := range sessions {
		if !b.files[filepath.Base(s.Path)] && !(s.Listed && b.ids[s.ID]) { // the old index does not have it
			b.register(s)
		}
	}
	if len(b.plan.Mends) > 0 {
		b.plan.New = b.text()
	}
	return b.plan
}

// An indexBuilder collects the entries of a new index.
type indexBuilder struct {
	plan      *IndexPlan
	selection validate.Selection
	exists    func(path string) bool
	keys      []string
	values    []jsonl.Value
	used      map[string]bool // keys
	files     map[string]bool // names of transcripts that the old index lists
	ids       map[string]bool // of the sessions that it lists
}

// mend adds a change to the plan if its code is selected.
func (b *indexBuilder) mend(code failure.Code, key, change, cost string) bool {
	rule, ok := validate.Lookup(code)
	if !ok || !b.selection.Takes(rule) {
		return false
	}
	b.plan.Mends = append(b.plan.Mends, IndexRow{1, Planned, b.plan.Path, key, code, change, cost})
	return true
}

func (b *indexBuilder) add(key string, value jsonl.Value) {
	b.keys, b.values = append(b.keys, key), append(b.values, value)
	b.used[key] = true
}

// readOld takes what can be used of the old index.
func (b *indexBuilder) readOld() {
	entries, problems := openclaw.ParseIndex(b.plan.Old)
	for _, p := range problems {
		switch p.Code {
		case openclaw.IndexDamaged:
			b.mend(p.Code, "", fmt.Sprintf("write the index again with its %s", countOf(len(entries), "complete registration")),
				"the old index stays beside it")
		case openclaw.NullEntry:
			if !b.mend(p.Code, p.Key, "remove the empty registration", "") {
				b.add(p.Key, jsonl.Value("null"))
			}
		case openclaw.NoSessionID:
			b.mend(p.Code, p.Key, "remove the registration, which names no session", "the old index stays beside it")
		}
	}
	for _, e := range entries {
		b.ids[e.SessionID] = true
		b.files[cmp.Or(e.File, e.SessionID+".jsonl")] = true
		b.add(e.Key, b.withPath(e))
	}
}

// withPath returns an entry whose path leads to the transcript beside the index, if it leads nowhere.
func (b *indexBuilder) withPath(e openclaw.Entry) jsonl.Value {
	stated, own := e.Raw.Get("sessionFile").String(), filepath.Join(filepath.Dir(b.plan.Path), e.File)
	if !filepath.IsAbs(stated) && !strings.Contains(stated, `\`) {
		stated = filepath.Join(filepath.Dir(b.plan.Path), stated)
	}
	if e.Moved || e.File == "" || stated == own || b.exists(stated) || !b.exists(own) {
		return e.Raw
	}
	if !b.mend(source.ForeignPath, e.Key, "point the registration to the transcript in this folder", "") {
		return e.Raw
	}
	return e.Raw.WithText("sessionFile", own)
}

// register adds a transcript under the key that OpenClaw gives to recovered sessions.
func (b *indexBuilder) register(s *source.Session) {
	key := source.RecoveredKey(s.Agent, s.ID)
	for n := 2; b.used[key]; n++ {
		key = fmt.Sprintf("%s-%d", source.RecoveredKey(s.Agent, s.ID), n)
	}
	if !b.mend(source.Unlisted, key, "register "+filepath.Base(s.Path), "") {
		return
	}
	path := filepath.Join(filepath.Dir(b.plan.Path), filepath.Base(s.Path))
	b.add(key, fmt.Appendf(nil, `{"sessionId":%s,"updatedAt":%d,"sessionFile":%s}`, jsonl.Quote(s.ID),
		s.Modified.UnixMilli(), jsonl.Quote(path)))
}

// text returns the new index, as OpenClaw writes it: an entry begins on a line of its own.
func (b *indexBuilder) text() []byte {
	var out bytes.Buffer
	out.WriteString("{")
	for i, key := range b.keys {
		if i > 0 {
			out.WriteString(",")
		}
		fmt.Fprintf(&out, "\n  %s: %s", jsonl.Quote(key), []byte(b.values[i]))
	}
	out.WriteString("\n}\n")
	return out.Bytes()
}
