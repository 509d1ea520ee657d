package diff

import (
	"strings"
	"testing"
)

// A record without links takes little memory, however many there are.
func TestRecordsWithoutLinksAreSmall(t *testing.T) {
	const records, limit = 50_000, 800 // bytes for each, in all steps together
	empty, other := strings.Repeat("{}\n", records), header+"\n"
	result := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			compareTexts(b, other, empty)
		}
	})
	if each := result.AllocedBytesPerOp() / records; each > limit {
		t.Errorf("%d bytes for each record, want at most %d", each, limit)
	}
}
