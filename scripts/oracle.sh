#!/usr/bin/env bash
# oracle.sh openclaw|harness: installs the real programs into ORACLE_DIR with the scripts of ../shared/oracle: OpenClaw and
# pi, or Claude Code and Codex. OPENCLAW, PI, CLAUDE and CODEX choose versions. A version that is installed already stays,
# and another one takes its place. An older Claude Code or Codex than the usual one stands beside it: it writes sessions,
# and the newer one resumes them.
set -euo pipefail
export ORACLE_DIR=${ORACLE_DIR:-$HOME/.cache/clawctl-oracle}
shared=$(cd "$(dirname "$0")/../../shared/oracle" && pwd)

# version PACKAGE: the version of an installed package, or nothing.
version() {
  sed -n 's/^ *"version": *"\([^"]*\)".*/\1/p' "$ORACLE_DIR/$1/package.json" 2> /dev/null | head -n 1
}

# replace FOLDER PACKAGE VERSION: removes a folder that has another version.
replace() {
  local installed
  installed=$(version "$1${2:+/node_modules/$2}")
  if [ -n "$installed" ] && [ "$installed" != "$3" ]; then
    echo "$1 $installed makes room for $3"
    rm -rf "${ORACLE_DIR:?}/$1"
  fi
}

newest() { printf '%s\n' "$@" | sort -V | tail -n 1; }

# beside FOLDER PACKAGE VERSION: installs a version in a folder of its own.
beside() {
  [ -d "$ORACLE_DIR/$1/node_modules" ] && return
  mkdir -p "$ORACLE_DIR/$1"
  (cd "$ORACLE_DIR/$1" && npm init -y > /dev/null 2>&1 && npm install --ignore-scripts --no-audit --no-fund --silent "$2@$3")
}

case $1 in
openclaw)
  export OPENCLAW=${OPENCLAW:-2026.9.6} PI=${PI:-1.5.2}
  replace openclaw openclaw "$OPENCLAW"
  replace pi150 '' "$PI"
  "$shared/setup"
  ;;
harness)
  usual_claude=2.1.327 usual_codex=0.169.0
  claude=${CLAUDE:-$usual_claude} codex=${CODEX:-$usual_codex}
  CLAUDE=$(newest "$claude" $usual_claude) CODEX=$(newest "$codex" $usual_codex)
  export CLAUDE CODEX
  replace claude @anthropic-ai/claude-code "$CLAUDE"
  replace codex @openai/codex "$CODEX"
  "$shared/harness/setup-harness"
  if [ "$claude" != "$CLAUDE" ]; then beside "claude-$claude" @anthropic-ai/claude-code "$claude"; fi
  if [ "$codex" != "$CODEX" ]; then beside "codex-$codex" @openai/codex "$codex"; fi
  ;;
*)
  echo "usage: oracle.sh openclaw|harness" >&2
  exit 2
  ;;
esac
