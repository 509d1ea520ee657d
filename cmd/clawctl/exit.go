package main

// Exit codes and errors, for every command:
//
//   - A command returns an error; this file alone turns it into words and an exit code.
//   - The words are `clawctl: PLACE: CODE what is wrong`, then `hint: COMMAND` where a command helps. Nothing else is
//     printed: no usage text, no stack trace. With --json the same is one object on stderr.
//   - Codes are stable: CL0nn for damage in a transcript (package jsonl), CL9nn for what is listed here.
//   - No error contains text of a transcript, which may be secret. Names of files are shown with control characters
//     escaped.

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"

	"clawctl/pkg/dbfile"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
)

const (
	exitOK          = 0
	exitFindings    = 1
	exitUsage       = 2
	exitDamaged     = 3
	exitNothing     = 4
	exitDatabase    = 5
	exitLocked      = 11
	exitInterrupted = 130
)

// exitWords explains the exit codes; help texts are made from it.
var exitWords = []struct {
	code  int
	words string
}{
	{exitOK, "done"},
	{exitFindings, "findings, or verify found a difference"},
	{exitUsage, "wrong usage, or it could not run"},
	{exitDamaged, "done, but some input was damaged or skipped"},
	{exitNothing, "nothing found there, or not a transcript"},
	{exitDatabase, "the database is corrupt, foreign or newer"},
	{exitLocked, "locked"},
	{exitInterrupted, "interrupted; run it again to resume"},
}

// The codes of errors that are not damage in a line.
const (
	codeUsage        = "CL900"
	codeNotFound     = "CL901"
	codeDenied       = "CL902"
	codeNoTranscript = "CL903"
	codeExists       = "CL904"
	codeCompression  = "CL905"
	codeIO           = "CL906"
	codeInterrupted  = "CL907"
	codeInternal     = "CL908"
	codeNothing      = "CL909"
	codeCorrupt      = "CL910"
	codeForeign      = "CL911"
	codeNewer        = "CL912"
	codeLocked       = "CL913"
	codeChanged      = "CL914"
	codeNoMessages   = "CL915"
	codeTooLarge     = "CL916"
	codeCondition    = "CL917"
	codeConfig       = "CL918"
	codeNoRequest    = "CL919"
	codeAllKept      = "CL920"
	codeNoSummary    = "CL921"
	codeSummarizer   = "CL922"
	codeBadSummary   = "CL923"
	codeNoIDs        = "CL924"
	codeDiffers      = "CL925"
	codeLeftOut      = "CL926"
)

// A failure is an error with everything that its report needs.
type failure struct {
	exit int
	code string
	path string
	line int64
	text string
	hint string // a command, or ""
	done bool   // the command did its work all the same: its output is complete
}

func (f *failure) Error() string {
	place := ""
	if f.path != "" {
		place = f.path + ": "
		if f.line > 0 {
			place = fmt.Sprintf("%s:%d: ", f.path, f.line)
		}
	}
	code := ""
	if f.code != "" {
		code = f.code + " "
	}
	return place + code + f.text
}

// A reported error has been told to the user already; what is left of it is the exit code.
type reported struct {
	exit int
	done bool
}

func (r *reported) Error() string { return "reported already" }

// errDamaged ends a command that did its work on damaged input.
var errDamaged error = &reported{exit: exitDamaged, done: true}

// errInterrupted ends a command that Ctrl-C stopped.
var errInterrupted error = &failure{exit: exitInterrupted, code: codeInterrupted, text: "interrupted"}

// keepsOutput reports whether the output of a command that returned err is complete all the same.
func keepsOutput(err error) bool {
	var f *failure
	var r *reported
	return err == nil || errors.As(err, &f) && f.done || errors.As(err, &r) && r.done
}

func usageError(hint, format string, args ...any) error {
	return &failure{exit: exitUsage, code: codeUsage, text: fmt.Sprintf(format, args...), hint: hint}
}

func internalError(err error) error {
	return &failure{exit: exitUsage, code: codeInternal, text: "internal error: " + err.Error() + " (please report it with the command that shows it)"}
}

// inputError gives an error of opening or reading a file its code, exit code and hint.
func inputError(path string, err error) error {
	f := &failure{exit: exitUsage, code: codeIO, path: path, text: source.Reason(err)}
	var compression *source.CompressionError
	var damage *jsonl.Damage
	switch {
	case errors.As(err, &damage):
		f.exit, f.code, f.line = exitDamaged, string(damage.Code), damage.Line
		f.text = strings.TrimPrefix(damage.Error(), f.code+" ")
		f.hint = damageHint(path, damage)
	case errors.Is(err, jsonl.ErrDialect):
		f.exit, f.code = exitNothing, codeNoTranscript
	case errors.Is(err, fs.ErrNotExist):
		f.exit, f.code, f.text = exitNothing, codeNotFound, "no such file"
	case errors.Is(err, fs.ErrPermission):
		f.code, f.text, f.hint = codeDenied, "permission denied", "ls -l "+shellQuote(path)
	case errors.Is(err, dbfile.ErrCorrupt):
		f.exit, f.code = exitDatabase, codeCorrupt
	case errors.Is(err, dbfile.ErrLocked):
		f.exit, f.code = exitLocked, codeLocked
	case errors.Is(err, dbfile.ErrChanged):
		f.exit, f.code = exitUsage, codeChanged
	case errors.Is(err, dbfile.ErrForeign):
		f.exit, f.code = exitDatabase, codeForeign
	case errors.Is(err, dbfile.ErrNewer):
		f.exit, f.code = exitDatabase, codeNewer
	case errors.As(err, &compression):
		f.exit, f.code, f.done = exitDamaged, codeCompression, true
		if errors.Is(err, source.ErrBomb) || errors.Is(err, source.ErrWindow) {
			f.exit, f.done, f.text = exitUsage, false, compression.Err.Error()
			f.hint = decompressors[compression.Format] + " " + shellQuote(path) + " | clawctl cat -"
		}
	}
	if path == stdinName {
		f.hint = "" // there is no file that a command could name
	}
	return f
}

// decompressors are the commands that decompress whatever it takes.
var decompressors = map[string]string{"gzip": "gzip -dc", "zstd": "zstd -dc --long=31"}

// stdinName is what reports call standard input; no path of a file looks like it.
const stdinName = "<stdin>"

// outputError gives an error of writing its code.
func outputError(path string, err error) error {
	return &failure{exit: exitUsage, code: codeIO, path: path, text: "write: " + source.Reason(err)}
}

// isClosedPipe reports whether a write failed because nobody reads any more.
func isClosedPipe(err error) bool {
	if errors.Is(err, syscall.EPIPE) {
		return true
	}
	for _, errno := range closedPipeErrnos {
		if errors.Is(err, errno) {
			return true
		}
	}
	return false
}

// report prints an error and returns the exit code.
func (a *app) report(err error) int {
	if err == nil || isClosedPipe(err) {
		return exitOK
	}
	var f *failure
	var r *reported
	if errors.As(err, &r) && !errors.As(err, &f) {
		return r.exit
	}
	if !errors.As(err, &f) {
		f = &failure{exit: exitUsage, code: codeIO, text: err.Error()}
	}
	if f.exit == exitInterrupted {
		a.progress.clear()
		return f.exit
	}
	a.complain(f)
	return f.exit
}

// complain prints one failure on stderr.
func (a *app) complain(f *failure) {
	a.progress.clear()
	if a.json {
		fmt.Fprint(a.stderr, jsonLine(errorReport{Error: errorBody{f.code, f.text, f.hint, f.path, f.line}}))
		return
	}
	fmt.Fprintf(a.stderr, "%s %s\n", a.errTerm.paint(styleError, "clawctl:"), escapeControls(f.Error()))
	if f.hint != "" {
		fmt.Fprintf(a.stderr, "%s %s\n", a.errTerm.paint(styleHint, "hint:"), escapeControls(f.hint))
	}
}

// note prints a remark on stderr, unless --quiet.
func (a *app) note(format string, args ...any) {
	if a.quiet || a.json {
		return
	}
	a.progress.clear()
	fmt.Fprintf(a.stderr, "clawctl: %s\n", escapeControls(fmt.Sprintf(format, args...)))
}

// errorReport is the JSON form of an error.
type errorReport struct {
	OK    bool      `json:"ok"`
	Error errorBody `json:"error"`
}

type errorBody struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
	Path    string `json:"path,omitempty"`
	Line    int64  `json:"line,omitempty"`
}

// jsonLine returns a value as one line of JSON.
func jsonLine(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // our own types always encode
	}
	return b.String()
}

// shellQuote quotes a name for a command in a hint where it needs that.
func shellQuote(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%,=", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
