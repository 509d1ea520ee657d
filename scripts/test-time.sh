#!/bin/sh
# Measures `go test ./...` in two checkouts, in turn, so that a busy machine disturbs both: with the cache of the Go
# tool (warm) and with an empty one (cold), which compiles everything again.
#
#   [ROUNDS=3] scripts/test-time.sh OLD NEW
#
# It prints the seconds on the clock, and the processor time of the tests and of everything they start. On a machine
# that does other work too, only the processor time can be compared: half of it is what two idle cores need at least.
# WARM=0 or COLD=0 leaves that kind out. In a fresh checkout, first run `go mod download`.
set -eu
old=${1:?name the old checkout} new=${2:?name the new checkout}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# measure runs the tests of a checkout and prints a row.
measure() {
	(
		cd "$3"
		begin=$(date +%s)
		result=ok
		go test -count=1 ./... >"$work/out" 2>&1 || result=FAILED
		end=$(date +%s)
		times >"$work/times" # of this subshell, and of its children in the second line
		printf '%-2s %s %s %5d s on the clock, processor (user, system): %s, %s\n' "$1" "$2" "$4" $((end - begin)) \
			"$(tail -n 1 "$work/times")" "$result"
	)
	grep -E '^(FAIL|---)' "$work/out" || true
}

# cold measures with an empty cache.
cold() {
	mkdir "$work/cache"
	GOCACHE=$work/cache measure "$1" cold "$2" "$3"
	chmod -R u+w "$work/cache"
	rm -rf "$work/cache"
}

for checkout in "$old" "$new"; do # fills the cache
	(cd "$checkout" && go test -count=1 -run '^$' ./... >/dev/null)
done
round=0
while [ $((round += 1)) -le "${ROUNDS:-3}" ]; do
	[ "${WARM:-1}" = 0 ] || measure "$round" warm "$old" old
	[ "${WARM:-1}" = 0 ] || measure "$round" warm "$new" new
	[ "${COLD:-1}" = 0 ] || cold "$round" "$old" old
	[ "${COLD:-1}" = 0 ] || cold "$round" "$new" new
done
