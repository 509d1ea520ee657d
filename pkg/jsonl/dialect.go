package jsonl

import "strings"

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

// detectDialect returns the dialect of a record.
func detectDialect(rec *Record) Dialect {
	switch rec.Type() {
	case TypeSession:
		return detectHeader(rec)
	case TypeUser, TypeAssistant, TypeToolUse, TypeToolResult:
		return detectClaw0(rec)
	case TypeMessage, TypeCompaction, TypeModelChange, TypeThinkingLevelChange, TypeCustom, TypeCustomMessage,
		TypeBranchSummary, TypeReset, TypeLabel, TypeSessionInfo, TypeLeaf:
		if !rec.value(fieldID).Exists() {
			return OpenClawV1
		}
		if isGoClaw(rec) {
			return GoClaw
		}
		return OpenClawV3
	case TypeCheckpoint:
		return GoClaw
	}
	if _, linked := rec.ParentID(); linked && rec.value(fieldID).IsString() {
		return OpenClawV3 // an entry of an unknown type
	}
	return Unknown
}

// detectHeader returns the dialect of a header.
func detectHeader(rec *Record) Dialect {
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
	if ts := rec.value(fieldTS); ts.Exists() {
		if ts.IsString() {
			return Claw0Flat
		}
		return Claw0Guard
	}
	if rec.Type() == TypeToolResult && !rec.value(fieldContent).Exists() {
		return Claw0Flat
	}
	if rec.value(fieldMessage).Exists() {
		return Unknown
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
