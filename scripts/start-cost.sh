#!/bin/sh
# start-cost.sh [RUNS]: the processor time of `clawctl --help`, `clawctl version` and `clawctl cat` of one line beside
# that of an empty Go program and of clawctl without time zones and without its catalogue of models, the page faults of
# each, and the packages that take longest to initialise. Each figure is the least and the median of RUNS runs (default
# 200), which alternate, so that a busy machine disturbs all of them. Needs perf, because a run is shorter than what a
# shell can time. Half of a start are page faults: each package that is initialised touches pages of its own.
set -eu
runs=${1:-200}
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# build builds clawctl as `make build` does, with some files replaced.
build() {
	CGO_ENABLED=0 go build -tags urfave_cli_no_docs -trimpath -ldflags '-s -w' -overlay "$2" -o "$1" ./cmd/clawctl
}

echo 'package main
func main() {}' >"$work/empty.go"
CGO_ENABLED=0 go build -trimpath -ldflags '-s -w' -o "$work/empty" "$work/empty.go"
echo '{}' >"$work/none.json"
build "$work/clawctl" "$work/none.json"
grep -v '"time/tzdata"' internal/calendar/zone.go >"$work/zone.go"
head -n 1 pkg/models/catalogue.tsv >"$work/catalogue.tsv"
cat >"$work/bare.json" <<END
{"Replace": {"$PWD/internal/calendar/zone.go": "$work/zone.go", "$PWD/pkg/models/catalogue.tsv": "$work/catalogue.tsv"}}
END
build "$work/bare" "$work/bare.json"

echo '{"type":"session","version":3,"id":"s","timestamp":"2026-01-01T00:00:00.000Z"}' >"$work/one.jsonl"

# measure appends the processor time and the page faults of one run to a list.
measure() {
	list=$1
	shift
	perf stat -x, -e task-clock,page-faults -o "$work/perf" "$@" >/dev/null 2>&1
	awk -F, '/task-clock/ { time = $1 } /page-faults/ { print time, $1 }' "$work/perf" >>"$work/$list"
}

i=0
while [ "$i" -lt "$runs" ]; do
	measure empty.times "$work/empty"
	measure version.times "$work/clawctl" version
	measure bare-version.times "$work/bare" version
	measure cat.times "$work/clawctl" cat "$work/one.jsonl"
	measure help.times "$work/clawctl" --help
	measure bare-help.times "$work/bare" --help
	i=$((i + 1))
done

# row prints the least and the median of a list, and how many times those of the empty program they are.
row() {
	sort -n "$work/$2.times" | awk -v name="$1" -v file="$work/base" '
		{ all[NR] = $1; faults = NR == 1 || $2 < faults ? $2 : faults }
		END {
			least = all[1]; median = all[int((NR + 1) / 2)]
			if ((getline base < file) > 0) split(base, empty, " ")
			else { print least, median > file; empty[1] = least; empty[2] = median }
			printf "%-32s least %5.2f ms (%3.1f times), median %5.2f ms (%3.1f times), %4d page faults\n", name, least,
				least / empty[1], median, median / empty[2], faults
		}'
}
row 'an empty program' empty
row 'clawctl version' version
row '  without zones and catalogue' bare-version
row 'clawctl cat of one line' cat
row 'clawctl --help' help
row '  without zones and catalogue' bare-help

echo
echo 'packages that take longest to initialise, in ms, the least of 20 runs:'
for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	GODEBUG=inittrace=1 "$work/clawctl" version 2>&1
done | awk '$1 == "init" { if (!($2 in least) || $5 < least[$2]) least[$2] = $5 }
	END { for (name in least) { sum += least[name]; print least[name], name }; print sum, "all" }' | sort -rn | head -n 9
