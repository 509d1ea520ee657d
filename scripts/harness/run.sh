#!/usr/bin/env bash
# run.sh OUT [SESSIONS] [SEED]: lets the real Claude Code and Codex hold random conversations with a scripted model, and
# changes copies of their files into what older versions write, until there are SESSIONS of each program. It resumes each
# session with the real program and keeps what is sent.
# It needs the oracle (scripts/oracle.sh harness), python3, and no network. Two sandboxes run at a time.
# CLAUDE and CODEX choose the versions that write the sessions; the newest installed ones resume them.
# OUT/written has the programs' own files, OUT/changed the changed ones. What is in OUT already is kept, so a run that
# was stopped goes on where it was. PROGRAMS chooses programs.
set -euo pipefail
out=$1 sessions=${2:-200} seed=${3:-1}
oracle=${ORACLE_DIR:-$HOME/.cache/clawctl-oracle}
here=$(cd "$(dirname "$0")" && pwd)
if [ ! -x "$oracle/harness/sandbox" ]; then
  echo "the oracle is not installed: $oracle/harness is missing" >&2
  exit 3
fi
mkdir -p "$out/written" "$out/changed"
out=$(cd "$out" && pwd)
rm -rf "$out/.scripts" && mkdir "$out/.scripts"
cp "$here"/*.mjs "$here/terminal.py" "$here"/../../testdata/replacements/*.jsonl "$out/.scripts"

# binary FOLDER: the program that npm has installed in a folder of the oracle, as the sandbox sees it.
binary() {
  local file
  for file in @anthropic-ai/claude-code-linux-x64/claude @anthropic-ai/claude-code/cli.js \
    @openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex @openai/codex/vendor/x86_64-unknown-linux-musl/codex/codex; do
    if [ -e "$oracle/$1/node_modules/$file" ]; then
      echo "/opt/oracle/$1/node_modules/$file"
      return
    fi
  done
  echo "$oracle/$1 has no program" >&2
  return 1
}

# sandboxed COMMAND...: runs a command without network, in an empty home, with OUT at /opt/out.
sandboxed() {
  nice "$oracle/harness/sandbox" "$oracle" "$out" "$@"
}

for program in ${PROGRAMS:-claude codex}; do
  wanted=$([ "$program" = claude ] && echo "${CLAUDE:-}" || echo "${CODEX:-}")
  resumer=$(binary "$program") writer=$resumer
  if [ -n "$wanted" ] && [ -d "$oracle/$program-$wanted" ]; then writer=$(binary "$program-$wanted"); fi
  for shard in 0 1; do
    sandboxed node "/opt/out/.scripts/$program.mjs" "$writer" "$resumer" /opt/out $shard 2 "$seed" "$sessions" &
  done
  wait
  made=$(cat "$out"/written/*/done 2> /dev/null | grep -c "^$program") || true
  echo "$program: $made sessions"
  if [ "$made" -lt "$sessions" ]; then
    echo "$program: only $made of $sessions sessions are complete" >&2
    exit 1
  fi
done

# A hand-made session with what the programs do not write by themselves.
if ! compgen -G "$out/changed/replacements/*.resume.json" > /dev/null; then
  session=$(cd "$out/.scripts" && ls -- *.jsonl)
  sandboxed node /opt/out/.scripts/replacements.mjs "$(binary claude)" "/opt/out/.scripts/$session" /opt/out/changed/replacements
fi
rm -rf "$out/.scripts"
