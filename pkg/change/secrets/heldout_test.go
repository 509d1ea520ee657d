package secrets

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"go/build"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"clawctl/internal/longtest"
)

// A scribe writes messages without secrets: what agents read all day and what looks like keys to a careless rule.
type scribe struct {
	*rand.Rand
	sources []string // of Go
}

// newScribe reads Go's sources, without tests, which have keys of their own.
func newScribe(t *testing.T, seed uint64) *scribe {
	t.Helper()
	s := &scribe{Rand: rand.New(rand.NewPCG(seed, 2026))}
	root, size := filepath.Join(build.Default.GOROOT, "src"), 0
	err := filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() && e.Name() == "testdata" {
			return fs.SkipDir
		}
		isWanted := strings.HasSuffix(path, ".go") && !strings.HasSuffix(path, "_test.go") && s.IntN(5) == 0
		if text, err := os.ReadFile(path); isWanted && err == nil && len(text) > 2000 && size < 8<<20 {
			s.sources = append(s.sources, string(text))
			size += len(text)
		}
		return nil
	})
	if err != nil || len(s.sources) < 100 {
		t.Skip("no sources of Go here:", err)
	}
	return s
}

func (s *scribe) bytes(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(s.Uint32())
	}
	return b
}

func (s *scribe) hex(n int) string    { return hex.EncodeToString(s.bytes(n)) }
func (s *scribe) base64(n int) string { return base64.StdEncoding.EncodeToString(s.bytes(n)) }
func (s *scribe) number(n int) string { return fmt.Sprint(1 + s.IntN(n)) }

func (s *scribe) uuid() string {
	h := s.hex(16)
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
}

var vocabulary = strings.Fields("the token of a session expires after one hour so the client asks for another by its " +
	"refresh token and the password is read from the environment never from a file because secrets in files leak while " +
	"an api key in the header authorizes every request and private keys stay on the server where the certificate is " +
	"renewed by a job that logs its own name the bearer of bad news wrote a function which counts tokens per message")

func (s *scribe) prose() string {
	var b strings.Builder
	for range 40 + s.IntN(200) {
		b.WriteString(vocabulary[s.IntN(len(vocabulary))])
		b.WriteString([]string{" ", " ", " ", " ", ", ", ". ", ": ", "\n"}[s.IntN(8)])
	}
	return b.String()
}

func (s *scribe) code() string {
	text := s.sources[s.IntN(len(s.sources))]
	at := s.IntN(len(text) - 1000)
	return text[at:min(len(text), at+500+s.IntN(3000))]
}

// log returns lines of logs, lock files, listings and configurations.
func (s *scribe) log() string {
	var b strings.Builder
	for range 5 + s.IntN(20) {
		kinds := []string{
			"2026-05-01T10:00:" + s.number(59) + "Z INFO request_id=" + s.uuid() + " trace=" + s.hex(16) + " status=200",
			"commit " + s.hex(20) + "\nindex " + s.hex(4)[:7] + ".." + s.hex(4)[:7] + " 100644",
			`      "integrity": "sha512-` + s.base64(64) + `",`,
			"golang.org/x/sys v0.4" + s.number(9) + ".0 h1:" + s.base64(32),
			"sha256:" + s.hex(32) + ": Pulling fs layer",
			"ETag: \"" + s.hex(16) + "\"\nSet-Cookie: theme=dark; Path=/",
			"pod/api-" + s.hex(5) + "-" + s.hex(2) + "   1/1   Running   0   " + s.number(99) + "d",
			`{"level":"info","session":"` + s.uuid() + `","tokens":` + s.number(99999) + `,"key":"agent:main:main"}`,
			"API_KEY=your-api-key-here\nDB_PASSWORD=${DB_PASSWORD}\nSECRET_KEY_BASE=changeme",
			"token: " + s.number(99999) + "\nmax_tokens: 4096\ntokenizer: cl100k_base",
			"password: ********\nsecret: <redacted>\napi-key: $(vault read key)",
			"-rw-r--r-- 1 ada ada " + s.number(999999) + " May  1 10:00 id_" + s.hex(6) + ".pub",
			"ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAA" + s.base64(33) + " ada@laptop",
			"data:image/png;base64,iVBORw0KGgo" + s.base64(120),
			"https://example.com/a/" + s.uuid() + "?page=" + s.number(9) + "&sort=token&hash=" + s.hex(8),
			"toolu_01" + s.hex(11) + " msg_01" + s.hex(11) + " req_011C" + s.hex(10),
			"0x" + s.hex(20) + " transferred to 0x" + s.hex(20) + " in tx 0x" + s.hex(32),
			"const passwordInput = document.querySelector('#password-" + s.number(99) + "');",
			`	token, err := parser.nextToken() // secret: none`,
			"  at Object.<anonymous> (/w/node_modules/token-bucket/index.js:" + s.number(999) + ":" + s.number(99) + ")",
			"authorization: Bearer token expired at " + s.number(9999999),
			"-----BEGIN CERTIFICATE-----\n" + s.base64(48) + "\n-----END CERTIFICATE-----",
		}
		b.WriteString(kinds[s.IntN(len(kinds))] + "\n")
	}
	return b.String()
}

// On source code, logs and prose that no rule was written for, fewer than 1 of 1,000 messages have a finding.
func TestFalsePositives(t *testing.T) {
	messages := longtest.Rounds(t, "CLAWCTL_TEXTS", 4000, 12_000)
	for _, seed := range []uint64{41, 42} {
		s := newScribe(t, seed)
		found := 0
		for i := range messages {
			text := []func() string{s.prose, s.code, s.log}[i%3]()
			matches := Find([]byte(text))
			if len(matches) > 0 {
				found++
			}
			for _, m := range matches {
				t.Logf("seed %d, message %d: %s in %q", seed, i, m.Rule.Name, text[max(0, m.Start-40):min(len(text), m.End+10)])
			}
		}
		t.Logf("seed %d: %d of %d messages", seed, found, messages)
		if found*1000 >= messages {
			t.Errorf("seed %d: %d of %d messages have a finding", seed, found, messages)
		}
	}
}
