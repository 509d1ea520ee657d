#!/bin/sh
# For every live session of clawctl's store that needs it: a checkpoint, the memory flush that is due, a compaction. From
# cron:
#
#	*/10 * * * *  SUMMARIZER='llm -m haiku' /path/to/shrink-store.sh
#
# SUMMARIZER reads a question on stdin and prints its answer, which a checkpoint asks for as JSON; without one, and where
# it fails, clawctl makes an extract. A compaction takes a recent checkpoint before it asks again. TIMEOUT is how long an
# answer may take, KEEP what a compaction keeps, WINDOW the context window of models that clawctl does not know.
#
# A flush that is due as a message of the user's goes to stdout as an object, for whoever delivers it; it is recorded as
# delivered. It is for sessions that live in the store: one whose file goes on elsewhere is replaced by the next import.
set -u
db=${CLAWCTL_DB:-$(clawctl env --json | sed -n 's/.*"name":"store","value":"\([^"]*\)".*/\1/p')}
list=$(clawctl sessions --kind live --fast --json "$db") || exit

# Damage in a session (3) is told, and does not matter here; nor does one that cannot be shrunk (1). Anything else is what
# the script ends with.
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
	exit $failed
}
