package cli

import (
	"errors"
	"io"
	"strings"

	"clawctl/internal/failure"
	"clawctl/internal/ui"
)

// A PasswordOption is the flags that encrypt an output.
type PasswordOption struct {
	Encrypt bool
	File    string
}

// Flags are --encrypt and --password-file.
func (o *PasswordOption) Flags() []Flag {
	return []Flag{
		SwitchFlag(&o.Encrypt, "encrypt", "make an HTML page that only a password opens"),
		RequiredTextFlag(&o.File, "password-file", "FILE", "with --encrypt: the password is in FILE").
			WithDefault("ask on the terminal"),
	}
}

// Password returns the password: that of the file, or what somebody types twice.
func (o *PasswordOption) Password(a *App) (string, error) {
	if o.File == "" {
		return askPassword(a)
	}
	password, err := ReadFilledFile(a, "password-file", o.File)
	if err != nil {
		return "", err
	}
	if strings.ContainsAny(password, "\r\n\ufffd") { // which nobody can type into a page
		return "", Usage("--password-file: %s must have one line of UTF-8 text", o.File)
	}
	return password, nil
}

// askPassword asks for a new password on the terminal, without showing it.
func askPassword(a *App) (string, error) {
	if !ui.IsTerminal(a.Stdin) || !a.Console.Term.Is {
		return "", failure.Usage(a.CommandLine("--password-file", "password.txt"),
			"--encrypt needs a password, and there is no terminal to ask for it")
	}
	var typed []string
	var err error
	a.Progress.Print(func() {
		typed, err = ui.ReadHidden(a.Ctx, a.Stdin, a.Console.Dst, "Password for the page: ", "The same password again: ")
	})
	switch {
	case errors.Is(err, io.EOF) || a.Ctx.Err() != nil: // Ctrl-C or Ctrl-D
		return "", Interrupted(a)
	case err != nil:
		return "", InputError(StdinName, err)
	case typed[0] != typed[1]:
		return "", failure.Usage(a.CommandLine(), "the two passwords differ; nothing was written")
	case typed[0] == "":
		return "", failure.Usage(a.CommandLine(), "the password is empty; nothing was written")
	}
	return typed[0], nil
}
