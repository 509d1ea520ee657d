package page

import (
	"bufio"
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"regexp"
	"strings"
	"testing"
	"testing/iotest"
)

var (
	lockPattern   = regexp.MustCompile(`<script type="application/json" id="lock">([^<]*)</script>`)
	sealedPattern = regexp.MustCompile(`<script type="application/octet-stream" id="sealed-\d+">([^<]*)</script>`)
)

// lockedPageOf returns an encrypted page. The salt is always the same, and 0 rounds are as many as usual.
func lockedPageOf(t testing.TB, transcript []byte, password string, rounds int) string {
	t.Helper()
	lock := &Lock{password, bytes.NewReader(make([]byte, saltSize)), rounds}
	text, _ := pageOf(t, transcript, Options{Raw: true, Lock: lock})
	return text
}

// unlock opens an encrypted page as its script does.
func unlock(page, password string) (string, error) {
	var head lockHead
	if err := json.Unmarshal([]byte(lockPattern.FindStringSubmatch(page)[1]), &head); err != nil {
		return "", err
	}
	key, err := pbkdf2.Key(sha256.New, password, head.Salt, head.Rounds, 32)
	if err != nil {
		return "", err
	}
	block, _ := aes.NewCipher(key)
	gcm, _ := cipher.NewGCM(block)
	var opened []byte
	segments := segmentsOf(page)
	for i, segment := range segments {
		_, content, _ := strings.Cut(strings.TrimSuffix(segment, "</script>\n"), ">")
		sealed, err := base64.StdEncoding.DecodeString(content)
		if err != nil {
			return "", err
		}
		if opened, err = gcm.Open(opened, nonceOf(uint64(i), i == len(segments)-1), sealed, nil); err != nil {
			return "", err
		}
	}
	return string(opened), nil
}

// segmentsOf returns the lines of a page with sealed segments.
func segmentsOf(page string) (segments []string) {
	for line := range strings.Lines(page) {
		if strings.Contains(line[:min(len(line), 80)], ` id="sealed-`) {
			segments = append(segments, line)
		}
	}
	return segments
}

// An encrypted page has the data of the usual one, and only its password opens it.
func TestLockedPage(t *testing.T) {
	transcript := richTranscript()
	locked := lockedPageOf(t, transcript, "correct horse", 1000)
	opened, err := unlock(locked, "correct horse")
	if err != nil {
		t.Fatal(err)
	}
	usual, _ := pageOf(t, transcript, Options{Raw: true})
	for _, match := range regexp.MustCompile(`(?m)^<script type="[^"]*" id="[^"]*">[^<]*</script>$`).
		FindAllString(usual, -1) {
		if !strings.Contains(opened, match) {
			t.Errorf("the encrypted page lacks %.80s", match)
		}
	}
	if _, err := unlock(locked, "correct horsf"); err == nil {
		t.Error("another password opens the page")
	}
}

// Without the password, nothing of the session can be read: every word of the file is one of any encrypted page's.
func TestLockedPageSaysNothing(t *testing.T) {
	locked := lockedPageOf(t, richTranscript(), "p", 0)
	empty := strings.ReplaceAll(lockedPageOf(t, nil, "p", 1), `"rounds":1}`, `"rounds":600000}`)
	known := map[string]bool{}
	for _, word := range wordsOf(sealedPattern.ReplaceAllString(empty, "")) {
		known[word] = true
	}
	for _, word := range wordsOf(sealedPattern.ReplaceAllString(locked, "")) {
		if !known[word] {
			t.Errorf("%q is in clear", word)
		}
	}
}

// Segments can be neither moved nor left out.
func TestLockedSegments(t *testing.T) {
	lock := lockHead{Salt: make([]byte, saltSize), Rounds: 1}
	head, _ := json.Marshal(lock)
	var b bytes.Buffer
	out := bufio.NewWriter(&b)
	data(out, "application/json", "lock", head)
	w, err := newSealWriter(out, "p", lock)
	if err != nil {
		t.Fatal(err)
	}
	for range 5 {
		_, _ = w.Write(make([]byte, segmentSize/2))
	}
	w.write(true)
	out.Flush()
	locked := b.String()
	segments := segmentsOf(locked)
	if opened, err := unlock(locked, "p"); err != nil || len(opened) != 5*segmentSize/2 || len(segments) != 3 {
		t.Fatalf("%d segments, %d bytes: %v", len(segments), len(opened), err)
	}
	start, _, _ := strings.Cut(locked, segments[0])
	for name, list := range map[string][]string{
		"cut": {segments[0], segments[1]}, "moved": {segments[1], segments[0], segments[2]},
		"short": {segments[0], segments[2]},
	} {
		if _, err := unlock(start+strings.Join(list, ""), "p"); err == nil {
			t.Errorf("%s: the page opens", name)
		}
	}
}

// A page without a salt is not written.
func TestLockWithoutSalt(t *testing.T) {
	broken := errors.New("no randomness")
	o := Options{Lock: &Lock{Password: "p", Random: iotest.ErrReader(broken)}}
	if _, err := Write(t.Context(), &bytes.Buffer{}, sessionOf(t, richTranscript()), o); !errors.Is(err, broken) {
		t.Error(err)
	}
}
