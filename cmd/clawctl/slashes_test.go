package main

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
)

// Scripts are written for Unix, and run on Windows too. There, the commands of a script get paths with slashes, which
// Windows understands, and what they print is brought into the same form.

func scriptPath(path string) string { return filepath.ToSlash(path) }

// A slashWriter writes the paths of Windows as those of Unix. Every short write must have whole lines.
type slashWriter struct{ io.Writer }

// bulk is the size of writes that are data of transcripts, which may have backslashes of their own.
const bulk = 16 << 10

func (w slashWriter) Write(p []byte) (int, error) {
	if len(p) >= bulk {
		return w.Writer.Write(p)
	}
	if _, err := io.WriteString(w.Writer, unixPaths(string(p))); err != nil {
		return 0, err
	}
	return len(p), nil
}

// The places in a text where a path has a backslash. JSON has two of them, and other escapes with one.
var (
	backslash     = regexp.MustCompile(`([\w.:~-])\\([\w.~*(-])`)
	jsonBackslash = regexp.MustCompile(`([\w.:~-])\\\\([\w.~*(-])`)
	// A word with a backslash is quoted in a hint, and one with slashes is not.
	quotedPath = regexp.MustCompile(`'([\w:.-]*/[\w/.:@%,=+-]*)'`)
)

func unixPaths(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		before := line
		if strings.Contains(line, `":`) {
			line = jsonBackslash.ReplaceAllString(jsonBackslash.ReplaceAllString(line, "$1/$2"), "$1/$2")
		} else {
			line = backslash.ReplaceAllString(backslash.ReplaceAllString(line, "$1/$2"), "$1/$2")
		}
		if line != before {
			line = quotedPath.ReplaceAllString(line, "$1")
		}
		b.WriteString(line)
	}
	return b.String()
}

// likeUnix gives a command of a script the output and the home folder that it would have on Unix.
func likeUnix(stdout, stderr io.Writer) (io.Writer, io.Writer) {
	if runtime.GOOS != "windows" || os.Getenv("WORK") == "" {
		return stdout, stderr
	}
	if home := os.Getenv("HOME"); home != "" {
		os.Setenv("USERPROFILE", home)
	}
	return slashWriter{stdout}, slashWriter{stderr}
}
