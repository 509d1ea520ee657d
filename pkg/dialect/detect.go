package dialect

import (
	"slices"
	"strconv"
	"strings"

	"clawctl/pkg/dialect/claw0"
	"clawctl/pkg/jsontext"
)

// A Line is a line of a transcript, as its program wrote it.
type Line interface {
	Type() string                  // the type that it states, or ""
	Get(key string) jsontext.Value // the value of a key, or nil
	Value() jsontext.Value         // all of it
}

// Refine returns the dialect after one more line. The first line that is specific decides. GoClaw files begin like
// OpenClaw's and are recognized later.
func (d Dialect) Refine(line Line) Dialect {
	switch d {
	case Unknown:
		return Detect(line)
	case OpenClawV3, OpenClawV4:
		if isGoClaw(line) {
			return GoClaw
		}
	}
	return d
}

// Detect returns the dialect of a line, Unknown unless its type and its fields fit one. Other programs write records
// with types such as "message", "user" and "checkpoint" too.
func Detect(line Line) Dialect {
	kind := line.Type()
	for _, p := range Translators(kind) {
		if d := p.Detect(kind, line.Value()); d.IsKnown() {
			return d
		}
	}
	switch {
	case kind == Session:
		return detectHeader(line)
	case !isEntry(line):
		return Unknown
	case isGoClaw(line):
		return GoClaw
	case !line.Get("id").Exists():
		return OpenClawV1
	}
	return OpenClawV3
}

// entryKeys are the keys that tell the entries of a type from records of other programs.
var entryKeys = map[string]string{
	Compaction: "summary", Reset: "reason", BranchSummary: "summary", CustomMessage: "customType",
	ModelChange: "modelId", ThinkingLevelChange: "thinkingLevel", Custom: "customType", Label: "targetId",
	SessionInfo: "id", Leaf: "targetId", Checkpoint: "checkpoint", Usage: "usage",
	ContextEdit: "targetId",
}

// isEntry reports whether a line has the fields of an entry of its type. An entry has an id and a parent. Those of
// version 1 have neither, and need more of their own.
func isEntry(line Line) bool {
	switch t := line.Type(); t {
	case Message:
		message := line.Get("message")
		return message.IsObject() && (isLinked(line) || message.Get("role").IsString())
	case Compaction, ModelChange, ThinkingLevelChange:
		_, isDated := jsontext.ParseTime(line.Get("timestamp"))
		return line.Get(entryKeys[t]).Exists() && (isLinked(line) || isDated && isOldEntry(line))
	default:
		key, known := entryKeys[t]
		return known && isLinked(line) && line.Get(key).Exists()
	}
}

// isLinked reports whether a line has the id and the parent of an entry.
func isLinked(line Line) bool {
	parent := line.Get("parentId")
	return (parent.IsString() || parent.IsNull()) && line.Get("id").IsString()
}

// isOldEntry reports whether an entry without an id and a parent is one of version 1.
func isOldEntry(line Line) bool {
	switch line.Type() {
	case Compaction:
		return line.Get("tokensBefore").Exists()
	case ModelChange:
		return line.Get("provider").IsString()
	}
	return true
}

// detectHeader returns the dialect of a header, Unknown if it may be that of another program.
func detectHeader(line Line) Dialect {
	d := OfHeader(line)
	if d.isVersion() && !line.Get("cwd").IsString() && !isBareHeader(line) {
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
func isBareHeader(line Line) bool {
	return isNamed(line) && (line.Get("version").IsNumber() || hasHeaderKeys(line))
}

// isNamed reports whether a header names its session.
func isNamed(line Line) bool { return line.Get("id").IsString() || line.Get("sessionId").IsString() }

// hasHeaderKeys reports whether a header has nothing that is not OpenClaw's.
func hasHeaderKeys(line Line) bool {
	for key := range line.Value().Members() {
		if !slices.Contains(headerKeys, key) {
			return false
		}
	}
	return true
}

// OfHeader returns the dialect of a line that is known to be a header.
func OfHeader(line Line) Dialect {
	if claw0.IsHeader(line.Value()) {
		return Claw0Flat
	}
	if IsGoClawKey(line.Get("key")) {
		return GoClaw
	}
	switch v := version(line.Get("version")); {
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

// version returns the version in a header, as a number or as JavaScript would convert it, or 1 if there is none.
func version(v jsontext.Value) int {
	text := string(v)
	if v.IsString() {
		text = v.String()
	}
	if n, err := strconv.ParseFloat(text, 64); err == nil {
		return int(n)
	}
	return 1
}

// IsBeginning reports whether the members that are left of a torn line are those that a header or an entry begins with.
func IsBeginning(rest Line) bool {
	if rest.Type() == Session {
		return hasHeaderKeys(rest) && (rest.Get("version").IsNumber() || isNamed(rest))
	}
	_, isEntryType := entryKeys[rest.Type()]
	return (isEntryType || rest.Type() == Message) && isLinked(rest)
}

// IsGoClawKey reports whether the key in a header is one of GoClaw.
func IsGoClawKey(key jsontext.Value) bool { return strings.HasPrefix(key.String(), "goclaw:") }

// isGoClaw reports whether only GoClaw writes such a line.
func isGoClaw(line Line) bool {
	switch line.Type() {
	case Checkpoint:
		return true
	case Compaction:
		return line.Get("fromCheckpoint").Exists()
	case Message:
		return IsGoClawID(line.Get("id"))
	}
	return false
}

// IsGoClawID reports whether an id has the form "<13 digits of milliseconds>_<hex>", including the quotes.
func IsGoClawID(raw jsontext.Value) bool {
	if len(raw) < 17 || raw[14] != '_' {
		return false
	}
	for i, c := range raw[1 : len(raw)-1] {
		isDigit := c >= '0' && c <= '9'
		if i < 13 && !isDigit || i > 13 && !isDigit && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}
