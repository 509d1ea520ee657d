// Command corpus writes transcripts for benchmarks: one file of a given size, or a tree of sessions.
//
//	go run ./scripts/corpus -out FILE -size BYTES
//	go run ./scripts/corpus -out DIR -size BYTES -n SESSIONS
//	go run ./scripts/corpus -batch -size BYTES -n SESSIONS < LIST
//
// The transcripts are OpenClaw's, version 3. The lines of LIST are DIR, the seed and the day on which the sessions
// begin, separated by tabs.
//
// The text comes from Go's own sources, so the same seed and the same Go release give the same bytes.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

func main() {
	out := flag.String("out", "", "the `FILE` to write, or the folder if -n is more than 1")
	size := flag.Int64("size", 1<<30, "`BYTES` to write in total")
	sessions := flag.Int("n", 1, "number of `SESSIONS`; 1 writes one file")
	seed := flag.Uint64("seed", 1, "`SEED` of the random numbers")
	begin := flag.String("begin", "2026-02-01", "the `DAY` on which the sessions begin")
	batch := flag.Bool("batch", false, "read -out, -seed and -begin from the lines of stdin")
	flag.Parse()
	list := io.Reader(strings.NewReader(fmt.Sprintf("%s\t%d\t%s\n", *out, *seed, *begin)))
	if *batch {
		list = os.Stdin
	}
	if err := writeAll(list, shape{*size, *sessions}); err != nil {
		fmt.Fprintln(os.Stderr, "corpus:", err)
		os.Exit(1)
	}
}

// A shape is what is written for a line of a list.
type shape struct {
	size     int64
	sessions int
}

func (s shape) isValid() bool { return s.size >= 1 && s.sessions >= 1 }

// writeAll writes what each line of a list names. Loading the text takes longer than writing a few small sessions.
func writeAll(list io.Reader, what shape) error {
	text, err := loadText()
	if err != nil {
		return err
	}
	lines := bufio.NewScanner(list)
	for lines.Scan() {
		if err := writeLine(lines.Text(), what, text); err != nil {
			return err
		}
	}
	return lines.Err()
}

func writeLine(line string, what shape, text *library) error {
	fields := strings.Split(line, "\t")
	if len(fields) != 3 || fields[0] == "" || !what.isValid() {
		return errors.New("-out is required, and -size and -n must be positive")
	}
	seed, err := strconv.ParseUint(fields[1], 10, 64)
	if err != nil {
		return err
	}
	day, err := time.Parse(time.DateOnly, fields[2])
	if err != nil {
		return err
	}
	epoch = day.Add(8 * time.Hour)
	return write(fields[0], what, seed, text)
}

func write(out string, what shape, seed uint64, text *library) error {
	if what.sessions == 1 {
		d := newDice(seed, 0)
		return writeSession(out, newSession(d, d.uuid(), text), what.size)
	}
	return writeTree(out, what, seed, text)
}

// writeTree writes sessions in the layout of a state folder. Their sizes are log-normal, as in real folders: most
// are short, and a few hold most of the bytes.
func writeTree(dir string, what shape, seed uint64, text *library) error {
	sizes, sum := make([]float64, what.sessions), 0.0
	spread := newDice(seed, 0)
	for i := range sizes {
		sizes[i] = math.Exp(spread.NormFloat64() * 1.1)
		sum += sizes[i]
	}
	for i, share := range sizes {
		d := newDice(seed, uint64(i)+1)
		s := newSession(d, d.uuid(), text)
		path := filepath.Join(dir, s.path(i))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := writeSession(path, s, int64(share/sum*float64(what.size))); err != nil {
			return err
		}
	}
	return nil
}

// writeSession writes one transcript, which ends with the line that reaches size bytes.
func writeSession(path string, s *session, size int64) (err error) {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	w := bufio.NewWriterSize(f, 1<<20)
	if err := s.fill(w, size); err != nil {
		return err
	}
	return w.Flush()
}

// dice is the source of random numbers for one session. Each session has its own, so that a session does not depend on
// the sessions before it.
type dice struct {
	*rand.Rand
	bytes *rand.ChaCha8
}

func newDice(seed, session uint64) *dice {
	var key [32]byte
	for i := range 8 {
		key[i], key[8+i] = byte(seed>>(8*i)), byte(session>>(8*i))
	}
	src := rand.NewChaCha8(key)
	return &dice{rand.New(src), src}
}

// raw returns n random bytes.
func (d *dice) raw(n int) []byte {
	b := make([]byte, n)
	d.bytes.Read(b) // never fails
	return b
}

func (d *dice) uuid() string {
	b := d.raw(16)
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// oneIn returns true once in n times on average.
func (d *dice) oneIn(n int) bool { return d.IntN(n) == 0 }

// about returns a length around median, with the long tail that real messages have.
func (d *dice) about(median float64) int {
	return int(min(max(median*math.Exp(d.NormFloat64()), median/10), 20*median))
}

// pick returns a random element.
func pick[T any](d *dice, from []T) T { return from[d.IntN(len(from))] }
