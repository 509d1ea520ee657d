#!/usr/bin/env bash
# Runs the tests for Windows under wine: run.sh [PACKAGE]... (./internal/... ./pkg/... ./cmd/clawctl without any).
#
# Debian's packages wine, wine64 and gcc-mingw-w64-x86-64 are needed. Debian's wine 8 lacks two things that Go programs
# need on Windows, and pretends to do a third one:
#
#   - ProcessPrng, which gives random bytes. prng.c provides it.
#   - Deleting by FileDispositionInformationEx. Go knows another way, for older systems, and a copy of its file always
#     takes it.
#   - Symbolic links: wine reports success and makes none. A copy of Go's file says that there are none, so tests skip.
#
# Only the tests are built with these copies. gaps.txt lists the tests that wine cannot run, each with its reason.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=scripts/windows
cache=${WINDOWS_CACHE:-$HOME/.cache/clawctl-windows}
export WINEPREFIX=$cache/wine WINEDEBUG=-all WINEDLLOVERRIDES='mscoree,mshtml=' SHELL=/bin/sh

for program in wine x86_64-w64-mingw32-gcc; do
	command -v "$program" >/dev/null || { echo "$program is missing: apt-get install wine wine64 gcc-mingw-w64-x86-64"; exit 2; }
done

mkdir -p "$cache/go" "$cache/tests" "$cache/temp"
if ! test -f "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll"; then
	wineboot -i >/dev/null 2>&1
	x86_64-w64-mingw32-gcc -shared -O -o "$WINEPREFIX/drive_c/windows/system32/bcryptprimitives.dll" "$here/prng.c" -ladvapi32
fi

# Scripts work on the drive that has the sources.
GOTMPDIR=$(winepath -w "$cache/temp")
export GOTMPDIR

# Writes a copy of a file of Go with one change, which must apply.
copy() {
	sed "$2" "$(go env GOROOT)/src/$1" >"$cache/go/${1//\//_}.new"
	if cmp -s "$(go env GOROOT)/src/$1" "$cache/go/${1//\//_}.new"; then echo "Go's $1 has changed: see $0"; exit 2; fi
	mv "$cache/go/${1//\//_}.new" "$cache/go/${1//\//_}"
}
copy internal/syscall/windows/at_windows.go 's/^var TestDeleteatFallback bool$/var TestDeleteatFallback = true/'
copy os/file_windows.go 's/^func Symlink(oldname, newname string) error {$/&\n\tif newname != "" {\n\t\treturn \&LinkError{"symlink", oldname, newname, syscall.EWINDOWS}\n\t}/'
cat >"$cache/go/overlay.json" <<-END
	{"Replace": {
	"$(go env GOROOT)/src/internal/syscall/windows/at_windows.go": "$cache/go/internal_syscall_windows_at_windows.go",
	"$(go env GOROOT)/src/os/file_windows.go": "$cache/go/os_file_windows.go"}}
END

# Builds the tests of a package.
build() { GOTMPDIR='' CGO_ENABLED=0 GOOS=windows GOARCH=amd64 go test -c -overlay "$cache/go/overlay.json" -o "$2" "$1"; }

# Prints the pattern of the tests of a package that wine cannot run.
gaps() { sed -n "s|^$1 \([^ ]*\) .*|\1|p" "$here/gaps.txt" | paste -sd '|'; }

packages=("$@")
((${#packages[@]})) || packages=(./internal/... ./pkg/... ./cmd/clawctl)
failed=0
while read -r package folder; do
	name=${package#clawctl/}
	binary=$cache/tests/${name//\//_}.exe
	skip=$(gaps "$name")
	if ! build "$package" "$binary"; then
		failed=1
		echo "FAIL $name: it does not build"
	elif (cd "$folder" && wine "$binary" -test.timeout 60m ${skip:+-test.skip "^($skip)\$"}) </dev/null >"$binary.log" 2>&1; then
		echo "ok   $name${skip:+ (without $skip)}"
	else
		failed=1
		echo "FAIL $name"
		grep -E '^ *(--- FAIL|[a-z_]+_test\.go:|panic:)' "$binary.log" | head -n 40 || tail -n 20 "$binary.log"
	fi
done < <(go list -f '{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}} {{.Dir}}{{end}}' "${packages[@]}" | sed '/^$/d')
exit $failed
