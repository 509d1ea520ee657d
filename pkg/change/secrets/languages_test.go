package secrets

import (
	"fmt"
	"strings"
	"testing"

	"clawctl/pkg/change/secrets/secretstest"
)

// perList is how many secrets a list of forms gets: each form has several.
const perList = 150

func TestLanguages(t *testing.T) {
	if n := len(secretstest.Languages); n != 10 {
		t.Errorf("%d languages", n)
	}
	for i, language := range secretstest.Languages {
		t.Run(language, func(t *testing.T) {
			forms := secretstest.Forms(language)
			if n := len(forms); n != 20 {
				t.Errorf("%d forms", n)
			}
			noneStands(t, uint64(1000*(i+1)), forms)
		})
	}
}

func TestColumns(t *testing.T) { noneStands(t, 20_000, secretstest.Forms("columns")) }

func TestBroken(t *testing.T) { noneStands(t, 30_000, secretstest.Forms("broken")) }

func TestOthers(t *testing.T) { noneStands(t, 40_000, secretstest.Forms("others")) }

func TestLookAlikes(t *testing.T) {
	texts := secretstest.Forms("lookalikes")
	if n := len(texts); n != 200 {
		t.Errorf("%d texts", n)
	}
	alarms := 0
	for _, form := range texts {
		text := form.Text
		if masked, n := mask(text); n > 0 || masked != text {
			alarms++
			t.Errorf("%q became %q", text, masked)
		}
	}
	if alarms > 0 {
		t.Errorf("%d of %d texts were changed", alarms, len(texts))
	}
}

// noneStands plants secrets in forms, masks each text, and reports the forms whose values still stand there.
func noneStands(t *testing.T, seed uint64, forms []secretstest.Form) {
	t.Helper()
	planted, standing := 0, 0
	misses := make([]int, len(forms))
	examples := make([]string, len(forms))
	rounds := (perList + len(forms) - 1) / len(forms)
	for n := range rounds * len(forms) {
		i := n % len(forms)
		text, values := secretstest.Fill(seed+uint64(n), forms[i].Text)
		if len(values) == 0 {
			t.Errorf("%s has no secret", forms[i].Name)
		}
		masked, _ := mask(text)
		planted += len(values)
		for _, v := range values {
			if strings.Contains(masked, v) {
				standing++
				misses[i]++
				examples[i] = fmt.Sprintf("%q", masked)
			}
		}
	}
	failing := 0
	for i, n := range misses {
		if n > 0 {
			failing++
			t.Errorf("%s: %d values stand, as in %s", forms[i].Name, n, examples[i])
		}
	}
	if failing > 0 {
		t.Errorf("%d of %d forms show %d of %d values", failing, len(forms), standing, planted)
	}
}

// A mark at the end of a password is a part of it, and a full stop is one of the sentence.
func TestLastMark(t *testing.T) {
	for text, want := range map[string]string{
		"Passwort: Kx4vTq9Lmw!":                 "Passwort: [masked]",
		"das Passwort ist Kx4vTq9Lmw?":          "das Passwort ist [masked]",
		"the password of db01 is Kx4vTq9Lmw.":   "the password of db01 is [masked].",
		"the password is required!":             "the password is required!",
		"le mot de passe est Kx4vTq9Lmw! Merci": "le mot de passe est [masked] Merci",
	} {
		if got, _ := mask(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}
