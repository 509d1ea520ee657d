package cli

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"clawctl/internal/failure"
	"clawctl/internal/process"
	"clawctl/internal/spool"
	"clawctl/internal/ui"
	"clawctl/pkg/bundle"
	"clawctl/pkg/dbfile"
	"clawctl/pkg/jsonl"
	"clawctl/pkg/source"
	"clawctl/pkg/store"
)

// StdinName is what reports call standard input; no path of a file looks like it.
const StdinName = "<stdin>"

// inputCodes are the codes of errors that packages return for input.
var inputCodes = []struct {
	err  error
	code failure.Code
}{
	{jsonl.ErrDialect, failure.NotTranscript},
	{dbfile.ErrCorrupt, failure.Corrupt},
	{dbfile.ErrLocked, failure.Locked},
	{dbfile.ErrChanged, failure.Changed},
	{dbfile.ErrForeign, failure.Unrecognized},
	{dbfile.ErrNewer, failure.Newer},
	{bundle.ErrNewer, failure.Newer},
}

// InputError gives an error of opening or reading a file its code, exit status and hint.
func InputError(path string, err error) *failure.Error {
	f := failure.New(failure.IO, "%s", source.Reason(err)).At(path)
	var damage *jsonl.Damage
	var compression *source.CompressionError
	var full *spool.FullError
	var temp *process.TempFolderError
	switch {
	case errors.As(err, &temp):
		return TempFolderFailure(temp)
	case errors.As(err, &full):
		return diskFullError(path, full)
	case errors.As(err, &damage):
		f = DamageError(path, damage)
	case errors.Is(err, fs.ErrNotExist):
		f = failure.New(failure.NotFound, "").At(path).WithHint(failure.Command("ls", nearestFolder(path)))
	case errors.Is(err, fs.ErrPermission):
		f = failure.New(failure.Denied, "").At(path).WithHint(failure.Command("ls", "-l", path))
	case errors.As(err, new(*bundle.RefusedError)):
		f = failure.New(failure.BadBundle, "%s", err).At(path).WithHint("zstd -dc " + failure.Quote(path) + " | tar -t")
	case errors.As(err, &compression):
		f = compressionError(path, compression)
	case errors.Is(err, store.ErrIncomplete):
		place, _, _ := strings.Cut(path, "#")
		hint := failure.Command("clawctl", "import", "--to", place)
		f = failure.New(failure.Incomplete, "%v", err).At(path).WithHint(hint).AfterWork()
	default:
		for _, known := range inputCodes {
			if errors.Is(err, known.err) {
				f.Code = known.code
				break
			}
		}
	}
	if f.Code == failure.Newer {
		f.Hint = "clawctl version"
	}
	if path == StdinName {
		f.Hint = "" // there is no file that a command could name
	}
	return f
}

// diskFullError is the failure of input that is larger than the space for its private copy.
func diskFullError(path string, full *spool.FullError) *failure.Error {
	return failure.New(failure.IO, "a private copy of the input needs more space: %s has %s free, of which %s stay free; "+
		"%s can name another folder", full.Folder, ui.Bytes(full.Free), ui.Bytes(full.Reserve), tempVariable).
		At(path).WithHint(failure.Command("df", "-h", full.Folder))
}

// nearestFolder returns the innermost folder of a path that exists.
func nearestFolder(path string) string {
	folder := filepath.Dir(path)
	for folder != filepath.Dir(folder) {
		if info, err := os.Stat(folder); err == nil && info.IsDir() {
			break
		}
		folder = filepath.Dir(folder)
	}
	return folder
}

// DamageError is the failure of a damaged line.
func DamageError(path string, damage *jsonl.Damage) *failure.Error {
	return &failure.Error{
		Code: failure.Code(damage.Code), Exit: failure.ExitDamaged, Path: path, Line: damage.Line,
		Text: strings.TrimPrefix(damage.Error(), string(damage.Code)+" "), Hint: damageHint(path, damage),
	}
}

// decompressors are the commands that decompress whatever it takes.
var decompressors = map[string]string{"gzip": "gzip -dc", "zstd": "zstd -dc --long=31"}

func compressionError(path string, err *source.CompressionError) *failure.Error {
	f := failure.New(failure.BadCompression, "%s", source.Reason(err)).At(path).AfterWork()
	if errors.Is(err, source.ErrBomb) || errors.Is(err, source.ErrWindow) {
		f.Exit, f.Done, f.Text = failure.ExitUsage, false, err.Err.Error()
		f.Hint = decompressors[err.Format] + " " + failure.Quote(path) + " | clawctl cat -"
	}
	return f
}

// OutputError gives an error of writing its code.
func OutputError(path string, err error) *failure.Error {
	f := failure.New(failure.IO, "write: %s", source.Reason(err)).At(path)
	if errors.Is(err, fs.ErrNotExist) {
		f.Hint = failure.Command("mkdir", "-p", filepath.Dir(path))
	}
	return f
}

// A WriteFailure marks an error of the output that came up while reading.
type WriteFailure struct{ Err error }

// WriteFailed marks an error of the output.
func WriteFailed(err error) error { return &WriteFailure{err} }

func (w *WriteFailure) Error() string { return w.Err.Error() }
func (w *WriteFailure) Unwrap() error { return w.Err }

// ReadError reports an error that came up while reading: of the input, or of the output.
func ReadError(a *App, name string, err error) error {
	var w *WriteFailure
	if errors.As(err, &w) {
		return WriteError(a, w.Err)
	}
	return InputError(name, err)
}

// WriteError reports a failed write. A closed pipe is no failure.
func WriteError(a *App, err error) error {
	if IsClosedPipe(err) {
		return err
	}
	return &WriteFailure{OutputError(a.Output.Name, err)}
}

// IsClosedPipe reports whether a write failed because nobody reads any more.
func IsClosedPipe(err error) bool {
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
