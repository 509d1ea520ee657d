#!/usr/bin/env bash
# run.sh OUT [COUNT] [SEED]: lets the real Claude Code and Codex hold COUNT random conversations each with a scripted
# model, keeps their session files and what each sends when a session is resumed, and compares what clawctl rebuilds and
# counts with that. It needs the oracle (ORACLE_DIR, see its setup-harness), python3, and no network. It takes about an
# hour.
# What is in OUT already is kept, so a run that was stopped goes on where it was.
set -euo pipefail
out=$1 count=${2:-50} seed=${3:-1}
oracle=${ORACLE_DIR:-$HOME/.cache/clawctl-oracle}
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -x "$oracle/harness/run" ]; then
  echo "the oracle is not installed: $oracle/harness is missing" >&2
  exit 3
fi
mkdir -p "$out"
out=$(cd "$out" && pwd)
most=$((count * 2)) # a conversation that does not end in the oracle's ten minutes is replaced by another one
sed "s/^const SEED = .*/const SEED = $seed, COUNT = $most;/" "$here/random.mjs" > "$oracle/harness/clawctl-random.mjs"

# make_conversation PROGRAM NAME: makes a conversation in a folder of its own, and moves it to OUT when it is complete.
make_conversation() {
  local program=$1 name=$2 part=$out/.unfinished
  rm -rf "$part" && mkdir "$part"
  SCENARIOS=clawctl-random.mjs "$oracle/harness/run" "$program" "$part" "$name" || return 0
  compgen -G "$part/$name/*.resume.json" > /dev/null || return 0
  cat "$part/tally.jsonl" >> "$out/tally.jsonl"
  mv "$part/$name.requests.jsonl" "$out/"
  mv "$part/$name" "$out/"
}

for program in claude codex; do
  made=0
  for ((n = 0; n < most && made < count; n++)); do # one at a time, because the oracle allows a run ten minutes
    name=$program-$n
    [ -d "$out/$name" ] || make_conversation $program $name
    if [ -d "$out/$name" ]; then made=$((made + 1)); else echo "$name is not complete" >&2; fi
  done
  if [ "$made" -lt "$count" ]; then
    echo "$program: only $made of $count conversations are complete" >&2
    exit 1
  fi
done

# A hand-made session with what the programs do not write by themselves.
if ! compgen -G "$out/replacements/*.resume.json" > /dev/null; then
  part=$out/.unfinished
  rm -rf "$part" "$out/replacements" && mkdir "$part"
  cp "$here/replacements.mjs" "$here/terminal.py" "$here"/../../testdata/replacements/*.jsonl "$part"
  claude=/opt/oracle/claude/node_modules/@anthropic-ai/claude-code-linux-x64/claude
  session=$(cd "$part" && ls -- *.jsonl)
  "$oracle/harness/sandbox" "$oracle" "$part" \
    node /opt/out/replacements.mjs "$claude" "/opt/out/$session" /opt/out/replacements
  mv "$part/replacements" "$out/"
fi
rm -rf "$out/.unfinished"
cd "$here/../.." && CLAWCTL_HARNESS=$out go test -count=1 -v ./pkg/rebuild ./cmd/clawctl -run Harness
