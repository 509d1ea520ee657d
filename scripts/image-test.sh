#!/bin/sh
# Builds the image of the Dockerfile with buildah, without a container engine, and runs clawctl in it as `docker run`
# would: no network, a read-only root, a /tmp in memory, not as root, and an example state folder that is read-only.
#
#   scripts/image-test.sh
#
# It needs Linux, root, buildah (Debian: buildah), and the files of `make build notices`. Nothing is downloaded, because
# the Dockerfile begins FROM scratch. Everything is in a temporary folder, which is removed.
set -eu
cd "$(dirname "$0")/.."

fail() {
	printf 'image-test: %s\n' "$1" >&2
	exit 1
}

step() { printf 'image-test: %s\n' "$1"; }

[ "$(id -u)" = 0 ] || fail 'it needs root'
command -v buildah >/dev/null || fail 'it needs buildah'
# From here on, mounts are seen by this script alone, and there is no network.
[ -n "${IMAGE_TEST:-}" ] || IMAGE_TEST=1 exec unshare --mount --net --ipc scripts/image-test.sh

work=$(mktemp -d)
chmod 755 "$work"
image=''
trap 'test -z "$image" || umount -R "$image" || true; rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

with_buildah() { buildah --storage-driver vfs --root "$work/storage" --runroot "$work/run" "$@"; }

step 'build the image'
with_buildah bud --isolation chroot --tag clawctl . >"$work/log" 2>&1 || fail "$(cat "$work/log")"
layers=$(with_buildah mount "$(with_buildah from --quiet --pull-never clawctl)")
(cd "$layers" && find . -type f -printf '%M %U:%G %P\n' | sort -k 3) | tee "$work/files"
cut -d ' ' -f 3 "$work/files" >"$work/names"
printf '%s\n' usr/bin/clawctl usr/share/doc/clawctl/LICENSE usr/share/doc/clawctl/THIRD_PARTY_NOTICES |
	diff - "$work/names" || fail 'the image has other files'
! grep -v '^-r..r..r..' "$work/files" || fail 'not every user can read these files'

# setting prints a setting of the image.
setting() { with_buildah inspect --type image --format "{{$1}}" clawctl; }
user=$(setting .OCIv1.Config.User)
program=$(setting 'index .OCIv1.Config.Entrypoint 0')
folder=$(setting .OCIv1.Config.WorkingDir)
variables=$(setting 'range .OCIv1.Config.Env}}{{.}} {{end')
step "the image runs $program in $folder as $user with $variables"
case $user in 0* | root* | '') fail 'the image runs as root' ;; esac

# What `docker run --read-only --tmpfs /tmp -v STATE:…:ro -v STORE:…` does.
mkdir -p "$layers/tmp" "$layers$folder/.openclaw" "$layers$folder/.local/share/clawctl" "$work/store" "$work/image"
cp -R testdata/home "$work/home"
mount --bind "$layers" "$work/image"
image=$work/image
mount -o remount,bind,ro "$image"
mount -t tmpfs -o mode=1777 tmpfs "$image/tmp"
mount --bind "$work/home" "$image$folder/.openclaw"
mount -o remount,bind,ro "$image$folder/.openclaw"
mount --bind "$work/store" "$image$folder/.local/share/clawctl"

# inside runs clawctl in the image as the current user of the test.
inside() {
	# shellcheck disable=SC2086 # they are several words
	env -i $variables "$(command -v unshare)" --root "$image" --wd "$folder" --setgid "${user#*:}" \
		--setuid "${user%:*}" "$program" "$@" </dev/null
}

works() { inside "$@" || fail "clawctl $*: exit status $?"; }

# contents prints the digest of every file of the state folder, and its times.
contents() { (cd "$work/home" && find . -type f -printf '%P %s %T@ %C@\n' -exec sha256sum {} + | sort); }

for user in "$user" 1000:1000; do
	step "run clawctl as $user, with a state folder and a store of this user alone"
	chown -R "$user" "$work/home" "$work/store"
	chmod -R go= "$work/home" "$work/store"
	contents >"$work/before"
	works version
	works sessions --limit 3
	works search --count --in user comet
	works import --lock-timeout 1m
	works verify --only problems
	inside repair --write --yes >"$work/out" 2>&1 && fail 'a repair of a read-only folder succeeded'
	grep 'read-only file system' "$work/out" || fail "a repair says: $(cat "$work/out")"
	contents | diff "$work/before" - || fail 'the state folder has changed'
done
step 'the image builds and runs; no container engine was involved'
