#!/bin/sh
# archive-cost.sh [RUNS [SESSIONS [BYTES]]]: what an archive of cold sessions saves and costs. Generates SESSIONS
# sessions (default 500) of BYTES together (default 360000000), imports them into a store, moves them from a copy of the
# store to an archive, and prints the archive's share of the transcripts and the processor time of commands on the
# archive, times that on the store. Each figure is the least of RUNS runs (default 5), which alternate, so that a busy
# machine disturbs both. Needs perf. Takes four times BYTES in the folder for temporary files.
set -eu
runs=${1:-5}
sessions=${2:-500}
bytes=${3:-360000000}
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
export XDG_DATA_HOME="$work/data" XDG_CONFIG_HOME="$work/config" CLAWCTL_DB="$work/none.db"

CGO_ENABLED=0 go build -trimpath -o "$work/clawctl" ./cmd/clawctl
go run ./scripts/corpus -n "$sessions" -size "$bytes" -out "$work/home"
text=$(find "$work/home" -name '*.jsonl' -exec cat {} + | wc -c)
"$work/clawctl" import -q "$work/home" --to "$work/store.db" >/dev/null
cp "$work/store.db" "$work/cold.db"
"$work/clawctl" prune -q --store "$work/cold.db" --older 1d --archive "$work/cold.tar.zst" --write >/dev/null
packed=$(wc -c <"$work/cold.tar.zst")
echo "$sessions sessions, $text bytes"
awk -v a="$packed" -v b="$text" 'BEGIN { printf "share of the transcripts: %.3f\n", a / b }'

# measure appends the processor time of one run in milliseconds to a list. Finding nothing is a status of its own.
measure() {
	list=$1
	shift
	perf stat -x, -e task-clock -o "$work/perf" "$work/clawctl" "$@" >/dev/null 2>&1 || [ $? -eq 1 ]
	awk -F, '/task-clock/ { print $1 }' "$work/perf" >>"$work/$list"
}

# compare runs a command on both in turn, and prints the least times and their ratio. @ stands for the database.
compare() {
	name=$1
	shift
	rm -f "$work/store.times" "$work/cold.times"
	i=0
	while [ "$i" -lt "$runs" ]; do
		for db in store cold; do
			measure $db.times $(echo "$@" | sed "s|@|$work/$db.db|")
		done
		i=$((i + 1))
	done
	store=$(sort -n "$work/store.times" | head -n 1)
	cold=$(sort -n "$work/cold.times" | head -n 1)
	awk -v n="$name" -v s="$store" -v c="$cold" \
		'BEGIN { printf "%-18s store %8.1f ms  archive %8.1f ms  %5.2f times\n", n, s, c, c / s }'
}

# The ids of sessions of several sizes: the smallest, the median and the largest.
find "$work/home" -name '*.jsonl' -exec wc -c {} + | grep -v ' total$' | sort -n |
	awk '{ path[NR] = $2; size[NR] = $1 } END { n[1] = 1; n[2] = int((NR + 1) / 2); n[3] = NR
		for (i = 1; i <= 3; i++) { id = path[n[i]]; sub(".*/", "", id); sub("[.].*", "", id); print size[n[i]], id } }' |
	while read -r size id; do
		compare "cat, $((size / 1000)) kB" cat -q "@#$id"
	done
compare search search -q -c zzqqnone @
compare sessions sessions -q @
compare stats stats -q @
compare du du -q @
compare validate validate -q @
compare tokens tokens -q @
compare verify verify -q @
