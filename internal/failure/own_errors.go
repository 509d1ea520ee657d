package failure

// The codes of clawctl's own failures. Codes below CL900 belong to damage, findings and fixes in transcripts.
const (
	UsageCode        Code = "CL900"
	NotFound         Code = "CL901"
	Denied           Code = "CL902"
	NotTranscript    Code = "CL903"
	Exists           Code = "CL904"
	BadCompression   Code = "CL905"
	IO               Code = "CL906"
	Interrupted      Code = "CL907"
	InternalCode     Code = "CL908"
	Nothing          Code = "CL909"
	Corrupt          Code = "CL910"
	Unrecognized     Code = "CL911"
	Newer            Code = "CL912"
	Locked           Code = "CL913"
	Changed          Code = "CL914"
	NoMessages       Code = "CL915"
	TooLarge         Code = "CL916"
	ConditionHolds   Code = "CL917"
	BadConfig        Code = "CL918"
	NotRequest       Code = "CL919"
	AllKept          Code = "CL920"
	NoSummary        Code = "CL921"
	SummarizerFailed Code = "CL922"
	BadSummary       Code = "CL923"
	NoEntryIDs       Code = "CL924"
	Differs          Code = "CL925"
	NotImported      Code = "CL926"
	Incomplete       Code = "CL927"
	BadReceipt       Code = "CL928"
	NotWritable      Code = "CL929"
	NotMessage       Code = "CL930"
	APIError         Code = "CL931"
	LastCopy         Code = "CL934"
	ArchiveGone      Code = "CL935"
	OtherDataset     Code = "CL940"
	BadManifest      Code = "CL941"
	NotCopy          Code = "CL945"
	CopyIncomplete   Code = "CL946"
	BadBundle        Code = "CL948"
	NoSteps          Code = "CL951"
	NoAnswer         Code = "CL952"
	ConditionUnknown Code = "CL953"
	Declined         Code = "CL954"
	TextErased       Code = "CL960"
	ValueLeft        Code = "CL961"
	OwnedFile        Code = "CL970"
	Held             Code = "CL975"
	BadCatalogue     Code = "CL962"
	FarPrice         Code = "CL963"
)

// ownErrors lists the codes of clawctl's own failures.
var ownErrors = []Entry{
	own(UsageCode, ExitUsage, "wrong usage",
		"A flag, an argument or a combination of them is not valid. Nothing was read or written.",
		"clawctl help COMMAND"),
	own(NotFound, ExitNothing, "no such file",
		"The path does not exist, and no session has that name.",
		"clawctl sessions"),
	own(Denied, ExitUsage, "permission denied",
		"The operating system does not let this user read or write the file.",
		"ls -l FILE"),
	own(NotTranscript, ExitNothing, "not a transcript",
		"None of the lines is a record of OpenClaw, pi, GoClaw, claw0, Claude Code or Codex.",
		"head -c 200 FILE | cat -v"),
	own(Exists, ExitUsage, "the file exists",
		"clawctl never replaces a file unless --force is given.",
		"clawctl COMMAND --force"),
	own(BadCompression, ExitDamaged, "damaged compression",
		"The .zst or .gz file is cut off, damaged, or unpacks to more than is safe. Everything up to that place was read.",
		"zstd -t FILE"),
	own(IO, ExitUsage, "reading or writing failed",
		"The operating system reported an error, such as a full disk.",
		"df -h"),
	own(Interrupted, ExitInterrupted, "interrupted",
		"Ctrl-C or a signal ended the command. Finished work is safe, and running the command again resumes.",
		"clawctl COMMAND"),
	own(InternalCode, ExitUsage, "a bug in clawctl",
		"clawctl ran into a state that should not exist. No transcript was changed.",
		"clawctl version"),
	own(Nothing, ExitNothing, "nothing found",
		"The place exists, but holds no session, entry or code that matches.",
		"clawctl sessions FOLDER"),
	own(Corrupt, ExitDatabase, "the database is corrupt",
		"SQLite or a checksum reports damage. clawctl reads nothing more from it and writes nothing to it.",
		"sqlite3 FILE 'PRAGMA integrity_check'"),
	own(Unrecognized, ExitDatabase, "not a clawctl store or an OpenClaw database",
		"The file is a SQLite database of another program, and is left as it is.",
		"sqlite3 FILE .tables"),
	own(Newer, ExitDatabase, "written by a newer version",
		"The database has a format that this clawctl does not know yet, and is left as it is.",
		"clawctl version"),
	own(Locked, ExitLocked, "the database is locked",
		"Another process is writing to it and did not finish within --lock-timeout.",
		"clawctl COMMAND --lock-timeout 10m"),
	own(Changed, ExitUsage, "the input changed while it was being read",
		"Another program wrote to the session at the same time. Nothing was written.",
		"clawctl COMMAND"),
	own(NoMessages, ExitFindings, "the session has no messages to send",
		"The context is empty: the session has no messages, or a reset or compaction left none.",
		"clawctl rebuild --as native FILE"),
	own(TooLarge, ExitFindings, "does not fit into the budget",
		"Even the last turn alone takes more tokens than allowed.",
		"clawctl tokens FILE --by message --top 5"),
	own(ConditionHolds, ExitFindings, "a condition of --fail-if holds",
		"The totals match a condition that was given to stats. This is what --fail-if is for.",
		"clawctl stats --json"),
	own(BadConfig, ExitUsage, "the configuration is not valid",
		"The configuration file has a syntax error, an unknown key, or a value of the wrong type. Nothing was done.",
		"clawctl env"),
	own(NotRequest, ExitUsage, "not an API request",
		"guard reads a JSON object with `messages`, or an array of messages, for the Messages or Chat Completions API.",
		"clawctl rebuild FILE --request | clawctl guard"),
	own(AllKept, ExitFindings, "nothing to summarize",
		"The context is so small that everything in it would be kept.",
		"clawctl compact FILE --plan --keep 1m"),
	own(NoSummary, ExitFindings, "no summary",
		"A compaction needs a summary: from a file, from a command, from a recent checkpoint, or an offline extract.",
		"clawctl compact FILE --offline"),
	own(SummarizerFailed, ExitFindings, "the summarizer failed",
		"The command of --summarizer exited with an error, took too long, or printed too much. Nothing was written.",
		"clawctl compact FILE --offline"),
	own(BadSummary, ExitFindings, "the summary cannot be used",
		"The summary is empty, too short, or too long.",
		"clawctl help compact"),
	own(NoEntryIDs, ExitFindings, "the entries have no ids",
		"A record has to name the entry that it follows. Transcripts of claw0 and of version 1 have no such ids.",
		"clawctl cat --as openclaw FILE > session.jsonl"),
	own(Differs, ExitUsage, "the stored copy differs from its source",
		"What was read back is not what was written, and the session is not reported as imported. Or another program has "+
			"put triggers into the store, which may change what is written, and nothing was written.",
		"clawctl verify FILE"),
	own(NotImported, ExitDamaged, "part of the file was not imported",
		"The original had bytes that clawctl could not import, such as a line of more than 256 MiB. They are not exported.",
		"clawctl verify FILE"),
	own(Incomplete, ExitDamaged, "only the beginning of the session is stored",
		"An import of the session was interrupted. Everything that is stored was read. The next import stores the rest.",
		"clawctl import"),
	own(BadReceipt, ExitUsage, "the receipt is damaged",
		"The file in the receipts folder is not a receipt, or would not restore the original. Nothing was changed.",
		"clawctl undo --list"),
	own(NotWritable, ExitFindings, "clawctl never changes this session",
		"Sessions in databases, in compressed files and in clawctl's own store are only read. A copy can be written.",
		"clawctl repair SESSION -o FILE"),
	own(NotMessage, ExitFindings, "not a message or a response of an API",
		"append reads JSON objects: records, messages, or a whole response of the Messages API or of Chat Completions. "+
			"Nothing was written.",
		"clawctl help append"),
	own(APIError, ExitFindings, "the API answered with an error",
		"append was given a response that reports an error instead of an answer. Nothing was written.",
		"clawctl rebuild SESSION --request | clawctl guard"),
	own(LastCopy, ExitFindings, "the session may be the last copy of a pruned file",
		"prune moved a file to the trash because this session has everything that the file said. Without the session, "+
			"nothing may be left of it. Nothing was deleted.",
		"clawctl delete KEY --purge --last-copy"),
	own(ArchiveGone, ExitDatabase, "an archive of the store cannot be read",
		"prune --archive has moved the text of the session from the store to an archive. The archive is not where the "+
			"store expects it, or it is damaged. Put it back there or beside the store, or name it in sources.archives of the "+
			"configuration. Nothing that is only in it counts as safe to delete. If it is gone for good, the next import "+
			"brings back what the sources still have; remove a damaged one for that.",
		"clawctl verify"),
	own(OtherDataset, ExitUsage, "the folder has a dataset of other sources",
		"The export would remove everything that came from the other sources. Nothing was written. Give each host a name, "+
			"or replace the dataset with --force.",
		"clawctl export --as parquet SOURCE -o FOLDER --host NAME"),
	own(BadManifest, ExitUsage, "the manifest of the dataset is damaged",
		"The manifest says which files belong to the dataset, and cannot be read. Nothing was written. With --force, "+
			"everything is written again.",
		"clawctl export --as parquet SOURCE -o FOLDER --force"),
	own(NotCopy, ExitDamaged, "not the rows of transcript_lines",
		"import --input pgcopy takes the rows of PostgreSQL's view transcript_lines, of one host, ordered by session and "+
			"record, in the text format of COPY. Nothing was imported.",
		"clawctl help import"),
	own(CopyIncomplete, ExitDamaged, "the rows of transcript_lines are incomplete",
		"The first row of a session says how many lines it has, and the stream ends before them, as it does if psql "+
			"loses its connection. Nothing was imported.",
		"clawctl help import"),
	own(BadBundle, ExitUsage, "the bundle is refused",
		"A file in it is not as its manifest says, has a path or a name that bundles do not have, or the bundle is cut "+
			"off. Nothing of it was read or written.",
		"zstd -dc FILE.tar.zst | tar -t"),
	own(NoSteps, ExitNothing, "the session has no steps",
		"A trajectory has at least one step, and the active path of the session has no message. The session was skipped.",
		"clawctl show SESSION --tree"),
	own(NoAnswer, ExitNothing, "the session has no answer to learn from",
		"An example for fine-tuning ends with an answer of the model, and the context of the session has none. The session "+
			"was skipped.",
		"clawctl rebuild SESSION --as openai"),
	own(ConditionUnknown, ExitUsage, "a condition of --fail-if is about an unknown value",
		"There are answers, and none of them has recorded the tokens or the price that the condition compares. A recorded "+
			"0 is known. --prices prices the tokens by your own list.",
		"clawctl stats --json"),
	own(Declined, ExitFindings, "the answer was no",
		"The command asked before it changed something, and the answer was not yes. Nothing was changed.",
		"clawctl COMMAND -y"),
	own(TextErased, ExitFindings, "the text was removed for good",
		"redact --in-place removed a value from the text that the change would restore, and kept no copy of it. So the "+
			"change cannot be undone. Nothing was changed.",
		"clawctl undo --list"),
	own(ValueLeft, ExitFindings, "a value is left in a file that clawctl does not change",
		"redact --in-place changes transcripts, their indexes, and what belongs to clawctl. It looks into every other file "+
			"of the home as well, and names those that still have the value.",
		"clawctl redact --in-place HOME --values FILE"),
	own(BadCatalogue, ExitUsage, "the catalogue of models cannot be read",
		"The file of the setting models.file is neither a catalogue nor the JSON of pi-ai. Nothing was read or written.",
		"clawctl help models"),
	remark(FarPrice, "a recorded price is ten times off the list price, or more",
		"stats compares the recorded price of every answer with its list price, by your own list or the catalogue of "+
			"models. Some recorded prices cannot be right, or the price of the model is out of date. The recorded price "+
			"counts as it is.",
		"clawctl stats --by model"),
	own(OwnedFile, ExitUsage, "a session that clawctl neither changes nor converts",
		"Claude Code and Codex continue their sessions in their own files. clawctl reads them, and makes copies.",
		"clawctl rebuild FILE"),
	own(Held, ExitLocked, "another program has the file open",
		"Windows does not let a file be replaced, renamed or removed while a program has it open, unless that program "+
			"allows it. clawctl tried again for a moment. The file is as it was.",
		"clawctl COMMAND"),
}

// own returns the entry of a failure of clawctl itself.
func own(code Code, exit int, words, explain, run string) Entry {
	return Entry{Code: code, Severity: Severe, Exit: exit, Words: words, Explain: explain, Run: run}
}

// remark is the entry of a code that a command prints beside its answer. It changes no exit status.
func remark(code Code, words, explain, run string) Entry {
	return Entry{Code: code, Severity: Info, Exit: ExitOK, Words: words, Explain: explain, Run: run}
}
