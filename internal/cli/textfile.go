package cli

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/openfile"
)

// maxText is the largest text that a flag takes.
const maxText = 64 << 20

// ReadFlagFile returns what the file of a flag holds.
func ReadFlagFile(a *App, flag, path string) ([]byte, error) {
	data, err := openfile.NamedContent(path, maxText)
	if err != nil {
		return nil, a.flagFileError(flag, path, err)
	}
	return data, nil
}

// ReadTextFile returns the text of the file of a flag without the line ends at its end. "-" is stdin; no path, no text.
func ReadTextFile(a *App, flag, path string) (string, error) {
	var data []byte
	var err error
	switch path {
	case "":
		return "", nil
	case "-":
		if data, err = openfile.ReadAll(a.Stdin, maxText); err != nil {
			return "", InputError(StdinName, err)
		}
	default:
		if data, err = ReadFlagFile(a, flag, path); err != nil {
			return "", err
		}
	}
	return strings.TrimRight(strings.ToValidUTF8(string(data), "\ufffd"), "\r\n"), nil
}

// ReadMessageFile is ReadTextFile for a flag that takes a message. If there is no such file, the value is most likely
// the message itself, and the hint shows how to give it.
func ReadMessageFile(a *App, flag, path string) (string, error) {
	text, err := ReadTextFile(a, flag, path)
	var f *failure.Error
	if errors.As(err, &f) && f.Code == failure.NotFound && a.hasFreeStdin() {
		f.Hint = cmp.Or(a.nearPath(path), failure.Command("echo", path)+" | "+a.commandNaming(path, "-"))
	}
	return text, err
}

// hasFreeStdin reports whether a flag may read stdin, because the operands say what else is read.
func (a *App) hasFreeStdin() bool { return len(a.operands) > 0 && !slices.Contains(a.operands, "-") }

// ReadFilledFile is ReadTextFile for a flag whose file must hold some text.
func ReadFilledFile(a *App, flag, path string) (string, error) {
	text, err := ReadTextFile(a, flag, path)
	if err != nil {
		return "", err
	}
	return text, a.RefuseEmpty(flag, path, text)
}

// RefuseEmpty refuses the file of a flag if there is no text in it.
func (a *App) RefuseEmpty(flag, path, text string) error {
	if path != "" && strings.TrimSpace(text) == "" {
		return Usage("--%s: %s is empty", flag, path)
	}
	return nil
}

// flagFileError is the failure of a file that a flag names. It says that the flag takes a file, because other flags
// take a text.
func (a *App) flagFileError(flag, path string, err error) *failure.Error {
	f := InputError(path, err)
	switch info, statErr := os.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		f.Text = "--" + flag + " takes a file, and there is none with this name"
		f.Hint = a.nearPath(path)
	case statErr == nil && info.IsDir():
		f.Text = "--" + flag + " takes a file, got a folder"
	}
	f.Hint = cmp.Or(f.Hint, a.command.helpCommand())
	return f
}
