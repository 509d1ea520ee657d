package validate

import (
	"clawctl/pkg/jsonl"
	"clawctl/pkg/rebuild"
	"clawctl/pkg/source"
)

// Commands that several rules suggest.
const (
	showLine  = "clawctl cat -q FILE | sed -n LINEp | cat -v"
	showEntry = "clawctl cat -q FILE | jq -c 'select(.id == \"ID\")'"
	showFixes = "clawctl rebuild --fixes - FILE"
	showTree  = "clawctl rebuild --as native FILE"
	showStore = "clawctl sessions FOLDER"
)

// Rules lists every rule in order.
var Rules = []Rule{
	{
		Code: string(jsonl.BadJSON), Severity: Error, Level: LevelLine,
		Title: jsonl.BadJSON.Words(),
		Does:  "Skips the line. Its migration to SQLite drops everything after it.",
		Run:   showLine, Issues: "#69846 #98669",
	},
	{
		Code: string(jsonl.TornTail), Severity: Error, Level: LevelLine,
		Title: jsonl.TornTail.Words(),
		Does:  "Skips the line. The next record is appended to the same line, and both are lost.",
		Run:   showLine, Issues: "#98669 #100644",
	},
	{
		Code: string(jsonl.BadUTF8), Severity: Error, Level: LevelLine,
		Title: jsonl.BadUTF8.Words(),
		Does:  "Reads every invalid byte as U+FFFD. Its migration to SQLite can drop the whole file.",
		Run:   showLine, Issues: "#100644",
	},
	{
		Code: string(jsonl.TooDeep), Severity: Error, Level: LevelLine,
		Title: jsonl.TooDeep.Words(),
		Does:  "May fail on the line.",
		Run:   showLine,
	},
	{
		Code: string(jsonl.TooLong), Severity: Error, Level: LevelLine,
		Title: jsonl.TooLong.Words(),
		Does:  "Reads the line if there is enough memory.",
		Run:   showLine,
	},
	{
		Code: string(jsonl.NotObject), Severity: Error, Level: LevelLine,
		Title: jsonl.NotObject.Words(),
		Does:  "Ignores the line.",
		Run:   showLine,
	},
	{
		Code: string(jsonl.NulBytes), Severity: Error, Level: LevelLine,
		Title: jsonl.NulBytes.Words(),
		Does:  "Skips the line. NUL bytes are often left by a crash of the machine.",
		Run:   showLine, Issues: "#69846",
	},
	{
		Code: string(jsonl.WrongCoded), Severity: Error, Level: LevelLine,
		Title: jsonl.WrongCoded.Words(),
		Does:  "Reads nothing of the file.",
		Run:   "iconv -f UTF-16 -t UTF-8 FILE | clawctl cat -",
	},
	{
		Code: string(rebuild.RepeatedKey), Severity: Warn, Level: LevelLine,
		Title: "repeated key in an object",
		Does:  "Uses the last value. Other programs may use the first.",
		Run:   showLine,
	},
	{
		Code: string(rebuild.UnknownType), Severity: Info, Level: LevelLine,
		Title: "record of a type that OpenClaw does not know",
		Does:  "Keeps the record but never shows it to the model.",
		Run:   showLine,
	},
	{
		Code: string(rebuild.OddShape), Severity: Error, Level: LevelLine,
		Title: "malformed record: a field is missing or has the wrong type",
		Does:  "Keeps the record and follows its links, but never shows it to the model.",
		Run:   showLine, Issues: "#77228",
	},
	{
		Code: string(rebuild.NullRole), Severity: Error, Level: LevelLine,
		Title: "message with a missing or unknown role",
		Does:  "Never shows the message to the model.",
		Run:   showLine, Issues: "#77228",
	},
	{
		Code: string(rebuild.NullContent), Severity: Error, Level: LevelLine,
		Title: "message without content",
		Does:  "Never shows the message to the model.",
		Run:   showLine, Issues: "#77228",
	},
	{
		Code: string(rebuild.HalfPair), Severity: Warn, Level: LevelLine,
		Title: "lone surrogate: half of a character",
		Does:  "Sends the text unchanged, and the API rejects the request.",
		Run:   showFixes, Issues: "#7275 #18105",
	},
	{
		Code: string(rebuild.ByteOrderMark), Severity: Warn, Level: LevelLine,
		Title: "byte order mark at the start of the file",
		Does:  "Ignores it. pi refuses the file.",
		Run:   "clawctl repair FILE",
	},
	{
		Code: string(rebuild.NoHeader), Severity: Error, Level: LevelOrder,
		Title: "no header",
		Does:  "Refuses to run a turn. Elsewhere it links the records in file order.",
		Run:   "clawctl cat --as openclaw FILE", Issues: "#89037 #153695",
	},
	{
		Code: string(rebuild.LateHeader), Severity: Warn, Level: LevelOrder,
		Title: "the header is not the first record",
		Does:  "Uses the first header it finds.",
		Run:   "clawctl cat --as openclaw FILE", Issues: "#89037",
	},
	{
		Code: string(rebuild.SecondHeader), Severity: Error, Level: LevelOrder,
		Title: "second header",
		Does:  "Ignores it. Its migration to SQLite then blocks every session of the store.",
		Run:   showLine, Issues: "#153695",
	},
	{
		Code: string(rebuild.OddVersion), Severity: Warn, Level: LevelOrder,
		Title: "unknown version: not 1, 2, 3 or 4",
		Does:  "Reads the records as the newest version it knows.",
		Run:   "clawctl cat --type session FILE",
	},
	{
		Code: string(rebuild.TimeBackward), Severity: Info, Level: LevelOrder,
		Title: "timestamp is earlier than the previous record's",
		Does:  "Uses the order of the file.",
		Run:   showLine,
	},
	{
		Code: string(rebuild.SameTwice), Severity: Warn, Level: LevelOrder,
		Title: "repeated record",
		Does:  "Continues from the repeated record, so the model no longer sees what came in between.",
		Run:   showTree, Issues: "#69486 #73119",
	},
	{
		Code: string(rebuild.OtherTwice), Severity: Error, Level: LevelOrder,
		Title: "the id is already used by another record",
		Does:  "Uses the last record. Its migration to SQLite then blocks every session of the store.",
		Run:   showEntry, Issues: "#73119 #116409",
	},
	{
		Code: string(rebuild.NoDate), Severity: Info, Level: LevelOrder,
		Title: "the timestamp is not a date",
		Does:  "Keeps the record. In a summary, such a timestamp makes it refuse the session.",
		Run:   showLine,
	},
	{
		Code: string(rebuild.RefusedDate), Severity: Error, Level: LevelOrder,
		Title: "summary or custom message in the context without a valid date",
		Does:  "Refuses the whole session.",
		Run:   showLine,
	},
	{
		Code: string(rebuild.NoParent), Severity: Error, Level: LevelLinks,
		Title: "the parent is not in the file",
		Does:  "Attaches the record to the current leaf in a turn. Elsewhere everything before it is lost.",
		Run:   showTree, Issues: "#64287",
	},
	{
		Code: string(rebuild.Cycle), Severity: Error, Level: LevelLinks,
		Title: "the parent links form a cycle",
		Does:  "Sees nothing of the session in a turn. pi hangs.",
		Run:   showTree, Issues: "#64287",
	},
	{
		Code: string(rebuild.SecondRoot), Severity: Warn, Level: LevelLinks,
		Title: "second root: a record without a parent",
		Does:  "No longer shows the model what came before.",
		Run:   showTree, Issues: "#64287",
	},
	{
		Code: string(rebuild.Unreachable), Severity: Info, Level: LevelLinks,
		Title: "branch that the model does not see",
		Does:  "Keeps the branch and can return to it.",
		Run:   "clawctl rebuild --leaf ID FILE", Issues: "#64287",
	},
	{
		Code: string(rebuild.NoLeafTarget), Severity: Warn, Level: LevelLinks,
		Title: "the target of a leaf record is not in the file",
		Does:  "Ignores the record.",
		Run:   showEntry,
	},
	{
		Code: string(rebuild.NoLabelTarget), Severity: Info, Level: LevelLinks,
		Title: "the target of a label is not in the file",
		Does:  "Ignores the label.",
		Run:   showEntry,
	},
	{
		Code: string(rebuild.NoKept), Severity: Error, Level: LevelLinks,
		Title: "the first entry that a compaction or reset keeps is not before it",
		Does:  "Keeps only the summary, and nothing from before it.",
		Run:   showTree, Issues: "#14065 #48810",
	},
	{
		Code: string(rebuild.NothingKept), Severity: Error, Level: LevelLinks,
		Title: "compaction that does not say what it keeps",
		Does:  "Ignores the compaction and sends the whole history again.",
		Run:   showEntry, Issues: "#14065",
	},
	{
		Code: string(rebuild.LateParent), Severity: Warn, Level: LevelLinks,
		Title: "the parent comes later in the file",
		Does:  "Attaches the record to the current leaf in a turn.",
		Run:   showTree, Issues: "#64287",
	},
	{
		Code: string(rebuild.OddParent), Severity: Warn, Level: LevelLinks,
		Title: "missing or invalid parentId",
		Does:  "Attaches the record to the current leaf, or does not see it.",
		Run:   showEntry, Issues: "#64287",
	},
	{
		Code: string(rebuild.NoEditTarget), Severity: Warn, Level: LevelLinks,
		Title: "the entry that a context edit changes is not before it",
		Does:  "Ignores every context edit. pi ignores one without its target.",
		Run:   showEntry,
	},
	{
		Code: string(rebuild.NoResult), Severity: Error, Level: LevelPairing,
		Title: rebuild.NoResult.Problem(),
		Does:  "Adds an error result to the request. Other programs send the call alone, and the API rejects every request.",
		Run:   showFixes, Issues: "#9769 #8264",
	},
	{
		Code: string(rebuild.NoCall), Severity: Error, Level: LevelPairing,
		Title: rebuild.NoCall.Problem(),
		Does:  "Removes the result from the request. Other programs send it, and the API rejects every request.",
		Run:   showFixes, Issues: "#14322 #16823",
	},
	{
		Code: string(rebuild.SecondReply), Severity: Error, Level: LevelPairing,
		Title: rebuild.SecondReply.Problem(),
		Does:  "Removes the second result from the request. The API rejects both together.",
		Run:   showFixes, Issues: "#14322",
	},
	{
		Code: string(rebuild.ResultAway), Severity: Warn, Level: LevelPairing,
		Title: rebuild.ResultAway.Problem(),
		Does:  "Moves the result. The API requires it in the next message.",
		Run:   showFixes, Issues: "#16823",
	},
	{
		Code: string(rebuild.FailedCall), Severity: Warn, Level: LevelPairing,
		Title: rebuild.FailedCall.Problem(),
		Does:  "Removes the call from the request.",
		Run:   showFixes, Issues: "#8264",
	},
	{
		Code: string(rebuild.BrokenCall), Severity: Warn, Level: LevelPairing,
		Title: rebuild.BrokenCall.Problem(),
		Does:  "Removes the call from the request.",
		Run:   showFixes, Issues: "#8264",
	},
	{
		Code: string(rebuild.ResultFirst), Severity: Error, Level: LevelPairing,
		Title: rebuild.ResultFirst.Problem(),
		Does:  "Removes the result from the request.",
		Run:   showFixes, Issues: "#16823",
	},
	{
		Code: string(rebuild.NotUserFirst), Severity: Warn, Level: LevelAPI,
		Title: rebuild.NotUserFirst.Problem(),
		Does:  "Sends the conversation unchanged, and the API may reject it.",
		Run:   showFixes,
	},
	{
		Code: string(rebuild.NoContent), Severity: Info, Level: LevelAPI,
		Title: rebuild.NoContent.Problem(),
		Does:  "Removes empty text from the request.",
		Run:   showFixes, Issues: "#77228",
	},
	{
		Code: string(rebuild.BadSignature), Severity: Warn, Level: LevelAPI,
		Title: rebuild.BadSignature.Problem(),
		Does:  "Removes the block, or sends it and the API rejects the request.",
		Run:   showFixes, Issues: "#84430 #92201",
	},
	{
		Code: string(rebuild.BadID), Severity: Warn, Level: LevelAPI,
		Title: rebuild.BadID.Problem(),
		Does:  "Renames the id.",
		Run:   showFixes,
	},
	{
		Code: string(rebuild.BadName), Severity: Warn, Level: LevelAPI,
		Title: rebuild.BadName.Problem(),
		Does:  "Sends the name unchanged, and the API rejects the request.",
		Run:   showFixes,
	},
	{
		Code: string(rebuild.BadImage), Severity: Warn, Level: LevelAPI,
		Title: rebuild.BadImage.Problem(),
		Does:  "Sends the image unchanged, and the API rejects the request.",
		Run:   showFixes,
	},
	{
		Code: string(rebuild.BadText), Severity: Warn, Level: LevelAPI,
		Title: rebuild.BadText.Problem(),
		Does:  "Sends the text unchanged, and the API rejects the request.",
		Run:   showFixes, Issues: "#7275 #18105",
	},
	{
		Code: string(rebuild.Mirror), Severity: Info, Level: LevelAPI,
		Title: rebuild.Mirror.Problem(),
		Does:  "Keeps a copy of what was already said, and removes it from requests.",
		Run:   showFixes, Issues: "#99470",
	},
	{
		Code: string(rebuild.OddBlock), Severity: Warn, Level: LevelAPI,
		Title: rebuild.OddBlock.Problem(),
		Does:  "Removes blocks that the provider does not support.",
		Run:   showFixes,
	},
	{
		Code: string(rebuild.OpenEnd), Severity: Info, Level: LevelAPI,
		Title: rebuild.OpenEnd.Problem(),
		Does:  "Sends the user's next message after it, so the white space does no harm.",
		Run:   showFixes,
	},
	{
		Code: string(rebuild.NotUserLast), Severity: Info, Level: LevelAPI,
		Title: rebuild.NotUserLast.Problem(),
		Does:  "Ends the next request with the user's message.",
		Run:   showFixes,
	},
	{
		Code: string(rebuild.OtherThought), Severity: Info, Level: LevelAPI,
		Title: rebuild.OtherThought.Problem(),
		Does:  "Sends the block to that provider only.",
		Run:   showFixes,
	},
	{
		Code: string(rebuild.TooLong), Severity: Info, Level: LevelAPI,
		Title: rebuild.TooLong.Problem(),
		Does:  "Sends the result as long as it fits in the context window.",
		Run:   "clawctl rebuild --trim --fixes - FILE",
	},
	{
		Code: string(source.Unlisted), Severity: Info, Level: LevelStore,
		Title: source.Unlisted.Words(),
		Does:  "Does not show the session. Its history is still in the file.",
		Run:   showStore, Issues: "#29706 #73471 #89170",
	},
	{
		Code: string(source.FileMissing), Severity: Error, Level: LevelStore,
		Title: source.FileMissing.Words(),
		Does:  "Starts the session anew.",
		Run:   showStore, Issues: "#77608",
	},
	{
		Code: string(source.ForeignPath), Severity: Info, Level: LevelStore,
		Title: source.ForeignPath.Words(),
		Does:  "Reads that path, and starts the session anew if nothing is there.",
		Run:   showStore, Issues: "#77608",
	},
	{
		Code: string(source.NoSessionID), Severity: Warn, Level: LevelStore,
		Title: source.NoSessionID.Words(),
		Does:  "Starts the session anew. Its migration stops looking for unlisted transcripts.",
		Run:   showStore, Issues: "#77783",
	},
	{
		Code: string(source.NullEntry), Severity: Warn, Level: LevelStore,
		Title: source.NullEntry.Words(),
		Does:  "Starts the session anew. Its migration stops looking for unlisted transcripts.",
		Run:   showStore, Issues: "#77783",
	},
	{
		Code: string(source.IndexDamaged), Severity: Error, Level: LevelStore,
		Title: source.IndexDamaged.Words(),
		Does:  "Starts with an empty index, so every session looks new.",
		Run:   showStore, Issues: "#77783",
	},
	{
		Code: string(source.IDMismatch), Severity: Warn, Level: LevelStore,
		Title: source.IDMismatch.Words(),
		Does:  "Uses the index. Tools that use the header find another session.",
		Run:   "clawctl cat --type session FILE", Issues: "#89037",
	},
	{
		Code: string(source.MovedToSQLite), Severity: Info, Level: LevelStore,
		Title: source.MovedToSQLite.Words(),
		Does:  "Reads the database and never the file.",
		Run:   showStore,
	},
	{
		Code: string(source.LinkOutside), Severity: Warn, Level: LevelStore,
		Title: source.LinkOutside.Words(),
		Does:  "Follows the link.",
		Run:   showStore,
	},
	{
		Code: string(source.Unreadable), Severity: Error, Level: LevelStore,
		Title: source.Unreadable.Words(),
		Does:  "Cannot read it either.",
		Run:   "ls -l FILE",
	},
	{
		Code: string(source.SharedFile), Severity: Warn, Level: LevelStore,
		Title: source.SharedFile.Words(),
		Does:  "Writes the records of all these sessions to one file.",
		Run:   showStore,
	},
	{
		Code: string(source.BadDatabase), Severity: Error, Level: LevelStore,
		Title: source.BadDatabase.Words(),
		Does:  "Does not start.",
		Run:   "clawctl sessions FILE",
	},
	{
		Code: string(source.StaleTotal), Severity: Info, Level: LevelStore,
		Title: source.StaleTotal.Words(),
		Does:  "Shows the total of the index, and may compact too late.",
		Run:   showStore, Issues: "#69347",
	},
	{
		Code: string(source.DeadLock), Severity: Warn, Level: LevelStore,
		Title: source.DeadLock.Words(),
		Does:  "Waits for the lock, then breaks it.",
		Run:   "ls -l FILE",
	},
	{
		Code: string(source.Incomplete), Severity: Error, Level: LevelStore,
		Title: source.Incomplete.Words(),
		Does:  "Nothing: this is about clawctl's store.",
		Run:   "clawctl import",
	},
	{
		Code: string(source.NoDigest), Severity: Warn, Level: LevelStore,
		Title: source.NoDigest.Words(),
		Does:  "Nothing: this is about clawctl's store.",
		Run:   "clawctl verify FILE",
	},
	{
		Code: string(source.AgentOutside), Severity: Warn, Level: LevelStore,
		Title: source.AgentOutside.Words(),
		Does:  "Keeps the agent's sessions there.",
		Run:   "clawctl sessions FILE",
	},
	{
		Code: string(source.ConfigDamaged), Severity: Warn, Level: LevelStore,
		Title: source.ConfigDamaged.Words(),
		Does:  "Does not start.",
		Run:   "openclaw doctor",
	},
	{
		Code: string(source.ConfigUnread), Severity: Warn, Level: LevelStore,
		Title: source.ConfigUnread.Words(),
		Does:  "Reads it. It may say that an agent's sessions are elsewhere.",
		Run:   "openclaw agents list",
	},
	{
		Code: string(source.NewerSchema), Severity: Warn, Level: LevelStore,
		Title: source.NewerSchema.Words(),
		Does:  "Reads what it wrote. An older OpenClaw does not start.",
		Run:   "clawctl version",
	},
	{
		Code: string(rebuild.NoUsage), Severity: Info, Level: LevelAccounting,
		Title: "answer without usage",
		Does:  "Counts the answer as 0 tokens.",
		Run:   showEntry, Issues: "#46252 #69347",
	},
	{
		Code: string(rebuild.OldUsage), Severity: Info, Level: LevelAccounting,
		Title: "usage in the format of OpenClaw 2026.5 and 2026.6",
		Does:  "Reads both formats. Other tools may read only one.",
		Run:   showEntry, Issues: "#20599",
	},
	{
		Code: string(rebuild.WrongTotal), Severity: Info, Level: LevelAccounting,
		Title: "the token total is not the sum of its parts",
		Does:  "Uses the total.",
		Run:   showEntry, Issues: "#20599",
	},
	{
		Code: string(rebuild.MirrorUsage), Severity: Warn, Level: LevelAccounting,
		Title: "usage on a message that no model sent",
		Does:  "Leaves such messages out of its totals. Other tools count them.",
		Run:   showEntry, Issues: "#99470 #20599",
	},
	{
		Code: string(rebuild.Elsewhere), Severity: Info, Level: LevelAccounting,
		Title: "run through a command-line tool: tool calls are recorded elsewhere",
		Does:  "Records only the text.",
		Run:   showEntry,
	},
	{
		Code: string(rebuild.MostlyImages), Severity: Info, Level: LevelPrivacy,
		Title: "most of the file is base64 images",
		Does:  "Keeps them forever.",
		Run:   showStore, Issues: "#143973",
	},
	{
		Code: string(rebuild.Secret), Severity: Info, Level: LevelPrivacy,
		Title: "possible API key or password",
		Does:  "Keeps the text unchanged.",
		Run:   showLine, Issues: "#12182 #11468",
	},
	{
		Code: string(rebuild.Masked), Severity: Warn, Level: LevelPrivacy,
		Title: "redacted value in data that is sent back to the provider unchanged",
		Does:  "Sends it, and the API rejects the request or the tool gets a wrong argument.",
		Run:   showLine, Issues: "#104992",
	},
}
