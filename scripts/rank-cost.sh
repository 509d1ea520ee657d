#!/bin/sh
# rank-cost.sh CLAWCTL SOURCE [WORDS]: the processor time of a ranked search beside that of a plain one for its first
# word, each the least of five runs, and how many times as much it is. A large SOURCE gives a steady number.
set -eu
clawctl=$1 source=$2 words=${3:-restart the gateway after the update}

# least prints the least user and system time of five runs, in milliseconds.
least() {
	for _ in 1 2 3 4 5; do
		{ TIMEFORMAT='%U %S' bash -c 'time "$@" > /dev/null 2>&1 || true' - "$@"; } 2>&1
	done | awk '{ n = ($1 + $2) * 1000; if (NR == 1 || n < least) least = n } END { print least }'
}

ranked=$(least "$clawctl" search --rank "$words" "$source" --limit 10)
plain=$(least "$clawctl" search "${words%% *}" "$source" --in all)
awk -v ranked="$ranked" -v plain="$plain" \
	'BEGIN { printf "ranked %d ms, plain %d ms: %.2f times\n", ranked, plain, ranked / plain }'
