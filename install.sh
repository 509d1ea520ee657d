#!/bin/sh
# Installs clawctl from the files of a release, after it has compared their checksum.
#
#   install.sh --from PLACE [--to FOLDER] [--version VERSION]
#
# PLACE is a folder or an https address that has checksums.txt and the archives. FOLDER is ~/.local/bin by default.
# Nothing is installed if a checksum differs. clawctl is replaced at once, so a running one is not disturbed.
set -eu

fail() {
	printf 'install.sh: %s\n' "$1" >&2
	exit "${2:-1}"
}

usage() { fail "$1
usage: install.sh --from PLACE [--to FOLDER] [--version VERSION]" 2; }

from='' to="${HOME:-}/.local/bin" version=''
while [ $# -gt 0 ]; do
	case $1 in
	--from | --to | --version) [ $# -ge 2 ] || usage "$1 needs a value" ;;
	*) usage "unknown argument $1" ;;
	esac
	case $1 in
	--from) from=${2%/} ;;
	--to) to=$2 ;;
	--version) version=${2#v} ;;
	esac
	shift 2
done
[ -n "$from" ] || usage '--from is missing'

case $(uname -s) in
Linux) system=linux ;;
Darwin) system=darwin ;;
*) fail "no release for $(uname -s); build it with: go install ./cmd/clawctl" ;;
esac
case $(uname -m) in
x86_64 | amd64) machine=amd64 ;;
aarch64 | arm64) machine=arm64 ;;
*) fail "no release for $(uname -m); build it with: go install ./cmd/clawctl" ;;
esac

work=$(mktemp -d)
trap 'rm -rf "$work" "$to/.clawctl.$$"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# fetch_with_wget downloads a file. wget by itself would follow a redirection from https to http.
fetch_with_wget() {
	address=$1
	for _ in 1 2 3 4 5; do
		case $address in https://*) ;; *) return 1 ;; esac
		answer=$(LC_ALL=C wget -q -S --max-redirect=0 -O "$2" "$address" 2>&1) && return
		address=$(printf '%s\n' "$answer" | tr -d '\r' | sed -n 's/^ *[Ll]ocation: *//p')
	done
	return 1
}

# fetch copies a file of the release to the work folder.
fetch() {
	case $from in
	https://*)
		if command -v curl >/dev/null; then
			curl --proto '=https' -fsSL -o "$work/$1" "$from/$1"
		else
			fetch_with_wget "$from/$1" "$work/$1"
		fi || fail "cannot download $from/$1"
		;;
	*://*) fail "$from is not an https address" 2 ;;
	*) cp "$from/$1" "$work/$1" || fail "cannot read $from/$1" ;;
	esac
}

# sum prints the SHA-256 of a file.
sum() {
	if command -v sha256sum >/dev/null; then
		sha256sum <"$1"
	elif command -v shasum >/dev/null; then
		shasum -a 256 <"$1"
	else
		fail 'neither sha256sum nor shasum is installed'
	fi | cut -d ' ' -f 1
}

fetch checksums.txt
archives=$(awk -v start="clawctl_$version" -v end="_${system}_$machine.tar.gz" '
	NF == 2 && length($1) == 64 && index($2, start) == 1 && $2 !~ /\// &&
	substr($2, length($2) - length(end) + 1) == end && (start == "clawctl_" || $2 == start end)' "$work/checksums.txt")
case $archives in
'') fail "checksums.txt lists no archive of clawctl $version for $system/$machine" ;;
*'
'*) fail 'checksums.txt lists several archives for this machine; choose one with --version' ;;
esac
archive=${archives#* }
archive=${archive# }

fetch "$archive"
[ "$(sum "$work/$archive")" = "${archives%% *}" ] || fail "the checksum of $archive differs; nothing was installed"

tar -xzf "$work/$archive" -C "$work" clawctl || fail "$archive has no clawctl"
mkdir -p "$to"
cp "$work/clawctl" "$to/.clawctl.$$"
chmod 755 "$to/.clawctl.$$"
mv -f "$to/.clawctl.$$" "$to/clawctl"
printf 'installed %s as %s\n' "$("$to/clawctl" version | cut -d ' ' -f 1-2)" "$to/clawctl"
case :$PATH: in
*":$to:"*) ;;
*) printf 'add %s to PATH\n' "$to" ;;
esac
