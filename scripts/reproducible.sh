#!/bin/sh
# Builds the current commit twice and compares the binaries for every platform. The first build is in a clone, with the
# cache of the Go tool. The second is in a clone with another path and an empty cache, so every package is compiled
# again. With DIST, the folder of `make snapshot`, the binaries of the release must be the same too. Build them in a
# clone: in a further worktree of git, the Go tool notes no commit in a binary.
#
#   PLATFORMS='linux/amd64 darwin/arm64' [DIST=dist] scripts/reproducible.sh
set -eu
cd "$(dirname "$0")/.."
platforms=${PLATFORMS:?name the platforms, or call make reproducible}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
first=$work/first second="$work/the other folder"

# build builds a platform in a clone, and keeps the binary next to the clone.
build() {
	GOOS=${2%/*} GOARCH=${2#*/} make -C "$1/source" --no-print-directory --silent build
	mkdir -p "$1/${2%/*}"
	mv "$1/source/bin/clawctl" "$1/$2"
}

# A release notes its commit, whatever the settings of the Go tool are here.
export GOFLAGS=-buildvcs=true
for folder in "$first" "$second"; do git clone --quiet --no-hardlinks . "$folder/source"; done
for platform in $platforms; do
	build "$first" "$platform"
	(export GOCACHE="$work/cache" && build "$second" "$platform")
	cmp "$first/$platform" "$second/$platform"
	[ -z "${DIST:-}" ] || cmp "$first/$platform" "$DIST/clawctl_${platform%/*}_${platform#*/}"_*/clawctl*
	printf '%s  %s\n' "$(sha256sum <"$first/$platform" | cut -d ' ' -f 1)" "$platform"
done
printf 'reproducible: two builds of %s have the same bytes\n' "$(git rev-parse --short HEAD)"
