// Package portable knows which file names mean the same on every system. Windows, macOS and Linux differ in the names
// that they take, and in those that they take for one.
package portable

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// ExpandHome replaces a ~ at the beginning of a path by the home folder, if there is one.
func ExpandHome(path, home string) string {
	rest, ok := strings.CutPrefix(path, "~")
	if !ok || home == "" || rest != "" && rest[0] != '/' && rest[0] != filepath.Separator {
		return path
	}
	return filepath.Join(home, rest)
}

// maxName is the longest name, in bytes, that every system takes.
const maxName = 255

// devices are the names that Windows keeps for itself, whatever follows them after a dot.
var devices = []string{"con", "prn", "aux", "nul", "conin$", "conout$"}

// ports are numbered devices.
var ports = []string{"com", "lpt"}

// Check returns why a system would not take a name as it is, or "" if all of them do.
func Check(name string) string {
	switch {
	case name == "" || name == "." || name == "..":
		return "it names no file"
	case !utf8.ValidString(name):
		return "it is not UTF-8"
	case len(name) > maxName:
		return "it is too long"
	case strings.IndexFunc(name, isInvisible) >= 0:
		return "it has invisible characters"
	case strings.ContainsAny(name, forbidden):
		return "Windows has no such names"
	case strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") || isDevice(name):
		return "Windows has no such names"
	}
	return ""
}

// CheckPath is Check for every name of a path with slashes.
func CheckPath(name string) string {
	for _, part := range strings.Split(name, "/") {
		if reason := Check(part); reason != "" {
			return reason
		}
	}
	return ""
}

// forbidden are the characters that no name has on Windows.
const forbidden = `/\:*?"<>|`

// isInvisible reports whether a character does not show, or changes the order of those that do.
func isInvisible(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp) || slices.Contains(fillers, r)
}

// fillers are letters without a form.
var fillers = []rune{'\u115f', '\u1160', '\u3164', '\uffa0'}

func isDevice(name string) bool {
	stem, _, _ := strings.Cut(strings.ToLower(name), ".")
	stem = strings.TrimRight(stem, " ")
	if slices.Contains(devices, stem) {
		return true
	}
	return len(stem) > 3 && slices.Contains(ports, stem[:3]) && strings.Contains("0123456789¹²³", stem[3:]) &&
		utf8.RuneCountInString(stem) == 4
}

// Fold returns what two paths have in common that are one file on some system: Windows and macOS ignore case, and macOS
// also how an accent is written.
func Fold(name string) string {
	return norm.NFC.String(strings.ToLower(strings.ToUpper(norm.NFC.String(name))))
}

// usualName is how much of a name Name keeps, so that an end can be added.
const usualName = 180

// Name returns a name that every system takes, as similar as possible.
func Name(name string) string {
	name = strings.Map(func(r rune) rune {
		if isInvisible(r) || strings.ContainsRune(forbidden, r) {
			return '_'
		}
		return r
	}, strings.ToValidUTF8(name, "_"))
	name = cut(name, usualName)
	if name == "" || name == "." || name == ".." {
		return "_"
	}
	if last := len(name) - 1; name[last] == '.' || name[last] == ' ' {
		name = name[:last] + "_"
	}
	if isDevice(name) {
		name = "_" + name
	}
	return name
}

// ASCII returns a name with a dash for every character but letters and digits of ASCII, dots, at signs and underscores,
// so that it can be part of an address as it is.
func ASCII(name string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '@' || r == '_' {
			return r
		}
		return '-'
	}, name)
}

// maxSlug is the longest slug.
const maxSlug = 120

// Slug returns a name of ASCII for a file that every system takes and that can be part of an address. It has neither an
// end nor a dot or a dash at its ends.
func Slug(name string) string {
	name = cut(strings.Trim(ASCII(name), ".-"), maxSlug)
	name = strings.TrimRight(name, ".")
	if name == "" {
		return "session"
	}
	if isDevice(name) {
		name = "_" + name
	}
	return name
}

// cut returns the beginning of a text, in whole characters.
func cut(text string, size int) string {
	if len(text) <= size {
		return text
	}
	for size > 0 && !utf8.RuneStart(text[size]) {
		size--
	}
	return text[:size]
}
