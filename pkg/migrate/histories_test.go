package migrate

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"testing"

	"clawctl/pkg/store"
)

// A folder changes as it would over weeks, with an import after each step. After every import, export restores the
// files, verify finds no difference, digests match, and no comparison is pending. CLAWCTL_LONG runs more
// histories.
func TestHistories(t *testing.T) {
	for seed := range many(3, 300) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			t.Parallel()
			h := &history{bench: newBench(t), Rand: rand.New(rand.NewSource(int64(seed))), live: map[string]string{}}
			for range 12 {
				for range 1 + h.Intn(4) {
					h.change()
				}
				h.settle()
			}
		})
	}
}

// A history is a folder that changes at random.
type history struct {
	*bench
	*rand.Rand
	live map[string]string // the texts of the live files
}

// change makes one random change to the folder.
func (h *history) change() {
	id := []string{idA, idB}[h.Intn(2)]
	live := id + ".jsonl"
	switch h.Intn(7) {
	case 0, 1:
		h.setLive(live, h.text(id))
	case 2:
		h.setLive(live, h.live[live]+h.text(id))
	case 3:
		if text := h.live[live]; text != "" {
			h.remove(live)
			delete(h.live, live)
			h.write(fmt.Sprintf("%s.reset.2026-05-04T14-58-5%d.795Z", live, h.Intn(4)), text)
		}
	case 4:
		h.write(fmt.Sprintf("%s.bak-1234-177789969008%d", live, h.Intn(4)), h.text(id))
	case 5:
		packed := filepath.Join(fmt.Sprintf("%s.reset.2026-05-04T14-58-5%d.795Z.gz", live, h.Intn(2)))
		if _, err := os.Stat(filepath.Join(h.sessions(), packed)); err == nil && h.Intn(3) == 0 {
			h.remove(packed)
		} else {
			h.write(packed, h.pack(h.text(id)))
		}
	default:
		h.register([][]string{{"main", idA}, {"main", idB}, {"main", idA, "other", idB}}[h.Intn(3)]...)
	}
}

func (h *history) setLive(name, text string) {
	h.live[name] = text
	h.write(name, text)
}

// text returns a transcript: mostly a prefix of a long one, sometimes with a different or damaged end.
func (h *history) text(id string) string {
	numbers := make([]int, 1+h.Intn(60))
	for i := range numbers {
		numbers[i] = i
	}
	if h.Intn(3) == 0 {
		numbers[len(numbers)-1] = 100 + h.Intn(3)
	}
	text := transcript(id, numbers...)
	switch h.Intn(8) {
	case 0:
		return text + "{broken\r\n"
	case 1:
		return text + "\n \n"
	case 2:
		return text[:len(text)-1]
	case 3:
		return text[:len(text)-9]
	}
	return text
}

func (h *history) pack(text string) string {
	var packed bytes.Buffer
	w, err := gzip.NewWriterLevel(&packed, h.Intn(9))
	if err == nil {
		_, err = w.Write([]byte(text))
	}
	if err != nil || w.Close() != nil {
		h.Fatal(err)
	}
	return packed.String()
}

// settle imports with commits of a random size, and checks the result.
func (h *history) settle() {
	h.Helper()
	if err := os.MkdirAll(h.sessions(), 0o700); err != nil {
		h.Fatal(err)
	}
	if h.Intn(6) == 0 {
		h.run(Options{Strict: true})
	}
	for name, o := range h.run(Options{CommitBytes: []int64{1, 500, 5000, 0}[h.Intn(4)]}) {
		if o.Err != nil {
			h.Errorf("%s %s %s: %v", name, o.Verdict, o.Key, o.Err)
		}
	}
	h.exact()
	h.truthful()
	if faults := auditStore(h.T, h.store); len(faults) > 0 {
		h.Errorf("%+v", faults)
	}
	if h.Failed() {
		h.FailNow()
	}
}

// truthful checks that what the store records about its sessions is true.
func (b *bench) truthful() {
	b.Helper()
	ctx := context.Background()
	st, err := store.Open(ctx, b.store, store.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer st.Close()
	commits := newImportRun(ctx, &st.View, Options{}).commits
	list, err := st.Transcripts(ctx)
	if err != nil {
		b.Fatal(err)
	}
	for _, t := range list {
		if sum, err := commits.sumOf(&storedTranscript{Transcript: t}); err != nil || t.Sum != "" && t.Sum != sum {
			b.Errorf("%s: the digest does not match the text: %v", t.Key, err)
		}
	}
	if left, err := st.UncomparedKeys(ctx); err != nil || len(left) > 0 {
		b.Errorf("not compared: %q %v", left, err)
	}
}
