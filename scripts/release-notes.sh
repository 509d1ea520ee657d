#!/bin/sh
# Prints the section of a version in CHANGELOG.md: scripts/release-notes.sh 0.2.0
set -eu
version=${1:?name a version}
cd "$(dirname "$0")/.."
notes=$(awk -v start="## [$version]" '/^## / { on = index($0, start) == 1; next } on' CHANGELOG.md)
[ -n "$notes" ] || { echo "release-notes: CHANGELOG.md has no section [$version]" >&2; exit 1; }
printf '%s\n' "$notes"
