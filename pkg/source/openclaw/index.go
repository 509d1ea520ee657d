package openclaw

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"
	"time"

	"clawctl/internal/failure"
	"clawctl/internal/regex"
	"clawctl/internal/textid"
	"clawctl/pkg/jsonl"
)

// maxIndex is the maximum size of a sessions.json. The largest known one has 36 MB.
const maxIndex = 256 << 20

// An Entry is what a sessions.json, or a row of OpenClaw's database, says about a session.
type Entry struct {
	Key       string
	SessionID string
	File      string // the base name of its transcript, or ""
	Folder    string // the folder that it is said to lie in, or ""
	UpdatedAt time.Time
	Label     string
	Display   string
	Family    []string // ids of the session's earlier generations
	Moved     bool     // the entry says the session is in SQLite
	// TotalTokens is the size of the context according to the entry, or 0 if the entry has none.
	TotalTokens int64
	// InputTokens and OutputTokens are what the session has used according to the entry.
	InputTokens, OutputTokens int64
	// ContextTokens is the context window of its model.
	ContextTokens int64
	// State is what the entry says about the life of the session.
	State State
	// Raw is the entry as it was written.
	Raw jsonl.Value
}

// SpawnedBy returns the key of the session that started this one as a subagent, or "".
func (e *Entry) SpawnedBy() string {
	if !e.Raw.IsObject() {
		return ""
	}
	return e.Raw.Get("spawnedBy").String()
}

// MaxEntries is the maximum number of entries of an index that are read.
const MaxEntries = 1 << 20

// IndexName is the name of the index of a folder with transcripts.
const IndexName = "sessions.json"

// Problems of an index.
const (
	NoSessionID   failure.Code = "CL504"
	NullEntry     failure.Code = "CL505"
	IndexDamaged  failure.Code = "CL506"
	MovedToSQLite failure.Code = "CL508"
)

// An IndexProblem is something wrong with an index, or with one of its entries.
type IndexProblem struct {
	Code   failure.Code
	Key    string // of the entry, or ""
	Detail string // may be ""
}

// An IndexReader reads a sessions.json. It hands every usable entry on and keeps none of them. The raw text of an entry
// is valid only during the call.
type IndexReader struct {
	Each    func(Entry)
	Problem func(IndexProblem)
}

// Read reads the file of an index.
func (ix *IndexReader) Read(file fs.File) error {
	var data bytes.Buffer
	if info, err := file.Stat(); err == nil && info.Size() < maxIndex {
		data.Grow(int(info.Size()) + bytes.MinRead) // once, instead of in steps that are copied
	}
	_, err := data.ReadFrom(io.LimitReader(file, maxIndex))
	if err != nil {
		return err
	}
	ix.parse(data.Bytes())
	return nil
}

// parse parses a sessions.json of OpenClaw or of either form of claw0, even if it is damaged.
func (ix *IndexReader) parse(data []byte) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\xef\xbb\xbf")))
	if len(data) == 0 {
		ix.damaged("it is empty")
		return
	}
	members := jsonl.Value(data).Members()
	if problem := indexDamage(data); problem != "" {
		ix.damaged(problem)
		members = wholeEntries(data)
	}
	ix.addMembers(members)
}

// indexDamage says what is wrong with a file that is not a JSON object.
func indexDamage(data []byte) string {
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(data, new(ignored)); {
	case errors.As(err, &syntax):
		return fmt.Sprintf("%s at byte %d", jsonl.BadJSON.Words(), syntax.Offset-1)
	case data[0] != '{':
		return jsonl.NotObject.Words() + " at byte 0"
	}
	return ""
}

// ignored is a value that is checked and not decoded.
type ignored struct{}

// UnmarshalJSON does nothing.
func (*ignored) UnmarshalJSON([]byte) error { return nil }

// addMembers adds the entries in order. If a key is repeated, the last entry counts.
func (ix *IndexReader) addMembers(members iter.Seq2[string, jsonl.Value]) {
	last, n := map[textid.ID]int{}, 0
	for key := range members {
		if n++; n > MaxEntries {
			ix.damaged(fmt.Sprintf("it has more than %d entries", MaxEntries))
			break
		}
		last[textid.Of([]byte(key))] = n
	}
	n = 0
	for key, value := range members {
		if n++; n > MaxEntries {
			break
		}
		if last[textid.Of([]byte(key))] == n {
			ix.add(key, value)
		}
	}
}

// entryStart is the beginning of an entry: a key and the brace of an object.
var entryStart = regex.Lazy(`"(?:[^"\\]|\\.)+"\s*:\s*\{`)

// wholeEntries finds the complete entries of a damaged file. It takes linear time: objects that are known to be
// incomplete, because they were still open where the object around them ended, are not read again.
func wholeEntries(data []byte) iter.Seq2[string, jsonl.Value] {
	return func(yield func(string, jsonl.Value) bool) {
		incomplete := incompleteObjects{}
		for at := 0; ; {
			found := entryStart().FindIndex(data[at:])
			if found == nil {
				return
			}
			start, brace := at+found[0], at+found[1]-1
			at = brace
			if incomplete.has(brace) {
				continue
			}
			var value json.RawMessage
			dec := json.NewDecoder(bytes.NewReader(data[brace:]))
			if err := dec.Decode(&value); err != nil {
				incomplete.note(data, brace, failureOffset(err, brace, len(data)))
				continue
			}
			var key string
			name := data[start : start+bytes.LastIndexByte(data[start:brace], '"')+1]
			if json.Unmarshal(name, &key) != nil {
				continue
			}
			if !yield(key, jsonl.Value(value)) {
				return
			}
			at = brace + int(dec.InputOffset())
		}
	}
}

// failureOffset returns where decoding failed that began at start: at the byte that is wrong, or at the end.
func failureOffset(err error, start, end int) int {
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) {
		return start + int(syntax.Offset) - 1
	}
	return end
}

// incompleteObjects are the positions of braces without an end.
type incompleteObjects struct {
	braces map[int]bool
	until  int // no position is after this one
}

func (o *incompleteObjects) has(brace int) bool { return brace < o.until && o.braces[brace] }

// note notes the objects that begin at start or later and are open at end, where decoding failed.
func (o *incompleteObjects) note(data []byte, start, end int) {
	if start >= o.until || o.braces == nil {
		o.braces = map[int]bool{}
	}
	o.until = max(o.until, end)
	var open []int
	for i := start; i < end; i++ {
		switch data[i] {
		case '"':
			for i++; i < end && data[i] != '"'; i++ {
				if data[i] == '\\' {
					i++
				}
			}
		case '{', '[':
			open = append(open, i)
		case '}', ']':
			open = open[:max(0, len(open)-1)]
		}
	}
	for _, brace := range open {
		o.braces[brace] = true
	}
}

// add adds an entry if it is usable.
func (ix *IndexReader) add(key string, value jsonl.Value) {
	if !value.IsObject() {
		ix.Problem(IndexProblem{Code: NullEntry, Key: key})
		return
	}
	e := ParseEntry(key, value)
	if e.SessionID == "" {
		ix.Problem(IndexProblem{Code: NoSessionID, Key: key})
		return
	}
	file := value.Get("sessionFile").String()
	switch {
	case strings.HasPrefix(file, "sqlite:"):
		e.Moved = true
		ix.Problem(IndexProblem{Code: MovedToSQLite, Key: key})
	case file != "":
		e.File = BaseName(file)
		e.Folder = strings.TrimRight(file[:strings.LastIndexAny(file, `/\`)+1], `/\`)
	}
	ix.Each(e)
}

// ParseEntry reads the fields of an entry in any of its forms.
func ParseEntry(key string, value jsonl.Value) Entry {
	e := Entry{Key: key, Raw: value}
	for name, v := range value.Members() {
		switch name {
		case "sessionId", "session_id":
			e.SessionID = v.String()
		case "updatedAt", "updated_at", "last_active":
			if t, ok := jsonl.ParseTime(v); ok {
				e.UpdatedAt = t
			}
		case "label":
			e.Label = v.String()
		case "displayName":
			e.Display = v.String()
		case "transcript_file":
			e.File = BaseName(v.String())
		case "totalTokens":
			e.TotalTokens = v.Int()
		case "contextTokens":
			e.ContextTokens = v.Int()
		case "inputTokens":
			e.InputTokens = v.Int()
		case "outputTokens":
			e.OutputTokens = v.Int()
		case "usageFamilySessionIds":
			e.Family = v.Strings()
		default:
			e.State.read(name, v)
		}
	}
	if e.SessionID == "" && value.Get("last_active").Exists() {
		e.SessionID, e.Key = key, "" // claw0's newer form is indexed by id and has no keys
	}
	return e
}

func (ix *IndexReader) damaged(detail string) {
	ix.Problem(IndexProblem{Code: IndexDamaged, Detail: detail})
}

// BaseName returns the last element of a path of any operating system.
func BaseName(path string) string {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	if base == "." || base == ".." || len(base) > 255 || strings.ContainsRune(base, 0) {
		return ""
	}
	return base
}

// ParseIndex parses the text of a sessions.json, even if it is damaged: its usable entries in order, and what is wrong
// with it.
func ParseIndex(text []byte) (entries []Entry, problems []IndexProblem) {
	ix := IndexReader{
		Each: func(e Entry) {
			e.Raw = bytes.Clone(e.Raw)
			entries = append(entries, e)
		},
		Problem: func(p IndexProblem) { problems = append(problems, p) },
	}
	ix.parse(text)
	return entries, problems
}
