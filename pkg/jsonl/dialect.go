package jsonl

import (
	"slices"
	"strings"
)

// A Dialect is the family of programs that wrote a transcript. It is detected from the records, never from a file name.
type Dialect uint8

// The dialects. OpenClawV1 to OpenClawV4 are the versions that a header states.
const (
	Unknown Dialect = iota
	Claw0Flat
	Claw0Guard
	OpenClawV1
	OpenClawV2
	OpenClawV3
	OpenClawV4
	GoClaw
)

var dialectNames = [...]string{
	"unknown", "claw0-flat", "claw0-guard", "openclaw-v1", "openclaw-v2", "openclaw-v3", "openclaw-v4", "goclaw",
}

// String returns the name that reports use.
func (d Dialect) String() string { return dialectNames[d] }

// IsClaw0 reports whether the transcript is a flat list of turns, without ids and parents.
func (d Dialect) IsClaw0() bool { return d == Claw0Flat || d == Claw0Guard }

// refine returns the dialect after one more record. The first record that is specific decides. GoClaw files begin like
// OpenClaw's and are recognized later.
func (d Dialect) refine(rec *Record) Dialect {
	switch d {
	case Unknown:
		return detectDialect(rec)
	case OpenClawV3, OpenClawV4:
		if isGoClaw(rec) {
			return GoClaw
		}
	}
	return d
}

// detectDialect returns the dialect of a record, Unknown unless its type and its fields fit one. Other programs write
// records with types such as "message", "user" and "checkpoint" too.
func detectDialect(rec *Record) Dialect {
	switch rec.Type() {
	case TypeSession:
		return detectHeader(rec)
	case TypeUser, TypeAssistant, TypeToolUse, TypeToolResult:
		return detectClaw0(rec)
	}
	switch {
	case !isEntry(rec):
		return Unknown
	case isGoClaw(rec):
		return GoClaw
	case !rec.value(fieldID).Exists():
		return OpenClawV1
	}
	return OpenClawV3
}

// entryKeys are the keys that tell the entries of a type from records of other programs.
var entryKeys = map[string]string{
	TypeCompaction: "summary", TypeReset: "reason", TypeBranchSummary: "summary", TypeCustomMessage: "customType",
	TypeModelChange: "modelId", TypeThinkingLevelChange: "thinkingLevel", TypeCustom: "customType", TypeLabel: "targetId",
	TypeSessionInfo: "id", TypeLeaf: "targetId", TypeCheckpoint: "checkpoint", TypeUsage: "usage",
	TypeContextEdit: "targetId",
}

// isEntry reports whether a record has the fields of an entry of its type. An entry has an id and a parent. Those of
// version 1 have neither, and need more of their own.
func isEntry(rec *Record) bool {
	switch t := rec.Type(); t {
	case TypeMessage:
		return rec.value(fieldMessage).IsObject() && (isLinked(rec) || rec.value(fieldRole).IsString())
	case TypeCompaction, TypeModelChange, TypeThinkingLevelChange:
		_, isDated := ParseTime(rec.value(fieldTimestamp))
		return rec.Get(entryKeys[t]).Exists() && (isLinked(rec) || isDated && isOldEntry(rec))
	default:
		key, known := entryKeys[t]
		return known && isLinked(rec) && rec.Get(key).Exists()
	}
}

// isLinked reports whether a record has the id and the parent of an entry.
func isLinked(rec *Record) bool {
	_, hasParent := rec.ParentID()
	return hasParent && rec.value(fieldID).IsString()
}

// isOldEntry reports whether an entry without an id and a parent is one of version 1.
func isOldEntry(rec *Record) bool {
	switch rec.Type() {
	case TypeCompaction:
		return rec.Get("tokensBefore").Exists()
	case TypeModelChange:
		return rec.Get("provider").IsString()
	}
	return true
}

// detectHeader returns the dialect of a header, Unknown if it may be that of another program.
func detectHeader(rec *Record) Dialect {
	d := headerDialect(rec)
	if d.isVersion() && !rec.Get("cwd").IsString() && !isBareHeader(rec) {
		return Unknown
	}
	return d
}

// isVersion reports whether the dialect is one that only the version in a header tells.
func (d Dialect) isVersion() bool { return d >= OpenClawV1 && d <= OpenClawV4 }

// headerKeys are the keys of OpenClaw's headers.
var headerKeys = []string{
	"type", "version", "id", "sessionId", "timestamp", "cwd", "parentSession", "provider", "modelId", "thinkingLevel",
	"branchedFrom",
}

// isBareHeader reports whether a header without a folder names its session, and has a version or nothing that is not
// OpenClaw's.
func isBareHeader(rec *Record) bool {
	return isNamed(rec) && (rec.value(fieldVersion).IsNumber() || hasHeaderKeys(rec))
}

// isNamed reports whether a header names its session.
func isNamed(rec *Record) bool {
	return rec.value(fieldID).IsString() || rec.Get("sessionId").IsString()
}

// hasHeaderKeys reports whether a header has nothing that is not OpenClaw's.
func hasHeaderKeys(rec *Record) bool {
	for key := range rec.Value().Members() {
		if !slices.Contains(headerKeys, key) {
			return false
		}
	}
	return true
}

// headerDialect returns the dialect of a record that is known to be a header.
func headerDialect(rec *Record) Dialect {
	if rec.value(fieldCreated).Exists() && rec.value(fieldKey).Exists() {
		return Claw0Flat
	}
	if strings.HasPrefix(rec.value(fieldKey).String(), "goclaw:") {
		return GoClaw
	}
	switch v := rec.Version(); {
	case v <= 1:
		return OpenClawV1
	case v == 2:
		return OpenClawV2
	case v == 3:
		return OpenClawV3
	default:
		return OpenClawV4
	}
}

// detectClaw0 distinguishes the two forms of claw0: the older one writes times as text and the result of a tool as
// "output".
func detectClaw0(rec *Record) Dialect {
	ts, content := rec.value(fieldTS), rec.value(fieldContent)
	switch _, isDated := ParseTime(ts); {
	case rec.Type() == TypeUser || rec.Type() == TypeAssistant:
		if !isDated || !content.Exists() {
			return Unknown
		}
	case !rec.Get("tool_use_id").IsString():
		return Unknown
	}
	if ts.IsString() || !ts.Exists() && rec.Type() == TypeToolResult && !content.Exists() {
		return Claw0Flat
	}
	return Claw0Guard
}

// isGoClaw reports whether only GoClaw writes such a record.
func isGoClaw(rec *Record) bool {
	switch rec.Type() {
	case TypeCheckpoint:
		return true
	case TypeCompaction:
		return rec.Get("fromCheckpoint").Exists()
	case TypeMessage:
		return isGoClawID(rec.value(fieldID))
	}
	return false
}

// isGoClawID reports whether an id has the form "<13 digits of milliseconds>_<hex>", including the quotes.
func isGoClawID(raw Value) bool {
	if len(raw) < 17 || raw[14] != '_' {
		return false
	}
	for i, c := range raw[1 : len(raw)-1] {
		if i < 13 && !isDigit(c) || i > 13 && !isHex(c) {
			return false
		}
	}
	return true
}
