#!/bin/sh
# store-size.sh [FOLDER]: how large the store of the sessions in FOLDER is, as a share of their transcripts, and where
# its bytes are. Without FOLDER, it imports 500 generated sessions (360 MB). Each row is a table or an index: its bytes,
# those of its rows, those that no row uses, and its share of the transcripts. The rows of `messages` are the text of
# the records and the columns beside it. What no row uses is at the ends of pages, where the next row had no room.
# Needs sqlite3 with dbstat, as Debian's has.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

folder=${1:-}
if [ -z "$folder" ]; then
	folder=$work/sessions
	go run ./scripts/corpus -out "$folder" -n 500 -size 335000000
fi
go build -o "$work/clawctl" ./cmd/clawctl
XDG_DATA_HOME=$work "$work/clawctl" import -q --to "$work/store.db" "$folder"

size=$(wc -c <"$work/store.db")
text=$(sqlite3 "$work/store.db" 'SELECT sum(bytes) FROM transcripts')
sqlite3 "$work/store.db" "SELECT printf('%,d bytes of transcripts, %,d of the store with pages of %,d: %.3f of them', $text,
	$size, page_size, 1.0 * $size / $text) FROM pragma_page_size"
printf '%-32s %14s %14s %12s %7s\n' 'table or index' bytes rows unused share
sqlite3 "$work/store.db" "SELECT printf('%-32s %,14d %,14d %,12d %7.4f', name, sum(pgsize), sum(payload), sum(unused),
	1.0 * sum(pgsize) / $text) FROM dbstat GROUP BY name ORDER BY sum(pgsize) DESC LIMIT 8"
