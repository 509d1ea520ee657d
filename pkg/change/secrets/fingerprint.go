package secrets

import (
	"crypto/sha256"
	"encoding/hex"
)

// fingerprintSize is how many bytes of the digest a fingerprint shows. Two secrets of one user do not share so many.
const fingerprintSize = 6

// Fingerprint returns a short name for a secret that does not show it. The same secret has the same fingerprint in
// every report. It is no protection for a weak password: whoever guesses one can compare the fingerprints.
func Fingerprint(secret string) string {
	sum := sha256.Sum256([]byte("clawctl secret\x00" + secret))
	return hex.EncodeToString(sum[:fingerprintSize])
}

// FingerprintLen is the number of characters of a fingerprint, which are hexadecimal digits.
const FingerprintLen = 2 * fingerprintSize
