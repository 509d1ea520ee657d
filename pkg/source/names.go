package source

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"

	"clawctl/internal/regex"
	"clawctl/internal/ui"
	"clawctl/pkg/dialect"
)

// A Kind says what a transcript is: a live session, or an earlier state of one.
type Kind string

// The kinds of a transcript.
const (
	Live       Kind = "live"
	Reset      Kind = "reset"
	Deleted    Kind = "deleted"
	Backup     Kind = "backup"
	Checkpoint Kind = "checkpoint"
	Archive    Kind = "archive"
)

// Kinds lists every kind, in the order in which they are shown.
var Kinds = []Kind{Live, Reset, Deleted, Backup, Checkpoint, Archive}

// KindCounts lists how many sessions of each kind there are.
func KindCounts[N int | int64](counts map[Kind]N) string {
	var parts []string
	for _, kind := range Kinds {
		if n := counts[kind]; n > 0 {
			parts = append(parts, ui.Thousands(int64(n))+" "+string(kind))
		}
	}
	return strings.Join(parts, ", ")
}

// A Name holds the parts of a transcript's file name.
type Name struct {
	ID         string // of the session
	Kind       Kind
	Generation string // which earlier state it is, as its name has it; "" for a live one
	Topic      string // of a session that is one topic of a chat
	State      string // which of several files of a session it is, as its name has it; "" for the first
	KeyHint    string // the session's key in a name written by OpenClaw's migration, with _ for every other character
}

const (
	uuidPattern = `[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}`
	timePattern = `\d{4}-\d{2}-\d{2}T[\d.-]+Z(?:\.[0-9a-f]{32})?`
)

// isNoTranscript reports whether a file beside transcripts is something else, whatever its suffix.
func isNoTranscript(base string) bool {
	return base == "" || base[0] == '.' || strings.HasPrefix(base, "sessions.json") ||
		strings.HasSuffix(base, ".lock") || strings.HasSuffix(base, ".tmp") ||
		strings.Contains(base, ".trajectory.jsonl") || strings.Contains(base, ".trajectory-path.json") ||
		strings.Contains(base, ".sessions.json.") || isQuarantine(base)
}

// TrashFolder is the folder in which clawctl keeps files that it was told to delete.
const TrashFolder = ".clawctl-trash"

var quarantineName = regex.Lazy(`\.quarantine\.[0-9a-f]{8}$`)

// isQuarantine reports whether a file has lines that clawctl took out of a transcript.
func isQuarantine(base string) bool {
	return strings.Contains(base, ".quarantine.") && quarantineName().MatchString(base)
}

// QuarantinePath returns the path of a file that keeps lines that were taken out of a transcript. The same lines have
// the same path. Such a file is never listed as a session.
func QuarantinePath(transcript string, lines []byte) string {
	return fmt.Sprintf("%s.quarantine.%.4x", transcript, sha256.Sum256(lines))
}

// KeptIndexPath returns the path at which an index is kept before it is replaced.
func KeptIndexPath(index string, text []byte) string {
	return fmt.Sprintf("%s.before.%.4x", index, sha256.Sum256(text))
}

// nameRules recognize transcripts by their file names. In each pattern, "stem" names the session and "gen" the
// generation. A pattern is only matched if the name contains what the rule requires, because folders hold thousands of
// files.
var nameRules = []struct {
	kind    Kind
	has     string
	pattern func() *regexp.Regexp
}{
	{Checkpoint, ".checkpoint.", regex.Lazy(`^(?P<stem>.+)\.(?P<gen>checkpoint\.` + uuidPattern + `)\.jsonl$`)},
	{Reset, ".jsonl.reset.", regex.Lazy(`^(?P<stem>.+)\.jsonl\.(?P<gen>reset\.` + timePattern + `)$`)},
	{Deleted, ".jsonl.deleted.", regex.Lazy(`^(?P<stem>.+)\.jsonl\.(?P<gen>deleted\.` + timePattern + `)$`)},
	{Backup, ".jsonl.bak", regex.Lazy(`^(?P<stem>.+)\.jsonl\.(?P<gen>bak(?:\.` + timePattern + `|-\d+-\d+)?)$`)},
	{Backup, ".bak", regex.Lazy(`^(?P<stem>.+\.jsonl|` + uuidPattern +
		`)\.(?P<gen>full\.bak|pre-doctor-.+\.bak)$`)},
	{Backup, ".broken-", regex.Lazy(`^(?P<stem>.+\.jsonl|` + uuidPattern + `)\.(?P<gen>broken-.+)$`)},
}

const (
	suffix      = ".jsonl"
	coldNameLen = 64 // cold/<sha256>.jsonl.zst
)

// imported is the suffix that OpenClaw's migration to SQLite gives to files it has read, with the key before the name.
var imported = regex.Lazy(`^(?:archive-tier|(?P<key>[^.]+))\.(?P<name>.+)\.(?P<gen>imported-\d+)$`)

// ParseName parses the file name of a transcript. ok is false if it is not one.
func ParseName(base string) (n Name, ok bool) {
	if isNoTranscript(base) {
		return n, false
	}
	base = strings.TrimSuffix(strings.TrimSuffix(base, ".zst"), ".gz")
	if m := matchIf(imported, ".imported-", base); m != nil {
		n, ok = parsePlainName(m[2])
		n.KeyHint = m[1]
		if n.Kind == Live {
			n.Kind, n.Generation = Archive, m[3]
		}
		return n, ok
	}
	return parsePlainName(base)
}

func parsePlainName(base string) (n Name, ok bool) {
	for i := range nameRules {
		rule := &nameRules[i]
		if m := matchIf(rule.pattern, rule.has, base); m != nil {
			n.Kind, n.Generation = rule.kind, m[2]
			n.parseStem(strings.TrimSuffix(m[1], suffix))
			return n, true
		}
	}
	stem, ok := strings.CutSuffix(base, suffix)
	if !ok || stem == "" {
		return n, false
	}
	n.Kind = Live
	if len(stem) == coldNameLen && strings.Trim(stem, "0123456789abcdef") == "" {
		n.Kind = Archive
	}
	n.parseStem(stem)
	return n, true
}

// matchIf matches a pattern if the name contains a text that the pattern requires.
func matchIf(pattern func() *regexp.Regexp, has, base string) []string {
	if !strings.Contains(base, has) {
		return nil
	}
	return pattern().FindStringSubmatch(base)
}

// nameEnds begin what follows the stem in the file name of a transcript.
var nameEnds = []string{suffix, ".checkpoint.", ".full.bak", ".pre-doctor-", ".broken-"}

// SplitName splits the file name of a transcript into the stem, which a session has in common with its archives, and
// the rest, which says what kind of transcript it is. The rest is "" if the name does not say that.
func SplitName(base string) (stem, rest string) {
	end := len(base)
	for _, mark := range nameEnds {
		if at := strings.Index(base, mark); at > 0 {
			end = min(end, at)
		}
	}
	return base[:end], base[end:]
}

// LooksLikeID reports whether a stem is an id and not a name that a person chose.
func LooksLikeID(stem string) bool { return idStem().MatchString(stem) }

var (
	idStem    = regex.Lazy(`^(?:` + uuidPattern + `|[0-9a-f]{12})$`)
	topicStem = regex.Lazy(`^(.+)-topic-([^.]+)$`)
	claw0Stem = regex.Lazy(`^.+_([0-9a-f]{12})$`)
)

// parseStem takes the session id from a stem: <id>, <id>-topic-<n>, claw0's <key>_<id>, or a form that the table of
// programs knows.
func (n *Name) parseStem(stem string) {
	if id, state := dialect.FileID(stem); id != "" {
		n.ID, n.State = id, state
		return
	}
	n.ID = stem
	if m := matchIf(topicStem, "-topic-", stem); m != nil {
		n.ID, n.Topic = m[1], m[2]
	} else if m := matchIf(claw0Stem, "_", stem); m != nil {
		n.ID = m[1]
	}
}

// part returns the id by which another session refers to the file: its own, or that of the session.
func (n *Name) part() string { return cmp.Or(n.State, n.ID) }

// LiveIDs returns what an index may call a file with the name of a session that a gateway may continue, or of a
// checkpoint: its stem, the session id in it, and the id of the checkpoint. It returns none for any other name.
func LiveIDs(base string) []string {
	stem, isTranscript := strings.CutSuffix(base, suffix)
	if !isTranscript || isColdName(base) {
		return nil
	}
	ids := []string{stem}
	var name Name
	if name.parseStem(stem); name.ID != stem {
		ids = append(ids, name.ID)
	}
	if at := strings.LastIndex(stem, ".checkpoint."); at >= 0 {
		ids = append(ids, stem[at+len(".checkpoint."):])
	}
	return ids
}

func isColdName(base string) bool {
	digest := strings.TrimSuffix(strings.TrimSuffix(base, ".zst"), suffix)
	return len(digest) == coldNameLen && strings.Trim(digest, "0123456789abcdef") == ""
}
