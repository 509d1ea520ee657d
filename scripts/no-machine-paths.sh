#!/bin/sh
# Fails if a document or a golden file that was changed since the last commit names a folder of this machine.
set -eu
cd "$(dirname "$0")/.."
temporary=${TMPDIR:-/tmp}
files=$(git ls-files --modified --others --exclude-standard -- README.md docs testdata)
test -z "$files" || ! printf '%s\n' "$files" | tr '\n' '\0' |
	xargs -0 grep -nF -e "$(pwd)/" -e "$HOME/" -e "${temporary%/}/" /dev/null ||
	{ echo 'these lines name folders of this machine'; exit 1; }
