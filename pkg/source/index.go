package source

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"clawctl/pkg/jsonl"
)

// maxIndex is how large a sessions.json may be. The largest that has been seen has 36 MB.
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
	Claimed   Claim
}

// A Claim is what a registration says that a session has used; ok false where it says nothing.
type Claim struct {
	Input, Output, CacheRead, CacheWrite, Total int64
	OK                                          bool
}

// An index is a sessions.json: every entry that can be used, and what is wrong with it.
type index struct {
	entries  []Entry
	problems []Problem
}

// parseIndex reads a sessions.json of OpenClaw or of claw0's two forms, in whatever state it is.
func parseIndex(path string, data []byte) index {
	ix := index{}
	if len(bytes.TrimSpace(data)) == 0 {
		ix.problem(IndexDamaged, path, "", "it is empty")
		return ix
	}
	for key, value := range indexMembers(&ix, path, data) {
		ix.add(path, key, value)
	}
	return ix
}

// indexMembers returns the entries as they stand. Where the file is not JSON, those before the damage are returned.
func indexMembers(ix *index, path string, data []byte) map[string]jsonl.Value {
	members := map[string]jsonl.Value{}
	// A newline in JSON is white space; without newlines a whole document is one line, and can be scanned like one.
	line := bytes.ReplaceAll(data, []byte("\n"), []byte(" "))
	rec := (&jsonl.Parser{}).Parse(line, 1, 0)
	if rec.Legible() {
		for key, value := range rec.Clone().Value().Members() {
			members[key] = value
		}
		return members
	}
	ix.problem(IndexDamaged, path, "", fmt.Sprintf("%s at byte %d", rec.Damage.Code.Words(), rec.Damage.Offset))
	dec := json.NewDecoder(bytes.NewReader(data))
	if _, err := dec.Token(); err != nil {
		return members
	}
	for dec.More() {
		key, err := dec.Token()
		name, isName := key.(string)
		var value json.RawMessage
		if err != nil || !isName || dec.Decode(&value) != nil {
			break
		}
		members[name] = jsonl.Value(bytes.TrimSpace(value))
	}
	return members
}

// add takes one entry, if it can be used.
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
		ix.problem(MovedToSQLite, path, key, "")
	case file != "":
		e.File = baseName(file)
		e.Folder = strings.TrimRight(file[:strings.LastIndexAny(file, `/\`)+1], `/\`)
	}
	ix.entries = append(ix.entries, e)
}

// parseEntry reads the fields of all forms of an entry.
func parseEntry(key string, value jsonl.Value) Entry {
	e := Entry{Key: key}
	for name, v := range value.Members() {
		switch name {
		case "sessionId", "session_id":
			e.SessionID = v.String()
		case "updatedAt", "updated_at", "last_active":
			e.UpdatedAt, _ = jsonl.ParseTime(v)
		case "label":
			e.Label = v.String()
		case "displayName":
			e.Display = v.String()
		case "transcript_file":
			e.File = baseName(v.String())
		case "usageFamilySessionIds":
			e.Family = v.Strings()
		case "inputTokens":
			e.Claimed.Input, e.Claimed.OK = v.Int(), true
		case "outputTokens":
			e.Claimed.Output, e.Claimed.OK = v.Int(), true
		case "cacheRead":
			e.Claimed.CacheRead, e.Claimed.OK = v.Int(), true
		case "cacheWrite":
			e.Claimed.CacheWrite, e.Claimed.OK = v.Int(), true
		case "totalTokens":
			e.Claimed.Total, e.Claimed.OK = v.Int(), true
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

// baseName returns the last part of a path of any system, which may not be this one.
func baseName(path string) string {
	base := path[strings.LastIndexAny(path, `/\`)+1:]
	if base == "." || base == ".." || len(base) > 255 || strings.ContainsRune(base, 0) {
		return ""
	}
	return base
}
