package jsonl

import (
	"fmt"
	"strings"
	"testing"
)

// A message whose blocks are too many to be noted is read like any other.
func TestBlocksWithoutNotes(t *testing.T) {
	for _, count := range []int{0, 1, mostParts/2 - 1, mostParts / 2, mostParts} { // each has two parts
		blocks := strings.Repeat(`,{"type":"text"}`, count)
		line := fmt.Sprintf(`{"type":"message","message":{"role":"user","content":[%s]}}`, strings.TrimPrefix(blocks, ","))
		rec := new(Parser).Parse([]byte(line), 1, 0)
		m, _ := rec.Message()
		texts, b := 0, Block{}
		m.EachBlock(&b, func() {
			if b.Kind == BlockText && string(b.Value) == `{"type":"text"}` {
				texts++
			}
		})
		if wantNotes := count > 0 && 2*count < mostParts; texts != count || (len(rec.parts) > 0) != wantNotes {
			t.Errorf("%d blocks: read %d, noted %d", count, texts, len(rec.parts))
		}
	}
}
