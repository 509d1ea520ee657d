#!/bin/sh
# For every live session of clawctl's store that needs it: a checkpoint, the memory flush that is due, a compaction. From
# cron:
#
#	*/10 * * * *  SUMMARIZER='llm -m haiku' /path/to/shrink-store.sh
#
# SUMMARIZER reads a question on stdin and prints its answer, which a checkpoint asks for as JSON; without one, and where
# it fails, clawctl makes an extract. A compaction takes a recent checkpoint before it asks again. TIMEOUT is how long an
# answer may take, KEEP what a compaction keeps, WINDOW the context window of models that clawctl does not know. The
# prompts of flushes, recorded as delivered, go to stdout, each behind the session that it is for.
set -u
db=${CLAWCTL_DB:-${XDG_DATA_HOME:-$HOME/.local/share}/clawctl/sessions.db}

clawctl sessions --kind live --fast --json "$db" | sed -n 's/.*"path":"\([^"]*\)".*/\1/p' | while IFS= read -r session; do
	set -- "$session" --if-needed --append --quiet ${WINDOW:+--window "$WINDOW"}
	ask() { clawctl "$@" --offline ${SUMMARIZER:+--summarizer "$SUMMARIZER" --timeout "${TIMEOUT:-2m}"}; }
	ask checkpoint "$@"
	prompt=$(clawctl flush "$@") && [ -n "$prompt" ] && printf '%s\n%s\n' "$session" "$prompt"
	clawctl compact "$@" 2>/dev/null || ask compact "$@" ${KEEP:+--keep "$KEEP"}
done
