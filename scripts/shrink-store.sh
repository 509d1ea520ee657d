#!/bin/sh
# Writes a checkpoint, sends a due memory flush, and compacts, for every live session of the store that needs it. To run
# it from cron:
#
#	*/10 * * * *  SUMMARIZER='llm -m haiku' /path/to/shrink-store.sh
#
# SUMMARIZER reads a question from stdin and prints its answer. A checkpoint asks for JSON. If SUMMARIZER is not set, or
# if it fails, clawctl makes an extract. A compaction uses a recent checkpoint before it asks again. TIMEOUT is how long
# an answer may take, KEEP is what a compaction keeps, and WINDOW is the context window of models that clawctl does not
# know.
#
# A due flush with a user message is printed to stdout as a JSON object, for another program to deliver, and is recorded
# as delivered. Use this script for sessions that are only in the store: if the file of a session continues to grow
# elsewhere, the next import replaces the session.
set -u
db=${CLAWCTL_DB:-$(clawctl env --json | sed -n 's/.*"name":"store","value":"\([^"]*\)".*/\1/p')}
list=$(clawctl sessions --kind live --fast --json "$db") || exit

# The script ignores damage in a session (exit 3), which clawctl reports, and a session that cannot be compacted (exit
# 1). Any other failure becomes its own exit code.
well() { "$@" || [ $? = 3 ]; }
ask() { clawctl "$@" --offline ${SUMMARIZER:+--summarizer "$SUMMARIZER" --timeout "${TIMEOUT:-2m}"}; }
fail() { [ "$1" = 1 ] || [ "$1" = 3 ] || failed=$1; }

printf '%s\n' "$list" | sed -n 's/.*"path":"\([^"]*\)".*/\1/p' | {
	failed=0
	while IFS= read -r session; do
		set -- "$session" --if-needed --append --quiet ${WINDOW:+--window "$WINDOW"}
		ask checkpoint "$@" || fail $?
		due=$(clawctl flush "$@" --json) || fail $?
		printf '%s\n' "$due" | grep '"user":"'
		well clawctl compact "$@" 2>/dev/null || ask compact "$@" ${KEEP:+--keep "$KEEP"} || fail $?
	done
	exit "$failed"
}
