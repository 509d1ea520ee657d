package secrets

import (
	"strings"
	"testing"
)

func TestFingerprint(t *testing.T) {
	one, other := Fingerprint("correct horse"), Fingerprint("correct horsf")
	if one != Fingerprint("correct horse") || one == other || len(one) != FingerprintLen {
		t.Errorf("%s, %s", one, other)
	}
	if strings.Trim(one, "0123456789abcdef") != "" {
		t.Errorf("%s has other characters than hexadecimal digits", one)
	}
}
