#!/bin/sh
# Builds the current commit twice, in two clones with different paths and their own caches, and compares the binaries
# for every platform. PLATFORMS limits the platforms: PLATFORMS=linux/amd64 scripts/reproducible.sh
set -eu
cd "$(dirname "$0")/.."
platforms=${PLATFORMS:-linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

for folder in "$work/first" "$work/the other folder"; do
	git clone --quiet --no-hardlinks . "$folder/source"
	for platform in $platforms; do
		(
			cd "$folder/source"
			export GOCACHE="$folder/cache" GOOS="${platform%/*}" GOARCH="${platform#*/}"
			make --no-print-directory build
			mkdir -p "$folder/$GOOS"
			mv bin/clawctl "$folder/$platform"
		)
	done
	rm -rf "$folder/cache"
done

for platform in $platforms; do
	cmp "$work/first/$platform" "$work/the other folder/$platform"
	printf '%s  %s\n' "$(sha256sum <"$work/first/$platform" | cut -d ' ' -f 1)" "$platform"
done
