#!/usr/bin/env bash
# run.sh OUT [COUNT] [SEED]: lets the real Claude Code and Codex hold COUNT random conversations each with a scripted
# model, keeps their session files and what each sends when a session is resumed, and compares what clawctl rebuilds and
# counts with that. It needs the oracle (ORACLE_DIR, see its setup-harness) and no network. It takes about half an hour.
set -euo pipefail
out=$1 count=${2:-50} seed=${3:-1}
oracle=${ORACLE_DIR:-$HOME/.cache/clawctl-oracle}
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -x "$oracle/harness/run" ]; then
  echo "the oracle is not installed: $oracle/harness is missing" >&2
  exit 3
fi
sed "s/^const SEED = .*/const SEED = $seed, COUNT = $count;/" "$here/random.mjs" > "$oracle/harness/clawctl-random.mjs"
mkdir -p "$out"
for program in claude codex; do
  for ((n = 0; n < count; n++)); do # one at a time, because the oracle allows a run ten minutes
    [ -d "$out/$program-$n" ] || SCENARIOS=clawctl-random.mjs "$oracle/harness/run" $program "$out" $program-$n
  done
done
out=$(cd "$out" && pwd)
cd "$here/../.." && CLAWCTL_HARNESS=$out go test -count=1 -v ./cmd/clawctl -run Harness
