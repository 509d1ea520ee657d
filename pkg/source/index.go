package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"time"

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
	// Raw is the entry as it was written.
	Raw jsonl.Value
}

// An index is a sessions.json: every usable entry, and the problems with the others.
type index struct {
	entries  []Entry
	problems []Problem
}

// readIndex reads a sessions.json.
func readIndex(path string, file io.Reader) (index, error) {
	data, err := io.ReadAll(io.LimitReader(file, maxIndex))
	return parseIndex(path, data), err
}

// parseIndex parses a sessions.json of OpenClaw or of either form of claw0, even if it is damaged.
func parseIndex(path string, data []byte) index {
	ix := index{}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if len(bytes.TrimSpace(data)) == 0 {
		ix.problem(IndexDamaged, path, "", "it is empty")
		return ix
	}
	for _, m := range ix.members(path, data) {
		ix.add(path, m.key, m.value)
	}
	return ix
}

type member struct {
	key   string
	value jsonl.Value
}

// members returns the entries in order. If a key is repeated, the last entry counts. If the file is not JSON, members
// returns the entries that it can find.
func (ix *index) members(path string, data []byte) []member {
	// A newline in JSON is white space. Without newlines the document is a single line and can be scanned as one.
	line := bytes.ReplaceAll(data, []byte("\n"), []byte(" "))
	rec := (&jsonl.Parser{}).Parse(line, 1, 0)
	var list []member
	if rec.Legible() {
		for key, value := range rec.Clone().Value().Members() {
			list = append(list, member{key, value})
		}
	} else {
		ix.problem(IndexDamaged, path, "", fmt.Sprintf("%s at byte %d", rec.Damage.Code.Words(), rec.Damage.Offset))
		list = findWholeEntries(data)
	}
	last := map[string]int{}
	for i, m := range list {
		last[m.key] = i
	}
	return slices.Collect(func(yield func(member) bool) {
		for i, m := range list {
			if last[m.key] == i && !yield(m) {
				return
			}
		}
	})
}

// entryStart is the beginning of an entry: a key and the brace of an object.
var entryStart = regexp.MustCompile(`"(?:[^"\\]|\\.)+"\s*:\s*\{`)

// findWholeEntries finds the complete entries of a damaged file.
func findWholeEntries(data []byte) (list []member) {
	for at := 0; ; {
		found := entryStart.FindIndex(data[at:])
		if found == nil {
			return list
		}
		start, brace := at+found[0], at+found[1]-1
		var key string
		var value json.RawMessage
		dec := json.NewDecoder(bytes.NewReader(data[brace:]))
		end := bytes.LastIndexByte(data[start:brace], '"')
		if json.Unmarshal(data[start:start+end+1], &key) == nil && dec.Decode(&value) == nil {
			list = append(list, member{key, jsonl.Value(value)})
			at = brace + int(dec.InputOffset())
		} else {
			at = brace
		}
	}
}

// add adds an entry if it is usable.
func (ix *index) add(path, key string, value jsonl.Value) {
	if !value.IsObject() {
		ix.problem(NullEntry, path, key, "")
		return
	}
	e := parseEntry(key, value)
	if e.SessionID == "" {
		ix.problem(NoSessionID, path, key, "")
		return
	}
	file := value.Get("sessionFile").String()
	switch {
	case strings.HasPrefix(file, "sqlite:"):
		e.Moved = true
		ix.problem(MovedToSQLite, path, key, "")
	case file != "":
		e.File = baseName(file)
		e.Folder = strings.TrimRight(file[:strings.LastIndexAny(file, `/\`)+1], `/\`)
	}
	ix.entries = append(ix.entries, e)
}

// parseEntry reads the fields of an entry in any of its forms.
func parseEntry(key string, value jsonl.Value) Entry {
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
			e.File = baseName(v.String())
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
		}
	}
	if e.SessionID == "" && value.Get("last_active").Exists() {
		e.SessionID, e.Key = key, "" // claw0's newer form is indexed by id and has no keys
	}
	return e
}

func (ix *index) problem(code Code, path, key, detail string) {
	ix.problems = append(ix.problems, Problem{Code: code, Path: path, Key: key, Detail: detail})
}

// baseName returns the last element of a path of any operating system.
func baseName(path string) string {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	if base == "." || base == ".." || len(base) > 255 || strings.ContainsRune(base, 0) {
		return ""
	}
	return base
}
