package cli

import (
	"io"
	"os"
	"strings"

	"clawctl/internal/failure"
)

// ReadTextFile returns the text of a file without the line ends at its end. "-" is stdin; no path, no text.
func ReadTextFile(a *App, path string) (string, error) {
	var data []byte
	var err error
	switch path {
	case "":
		return "", nil
	case "-":
		data, err = io.ReadAll(a.Stdin)
	default:
		data, err = os.ReadFile(path)
	}
	if err != nil {
		return "", InputError(path, err)
	}
	return strings.TrimRight(strings.ToValidUTF8(string(data), "\ufffd"), "\r\n"), nil
}

// ReadFilledFile is ReadTextFile for a flag whose file must hold some text.
func ReadFilledFile(a *App, command, flag, path string) (string, error) {
	text, err := ReadTextFile(a, path)
	if err == nil && path != "" && strings.TrimSpace(text) == "" {
		return "", failure.Usage("clawctl help "+command, "--%s: %s is empty", flag, path)
	}
	return text, err
}
