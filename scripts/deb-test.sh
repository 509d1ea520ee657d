#!/bin/sh
# Installs a Debian package of clawctl in a new Debian and runs the commands of the README there.
#
#   scripts/deb-test.sh PACKAGE.deb
#
# What the README shows must be printed, except for times and versions, and its other tasks must be known commands. It
# needs root and debootstrap. SUITE and MIRROR choose the Debian.
set -eu
package=$(realpath "${1:?name a package}")
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo 'deb-test: it needs root' >&2; exit 1; }
command -v debootstrap >/dev/null || { echo 'deb-test: it needs debootstrap' >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
debian=$work/debian
debootstrap --variant=minbase "${SUITE:-bookworm}" "$debian" ${MIRROR:+"$MIRROR"} >"$work/log" || {
	tail -n 5 "$work/log" >&2
	exit 1
}

# inside runs a command in the new Debian as a user with an example home.
inside() {
	chroot --userspec=1000:1000 "$debian" env -i HOME=/home/user TZ=UTC PATH=/usr/bin:/bin sh -c "cd && $1"
}

cp "$package" "$debian/clawctl.deb"
chroot "$debian" dpkg -i /clawctl.deb
mkdir -p "$debian/home/user"
cp -R testdata "$debian/home/user/testdata"
cp -R testdata/home "$debian/home/user/.openclaw"
chown -R 1000:1000 "$debian/home/user"
test -s "$debian/usr/lib/systemd/user/clawctl-import.timer"
test -s "$debian/usr/share/bash-completion/completions/clawctl"
inside 'clawctl version'

# block LANGUAGE prints the blocks of the README in a language.
block() { awk -v start="\`\`\`$1" '$0 == "```" { on = 0 } on { print } $0 == start { on = 1 }' README.md; }

# plain replaces what differs between two runs.
plain() { sed -E 's/[0-9]+\.[0-9]+ s\b/0.00 s/g; s|clawctl [^ ]+ linux/[a-z0-9]+|clawctl VERSION|g'; }

block console | plain >"$work/expected"
block console | sed -n 's/^\$ //p' >"$debian/home/user/commands"
# shellcheck disable=SC2016 # the shell inside expands these
inside 'while IFS= read -r line; do printf "\$ %s\n" "$line"; sh -c "$line" </dev/null 2>&1; done <commands' |
	plain >"$work/printed"
diff "$work/expected" "$work/printed"

block bash | while IFS= read -r task; do
	inside "$task" </dev/null >"$work/out" 2>&1 && status=0 || status=$?
	printf '%s: exit status %s\n' "$task" "$status"
	# 1 and 3 report problems of the example home, which has some.
	case $status in 0 | 1 | 3) ;; *) cat "$work/out" >&2; exit 1 ;; esac
done

chroot "$debian" dpkg --remove clawctl >/dev/null
test ! -e "$debian/usr/bin/clawctl"
echo 'deb-test: the package installs, runs the commands of the README, and can be removed'
