package page

import (
	"bufio"
	"cmp"
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"

	"clawctl/pkg/change/redact"
)

// A Lock makes a page that only its password opens. Everything about the session is encrypted, also its title and its
// name. The frame and the script are the same for all sessions.
type Lock struct {
	Password string
	Random   io.Reader // for the salt
	rounds   int       // of tests; 0: lockRounds
}

// The key is derived from the password by PBKDF2 with SHA-256, for AES-256 in GCM.
const (
	lockRounds = 600_000
	saltSize   = 32
	keySize    = 32
)

// segmentSize is how many bytes are sealed at a time.
const segmentSize = 256 << 10

// lockedTitle is the title of a page until it is opened.
const lockedTitle = "Encrypted session"

// A lockHead is what the script has to know before it asks for the password.
type lockHead struct {
	Salt   []byte `json:"salt"` // in base64
	Rounds int    `json:"rounds"`
}

// writeLocked writes a page whose data is encrypted.
func writeLocked(ctx context.Context, out *bufio.Writer, s *Document, sv *survey, m *redact.Masker, o Options) error {
	lock := lockHead{make([]byte, saltSize), cmp.Or(o.Lock.rounds, lockRounds)}
	if _, err := io.ReadFull(o.Lock.Random, lock.Salt); err != nil {
		return fmt.Errorf("make a salt: %w", err)
	}
	seal, err := newSealWriter(out, o.Lock.Password, lock)
	if err != nil {
		return err
	}
	head, err := json.Marshal(lock)
	if err != nil {
		return err
	}
	writeHead(out, lockedPage, lockedTitle)
	data(out, "application/json", "lock", head)
	out.WriteString(lockedPage.scriptElement())
	inside := bufio.NewWriter(seal)
	if err := writeData(ctx, inside, s, sv, m, o, ""); err != nil {
		return err
	}
	if err := inside.Flush(); err != nil {
		return err
	}
	seal.write(true)
	_, err = out.WriteString("</body>\n</html>\n")
	return err
}

// A sealWriter encrypts what is written to it, segment by segment, into elements of a page. A segment has its number in
// its nonce, and the last one says that it is the last. So no segment can be moved or left out. The key is never used
// again, because the salt is random.
type sealWriter struct {
	out    *bufio.Writer
	gcm    cipher.AEAD
	held   []byte
	sealed []byte
	number uint64
}

func newSealWriter(out *bufio.Writer, password string, lock lockHead) (*sealWriter, error) {
	key, err := pbkdf2.Key(sha256.New, password, lock.Salt, lock.Rounds, keySize)
	if err != nil {
		return nil, err
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	gcm, err := cipher.NewGCM(block)
	if err != nil {
		return nil, err
	}
	return &sealWriter{out: out, gcm: gcm, held: make([]byte, 0, segmentSize)}, nil
}

// Write never fails: the buffered writer keeps its error.
func (w *sealWriter) Write(data []byte) (int, error) {
	for rest := data; len(rest) > 0; {
		if len(w.held) == segmentSize {
			w.write(false)
		}
		n := min(len(rest), segmentSize-len(w.held))
		w.held = append(w.held, rest[:n]...)
		rest = rest[n:]
	}
	return len(data), nil
}

// write seals a segment.
func (w *sealWriter) write(isLast bool) {
	w.sealed = w.gcm.Seal(w.sealed[:0], nonceOf(w.number, isLast), w.held, nil)
	text := base64.StdEncoding.AppendEncode(nil, w.sealed)
	data(w.out, "application/octet-stream", fmt.Sprintf("sealed-%d", w.number), text)
	w.held = w.held[:0]
	w.number++
}

// nonceOf returns the nonce of a segment: whether it is the last, and its number.
func nonceOf(number uint64, isLast bool) []byte {
	nonce := make([]byte, 4, 12)
	if isLast {
		nonce[0] = 1
	}
	return binary.BigEndian.AppendUint64(nonce, number)
}
