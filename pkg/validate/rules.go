package validate

import (
	"strings"

	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// A Severity says how bad a finding is.
type Severity uint8

// Info is worth knowing; Warn hides or distorts something; Error loses history, or makes a request or an import fail.
const (
	Info Severity = iota
	Warn
	Error
)

// Severities are the names, from the least to the worst.
var Severities = []string{"info", "warn", "error"}

func (s Severity) String() string { return Severities[s] }

// The levels, in the order in which a session is looked at.
const (
	LevelLine       = "line"
	LevelOrder      = "order"
	LevelLinks      = "links"
	LevelPairing    = "pairing"
	LevelAPI        = "api"
	LevelStore      = "store"
	LevelAccounting = "accounting"
	LevelPrivacy    = "privacy"
)

// A Rule is one thing that can be wrong.
type Rule struct {
	Code     string
	Severity Severity
	Level    string
	Title    string // what is wrong
	Does     string // what OpenClaw does with it
	Run      string // a command that shows or mends it; FILE, LINE and ID stand for those of the finding
	Issues   string // of OpenClaw's tracker, or ""
}

const (
	showLine  = "clawctl cat -q FILE | sed -n LINEp | cat -v"
	showEntry = "clawctl cat -q FILE | jq -c 'select(.id == \"ID\")'"
	showFixes = "clawctl rebuild --fixes - FILE"
	showTree  = "clawctl rebuild --as native FILE"
	showStore = "clawctl sessions FOLDER"
)

// Rules lists every rule in order.
var Rules = []Rule{
	{string(jsonl.BadJSON), Error, LevelLine, jsonl.BadJSON.Words(), "It skips the line; its migration to SQLite drops everything behind it.", showLine, "#69846 #98669"},
	{string(jsonl.TornTail), Error, LevelLine, jsonl.TornTail.Words(), "It skips the line; the next append is glued to it, and both are lost.", showLine, "#98669 #100644"},
	{string(jsonl.BadUTF8), Error, LevelLine, jsonl.BadUTF8.Words(), "It reads U+FFFD for every wrong byte; its migration can drop the whole file.", showLine, "#100644"},
	{string(jsonl.TooDeep), Error, LevelLine, jsonl.TooDeep.Words(), "It may fail on the line.", showLine, ""},
	{string(jsonl.TooLong), Error, LevelLine, jsonl.TooLong.Words(), "It reads the line, if it has the memory.", showLine, ""},
	{string(jsonl.NotObject), Error, LevelLine, jsonl.NotObject.Words(), "It ignores the line.", showLine, ""},
	{string(jsonl.NulBytes), Error, LevelLine, jsonl.NulBytes.Words(), "It skips the line. A crash of the machine leaves such runs.", showLine, "#69846"},
	{string(jsonl.WrongCoded), Error, LevelLine, jsonl.WrongCoded.Words(), "It reads nothing of the file.", "iconv -f UTF-16 -t UTF-8 FILE | clawctl cat -", ""},
	{string(rebuild.RepeatedKey), Warn, LevelLine, "a key stands twice in one object", "The last one counts; other programs take the first.", showLine, ""},
	{string(rebuild.UnknownType), Info, LevelLine, "a record of a type that OpenClaw does not know", "It keeps the record and never shows it to the model.", showLine, ""},
	{string(rebuild.OddShape), Error, LevelLine, "a record that OpenClaw cannot read as an entry: a field is missing or of another type", "It keeps the record, follows its links, and never shows it to the model.", showLine, "#77228"},
	{string(rebuild.NullRole), Error, LevelLine, "a message without a role, or with one that no program writes", "It never shows the message to the model.", showLine, "#77228"},
	{string(rebuild.NullContent), Error, LevelLine, "a message without content", "It never shows the message to the model.", showLine, "#77228"},
	{string(rebuild.HalfPair), Warn, LevelLine, "half of a character: a lone surrogate", "It sends the text as it stands, and the API refuses the request.", showFixes, "#7275 #18105"},
	{string(rebuild.NoHeader), Error, LevelOrder, "no header", "A turn refuses the session; elsewhere its records are chained in the order of the file.", "clawctl cat --as openclaw FILE", "#89037 #153695"},
	{string(rebuild.LateHeader), Warn, LevelOrder, "the header is not the first record", "It takes the first header that it finds.", "clawctl cat --as openclaw FILE", "#89037"},
	{string(rebuild.SecondHeader), Error, LevelOrder, "a second header", "It ignores it; its migration to SQLite then blocks every session of the store.", showLine, "#153695"},
	{string(rebuild.OddVersion), Warn, LevelOrder, "a version that is not 1, 2, 3 or 4", "It reads the records as those of the newest version it knows.", "clawctl cat --type session FILE", ""},
	{string(rebuild.TimeBackward), Info, LevelOrder, "written before the record in front of it, by its timestamp", "It goes by the order of the file.", showLine, ""},
	{string(rebuild.SameTwice), Warn, LevelOrder, "the same record again", "The session goes back to it: what came in between is no longer seen.", showTree, "#69486 #73119"},
	{string(rebuild.OtherTwice), Error, LevelOrder, "an id that another record has", "The last one counts; its migration to SQLite then blocks every session of the store.", showEntry, "#73119 #116409"},
	{string(rebuild.NoDate), Info, LevelOrder, "a timestamp that is no date", "It keeps it; a summary with such a timestamp makes it refuse the session.", showLine, ""},
	{string(rebuild.RefusedDate), Error, LevelOrder, "a summary or a custom message, part of the context, without a date", "It refuses the whole session.", showLine, ""},
	{string(rebuild.NoParent), Error, LevelLinks, "the parent is not in the file", "A turn hangs it under the current leaf; elsewhere everything before it is lost.", showTree, "#64287"},
	{string(rebuild.Cycle), Error, LevelLinks, "the parents run in a circle", "A turn sees nothing of the session at all; pi hangs.", showTree, "#64287"},
	{string(rebuild.SecondRoot), Warn, LevelLinks, "a second beginning: an entry without a parent", "What came before is no longer seen.", showTree, "#64287"},
	{string(rebuild.Unreachable), Info, LevelLinks, "a branch that the model does not see", "It keeps the branch, and can go back to it.", "clawctl rebuild --leaf ID FILE", "#64287"},
	{string(rebuild.NoLeafTarget), Warn, LevelLinks, "the target of a leaf record is not in the file", "It ignores the record.", showEntry, ""},
	{string(rebuild.NoLabelTarget), Info, LevelLinks, "the target of a label is not in the file", "It ignores the label.", showEntry, ""},
	{string(rebuild.NoKept), Error, LevelLinks, "the first entry to be kept by a compaction or reset is not before it", "Nothing from before is kept but the summary.", showTree, "#14065 #48810"},
	{string(rebuild.NothingKept), Error, LevelLinks, "a compaction that does not say what it keeps", "It ignores the compaction: the whole history is sent again.", showEntry, "#14065"},
	{string(rebuild.LateParent), Warn, LevelLinks, "the parent comes later in the file", "A turn hangs it under the current leaf.", showTree, "#64287"},
	{string(rebuild.OddParent), Warn, LevelLinks, "no parentId, or one that is no id", "It hangs the entry under the current leaf, or does not see it.", showEntry, "#64287"},
	{string(rebuild.NoResult), Error, LevelPairing, rebuild.NoResult.Wrong(), "It puts in an error result before a request; other programs send it, and the API refuses every request.", showFixes, "#9769 #8264"},
	{string(rebuild.NoCall), Error, LevelPairing, rebuild.NoCall.Wrong(), "It leaves the result out; other programs send it, and the API refuses every request.", showFixes, "#14322 #16823"},
	{string(rebuild.SecondReply), Error, LevelPairing, rebuild.SecondReply.Wrong(), "It leaves the second one out; the API refuses both together.", showFixes, "#14322"},
	{string(rebuild.ResultAway), Warn, LevelPairing, rebuild.ResultAway.Wrong(), "It moves the result; the API wants it in the next message.", showFixes, "#16823"},
	{string(rebuild.FailedCall), Warn, LevelPairing, rebuild.FailedCall.Wrong(), "It leaves the call out.", showFixes, "#8264"},
	{string(rebuild.BrokenCall), Warn, LevelPairing, rebuild.BrokenCall.Wrong(), "It leaves the call out.", showFixes, "#8264"},
	{string(rebuild.ResultFirst), Error, LevelPairing, rebuild.ResultFirst.Wrong(), "It leaves the result out.", showFixes, "#16823"},
	{string(rebuild.NotUserFirst), Warn, LevelAPI, rebuild.NotUserFirst.Wrong(), "It sends what it has; the API may refuse it.", showFixes, ""},
	{string(rebuild.NoContent), Info, LevelAPI, rebuild.NoContent.Wrong(), "It leaves empty text out.", showFixes, "#77228"},
	{string(rebuild.BadSignature), Warn, LevelAPI, rebuild.BadSignature.Wrong(), "It drops the block, or sends it and the API refuses the request.", showFixes, "#84430 #92201"},
	{string(rebuild.BadID), Warn, LevelAPI, rebuild.BadID.Wrong(), "It renames the id.", showFixes, ""},
	{string(rebuild.BadName), Warn, LevelAPI, rebuild.BadName.Wrong(), "It sends the name, and the API refuses the request.", showFixes, ""},
	{string(rebuild.BadImage), Warn, LevelAPI, rebuild.BadImage.Wrong(), "It sends the image, and the API refuses the request.", showFixes, ""},
	{string(rebuild.BadText), Warn, LevelAPI, rebuild.BadText.Wrong(), "It sends the text, and the API refuses the request.", showFixes, "#7275 #18105"},
	{string(rebuild.Mirror), Info, LevelAPI, rebuild.Mirror.Wrong(), "It keeps a copy of what was already said, and leaves it out of requests.", showFixes, "#99470"},
	{string(rebuild.OddBlock), Warn, LevelAPI, rebuild.OddBlock.Wrong(), "It leaves blocks out that a provider does not take.", showFixes, ""},
	{string(rebuild.OpenEnd), Info, LevelAPI, rebuild.OpenEnd.Wrong(), "The next turn ends with the user, so that it does not matter.", showFixes, ""},
	{string(rebuild.NotUserLast), Info, LevelAPI, rebuild.NotUserLast.Wrong(), "The next turn ends with the user.", showFixes, ""},
	{string(rebuild.OtherThought), Info, LevelAPI, rebuild.OtherThought.Wrong(), "It sends it to that provider alone.", showFixes, ""},
	{string(rebuild.TooLong), Info, LevelAPI, rebuild.TooLong.Wrong(), "It sends it as long as the window has room.", "clawctl rebuild --trim --fixes - FILE", ""},
	{string(source.Unlisted), Info, LevelStore, source.Unlisted.Words(), "It does not show the session; its history is there all the same.", showStore, "#29706 #73471 #89170"},
	{string(source.FileMissing), Error, LevelStore, source.FileMissing.Words(), "It begins the session anew.", showStore, "#77608"},
	{string(source.ForeignPath), Info, LevelStore, source.ForeignPath.Words(), "It looks at that path, and begins the session anew where there is nothing.", showStore, "#77608"},
	{string(source.NoSessionID), Warn, LevelStore, source.NoSessionID.Words(), "It begins the session anew; its migration stops looking for unlisted transcripts.", showStore, "#77783"},
	{string(source.NullEntry), Warn, LevelStore, source.NullEntry.Words(), "It begins the session anew; its migration stops looking for unlisted transcripts.", showStore, "#77783"},
	{string(source.IndexDamaged), Error, LevelStore, source.IndexDamaged.Words(), "It begins with an empty list: every session looks new.", showStore, "#77783"},
	{string(source.IDMismatch), Warn, LevelStore, source.IDMismatch.Words(), "It goes by the registration; tools that go by the header find another session.", "clawctl cat --type session FILE", "#89037"},
	{string(source.MovedToSQLite), Info, LevelStore, source.MovedToSQLite.Words(), "It reads the database, and never the file.", showStore, ""},
	{string(source.LinkOutside), Warn, LevelStore, source.LinkOutside.Words(), "It follows the link.", showStore, ""},
	{string(source.Unreadable), Error, LevelStore, source.Unreadable.Words(), "It cannot read it either.", "ls -l FILE", ""},
	{string(source.SharedFile), Warn, LevelStore, source.SharedFile.Words(), "Both keys write into one file.", showStore, ""},
	{string(source.BadDatabase), Error, LevelStore, source.BadDatabase.Words(), "It does not start.", "clawctl sessions FILE", ""},
	{string(source.StaleTotal), Info, LevelStore, source.StaleTotal.Words(), "It shows the listed figure, and may compact too late.", showStore, "#69347"},
	{string(source.DeadLock), Warn, LevelStore, source.DeadLock.Words(), "It waits for the lock, then breaks it.", "ls -l FILE", ""},
	{string(rebuild.NoUsage), Info, LevelAccounting, "an answer without usage", "It counts the answer as nothing.", showEntry, "#46252 #69347"},
	{string(rebuild.OldUsage), Info, LevelAccounting, "usage in the shape of OpenClaw 2026.5 and 2026.6", "It reads both shapes; other tools read one.", showEntry, "#20599"},
	{string(rebuild.WrongTotal), Info, LevelAccounting, "a total of tokens that is not the sum of its parts", "It goes by the total.", showEntry, "#20599"},
	{string(rebuild.MirrorUsage), Warn, LevelAccounting, "usage on a message that no model sent", "It leaves such messages out of its totals; other tools count them.", showEntry, "#99470 #20599"},
	{string(rebuild.Elsewhere), Info, LevelAccounting, "driven through a command line: the tool calls lie elsewhere", "It records the text alone.", showEntry, ""},
	{string(rebuild.MostlyImages), Info, LevelPrivacy, "most of the file is images in base64", "It keeps them for ever.", showStore, "#143973"},
	{string(rebuild.Secret), Info, LevelPrivacy, "what looks like a key or a password", "It keeps it as it was said.", showLine, "#12182 #11468"},
	{string(rebuild.Masked), Warn, LevelPrivacy, "something was blanked out in what the provider gets back as it stands", "It sends it, and the API refuses the request or the tool gets a wrong argument.", showLine, "#104992"},
}

var rulesByCode = func() map[string]*Rule {
	m := make(map[string]*Rule, len(Rules))
	for i := range Rules {
		m[Rules[i].Code] = &Rules[i]
	}
	return m
}()

// Lookup returns the rule of a code, in whatever case it is written.
func Lookup(code string) (*Rule, bool) {
	r, ok := rulesByCode[strings.ToUpper(code)]
	return r, ok
}

// A Selection decides which rules count. The zero Selection takes all.
type Selection struct{ Only, Not []string }

// Matches reports whether a name means a rule: its code, the beginning of one such as CL3, or its level.
func (r *Rule) Matches(name string) bool {
	return strings.HasPrefix(r.Code, strings.ToUpper(name)) || r.Level == strings.ToLower(name)
}

// IsKnown reports whether a name means any rule.
func IsKnown(name string) bool {
	for i := range Rules {
		if name != "" && Rules[i].Matches(name) {
			return true
		}
	}
	return false
}

// Takes reports whether a rule is selected.
func (s Selection) Takes(r *Rule) bool {
	taken := len(s.Only) == 0
	for _, name := range s.Only {
		taken = taken || r.Matches(name)
	}
	for _, name := range s.Not {
		taken = taken && !r.Matches(name)
	}
	return taken
}
