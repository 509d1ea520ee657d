// Package secretstest plants made-up secrets in transcripts: in the forms in which people and programs write them, and
// in every place where a transcript has text. Tests count how many of them an output still shows. The package knows
// nothing about how secrets are found, and shares no code with what finds them.
package secretstest

import (
	_ "embed"
	"strconv"
	"strings"
)

// A Form is a way to write a secret. In its text, {kind} stands for a random secret, and the rest is what is around it.
type Form struct{ Name, Text string }

// The lists of forms, with their names and texts, which have escapes as in Go.
//
//go:embed forms.txt
var lists string

// Languages are the lists of what people write in chats, tickets and notes.
var Languages = []string{
	"English", "German", "French", "Spanish", "Portuguese", "Italian", "Russian", "Chinese", "Japanese", "Korean",
}

// Forms returns a list: commands, settings, keys, columns, broken, others, a language, or lookalikes, which are none.
func Forms(list string) (forms []Form) {
	isList := false
	for line := range strings.Lines(lists) {
		line = strings.TrimSuffix(line, "\n")
		if name, ok := strings.CutPrefix(line, "# "); ok {
			isList = name == list
			continue
		}
		if name, text, _ := strings.Cut(line, "\t"); isList {
			text, err := strconv.Unquote(`"` + strings.ReplaceAll(text, `"`, `\"`) + `"`)
			if err != nil {
				panic(line)
			}
			forms = append(forms, Form{name, text})
		}
	}
	return forms
}

// fields are names of fields that hold secrets, and the kind of their values.
var fields = []struct{ Name, Kind string }{
	{"password", "word"}, {"Password", "password"}, {"passwd", "word"}, {"db_password", "word"},
	{"passphrase", "password"},
	{"api_token", "key"}, {"access_token", "key"}, {"refreshToken", "key"}, {"client_secret", "key"}, {"apiKey", "key"},
	{"X-Api-Key", "key"}, {"Authorization", "key"}, {"authorization", "bearer"}, {"secret", "key"}, {"private_key", "key"},
	{"pwd", "word"}, {"Cookie", "cookie"}, {"aws_secret_access_key", "base64of40"}, {"sessionToken", "key"},
	{"connectionString", "connection"},
}
