#!/bin/sh
# Installs a Debian package of clawctl in a new Debian and runs the commands of the README there.
#
#   scripts/deb-test.sh PACKAGE.deb
#
# What the README shows must be printed, except for times and versions, and its other tasks must succeed or report the
# problems of the example home. Man pages, completion and systemd units must work where the package puts them. The new
# Debian is a temporary folder, which is removed. It needs root and debootstrap. SUITE and MIRROR choose the Debian.
set -eu

fail() {
	printf 'deb-test: %s\n' "$1" >&2
	exit 1
}

step() { printf 'deb-test: %s\n' "$1"; }

if [ $# != 1 ] || [ ! -f "$1" ]; then fail 'name one package; make snapshot builds it'; fi
package=$(realpath "$1")
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || fail 'it needs root'
command -v debootstrap >/dev/null || fail 'it needs debootstrap'

work=$(mktemp -d)
trap 'rm -rf --one-file-system "$work"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM
chmod 755 "$work"
debian=$work/debian

step "install Debian ${SUITE:=bookworm}"
debootstrap --variant=minbase --include=bash-completion,man-db,systemd "$SUITE" "$debian" ${MIRROR:+"$MIRROR"} \
	>"$work/log" || fail "debootstrap: $(tail -n 5 "$work/log")"

# inside runs a command in the new Debian as a user with an example home.
inside() {
	chroot --userspec=1000:1000 "$debian" env -i HOME=/home/user TZ=UTC LC_ALL=C.UTF-8 PATH=/usr/bin:/bin sh -c "cd && $1"
}

step "install $(basename "$package")"
cp "$package" "$debian/clawctl.deb"
chroot "$debian" dpkg -i /clawctl.deb >"$work/log" 2>&1 || fail "dpkg: $(cat "$work/log")"
mkdir -p "$debian/home/user"
cp -R testdata "$debian/home/user/testdata"
cp -R testdata/home "$debian/home/user/.openclaw"
chown -R 1000:1000 "$debian/home/user"
inside 'clawctl version'

step 'run the examples of the README and compare what they print'
# block LANGUAGE prints the blocks of the README in a language.
block() { awk -v start="\`\`\`$1" '$0 == "```" { on = 0 } on { print } $0 == start { on = 1 }' README.md; }

# plain replaces what differs between two runs.
plain() { sed -E 's/[0-9]+\.[0-9]+ s\b/0.00 s/g; s|clawctl [^ ]+ linux/[a-z0-9]+|clawctl VERSION|g'; }

block console | plain >"$work/expected"
block console | sed -n 's/^\$ //p' >"$debian/home/user/commands"
[ -s "$debian/home/user/commands" ] || fail 'the README has no examples'
# shellcheck disable=SC2016 # the shell inside expands these
inside 'while IFS= read -r line; do printf "\$ %s\n" "$line"; sh -c "$line" </dev/null 2>&1; done <commands' |
	plain >"$work/printed"
diff "$work/expected" "$work/printed" || fail 'the README shows something else'

step 'run the tasks of the README'
# A line of crontab is a task without its five times.
{ block bash; block crontab | awk '{ $1 = $2 = $3 = $4 = $5 = ""; print }'; } | sed 's/^ *//' >"$work/tasks"
while IFS= read -r task; do
	inside "$task" </dev/null >"$work/out" 2>&1 && status=0 || status=$?
	printf '%s: exit status %s\n' "$task" "$status"
	# 1 and 3 report problems of the example home, which has some.
	case $status in 0 | 1 | 3) ;; *) fail "$(cat "$work/out")" ;; esac
done <"$work/tasks"
for file in talk.html request.json; do [ -s "$debian/home/user/$file" ] || fail "no task wrote $file"; done

step 'format the man pages'
for page in bin/release/man/*.1; do
	name=$(basename "$page" .1)
	inside "man --warnings $name" >"$work/page" 2>"$work/out" || fail "man $name: $(cat "$work/out")"
	grep -qi "^$name(1)" "$work/page" || fail "man $name shows something else"
	[ ! -s "$work/out" ] || fail "man $name: $(cat "$work/out")"
done

step 'load the completion of bash'
inside 'bash -c ". /usr/share/bash-completion/bash_completion; _completion_loader clawctl; complete -p clawctl"'

step 'check the units of systemd'
units='/usr/lib/systemd/user/clawctl-import.timer /usr/lib/systemd/user/clawctl-import.service'
inside "mkdir -p run && XDG_RUNTIME_DIR=\$HOME/run systemd-analyze --user verify $units" >"$work/out" 2>&1 ||
	fail "systemd-analyze: $(cat "$work/out")"
! grep clawctl "$work/out" || fail 'systemd-analyze has remarks'

step 'remove the package'
chroot "$debian" dpkg -L clawctl | grep clawctl >"$work/files"
chroot "$debian" dpkg --purge clawctl >"$work/log" 2>&1 || fail "dpkg: $(cat "$work/log")"
while IFS= read -r file; do [ ! -e "$debian$file" ] || fail "$file is left behind"; done <"$work/files"
step 'the package installs, runs the commands of the README, and can be removed'
