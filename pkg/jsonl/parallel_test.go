package jsonl

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"time"
	"unicode/utf16"

	"clawctl/internal/longtest"
	"clawctl/internal/testkit"
)

// A reading is everything that a reader says about a stream.
type reading struct {
	records []*Record
	err     error
	dialect Dialect
	offset  int64
}

// readWith reads a stream with batches of the given size.
func readWith(src io.Reader, opts Options, batchSize int) (got reading) {
	r := &Reader{chunk: make([]byte, batchSize+padding)}
	for rec, err := range r.Records(src, opts) {
		if err != nil {
			got.err = err
			break
		}
		got.records = append(got.records, rec.Clone())
	}
	got.records = joinPieces(got.records)
	got.dialect, got.offset = r.Dialect(), r.Offset()
	return got
}

// checkParallel checks that any number of goroutines give the same reading, from a file and from a pipe.
func checkParallel(t *testing.T, data []byte, opts Options, batchSize int) {
	t.Helper()
	file := func() io.Reader {
		r := bytes.NewReader(slices.Concat([]byte("before"), data))
		_, _ = r.Seek(int64(len("before")), io.SeekStart)
		return r
	}
	pipe := func() io.Reader { return iotest.HalfReader(struct{ io.Reader }{bytes.NewReader(data)}) }
	for _, open := range []func() io.Reader{file, pipe} {
		opts.Jobs = 1
		want := readWith(open(), opts, batchSize)
		for _, opts.Jobs = range []int{2, 3, 8} {
			compareReadings(t, opts, readWith(open(), opts, batchSize), want)
		}
	}
}

func compareReadings(t *testing.T, opts Options, got, want reading) {
	t.Helper()
	if !reflect.DeepEqual(got.err, want.err) || got.dialect != want.dialect || got.offset != want.offset {
		t.Fatalf("%d jobs: %v %v %d, want %v %v %d", opts.Jobs, got.err, got.dialect, got.offset, want.err,
			want.dialect, want.offset)
	}
	compareRecords(t, got.records, want.records)
}

func compareRecords(t *testing.T, got, want []*Record) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for i := range got {
		if len(got[i].parts) == 0 {
			got[i].parts = want[i].parts[:0:0]
		}
		if !reflect.DeepEqual(got[i], want[i]) {
			t.Fatalf("record %d: got %s, want %s", i, describe(got[i]), describe(want[i]))
		}
	}
}

func describe(r *Record) string {
	return fmt.Sprintf("line %d, offset %d, %.100q, %v, blank %v, continued %v, from %d to %d, %v, %v", r.Line, r.Offset,
		r.Raw, r.Damage, r.Blank, r.Continued, r.from, r.to, r.fields, r.parts)
}

// joinPieces joins the pieces of long lines, which may be cut anywhere.
func joinPieces(list []*Record) (joined []*Record) {
	for _, rec := range list {
		if rec.Continued {
			last := joined[len(joined)-1]
			last.Raw = append(last.Raw, rec.Raw...)
			last.to = len(last.Raw) - len(lineEnd(last.Raw))
			continue
		}
		joined = append(joined, rec)
	}
	return joined
}

// randomStream returns lines of every kind: good ones, damaged ones, blank ones, long ones.
func randomStream(r *rand.Rand) []byte {
	var b bytes.Buffer
	if r.IntN(6) == 0 {
		b.WriteString("\ufeff")
	}
	pieces := []string{
		`{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":[{"type":"text","text":"x"},{}]}}`,
		`{"type":"session","version":3,"id":"s"}`, `{"type":"user","content":"x"}`, "{}", "", " ", "{", "[1]", "\x00\x00",
		"{\"a\":\"\xff\"}", "{}\u00a0", "\v", `{"a":"\ud800"}`, `{"id":"a","id":"b"}`, "not json",
		`{"a":"` + strings.Repeat("long ", 100+r.IntN(300)) + `"}`,
	}
	for range r.IntN(60) {
		b.WriteString(pieces[r.IntN(len(pieces))])
		b.WriteString([]string{"\n", "\n", "\n", "\r\n"}[r.IntN(4)])
	}
	if r.IntN(8) == 0 {
		return utf16Text(b.Bytes(), r.IntN(2) == 0)
	}
	switch r.IntN(4) {
	case 0:
		b.WriteString(`{"torn":`)
	case 1: // white space that JavaScript trims
		b.WriteString("{}\u00a0" + strings.Repeat("\n\v \ufeff", r.IntN(300)))
	}
	return b.Bytes()
}

// utf16Text returns a text in UTF-16 with a byte order mark.
func utf16Text(text []byte, bigEndian bool) (out []byte) {
	var order binary.AppendByteOrder = binary.LittleEndian
	if bigEndian {
		order = binary.BigEndian
	}
	for _, unit := range utf16.Encode([]rune("\ufeff" + string(text))) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

// Any number of goroutines read a stream as one does. CLAWCTL_STREAMS sets how many random streams are read.
func TestParallelIsSequential(t *testing.T) {
	r := rand.New(rand.NewPCG(16, 1))
	for range longtest.Rounds(t, "CLAWCTL_STREAMS", 150, 10_000) {
		opts := Options{Strict: r.IntN(8) == 0, LinesBefore: int64(r.IntN(3)), MaxLine: []int{0, 700}[r.IntN(2)]}
		opts.BytesBefore = opts.LinesBefore * 10
		checkParallel(t, randomStream(r), opts, 150+r.IntN(900))
	}
}

// Every handwritten transcript and every input that fuzzing has kept is read in the same way by any number of
// goroutines.
func TestParallelOnTestdata(t *testing.T) {
	var files []string
	for _, pattern := range []string{"../../testdata/transcripts/*.jsonl", "testdata/fuzz/*/*"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, found...)
	}
	for _, name := range files {
		data := testkit.Read(t, name)
		checkParallel(t, data, Options{}, 512)
	}
	if len(files) == 0 {
		t.Error("no files in testdata")
	}
}

func FuzzParallel(f *testing.F) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 10 {
		f.Add(randomStream(r))
	}
	f.Fuzz(func(t *testing.T, data []byte) { checkParallel(t, data, Options{}, 200) })
}

// A batch may have more records than a list.
func TestParallelOnShortLines(t *testing.T) {
	checkParallel(t, []byte(strings.Repeat("{}\n", 20*listRecords)), Options{}, 10*listRecords)
}

// An error comes after all records before it.
func TestParallelError(t *testing.T) {
	broken := errors.New("broken")
	text := strings.Repeat("{}\n", 1000) + "{"
	for _, jobs := range []int{1, 2, 8} {
		src := io.MultiReader(strings.NewReader(text), iotest.ErrReader(broken))
		got := readWith(src, Options{Jobs: jobs}, 256)
		if got.err != broken || len(got.records) != 1001 {
			t.Errorf("%d jobs: %d records, %v", jobs, len(got.records), got.err)
		}
	}
}

// A consumer may stop at any record. Nothing keeps running, even if the stream has nothing to read.
func TestParallelStops(t *testing.T) {
	before := runtime.NumGoroutine()
	text := strings.Repeat(`{"type":"user","content":"x"}`+"\n", 500)
	for stop := 0; stop < 500; stop += 7 {
		r := &Reader{chunk: make([]byte, 512+padding)}
		n := 0
		for range r.Records(strings.NewReader(text), Options{Jobs: 3}) {
			if n++; n > stop {
				break
			}
		}
	}
	reader, writer := io.Pipe()
	go func() { _, _ = writer.Write([]byte(text)) }()
	r := &Reader{chunk: make([]byte, 512+padding)}
	n := 0
	for range r.Records(reader, Options{Jobs: 2}) {
		if n++; n == 500 {
			break // the writer sleeps
		}
	}
	writer.Close()
	for wait := 0; runtime.NumGoroutine() > before && wait < 100; wait++ {
		time.Sleep(10 * time.Millisecond)
	}
	if now := runtime.NumGoroutine(); now > before {
		t.Errorf("%d goroutines are left", now-before)
	}
}

// Transcripts that are read one after the other share their buffers.
func TestParallelBuffersAreShared(t *testing.T) {
	longtest.WithoutRaceDetector(t)
	text := []byte(strings.Repeat(`{"type":"message","id":"a","message":{"role":"user","content":"x"}}`+"\n", 20_000))
	read := func() {
		for _, err := range Records(bytes.NewReader(text), Options{Jobs: 2}) {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for range 3 {
		read()
	}
	const times = 20
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range times {
		read()
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / times; each > uint64(len(text))/2 {
		t.Errorf("a transcript of %d bytes takes %d bytes of new memory", len(text), each)
	}
}

// Every real transcript at hand is read in the same way by any number of goroutines.
func TestParallelOnRealTranscripts(t *testing.T) {
	const folder = "../../../shared/transcripts"
	if _, err := os.Stat(folder); err != nil {
		t.Skip("no real transcripts here")
	}
	files := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.Contains(entry.Name(), ".jsonl") {
			return err
		}
		if files++; files%4 > 0 && !longtest.IsLong() {
			return nil
		}
		data, err := os.ReadFile(path)
		if err == nil {
			checkParallel(t, data, Options{}, 4096)
		}
		return err
	})
	if err != nil || files < 100 {
		t.Error(files, "files", err)
	}
}

// BeforeRead runs on the goroutine of the consumer, so both may use the same things, and its error ends the stream.
func TestParallelBeforeRead(t *testing.T) {
	text := strings.Repeat(`{"type":"user","content":"x"}`+"\n", 2000)
	stopped := errors.New("stopped")
	calls, records := 0, 0 // not safe for concurrent use
	opts := Options{Jobs: 4, BeforeRead: func() error {
		if calls++; records > 1000 {
			return stopped
		}
		return nil
	}}
	r := &Reader{chunk: make([]byte, 512+padding)}
	var last error
	for _, err := range r.Records(strings.NewReader(text), opts) {
		if records++; err != nil {
			last = err
		}
	}
	if last != stopped || records < 1000 || records > 1100 || calls < 10 {
		t.Errorf("%d calls, %d records, %v", calls, records, last)
	}
}

// While one worker checks a long line, for which the consumer waits, another one goes on for some batches.
func TestLongLineStopsNobody(t *testing.T) {
	const long = 5 * smallChunk
	short := `{"type":"user","content":"` + strings.Repeat("x", 1000) + `"}` + "\n"
	text := strings.Repeat(short, 2*smallChunk/len(short)) +
		`{"type":"user","content":"` + strings.Repeat("y", long) + `"}` + "\n" + strings.Repeat(short, 3*long/len(short))
	from := strings.Index(text, "y")
	behind, limit := make(chan struct{}), time.After(time.Minute)
	var once sync.Once
	prepare := func(rec *Record) any {
		switch {
		case len(rec.Raw) > long:
			select {
			case <-behind:
			case <-limit:
				t.Error("the other worker waits for the one with the long line")
			}
		case rec.Offset > int64(from+long+8*smallChunk):
			once.Do(func() { close(behind) })
		}
		return nil
	}
	opts := Options{Jobs: 2, Prepare: func() func(*Record) any { return prepare }}
	if got := readWith(strings.NewReader(text), opts, smallChunk); got.offset != int64(len(text)) {
		t.Errorf("%v after %d bytes of %d", got.err, got.offset, len(text))
	}
}
